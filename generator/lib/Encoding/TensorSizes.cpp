// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/TensorSizes.h"

#include "EncodedValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {

namespace {

/// What `tensor` is made of or written to that has its sizes; null if that is
/// not told by its operation.
Value ofSameSizes(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  // What is encoded does not say its sizes.
  if (isa_and_nonnull<tensor::CastOp, tw::SetEncodingOp>(op))
    return op->getOperand(0);
  if (isa_and_nonnull<linalg::LinalgOp, linalg::UnPackOp, tw::UnsetEncodingOp,
                      tw::RelayoutOp>(op))
    return cast<DestinationStyleOpInterface>(op)
        .getTiedOpOperand(cast<OpResult>(tensor))
        ->get();
  return nullptr;
}

} // namespace

Value sizeSource(Value tensor) {
  while (Value same = ofSameSizes(tensor))
    tensor = same;
  return tensor;
}

OpFoldResult sizeOf(OpBuilder &b, Value tensor, int64_t dim) {
  int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return b.getIndexAttr(size);
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return empty.getMixedSizes()[dim];
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return expand.getMixedOutputShape()[dim];
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op))
    return slice.getMixedSizes()[keptDims(slice)[dim]];
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    AffineExpr product = b.getAffineConstantExpr(1);
    SmallVector<OpFoldResult> factors;
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    for (int64_t from : group) {
      product = product * b.getAffineSymbolExpr(factors.size());
      factors.push_back(sizeOf(b, collapse.getSrc(), from));
    }
    return affine::makeComposedFoldedAffineApply(b, tensor.getLoc(), product,
                                                 factors);
  }
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op))
    return affine::makeComposedFoldedAffineApply(
        b, tensor.getLoc(),
        b.getAffineSymbolExpr(0) + b.getAffineSymbolExpr(1) +
            b.getAffineSymbolExpr(2),
        {pad.getMixedLowPad()[dim], sizeOf(b, pad.getSource(), dim),
         pad.getMixedHighPad()[dim]});
  if (auto region = dyn_cast_or_null<tw::DispatchRegionOp>(op)) {
    Value yielded = region.getBody().front().getTerminator()->getOperand(
        cast<OpResult>(tensor).getResultNumber());
    OpBuilder inside(yielded.getContext());
    inside.setInsertionPoint(region.getBody().front().getTerminator());
    OpFoldResult size = sizeOf(inside, yielded, dim);
    auto value = dyn_cast<Value>(size);
    if (!value || !region.getBody().isAncestor(value.getParentRegion()))
      return size;
  }
  if (Value same = ofSameSizes(tensor))
    return sizeOf(b, same, dim);
  return tensor::DimOp::create(b, tensor.getLoc(), tensor, dim).getResult();
}

SmallVector<OpFoldResult> sizesOf(OpBuilder &b, Value tensor) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim :
       llvm::seq(cast<RankedTensorType>(tensor.getType()).getRank()))
    sizes.push_back(sizeOf(b, tensor, dim));
  return sizes;
}

void resolveSizes(Operation *op) {
  SmallVector<tensor::DimOp> dims;
  op->walk([&](tensor::DimOp dim) {
    if (dim.getConstantIndex() && dim.getSource().getDefiningOp())
      dims.push_back(dim);
  });
  for (tensor::DimOp dim : dims) {
    Value source = dim.getSource();
    OpBuilder b(source.getParentBlock()->findAncestorOpInBlock(*dim));
    Value size = getValueOrCreateConstantIndexOp(
        b, dim.getLoc(), sizeOf(b, source, *dim.getConstantIndex()));
    dim.replaceAllUsesWith(size);
    dim.erase();
  }
}

} // namespace tilewright
