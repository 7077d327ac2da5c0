// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.keep, tw.kept, tw.keep_packed.

#include "TileOperands.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;
using namespace tilewright;
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

LogicalResult KeepPackedOp::verify() {
  if (failed(verifyBlockScales(*this, getTile())))
    return failure();
  MemRefType type = getMatrix().getType();
  tw_element_type_t element = info(getKey().types).rhs;
  if (!type.getLayout().isIdentity() ||
      !isElement(type.getElementType(), element) || info(element).bits % 8)
    return emitOpError() << "packs a matrix of type " << type
                         << "; expected a contiguous one of the tile's "
                         << info(element).name << ", of whole bytes";
  uint64_t end = getK() + getKDims(), rank = type.getRank();
  bool isInside = getN() >= getK() && getN() < end;
  if (getN() >= rank || end > rank || isInside ||
      (getN() + 1 != rank && end != rank))
    return emitOpError() << "has n = " << getN() << " and " << getKDims()
                         << " dimensions from k = " << getK()
                         << "; expected different ones of " << rank
                         << ", one of them the last";
  return success();
}
