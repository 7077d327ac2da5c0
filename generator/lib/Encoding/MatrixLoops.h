// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which matrices a convolution multiplies.

#ifndef TILEWRIGHT_LIB_ENCODING_MATRIXLOOPS_H
#define TILEWRIGHT_LIB_ENCODING_MATRIXLOOPS_H

#include "tilewright/Encoding/MatchWindows.h"

namespace tilewright {

/// Which of a convolution's loops are those of the matrices: see tw.matmul.
struct MatrixLoops {
  llvm::SmallVector<unsigned> outer, m, k;
  unsigned n = 0;

  /// All, in the order in which tw.matmul has them.
  llvm::SmallVector<unsigned> all() const;

  /// Those of the weights, as their panels have them.
  llvm::SmallVector<unsigned> panels(const WindowLoops &windows) const;
};

/// None, and `whyNot`, if out's innermost dimension is of neither m nor n, if
/// there are more loops of k than a call takes, or if the size of none is known
/// where it has to be.
std::optional<MatrixLoops> chooseMatrixLoops(const WindowLoops &windows,
                                             std::string &whyNot);

/// In tiles of `k0` columns the last loop of k may be another.
void chooseLastColumn(MatrixLoops &loops, const WindowLoops &windows,
                      int64_t k0);

/// The product of the loops' sizes; -1 if one is not known.
int64_t extentOf(const WindowLoops &windows, llvm::ArrayRef<unsigned> loops);

/// K, with what fills up the last loop's steps of `k0` columns; -1 if it is not
/// known.
int64_t columnsOf(const WindowLoops &windows, const MatrixLoops &loops,
                  int64_t k0);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_MATRIXLOOPS_H
