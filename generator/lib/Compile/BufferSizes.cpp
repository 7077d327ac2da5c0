// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of buffers as expressions, where SizeExpressions.cpp has tensors.

#include "SizeExpressions.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

std::optional<AffineExpr>
SizeExpressions::sizeOfBuffer(Operation *op, MemRefType type, int64_t dim) {
  using Result = std::optional<AffineExpr>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<memref::AllocOp, memref::AllocaOp>([&](auto op) {
        return valueOf(op.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
      })
      .Case([&](memref::ReinterpretCastOp op) {
        return valueOf(op.getMixedSizes()[dim]);
      })
      .Case([&](memref::SubViewOp op) { return sizeOfSlice(op, dim); })
      .Case([&](memref::CastOp op) -> Result {
        if (!isa<MemRefType>(op.getSource().getType()))
          return std::nullopt;
        return sizeOf(op.getSource(), dim);
      })
      .Case([&](memref::ExpandShapeOp op) {
        return valueOf(op.getMixedOutputShape()[dim]);
      })
      .Case(
          [&](memref::CollapseShapeOp op) { return sizeOfCollapsed(op, dim); })
      .Default([](Operation *) { return std::nullopt; });
}

void SizeExpressions::trustSizesOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      if (std::optional<AffineExpr> size = sizeOf(buffer, dim))
        ofTensors.insert(*size);
}

} // namespace tilewright
