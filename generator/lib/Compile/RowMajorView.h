// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that functions are given as bare pointers.

#ifndef TILEWRIGHT_LIB_COMPILE_ROWMAJORVIEW_H
#define TILEWRIGHT_LIB_COMPILE_ROWMAJORVIEW_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// What is a bare pointer to the elements of `tensor` once it is lowered: with
/// a size, which nobody relies on.
mlir::Type pointerType(mlir::RankedTensorType tensor,
                       mlir::Attribute memorySpace = {});

/// `pointer`, of such a type, as a row-major buffer of `tensor`'s type and of
/// these sizes.
mlir::Value rowMajorView(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                         mlir::RankedTensorType tensor,
                         llvm::SmallVector<mlir::OpFoldResult> shape);

/// The pointer to the first element of `buffer`, which is contiguous.
mlir::Value pointerTo(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_ROWMAJORVIEW_H
