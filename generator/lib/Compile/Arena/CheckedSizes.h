// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_ARENA_CHECKEDSIZES_H
#define TILEWRIGHT_LIB_COMPILE_ARENA_CHECKEDSIZES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Code that computes sizes, in i64, and knows whether one did not fit.
class CheckedSizes {
public:
  /// `symbols` are the values of the expressions' symbols.
  CheckedSizes(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange symbols)
      : b(b), symbols(symbols.begin(), symbols.end()) {}

  mlir::Value evaluate(mlir::AffineExpr expr);
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  /// Up to the next multiple of a power of two.
  mlir::Value roundUp(mlir::Value x, int64_t multiple);
  mlir::Value larger(mlir::Value x, mlir::Value y);

  /// Whether any of what was computed so far does not fit, an i1.
  mlir::Value overflow();

private:
  mlir::Value multiply(mlir::Value x, mlir::Value y);
  void note(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y);

  mlir::ImplicitLocOpBuilder &b;
  llvm::SmallVector<mlir::Value> symbols;
  llvm::DenseMap<mlir::AffineExpr, mlir::Value> known;
  mlir::Value overflows;
};

/// `bytes`, or the negated status of a call that is refused: TW_STATUS_OVERFLOW
/// if an i1 says so, or `status`, an i32, where it is none of success.
mlir::Value bytesOrStatus(mlir::ImplicitLocOpBuilder &b, mlir::Value bytes,
                          mlir::Value overflow, mlir::Value status);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_ARENA_CHECKEDSIZES_H
