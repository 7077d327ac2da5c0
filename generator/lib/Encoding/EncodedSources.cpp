// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EncodedSources.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {
namespace {

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// What is only moved, and lies in tiles as it lay before.
bool isTranspose(Operation *op) {
  auto elements = dyn_cast<linalg::LinalgOp>(op);
  return elements && isOfCasts(elements) &&
         elements.getBlock()->getTerminator()->getOperand(0) ==
             elements.getBlock()->getArgument(0) &&
         llvm::all_of(elements.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isPermutation(); });
}

} // namespace

void EncodedSources::want(Value value, const OperandDims &dims) {
  auto [found, isNew] = wanted.try_emplace(value, dims);
  if (!isNew && found->second != dims)
    wantedOtherwise.insert(value);
}

bool EncodedSources::isSetFor(OpOperand &use, const OperandDims &dims) const {
  auto set = dyn_cast<tw::SetEncodingOp>(use.getOwner());
  return set && use.getOperandNumber() == 0 &&
         set->getBlock() == first->getBlock() && areTogether(set, first) &&
         set.getResult().getType() == tiles.typeOf(use.get(), dims);
}

bool EncodedSources::isOnlyWanted(Value value, const OperandDims &dims) const {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    const auto *member = members.find(use.getOwner());
    if (member == members.end())
      return isSetFor(use, dims);
    // What stays as it lies is read as it lies.
    return llvm::none_of(member->second.sources, [&](const Source &source) {
      return source.operand == &use && source.dims.empty();
    });
  });
}

void EncodedSources::add(Operation *op) {
  // What fills up tiles with block scales has to be what packs fill in: scales
  // have no zero.
  if (tiles.encoding.isScaled())
    return;
  if (auto set = dyn_cast<tw::SetEncodingOp>(op)) {
    if (tiles.areOf(set.getResult().getType()) && areTogether(op, first))
      want(set.getSource(), encodingOf(set.getResult().getType()).getAllDims());
    return;
  }
  if (op->getNumResults() != 1 || !areTogether(op, first))
    return;
  Value result = op->getResult(0);
  auto found = wanted.find(result);
  if (found == wanted.end() || wantedOtherwise.contains(result) ||
      !isOnlyWanted(result, found->second))
    return;
  OperandDims dims = found->second;
  std::optional<SmallVector<Source>> sources = sourcesOf(op, dims);
  if (!sources)
    return;
  for (const Source &source : *sources)
    if (!source.dims.empty())
      want(source.operand->get(), source.dims);
  members.insert({op, {dims, *sources}});
}

auto EncodedSources::sourcesOf(Operation *op, const OperandDims &dims) const
    -> std::optional<SmallVector<Source>> {
  std::optional<OperandDims> from;
  if (auto elements = dyn_cast<linalg::LinalgOp>(op))
    return sourcesOfElements(elements, dims);
  if (std::optional<Reshape> reshape = Reshape::of(op))
    from = tiles.reshape(reshape->expanded, reshape->collapsed, reshape->groups,
                         dims, /*fromCollapsed=*/!reshape->expands);
  // What is put around an operand of a contraction may fill up its last tiles.
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    if (Value value = pad.getConstantPaddingValue();
        value && tiles.layout &&
        isPaddingOfTiles(tiles.layout.related(dims), pad) &&
        (tiles.encoding.getOperand() == tw::Operand::Out ||
         matchPattern(value, m_Zero()) ||
         matchPattern(value, m_PosZeroFloat())))
      from = dims;
  if (!from || isPackedAhead(op->getOperand(0)))
    return std::nullopt;
  return SmallVector<Source>{{&op->getOpOperand(0), *from}};
}

auto EncodedSources::sourcesOfElements(linalg::LinalgOp op,
                                       const OperandDims &dims) const
    -> std::optional<SmallVector<Source>> {
  if (isa<linalg::FillOp>(op) || !computesElements(op) || !tiles.mayCompute() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return std::nullopt;
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap to = op.getMatchingIndexingMap(init);
  if (!to.isPermutation())
    return std::nullopt;
  OperandDims loops(op.getNumLoops(), kOwnDim);
  for (auto [dim, of] : llvm::enumerate(dims))
    loops[to.getDimPosition(dim)] = of;
  SmallVector<Source> sources;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&operand) || !isTensor(operand.get()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    sources.push_back({&operand, {}});
    if (!map.isPermutation())
      continue;
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
      sources.back().dims.push_back(loops[map.getDimPosition(dim)]);
    Type element = getElementTypeOrSelf(operand.get().getType());
    if (!tw::bitsInMemory(element))
      return std::nullopt;
  }
  // Casts and transposes of constants are made when the model is compiled.
  if (sources.size() == 1 && isOfCasts(op) &&
      isPackedAhead(sources.front().operand->get()))
    return std::nullopt;
  return sources;
}

double EncodedSources::costOf(const Source &source) const {
  Value value = source.operand->get();
  Operation *op = value.getDefiningOp();
  if (isPackedAhead(value) ||
      isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(op))
    return 0;
  // What lies so already is not set; otherwise what was unset is laid out
  // anew, as the result would have been.
  auto unset = dyn_cast_or_null<tw::UnsetEncodingOp>(op);
  bool liesSo = unset && !source.dims.empty() && areTogether(unset, first) &&
                unset.getSource().getType() == tiles.typeOf(value, source.dims);
  return liesSo ? 0 : 2 * bytesOf(value);
}

void EncodedSources::choose() {
  llvm::SmallDenseSet<Operation *> chosen;
  llvm::DenseMap<Value, double> least;
  for (auto &[op, member] : llvm::reverse(members)) {
    Value result = op->getResult(0);
    double whole = 2 * bytesOf(result), parts = isTranspose(op) ? -whole : 0;
    for (const Source &source : member.sources) {
      Value value = source.operand->get();
      auto known = least.find(value);
      parts += known != least.end() ? known->second : costOf(source);
    }
    least[result] = std::min(whole, parts);
    if (parts < whole)
      chosen.insert(op);
  }
  // Whose result some other operation reads after all is not one of them.
  members.remove_if([&](auto &entry) {
    auto &[op, member] = entry;
    return !chosen.contains(op);
  });
  auto isRead = [&](auto &entry) {
    return !isOnlyWanted(entry.first->getResult(0), entry.second.dims);
  };
  while (llvm::any_of(members, isRead))
    members.remove_if(isRead);
}

double EncodedSources::saves() const {
  double saved = 0;
  llvm::SmallDenseSet<Value> seen;
  for (const auto &[op, member] : members) {
    Value result = op->getResult(0);
    if (isTranspose(op))
      saved += 2 * bytesOf(result);
    for (OpOperand &use : result.getUses())
      if (isSetFor(use, member.dims))
        saved += 2 * bytesOf(result);
    for (const Source &source : member.sources) {
      Value value = source.operand->get();
      if (!members.contains(value.getDefiningOp()) && seen.insert(value).second)
        saved -= costOf(source);
    }
  }
  return saved;
}

Value EncodedSources::encoded(OpBuilder &b, const Source &source) {
  Value value = source.operand->get();
  RankedTensorType type = tiles.typeOf(value, source.dims);
  Value &known = encodedValues[value];
  if (known && known.getType() == type)
    return known;
  if (auto unset = value.getDefiningOp<tw::UnsetEncodingOp>()) {
    unsets.insert(unset);
    if (unset.getSource().getType() == type && areTogether(unset, first))
      return known = unset.getSource();
  }
  return known = encodedAs(b, value, type, first);
}

Operation *EncodedSources::rewrite(OpBuilder &b, Operation *op,
                                   const Member &member) {
  RankedTensorType type = tiles.typeOf(op->getResult(0), member.dims);
  auto elements = dyn_cast<linalg::LinalgOp>(op);
  if (!elements)
    return withSource(b, op, encoded(b, member.sources.front()), type);
  SmallVector<Value> operands(op->getOperands());
  OpOperand *init = elements.getDpsInitOperand(0);
  if (!elements.payloadUsesValueFromOperand(init))
    operands[init->getOperandNumber()] = emptyAs(b, op->getResult(0), type);
  for (const Source &source : member.sources)
    if (!source.dims.empty())
      operands[source.operand->getOperandNumber()] = encoded(b, source);
  return withOperands(b, elements, ArrayRef(operands).drop_back(),
                      operands.back());
}

void EncodedSources::rewrite() {
  // `first` is one of these.
  SmallVector<Operation *> replaced;
  for (auto &[op, member] : llvm::reverse(members)) {
    OpBuilder b(op);
    Value result = op->getResult(0);
    Operation *computed = rewrite(b, op, member);
    placeLike(computed, first);
    Value inTiles = encodedValues[result] = computed->getResult(0);
    for (Operation *user : result.getUsers())
      if (isa<tw::SetEncodingOp>(user)) {
        user->replaceAllUsesWith(ValueRange{inTiles});
        replaced.push_back(user);
      }
  }
  for (Operation *set : replaced)
    set->erase();
  for (auto &[op, member] : members)
    op->erase();
  for (Operation *unset : unsets)
    if (unset->use_empty())
      unset->erase();
}

} // namespace tilewright
