// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions and convolutions, as they are made.

#ifndef TILEWRIGHT_LIB_ENCODING_PRODUCT_H
#define TILEWRIGHT_LIB_ENCODING_PRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/key.h"

namespace tilewright {

/// out += lhs * rhs, or out = lhs * rhs. Operands, in the order of tw::Operand,
/// are three, or five with the scales of lhs and rhs.
struct Product {
  mlir::linalg::LinalgOp op;           ///< which it comes from, with its body
  llvm::SmallVector<unsigned> numbers; ///< of its operands there
  const TypeTripleInfo *types;
  llvm::SmallVector<mlir::Value> operands; ///< as they lie
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<int64_t> sizes; ///< of the loops, as far as they are known
  bool isOverwritten;               ///< it begins with zeros
};

/// Its result, computed on tensors as they lie.
mlir::Value multiply(mlir::ImplicitLocOpBuilder &b, const Product &product);

/// Its result, computed on encoded tensors, as it lies without.
mlir::Value multiplyEncoded(mlir::ImplicitLocOpBuilder &b,
                            const Product &product);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_PRODUCT_H
