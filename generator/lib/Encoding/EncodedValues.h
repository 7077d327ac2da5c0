// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes of encodings share.

#ifndef TILEWRIGHT_LIB_ENCODING_ENCODEDVALUES_H
#define TILEWRIGHT_LIB_ENCODING_ENCODEDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilewright/Encoding/Device.h"

namespace tilewright {

/// Its layout; null if `type` has none.
tw::LayoutAttr layoutOf(mlir::Type type);
/// Its encoding; null if `type` has none.
tw::EncodingAttr encodingOf(mlir::Type type);

/// Whether `op` is a contraction of encoded operands, lhs, rhs and out in this
/// order; an error if it has such operands but computes something else than
/// they say.
mlir::FailureOr<bool> isEncodedContraction(mlir::linalg::GenericOp op);

/// tw-specialize-encodings; without `tiles` as if no device did data tiling.
mlir::LogicalResult specializeEncodings(mlir::func::FuncOp func,
                                        llvm::StringRef prefix,
                                        bool tiles = true);

/// The layout of what was a value; null if it had none.
using LayoutAtFn = llvm::function_ref<tw::LayoutAttr(mlir::Value)>;

/// `op` on packed tensors, if it computes elements of tensors that lie in one
/// way, which is no identity, and of smaller ones without a layout: these are
/// packed in the tiles of the dimensions that they have. Null for any other.
mlir::linalg::GenericOp packElementwise(mlir::linalg::GenericOp op,
                                        LayoutAtFn layoutAt);

/// tw-materialize-encodings.
mlir::LogicalResult materializeEncodings(mlir::func::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_ENCODEDVALUES_H
