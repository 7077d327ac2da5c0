// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_GENERALIZE_H
#define TILEWRIGHT_LIB_COMPILE_GENERALIZE_H

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "tilewright/Compile/Passes.h"

namespace tilewright {

/// The `linalg.generic` that a named operation is, which runs where that did.
inline mlir::FailureOr<mlir::linalg::GenericOp>
generalize(mlir::linalg::LinalgOp op) {
  mlir::IRRewriter rewriter(op);
  mlir::Attribute place = op->getAttr(kDeviceAttr);
  auto generic = mlir::linalg::generalizeNamedOp(rewriter, op);
  if (succeeded(generic) && place)
    (*generic)->setAttr(kDeviceAttr, place);
  return generic;
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_GENERALIZE_H
