// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that are computed element by element from their indices.

#ifndef TILEWRIGHT_ENCODING_ELEMENTWISERESULT_H
#define TILEWRIGHT_ENCODING_ELEMENTWISERESULT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// A new tensor of the shape of `like`, to which nothing was written.
mlir::Value emptyLike(mlir::ImplicitLocOpBuilder &b, mlir::Value like);

/// One iteration for each element of `dest`, which yields it. `element` is
/// given the element's indices, then `scalars`, and last what `dest` held.
mlir::linalg::GenericOp createElementwiseResult(
    mlir::ImplicitLocOpBuilder &b, mlir::Value dest, mlir::ValueRange scalars,
    llvm::function_ref<mlir::Value(mlir::ValueRange indices,
                                   mlir::ValueRange scalars)>
        element);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_ELEMENTWISERESULT_H
