// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowMajorView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace tilewright {
namespace {

OpFoldResult multiply(ImplicitLocOpBuilder &b, OpFoldResult x, OpFoldResult y) {
  if (isa<Attribute>(x) && isa<Attribute>(y))
    return b.getIndexAttr(*getConstantIntValue(x) * *getConstantIntValue(y));
  Value p = getValueOrCreateConstantIndexOp(b, b.getLoc(), x);
  Value q = getValueOrCreateConstantIndexOp(b, b.getLoc(), y);
  return arith::MulIOp::create(b, p, q).getResult();
}

} // namespace

Type pointerType(RankedTensorType tensor, Attribute memorySpace) {
  return MemRefType::get({1}, tensor.getElementType(),
                         MemRefLayoutAttrInterface(), memorySpace);
}

Value rowMajorView(ImplicitLocOpBuilder &b, Value pointer,
                   RankedTensorType tensor, SmallVector<OpFoldResult> shape) {
  // What the type does not say is no attribute, though it be constant.
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
    if (tensor.isDynamicDim(dim))
      shape[dim] = getValueOrCreateConstantIndexOp(b, b.getLoc(), shape[dim]);
  SmallVector<OpFoldResult> strides(shape.size());
  OpFoldResult stride = b.getIndexAttr(1);
  for (int64_t dim = tensor.getRank() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    stride = multiply(b, stride, shape[dim]);
  }
  auto type = MemRefType::get(
      tensor.getShape(), tensor.getElementType(), MemRefLayoutAttrInterface(),
      cast<MemRefType>(pointer.getType()).getMemorySpace());
  return memref::ReinterpretCastOp::create(b, type, pointer, b.getIndexAttr(0),
                                           shape, strides);
}

Value pointerTo(ImplicitLocOpBuilder &b, Value buffer) {
  auto whole = cast<MemRefType>(buffer.getType());
  auto type =
      MemRefType::get({1}, whole.getElementType(), MemRefLayoutAttrInterface(),
                      whole.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, type, buffer, b.getIndexAttr(0),
                                           {b.getIndexAttr(1)},
                                           {b.getIndexAttr(1)});
}

} // namespace tilewright
