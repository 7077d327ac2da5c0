// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations multiply windows of a tensor with weights.

#ifndef TILEWRIGHT_ENCODING_MATCHWINDOWS_H
#define TILEWRIGHT_ENCODING_MATCHWINDOWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/Windows.h"
#include "tilewright/key.h"

namespace tilewright {

/// Loops of the four kinds of a contraction (MatchContraction.h), of which some
/// index the lhs, windows of a tensor, in sums.
struct WindowLoops {
  enum Kind { kBatch, kM, kN, kK };
  struct Loop {
    Kind kind;
    int64_t size; ///< or dynamic
  };
  llvm::SmallVector<Loop> loops;

  /// What indexes each dimension of the operands.
  llvm::SmallVector<WindowTerms> windowTerms;
  llvm::SmallVector<unsigned> weightLoops, outLoops;

  /// Those of the maps of windows, weights and out. None if there is another
  /// kind of loop, or of m, n or k none, or a map is of another form.
  static std::optional<WindowLoops> of(llvm::ArrayRef<mlir::AffineMap> maps,
                                       llvm::ArrayRef<int64_t> sizes);

  llvm::SmallVector<unsigned> loopsOf(Kind kind) const;
  /// The maps again.
  llvm::SmallVector<mlir::AffineMap> mapsOf(mlir::MLIRContext *context) const;
  /// The dimension and the term of the windows that a loop is in.
  std::pair<unsigned, WindowTerm> termOf(unsigned loop) const;
};

/// out += windows * weights.
struct WindowProduct : WindowLoops {
  explicit WindowProduct(WindowLoops loops) : WindowLoops(std::move(loops)) {}

  mlir::Value windows, weights;
  bool weightsAreFirst = false;          ///< of the operation's inputs
  const TypeTripleInfo *types = nullptr; ///< null if no tile has them

  bool isContraction() const;
  /// Whether there are groups, with too few filters each to multiply.
  bool isDepthwise() const;
  int64_t windowSize(unsigned dim) const;
};

/// A size, or what one that is not known counts as.
int64_t usualSize(int64_t size);

/// None for anything else, for a contraction without windows, and for what has
/// nothing to do.
std::optional<WindowProduct> matchWindows(mlir::linalg::LinalgOp op);

/// Takes out the loops of windows that have one element; the weights lose these
/// dimensions. `b` is where reshapes are made.
void dropUnitWindows(WindowProduct &product, mlir::ImplicitLocOpBuilder &b);

/// Loops of k over neighbouring elements of windows and weights, as those of
/// kw and c in `nhwc,hwcf`, become one.
void mergeWindowLoops(WindowProduct &product, mlir::ImplicitLocOpBuilder &b);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_MATCHWINDOWS_H
