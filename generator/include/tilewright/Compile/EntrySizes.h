// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sizes of a function on tensors are which: every dynamic size inside it
// traced back to a size of an argument, and the sizes that have to agree.

#ifndef TILEWRIGHT_COMPILE_ENTRYSIZES_H
#define TILEWRIGHT_COMPILE_ENTRYSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace tilewright {

/// A dynamic size that the caller passes: dimension `dim` of tensor argument
/// `argument`, or the index scalar `argument` itself.
struct SizeSymbol {
  static constexpr int64_t kScalar = -1;
  unsigned argument;
  int64_t dim;

  bool operator<(const SizeSymbol &o) const {
    return std::tie(argument, dim) < std::tie(o.argument, o.dim);
  }
  bool operator==(const SizeSymbol &o) const {
    return argument == o.argument && dim == o.dim;
  }
};

/// A size: a symbol, or a constant if there is none.
struct Size {
  std::optional<SizeSymbol> symbol;
  int64_t constant = 0;

  bool operator<(const Size &o) const {
    return std::tie(symbol, constant) < std::tie(o.symbol, o.constant);
  }
  bool operator==(const Size &o) const {
    return symbol == o.symbol && constant == o.constant;
  }
};

struct EntrySizes {
  /// Of each result, its shape.
  std::vector<llvm::SmallVector<Size>> results;
  /// Pairs that must be equal for the operations to make sense.
  std::set<std::pair<Size, Size>> equal;
  /// Scalars that are sizes.
  std::set<SizeSymbol> used;
};

/// Fails with a diagnostic at the operation whose size is neither constant nor
/// a size of an argument, and at each whose sizes contradict each other.
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
