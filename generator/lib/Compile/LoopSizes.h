// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that the loops of a structured operation go over.

#ifndef TILEWRIGHT_LIB_COMPILE_LOOPSIZES_H
#define TILEWRIGHT_LIB_COMPILE_LOOPSIZES_H

#include "RequiredSizes.h"

namespace tilewright {

/// How sizes of operands are found out.
struct SizeLookup {
  std::function<std::optional<mlir::AffineExpr>(mlir::Value, int64_t)> sizeOf;
  /// Says that a size is not known, where that is an error.
  std::function<mlir::LogicalResult(mlir::Value, int64_t)> refuse;
  bool refusesUnknown;
};

/// Sizes that one loop goes over must agree, and what several loops index must
/// be large enough for the last of them.
mlir::LogicalResult checkLoopSizes(mlir::linalg::LinalgOp op,
                                   RequiredSizes &required,
                                   const SizeLookup &lookup);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPSIZES_H
