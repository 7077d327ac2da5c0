// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.keep, tw.kept.

#include "mlir/IR/BuiltinTypes.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;
using namespace tilewright::tw;

/// Memory has no encodings, and elements that are numbers.
static LogicalResult verifyInMemory(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && !tensor.getEncoding() && bitsInMemory(tensor.getElementType()))
    return success();
  return op->emitOpError() << "is of type " << type
                           << "; expected a ranked tensor of numbers without "
                              "an encoding";
}

LogicalResult KeepOp::verify() {
  return verifyInMemory(*this, getValue().getType());
}
LogicalResult KeptOp::verify() {
  return verifyInMemory(*this, getValue().getType());
}
