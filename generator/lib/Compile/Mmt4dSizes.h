// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many panels and K steps the operands of a tw.mmt4d on buffers have.

#ifndef TILEWRIGHT_LIB_COMPILE_MMT4DSIZES_H
#define TILEWRIGHT_LIB_COMPILE_MMT4DSIZES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

/// Of each matrix of the batch: rows of tiles, columns of tiles and steps of
/// K0, over all dimensions of the kind, which lie next to each other. Operands
/// are then [batch][m][k], [batch][n][k] and [batch][m][n], of steps and tiles.
struct Mmt4dSizes {
  mlir::Value batch, m, n, k;
};

/// Computed at the builder's insertion point. An error if an operand is not
/// contiguous.
llvm::FailureOr<Mmt4dSizes> mmt4dSizes(mlir::ImplicitLocOpBuilder &b,
                                       tw::Mmt4dOp op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_MMT4DSIZES_H
