// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of tensors, without the tensors.

#ifndef TILEWRIGHT_ENCODING_TENSORSIZES_H
#define TILEWRIGHT_ENCODING_TENSORSIZES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace tilewright {

/// The size of `tensor`'s dimension, by those of what it is computed from or
/// written to: whoever asks for it keeps nothing from becoming part of
/// something else.
mlir::OpFoldResult sizeOf(mlir::OpBuilder &b, mlir::Value tensor, int64_t dim);
llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::OpBuilder &b,
                                              mlir::Value tensor);

/// The first tensor in a row of such that has the sizes of `tensor` by what the
/// operations do that lie between.
mlir::Value sizeSource(mlir::Value tensor);

/// Replaces each `tensor.dim` in `op` so.
void resolveSizes(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_TENSORSIZES_H
