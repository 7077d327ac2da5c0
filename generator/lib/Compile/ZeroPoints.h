// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of what is left when a zero point is taken off.

#ifndef TILEWRIGHT_LIB_COMPILE_ZEROPOINTS_H
#define TILEWRIGHT_LIB_COMPILE_ZEROPOINTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// With integers x and w, zero points a and b, and sums over the K reduction
/// loops, modulo a power of two,
///
///   sum (x - a) (w - b) = sum x w - b sum x - a sum w + K a b.
///
/// Where `sum x w` has tiles, that is what becomes of a contraction or a
/// convolution: the product, `sum x` if b is not known to be zero, `sum w` if a
/// is not, computed here if w is a constant, and one elementwise operation.
/// Convolutions have tiles on the host, if `convolutions` says so.
void takeOffZeroPoints(mlir::func::FuncOp func, bool convolutions);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_ZEROPOINTS_H
