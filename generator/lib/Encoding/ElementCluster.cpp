// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementCluster.h"

#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Encoding/TensorSizes.h"

using namespace mlir;

namespace tilewright {
namespace {

/// What a size that is not known counts for.
constexpr double kUnknownSize = 128;

constexpr int64_t kOwnDim = tw::EncodingAttr::kOwnDim;

} // namespace

double bytesOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  double bytes = llvm::divideCeil(tw::bitsInMemory(type.getElementType()), 8);
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? kUnknownSize : double(size);
  return bytes;
}

bool ElementCluster::add(Operation *op) {
  if (op->getBlock() != first->getBlock() || op->getNumResults() != 1)
    return false;
  if (auto elements = dyn_cast<linalg::LinalgOp>(op))
    return areTogether(op, first) && addElements(elements);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return addReshape(op, expand.getResult(), expand.getSrc(),
                      expand.getReassociationIndices());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return addReshape(op, collapse.getSrc(), collapse.getResult(),
                      collapse.getReassociationIndices());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return addSlice(slice);
  return false;
}

/// Elements of the result, each of one element of every operand, or sums of
/// those along loops of one operand. What is filled up in the last tiles is
/// computed, too: that must do nothing but give values that nobody reads.
bool ElementCluster::areElements(linalg::LinalgOp op) const {
  if (!op.hasPureTensorSemantics() || op.hasIndexSemantics() ||
      op.getNumParallelLoops() + op.getNumReductionLoops() !=
          op.getNumLoops() ||
      op.getBlock()->getNumArguments() != op->getNumOperands())
    return false;
  for (OpOperand &operand : op->getOpOperands())
    if (!op.isScalar(&operand) &&
        (tw::isEncoded(operand.get().getType()) ||
         !op.getMatchingIndexingMap(&operand).isProjectedPermutation()))
      return false;
  return llvm::all_of(op.getBlock()->without_terminator(), [](Operation &op) {
    return !isa<tensor::ExtractOp>(op) && op.getNumRegions() == 0 &&
           isPure(&op);
  });
}

auto ElementCluster::loopsOf(linalg::LinalgOp op) const -> Dims {
  Dims loops(op.getNumLoops(), kOwnDim);
  for (OpOperand *input : op.getDpsInputOperands())
    if (std::optional<Dims> own = dimsOf(input->get()))
      for (auto [dim, of] : llvm::enumerate(*own))
        loops[op.getMatchingIndexingMap(input).getDimPosition(dim)] = of;
  return loops;
}

bool ElementCluster::addElements(linalg::LinalgOp op) {
  // Elements of a swizzle, or of tiles of unknown sizes, are not computed with.
  if (!areElements(op) ||
      (layout && (!layout.getPerm().empty() || layout.isScalable())))
    return false;
  Dims loops = loopsOf(op);
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t of : loops)
    if (of != kOwnDim && !seen.insert(of).second)
      return false;
  bool hasAllLoops = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<Dims> own = dimsOf(input->get());
    if (!own)
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    hasAllLoops |= map.isPermutation();
    for (auto [dim, of] : llvm::enumerate(*own))
      if (loops[map.getDimPosition(dim)] != of)
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
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  Dims result;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    result.push_back(loops[map.getDimPosition(dim)]);
  std::optional<Dims> before = dimsOf(init->get());
  if (before && op.payloadUsesValueFromOperand(init) && *before != result)
    return false;
  return addResult(op, result);
}

bool ElementCluster::addReshape(Operation *op, Value expanded, Value collapsed,
                                ArrayRef<ReassociationIndices> groups) {
  std::optional<Dims> known = dimsOf(op->getOperand(0));
  if (!known || !layout)
    return false;
  bool expands = op->getOperand(0) == collapsed;
  auto fine = cast<RankedTensorType>(expanded.getType());
  Dims result(expands ? fine.getRank() : groups.size(), kOwnDim);
  for (auto [dim, group] : llvm::enumerate(groups)) {
    if (!expands) {
      for (int64_t part : group)
        if ((*known)[part] != kOwnDim)
          result[dim] = (*known)[part];
      continue;
    }
    // The innermost part that is more than one.
    int64_t innermost = group.back();
    for (int64_t part : group)
      if (fine.getDimSize(part) != 1)
        innermost = part;
    result[innermost] = (*known)[dim];
  }
  auto lying = [&](Value value, const Dims &dims) {
    auto type = cast<RankedTensorType>(value.getType());
    return RankedTensorType::get(type.getShape(), type.getElementType(),
                                 layout.related(dims));
  };
  return packReshape(lying(expanded, expands ? result : *known),
                     lying(collapsed, expands ? *known : result), groups) &&
         addResult(op, result);
}

bool ElementCluster::addSlice(tensor::ExtractSliceOp op) {
  std::optional<Dims> known = dimsOf(op.getSource());
  if (!known || !layout || !isSliceOfTiles(layout.related(*known), op))
    return false;
  Dims result;
  for (int64_t dim : keptDims(op))
    result.push_back((*known)[dim]);
  return addResult(op, result);
}

bool ElementCluster::addResult(Operation *op, const Dims &result) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getEncoding() || !tw::bitsInMemory(type.getElementType()) ||
      llvm::all_of(result, [](int64_t dim) { return dim == kOwnDim; }))
    return false;
  dims.insert({op, result});
  return true;
}

tw::UnsetEncodingOp ElementCluster::unsetHere(Value value) const {
  auto unset = value.getDefiningOp<tw::UnsetEncodingOp>();
  if (!unset || unset->getBlock() != first->getBlock() ||
      !areTogether(unset, first))
    return nullptr;
  tw::EncodingAttr own = encodingOf(unset.getSource().getType());
  return own && own.withOperand(own.getOperand()) == encoding ? unset : nullptr;
}

auto ElementCluster::dimsOf(Value value) const -> std::optional<Dims> {
  Operation *op = value.getDefiningOp();
  if (const auto *found = dims.find(op); op && found != dims.end())
    return found->second;
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
  for (auto &[op, of] : dims)
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
               !isSameInAllCalls(operand)) {
      saved -= 2 * bytesOf(operand);
    }
  }
  for (auto &[op, of] : dims) {
    Value result = op->getResult(0);
    if (isUnset(result))
      saved -= 2 * bytesOf(result);
    for (Operation *user : result.getUsers())
      if (auto set = dyn_cast<tw::SetEncodingOp>(user);
          set && set.getResult().getType() == typeOf(result, of))
        saved += 2 * bytesOf(result);
  }
  return saved;
}

RankedTensorType ElementCluster::typeOf(Value value, const Dims &of) const {
  auto type = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               encoding.related(of, type));
}

Value ElementCluster::emptyLike(OpBuilder &b, Value value, const Dims &of) {
  RankedTensorType type = typeOf(value, of);
  return tensor::EmptyOp::create(b, value.getLoc(), sizesOf(b, value),
                                 type.getElementType(), type.getEncoding());
}

/// `value` with the encoding.
Value ElementCluster::encoded(OpBuilder &b, Value value, const Dims &of) {
  Value &known = encodedValues[value];
  if (known && known.getType() == typeOf(value, of))
    return known;
  if (tw::UnsetEncodingOp unset = unsetHere(value)) {
    unsets.insert(unset);
    return known = unset.getSource();
  }
  auto set = tw::SetEncodingOp::create(b, value.getLoc(), value,
                                       emptyLike(b, value, of));
  placeLike(set, first);
  return known = set.getResult();
}

/// What a member writes over or, of sums, goes on from.
Value ElementCluster::encodedInit(OpBuilder &b, linalg::LinalgOp op,
                                  const Dims &of) {
  OpOperand *init = op.getDpsInitOperand(0);
  if (!op.payloadUsesValueFromOperand(init))
    return emptyLike(b, op->getResult(0), of);
  auto fill = init->get().getDefiningOp<linalg::FillOp>();
  if (!fill)
    return encoded(b, init->get(), of);
  auto filled = linalg::FillOp::create(b, fill.getLoc(), fill.value(),
                                       emptyLike(b, op->getResult(0), of));
  placeLike(filled, first);
  return filled.getResult(0);
}

Operation *ElementCluster::rewriteElements(OpBuilder &b, linalg::LinalgOp op) {
  const Dims &of = dims.find(op)->second;
  Dims loops = loopsOf(op);
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    AffineMap map = op.getMatchingIndexingMap(input);
    Dims own;
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
      own.push_back(loops[map.getDimPosition(dim)]);
    bool isWhole = !op.isScalar(input) && map.isPermutation();
    inputs.push_back(isWhole || dimsOf(value) ? encoded(b, value, own) : value);
  }
  auto computed = linalg::GenericOp::create(
      b, op.getLoc(), typeOf(op->getResult(0), of), inputs,
      encodedInit(b, op, of), op.getIndexingMapsArray(),
      op.getIteratorTypesArray());
  computed.getRegion().takeBody(op->getRegion(0));
  return computed;
}

Operation *ElementCluster::rewrite(OpBuilder &b, Operation *op) {
  if (auto elements = dyn_cast<linalg::LinalgOp>(op))
    return rewriteElements(b, elements);
  Value source = op->getOperand(0);
  Value from = encoded(b, source, *dimsOf(source));
  RankedTensorType type = typeOf(op->getResult(0), dims.find(op)->second);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return tensor::ExpandShapeOp::create(b, op->getLoc(), type, from,
                                         expand.getReassociationIndices(),
                                         expand.getMixedOutputShape());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return tensor::CollapseShapeOp::create(b, op->getLoc(), type, from,
                                           collapse.getReassociationIndices());
  auto slice = cast<tensor::ExtractSliceOp>(op);
  return tensor::ExtractSliceOp::create(
      b, op->getLoc(), type, from, slice.getMixedOffsets(),
      slice.getMixedSizes(), slice.getMixedStrides());
}

void ElementCluster::rewrite() {
  for (auto &[op, of] : dims) {
    OpBuilder b(op);
    Value result = op->getResult(0);
    SmallVector<OpFoldResult> sizes = sizesOf(b, result);
    Operation *computed = rewrite(b, op);
    placeLike(computed, first);
    encodedValues[result] = computed->getResult(0);
    // Whoever is left gets what it had; what is set again is
    // tw-fold-encodings'.
    if (llvm::all_of(result.getUsers(),
                     [&](Operation *user) { return isOfCluster(user); }))
      continue;
    Value dest = tensor::EmptyOp::create(
        b, op->getLoc(), sizes,
        cast<RankedTensorType>(result.getType()).getElementType());
    auto unset = tw::UnsetEncodingOp::create(b, op->getLoc(),
                                             computed->getResult(0), dest);
    placeLike(unset, first);
    result.replaceUsesWithIf(unset.getResult(), [&](OpOperand &use) {
      return !isOfCluster(use.getOwner());
    });
  }
  for (auto &[op, of] : llvm::reverse(dims))
    op->erase();
  for (tw::UnsetEncodingOp unset : unsets)
    if (unset->use_empty())
      unset->erase();
}

} // namespace tilewright
