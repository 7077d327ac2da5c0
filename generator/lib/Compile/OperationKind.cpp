// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OperationKind.h"

#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

std::string kindOf(Operation *op) {
  if (auto kind = op->getAttrOfType<StringAttr>(kDispatchAttr))
    return kind.str();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return op->getName().stripDialect().str();
  return generic.getNumReductionLoops() ? "reduction" : "elementwise";
}

bool isView(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::CastOp>(op);
}

} // namespace tilewright
