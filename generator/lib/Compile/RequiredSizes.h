// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operations ask of sizes, and what follows from that.

#ifndef TILEWRIGHT_LIB_COMPILE_REQUIREDSIZES_H
#define TILEWRIGHT_LIB_COMPILE_REQUIREDSIZES_H

#include "SizeExpressions.h"

namespace tilewright {

class RequiredSizes {
public:
  RequiredSizes(SizeExpressions &expressions, EntrySizes &sizes)
      : expressions(expressions), sizes(sizes) {}

  /// Whose requirements follow. What a branch or a loop does is asked for only
  /// where it is done: it may be what the caller's sizes never lead to, and
  /// nothing follows from it.
  void enter(mlir::Operation *op);

  /// These fail if what is required cannot be.
  mlir::LogicalResult equal(mlir::AffineExpr x, mlir::AffineExpr y);
  mlir::LogicalResult notNegative(mlir::AffineExpr expr);

  /// A size with all that is known by now, for messages.
  std::string text(mlir::AffineExpr size) const;

private:
  mlir::AffineExpr known(mlir::AffineExpr size) const;
  SizeRequirements &here();

  SizeExpressions &expressions;
  EntrySizes &sizes;
  mlir::Operation *conditional = nullptr; ///< if it may not be done
  llvm::DenseMap<mlir::AffineExpr, mlir::AffineExpr> equivalent;
};

/// Whether `op` computes one element of a tensor, in the body of an operation.
bool isInElementBody(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_REQUIREDSIZES_H
