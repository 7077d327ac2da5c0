// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EncodedElements.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Encoding/TensorSizes.h"

using namespace mlir;

namespace tilewright {
namespace {

/// What a size that is not known counts for.
constexpr double kUnknownSize = 128;

} // namespace

double bytesOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  double bytes = llvm::divideCeil(tw::bitsInMemory(type.getElementType()), 8);
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? kUnknownSize : double(size);
  return bytes;
}

bool isPackedAhead(Value tensor) {
  return isSameInAllCalls(withoutReshapes(tensor));
}

bool OperandTiles::isIdentity() const {
  return (layout && layout.isIdentity()) ||
         !encoding.getMap().isProjectedPermutation();
}

bool OperandTiles::areOf(Type type) const {
  tw::EncodingAttr own = encodingOf(type);
  return own && own.ofOperand() == encoding;
}

RankedTensorType OperandTiles::typeOf(Value value,
                                      ArrayRef<int64_t> dims) const {
  auto type = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               encoding.related(dims, type));
}

bool OperandTiles::mayCompute() const {
  return !layout || (layout.getPerm().empty() && !layout.isScalable());
}

std::optional<OperandDims>
OperandTiles::reshape(Value expanded, Value collapsed,
                      ArrayRef<ReassociationIndices> groups,
                      ArrayRef<int64_t> known, bool fromCollapsed) const {
  if (!layout)
    return std::nullopt;
  auto fine = cast<RankedTensorType>(expanded.getType());
  OperandDims result(fromCollapsed ? fine.getRank() : groups.size(), kOwnDim);
  for (auto [dim, group] : llvm::enumerate(groups)) {
    if (!fromCollapsed) {
      for (int64_t part : group)
        if (known[part] != kOwnDim)
          result[dim] = known[part];
      continue;
    }
    // The innermost part that is more than one.
    int64_t innermost = group.back();
    for (int64_t part : group)
      if (fine.getDimSize(part) != 1)
        innermost = part;
    result[innermost] = known[dim];
  }
  auto lying = [&](Value value, ArrayRef<int64_t> dims) {
    auto type = cast<RankedTensorType>(value.getType());
    return RankedTensorType::get(type.getShape(), type.getElementType(),
                                 layout.related(dims));
  };
  if (!packReshape(lying(expanded, fromCollapsed ? result : known),
                   lying(collapsed, fromCollapsed ? known : result), groups))
    return std::nullopt;
  return result;
}

std::optional<Reshape> Reshape::of(Operation *op) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return Reshape{expand.getResult(), expand.getSrc(),
                   expand.getReassociationIndices(), true};
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return Reshape{collapse.getSrc(), collapse.getResult(),
                   collapse.getReassociationIndices(), false};
  return std::nullopt;
}

bool computesElements(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() + op.getNumReductionLoops() !=
          op.getNumLoops() ||
      op.getBlock()->getNumArguments() != op->getNumOperands())
    return false;
  for (OpOperand &operand : op->getOpOperands())
    if (!op.isScalar(&operand) &&
        (tw::isEncoded(operand.get().getType()) ||
         tw::isInStreams(getElementTypeOrSelf(operand.get())) ||
         !op.getMatchingIndexingMap(&operand).isProjectedPermutation()))
      return false;
  return llvm::all_of(op.getBlock()->without_terminator(), [](Operation &op) {
    return !isa<tensor::ExtractOp>(op) && op.getNumRegions() == 0 &&
           isPure(&op);
  });
}

bool isOfCasts(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1)
    return false;
  Value element = op.getBlock()->getTerminator()->getOperand(0);
  while (Operation *cast = element.getDefiningOp()) {
    if (!isa<CastOpInterface>(cast) || cast->getNumOperands() != 1)
      return false;
    element = cast->getOperand(0);
  }
  return element == op.getBlock()->getArgument(0);
}

linalg::GenericOp withOperands(OpBuilder &b, linalg::LinalgOp op,
                               ValueRange inputs, ValueRange inits) {
  auto computed = linalg::GenericOp::create(
      b, op.getLoc(), inits.getTypes(), inputs, inits,
      op.getIndexingMapsArray(), op.getIteratorTypesArray());
  computed.getRegion().takeBody(op->getRegion(0));
  return computed;
}

Operation *withSource(OpBuilder &b, Operation *op, Value source,
                      RankedTensorType type) {
  Location loc = op->getLoc();
  // What was unset may have known more of its sizes than these take.
  auto plain = cast<RankedTensorType>(op->getOperand(0).getType()),
       known = cast<RankedTensorType>(source.getType());
  if (known.getShape() != plain.getShape())
    source =
        tensor::CastOp::create(b, loc, known.clone(plain.getShape()), source);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return tensor::ExpandShapeOp::create(b, loc, type, source,
                                         expand.getReassociationIndices(),
                                         expand.getMixedOutputShape());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return tensor::CollapseShapeOp::create(b, loc, type, source,
                                           collapse.getReassociationIndices());
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return tensor::PadOp::create(b, loc, type, source, pad.getMixedLowPad(),
                                 pad.getMixedHighPad(), paddingOf(b, pad),
                                 pad.getNofold());
  auto slice = cast<tensor::ExtractSliceOp>(op);
  return tensor::ExtractSliceOp::create(
      b, loc, type, source, slice.getMixedOffsets(), slice.getMixedSizes(),
      slice.getMixedStrides());
}

Value emptyOf(OpBuilder &b, Location loc, RankedTensorType type,
              ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> dynamic;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(dim))
      dynamic.push_back(getValueOrCreateConstantIndexOp(b, loc, size));
  return tensor::EmptyOp::create(b, loc, type, dynamic);
}

Value emptyAs(OpBuilder &b, Value value, RankedTensorType type) {
  return emptyOf(b, value.getLoc(), type, sizesOf(b, value));
}

Value encodedAs(OpBuilder &b, Value value, RankedTensorType type,
                Operation *of) {
  Value dest = emptyAs(b, value, type);
  if (value.getDefiningOp<tensor::EmptyOp>())
    return dest;
  Operation *made;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    made = linalg::FillOp::create(b, value.getLoc(), fill.value(), dest);
  else
    made = tw::SetEncodingOp::create(b, value.getLoc(), value, dest);
  placeLike(made, of);
  return made->getResult(0);
}

} // namespace tilewright
