// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sizes of a function on tensors are which: every dynamic size inside it
// as an expression of those of the arguments, and what has to hold of them.

#ifndef TILEWRIGHT_COMPILE_ENTRYSIZES_H
#define TILEWRIGHT_COMPILE_ENTRYSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <tuple>
#include <vector>

namespace tilewright {

/// A dynamic size that the caller passes: dimension `dim` of tensor argument
/// `argument`, or the scalar `argument` itself; or what is computed of such, by
/// the operation `dim` of EntrySizes::computed.
struct SizeSymbol {
  static constexpr int64_t kScalar = -1;
  static constexpr unsigned kComputed = ~0u;
  unsigned argument;
  int64_t dim;

  bool isComputed() const { return argument == kComputed; }

  bool operator<(const SizeSymbol &o) const {
    return std::tie(argument, dim) < std::tie(o.argument, o.dim);
  }
  bool operator==(const SizeSymbol &o) const {
    return argument == o.argument && dim == o.dim;
  }
};

/// What an operation on scalars makes of sizes that affine expressions do not
/// have: a minimum, a choice, a comparison.
struct ComputedSize {
  mlir::Operation *op;
  /// Of its operands; symbols among them come before the one that this is.
  llvm::SmallVector<mlir::AffineExpr> operands;
};

/// What must hold for operations to make sense.
struct SizeRequirements {
  llvm::SetVector<std::pair<mlir::AffineExpr, mlir::AffineExpr>> equal;
  /// Sizes that are computed, scalars that are sizes, what a slice leaves
  /// behind its end.
  llvm::SetVector<mlir::AffineExpr> notNegative;
};

struct EntrySizes {
  /// What the symbols of the expressions below are, by position.
  std::vector<SizeSymbol> symbols;
  std::vector<ComputedSize> computed;
  /// Of each result, its shape.
  std::vector<llvm::SmallVector<mlir::AffineExpr>> results;
  /// Of a call.
  SizeRequirements atEntry;
  /// Of what runs only if a branch is taken or a loop turns.
  llvm::MapVector<mlir::Operation *, SizeRequirements> before;
  /// Of what the model asserts, that which sizes decide.
  llvm::MapVector<mlir::Operation *, mlir::AffineExpr> asserted;
  /// Operations that reach no element outside of their tensors where all of
  /// the above holds.
  llvm::SmallVector<mlir::Operation *> inBounds;
};

/// Fails with a diagnostic at the operation whose size cannot be computed from
/// sizes of arguments, and at each whose sizes contradict each other.
mlir::FailureOr<EntrySizes> analyzeEntrySizes(mlir::func::FuncOp func);

/// Fails with a diagnostic at each operation that no call could do, because
/// sizes that must agree are known to differ. Nothing needs to be folded yet:
/// what cannot be traced back is left for later.
mlir::LogicalResult checkSizes(mlir::func::FuncOp func);

/// The same of one operation by its types alone, of which no other needs to be
/// valid.
mlir::LogicalResult checkSizes(mlir::linalg::LinalgOp op);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_ENTRYSIZES_H
