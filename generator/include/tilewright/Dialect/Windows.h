// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices that are sums of loops, as those of a convolution's windows are.

#ifndef TILEWRIGHT_DIALECT_WINDOWS_H
#define TILEWRIGHT_DIALECT_WINDOWS_H

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/BitVector.h"

namespace tilewright {

/// A loop, times a constant of 1 or more.
struct WindowTerm {
  unsigned loop;
  int64_t step;

  bool operator==(const WindowTerm &other) const {
    return loop == other.loop && step == other.step;
  }
};
using WindowTerms = llvm::SmallVector<WindowTerm, 2>;

/// The terms of each of the map's results, by loops; none if one is anything
/// else than a sum of such, or if a loop is in several.
std::optional<llvm::SmallVector<WindowTerms>>
windowTermsOf(mlir::AffineMap map);

/// Loops that index a dimension together with others.
llvm::BitVector loopsInSums(llvm::ArrayRef<mlir::AffineMap> maps);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_WINDOWS_H
