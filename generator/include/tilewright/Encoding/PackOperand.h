// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What multiplications are made of when they are formed.

#ifndef TILEWRIGHT_ENCODING_PACKOPERAND_H
#define TILEWRIGHT_ENCODING_PACKOPERAND_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// The tensor that a fill with zero, not negative zero, writes to; null if
/// `value` is anything else.
mlir::Value unfilled(mlir::Value value);

/// What `value` is made from by reshapes, which leave elements where they are.
/// Upstream folds them into constants, but not into resources.
mlir::Value withoutReshapes(mlir::Value value);

/// Whether its elements, and how they lie, are made before any call: it is a
/// constant, or what an instance keeps.
bool isSameInAllCalls(mlir::Value value);

/// What fills up tiles. Of scales, which have no zero, the least, whose bits
/// are 0: what it scales are zeros.
mlir::TypedAttr zeroOf(mlir::Type element);

/// `source` in tiles of its dimensions `innerDims`, the others and the tiles in
/// the order of `outerPerm`. Tiles over an edge end in zeros.
mlir::linalg::PackOp packWithZeros(mlir::ImplicitLocOpBuilder &b,
                                   mlir::Value source,
                                   llvm::ArrayRef<int64_t> outerPerm,
                                   llvm::ArrayRef<int64_t> innerDims,
                                   llvm::ArrayRef<mlir::OpFoldResult> tiles);

/// The same, written to `dest`.
mlir::linalg::PackOp packWithZeros(mlir::ImplicitLocOpBuilder &b,
                                   mlir::Value source, mlir::Value dest,
                                   llvm::ArrayRef<int64_t> outerPerm,
                                   llvm::ArrayRef<int64_t> innerDims,
                                   llvm::ArrayRef<mlir::OpFoldResult> tiles);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_PACKOPERAND_H
