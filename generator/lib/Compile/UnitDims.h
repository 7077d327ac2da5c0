// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions of size 1.

#ifndef TILEWRIGHT_LIB_COMPILE_UNITDIMS_H
#define TILEWRIGHT_LIB_COMPILE_UNITDIMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Encoding/UnitDims.h"

namespace tilewright {

/// Reductions that keep what they reduce, `tensor<?x1xf32>` at
/// `(d0, d1) -> (d0, 0)`, lose it, and so does what reads their results or
/// goes on from them: the dimensions come back behind (tensor.expand_shape).
/// What goes through the same rows has the same loops then. That is done of
/// what runs on the host.
void dropKeptDims(mlir::func::FuncOp func);

/// A `linalg.transpose` that moves nothing but dimensions of size 1 is a
/// reshape: heads of one token are rows of it.
void reshapeUnitTransposes(mlir::func::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_UNITDIMS_H
