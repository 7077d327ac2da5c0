// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes in what computes for an entry point, as texts for the report.

#ifndef TILEWRIGHT_LIB_COMPILE_DISPATCH_CALLERSIZES_H
#define TILEWRIGHT_LIB_COMPILE_DISPATCH_CALLERSIZES_H

#include "../SizeExpressions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace tilewright {

/// A function that computes for an entry point: sizes in it, in what the caller
/// of the entry point passes.
class CallerSizes {
public:
  explicit CallerSizes(mlir::func::FuncOp func);

  SizeExpressions &sizes() { return expressions; }
  const std::string &entry() const { return name; }
  /// Whether it is the body that the entry point calls for few rows.
  bool isForFewRows() const { return forFewRows; }

  /// A number or an expression of C; empty where it cannot be told, with the
  /// reason.
  std::string text(std::optional<mlir::AffineExpr> size,
                   std::string &whyUnknown);

private:
  SizeExpressions expressions;
  std::string name;
  bool forFewRows;
  std::vector<std::string> arguments;
};

/// Of all elements of a tensor or buffer.
std::optional<mlir::AffineExpr> bytesOfAll(mlir::Value tensor,
                                           SizeExpressions &sizes);

int64_t bytesOfElement(mlir::Type element);

/// File, line and column; empty if `location` has none.
std::string placeOf(mlir::Location location);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DISPATCH_CALLERSIZES_H
