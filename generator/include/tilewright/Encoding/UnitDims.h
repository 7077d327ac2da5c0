// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions of size 1, taken from tensors and given back.

#ifndef TILEWRIGHT_ENCODING_UNITDIMS_H
#define TILEWRIGHT_ENCODING_UNITDIMS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tilewright {

/// The dimensions that become one when those of `dropped`, each of size 1, are
/// taken out: each of these is in the group of the one before it that is left,
/// or of the first one.
llvm::SmallVector<mlir::ReassociationIndices>
groupsWithout(const llvm::SmallBitVector &dropped);

/// `tensor` without `dropped` dimensions, each of size 1.
mlir::Value withoutDims(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                        const llvm::SmallBitVector &dropped);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_UNITDIMS_H
