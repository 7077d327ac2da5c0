// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What puts the parts of a reduction together.

#ifndef TILEWRIGHT_LIB_COMPILE_LOOPS_COMBINERS_H
#define TILEWRIGHT_LIB_COMPILE_LOOPS_COMBINERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// The operation that puts result `number` together, if it is one that may be
/// done in any order: of the block argument of the result and a value that
/// none of these is part of.
mlir::Operation *combinerOf(mlir::linalg::LinalgOp op, unsigned number);

/// `x` and `y`, of any width, by the combiner of result `number`.
mlir::Value combine(mlir::ImplicitLocOpBuilder &b, mlir::linalg::LinalgOp op,
                    unsigned number, mlir::Value x, mlir::Value y);

/// What changes no value that it is combined with.
mlir::TypedAttr neutralOf(mlir::linalg::LinalgOp op, unsigned number);

/// All lanes of a vector, a power of two, as one element.
mlir::Value combineLanes(mlir::ImplicitLocOpBuilder &b,
                         mlir::linalg::LinalgOp op, unsigned number,
                         mlir::Value all);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPS_COMBINERS_H
