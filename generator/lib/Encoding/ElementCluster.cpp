// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementCluster.h"

#include "tilewright/Encoding/Place.h"
#include "tilewright/Encoding/TensorSizes.h"

using namespace mlir;

namespace tilewright {
namespace {

OperandDims dimsBy(AffineMap map, ArrayRef<int64_t> loops) {
  OperandDims dims;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    dims.push_back(loops[map.getDimPosition(dim)]);
  return dims;
}

} // namespace

bool ElementCluster::add(Operation *op) {
  if (op->getBlock() != first->getBlock())
    return false;
  if (auto elements = dyn_cast<linalg::LinalgOp>(op))
    return areTogether(op, first) && addElements(elements);
  if (std::optional<Reshape> reshape = Reshape::of(op))
    return addReshape(op, *reshape);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return addSlice(slice);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return areTogether(op, first) && addPadding(pad);
  return false;
}

auto ElementCluster::readDims(linalg::LinalgOp op) const
    -> SmallVector<std::pair<AffineMap, OperandDims>> {
  SmallVector<std::pair<AffineMap, OperandDims>> read;
  for (OpOperand &operand : op->getOpOperands())
    if (op.isDpsInput(&operand) || op.payloadUsesValueFromOperand(&operand))
      if (std::optional<OperandDims> own = dimsOf(operand.get()))
        read.push_back({op.getMatchingIndexingMap(&operand), *own});
  return read;
}

auto ElementCluster::loopsOf(linalg::LinalgOp op) const -> OperandDims {
  OperandDims loops(op.getNumLoops(), kOwnDim);
  for (const auto &[map, own] : readDims(op))
    for (auto [dim, of] : llvm::enumerate(own))
      loops[map.getDimPosition(dim)] = of;
  return loops;
}

bool ElementCluster::addElements(linalg::LinalgOp op) {
  if (!computesElements(op) || !tiles.mayCompute())
    return false;
  OperandDims loops = loopsOf(op);
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t of : loops)
    if (of != kOwnDim && !seen.insert(of).second)
      return false;
  bool hasAllLoops = false;
  for (const auto &[map, own] : readDims(op)) {
    hasAllLoops |= map.isPermutation();
    if (own != dimsBy(map, loops))
      return false;
  }
  SmallVector<unsigned> sums;
  op.getReductionDims(sums);
  if (!sums.empty() && !hasAllLoops)
    return false;
  // What fills up the last tile is told by the loop's size.
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned loop : sums)
    if (loops[loop] != kOwnDim && ShapedType::isDynamic(sizes[loop]))
      return false;
  SmallVector<OperandDims> results;
  for (OpOperand &init : op.getDpsInitsMutable())
    results.push_back(dimsBy(op.getMatchingIndexingMap(&init), loops));
  return addResults(op, results);
}

bool ElementCluster::addReshape(Operation *op, const Reshape &reshape) {
  std::optional<OperandDims> known = dimsOf(op->getOperand(0));
  if (!known)
    return false;
  std::optional<OperandDims> result =
      tiles.reshape(reshape.expanded, reshape.collapsed, reshape.groups, *known,
                    /*fromCollapsed=*/reshape.expands);
  return result && addResults(op, *result);
}

bool ElementCluster::addSlice(tensor::ExtractSliceOp op) {
  std::optional<OperandDims> known = dimsOf(op.getSource());
  if (!known || !tiles.layout ||
      !isSliceOfTiles(tiles.layout.related(*known), op))
    return false;
  OperandDims result;
  for (int64_t dim : keptDims(op))
    result.push_back((*known)[dim]);
  return addResults(op, result);
}

bool ElementCluster::addPadding(tensor::PadOp op) {
  std::optional<OperandDims> known = dimsOf(op.getSource());
  return known && tiles.layout &&
         isPaddingOfTiles(tiles.layout.related(*known), op) &&
         addResults(op, *known);
}

bool ElementCluster::addResults(Operation *op, ArrayRef<OperandDims> results) {
  for (auto [result, dims] : llvm::zip_equal(op->getResults(), results)) {
    auto type = cast<RankedTensorType>(result.getType());
    if (type.getEncoding() || !tw::bitsInMemory(type.getElementType()) ||
        llvm::all_of(dims, [](int64_t dim) { return dim == kOwnDim; }))
      return false;
  }
  members.insert({op, {results.begin(), results.end()}});
  return true;
}

tw::UnsetEncodingOp ElementCluster::unsetHere(Value value) const {
  auto unset = value.getDefiningOp<tw::UnsetEncodingOp>();
  return unset && unset->getBlock() == first->getBlock() &&
                 areTogether(unset, first) &&
                 tiles.areOf(unset.getSource().getType())
             ? unset
             : nullptr;
}

auto ElementCluster::dimsOf(Value value) const -> std::optional<OperandDims> {
  Operation *op = value.getDefiningOp();
  if (const auto *found = members.find(op); op && found != members.end())
    return found->second[cast<OpResult>(value).getResultNumber()];
  if (tw::UnsetEncodingOp unset = unsetHere(value))
    return encodingOf(unset.getSource().getType()).getAllDims();
  return std::nullopt;
}

bool ElementCluster::isUnset(Value result) const {
  return llvm::any_of(result.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return !isOfCluster(user) &&
           !(isa<tw::SetEncodingOp>(user) && use.getOperandNumber() == 0);
  });
}

double ElementCluster::saves() {
  double saved = 0;
  llvm::SmallDenseSet<Value> operands;
  for (auto &[op, of] : members)
    for (OpOperand &operand : op->getOpOperands()) {
      auto elements = dyn_cast<linalg::LinalgOp>(op);
      bool isRead = !elements || elements.payloadUsesValueFromOperand(&operand);
      if (isRead && isa<RankedTensorType>(operand.get().getType()) &&
          !operand.get().getDefiningOp<linalg::FillOp>())
        operands.insert(operand.get());
    }
  for (Value operand : operands) {
    auto isMember = [&](Operation *user) { return isOfCluster(user); };
    if (unsetHere(operand)) {
      if (llvm::all_of(operand.getUsers(), isMember))
        saved += 2 * bytesOf(operand);
    } else if (!isOfCluster(operand.getDefiningOp()) &&
               !isPackedAhead(operand)) {
      saved -= 2 * bytesOf(operand);
    }
  }
  for (auto &[op, of] : members)
    for (Value result : op->getResults())
      saved += savesBehind(result);
  return saved;
}

double ElementCluster::savesBehind(Value result) const {
  double saved = isUnset(result) ? -2 * bytesOf(result) : 0;
  for (Operation *user : result.getUsers())
    if (auto set = dyn_cast<tw::SetEncodingOp>(user);
        set && set.getResult().getType() == typeOf(result))
      saved += 2 * bytesOf(result);
  return saved;
}

/// `value` with the encoding.
Value ElementCluster::encoded(OpBuilder &b, Value value,
                              ArrayRef<int64_t> dims) {
  RankedTensorType type = tiles.typeOf(value, dims);
  Value &known = encodedValues[value];
  if (known && known.getType() == type)
    return known;
  if (tw::UnsetEncodingOp unset = unsetHere(value)) {
    unsets.insert(unset);
    return known = unset.getSource();
  }
  return known = encodedAs(b, value, type, first);
}

/// What a member writes over or, of sums, goes on from.
Value ElementCluster::encodedInit(OpBuilder &b, OpOperand &init) {
  auto op = cast<linalg::LinalgOp>(init.getOwner());
  OpResult result = op.getTiedOpResult(&init);
  if (!op.payloadUsesValueFromOperand(&init))
    return emptyAs(b, result, typeOf(result));
  return encoded(b, init.get(), *dimsOf(result));
}

Operation *ElementCluster::rewriteElements(OpBuilder &b, linalg::LinalgOp op) {
  OperandDims loops = loopsOf(op);
  SmallVector<Value> inputs, inits;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isWhole = !op.isScalar(input) && map.isPermutation();
    inputs.push_back(isWhole || dimsOf(value)
                         ? encoded(b, value, dimsBy(map, loops))
                         : value);
  }
  for (OpOperand &init : op.getDpsInitsMutable())
    inits.push_back(encodedInit(b, init));
  return withOperands(b, op, inputs, inits);
}

Operation *ElementCluster::rewrite(OpBuilder &b, Operation *op) {
  if (auto elements = dyn_cast<linalg::LinalgOp>(op))
    return rewriteElements(b, elements);
  Value source = op->getOperand(0);
  return withSource(b, op, encoded(b, source, *dimsOf(source)),
                    typeOf(op->getResult(0)));
}

void ElementCluster::rewrite() {
  for (auto &[op, of] : members) {
    OpBuilder b(op);
    SmallVector<SmallVector<OpFoldResult>> sizes;
    for (Value result : op->getResults())
      sizes.push_back(sizesOf(b, result));
    Operation *computed = rewrite(b, op);
    placeLike(computed, first);
    for (auto [result, inTiles, size] :
         llvm::zip_equal(op->getResults(), computed->getResults(), sizes)) {
      encodedValues[result] = inTiles;
      // Whoever is left gets what it had; what is set again is
      // tw-fold-encodings'.
      auto isLeft = [&](OpOperand &use) {
        return !isOfCluster(use.getOwner());
      };
      if (llvm::none_of(result.getUses(), isLeft))
        continue;
      Value dest = emptyOf(b, op->getLoc(),
                           cast<RankedTensorType>(result.getType()), size);
      auto unset = tw::UnsetEncodingOp::create(b, op->getLoc(), inTiles, dest);
      placeLike(unset, first);
      result.replaceUsesWithIf(unset.getResult(), isLeft);
    }
  }
  for (auto &[op, of] : llvm::reverse(members))
    op->erase();
  for (tw::UnsetEncodingOp unset : unsets)
    if (unset->use_empty())
      unset->erase();
}

} // namespace tilewright
