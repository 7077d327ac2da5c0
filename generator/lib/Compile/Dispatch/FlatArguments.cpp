// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FlatArguments.h"

#include "../RowMajorView.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

FailureOr<SmallVector<Value>> flatArguments(tw::DispatchOp op,
                                            func::FuncOp callee) {
  auto type = cast<FunctionType>(
      callee->getAttrOfType<TypeAttr>(kDispatchTypeAttr).getValue());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> arguments;
  for (auto [operand, wanted] :
       llvm::zip_equal(op->getOperands(), type.getInputs())) {
    auto tensor = dyn_cast<RankedTensorType>(wanted);
    if (!tensor) {
      arguments.push_back(operand);
      continue;
    }
    auto buffer = cast<MemRefType>(operand.getType());
    if (!buffer.getLayout().isIdentity())
      return op.emitOpError() << "has an operand of type " << buffer
                              << ", which is not contiguous";
    arguments.push_back(pointerTo(b, operand));
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
      if (tensor.isDynamicDim(dim))
        arguments.push_back(arith::IndexCastOp::create(
            b, b.getI64Type(), b.createOrFold<memref::DimOp>(operand, dim)));
  }
  return arguments;
}

} // namespace tilewright
