// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Mmt4dSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tilewright {

FailureOr<Mmt4dSizes> mmt4dSizes(ImplicitLocOpBuilder &b, tw::Mmt4dOp op) {
  for (Value buffer : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type || !type.getLayout().isIdentity())
      return op.emitOpError() << "has the operand type " << buffer.getType()
                              << ", which is not a contiguous buffer";
  }
  auto product = [&](Value buffer, int64_t first, int64_t count) -> Value {
    if (!count)
      return arith::ConstantIndexOp::create(b, 1);
    Value result = memref::DimOp::create(b, buffer, first);
    for (int64_t dim = first + 1; dim < first + count; ++dim)
      result = arith::MulIOp::create(
          b, result, memref::DimOp::create(b, buffer, dim).getResult());
    return result;
  };
  tw::Mmt4dOp::Dims dims = op.getDims();
  return Mmt4dSizes{
      product(op.getLhs(), 0, dims.batch),
      product(op.getLhs(), dims.batch, dims.m),
      product(op.getRhs(), dims.batch, dims.n),
      product(op.getLhs(), dims.batch + dims.m, dims.k),
  };
}

} // namespace tilewright
