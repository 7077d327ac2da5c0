// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a packed form of any rank is made of matrices that a pack function packs
// (tilewright/pack_tile.h).

#ifndef TILEWRIGHT_DIALECT_PACKLAYOUT_H
#define TILEWRIGHT_DIALECT_PACKLAYOUT_H

#include "tilewright/pack_key.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace tilewright {

/// A packed form as linalg.pack has it: packed[outer..., inner...], outer
/// dimension i being dimension outerDims[i] of the matrix, inner dimension j
/// tiling dimension innerDims[j].
struct PackedForm {
  llvm::SmallVector<int64_t> outerDims, innerDims, tiles;
};

/// The matrix's dimensions [begin, end), in order: one index.
struct DimRange {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
  int64_t last() const { return end - 1; }
  bool contains(int64_t dim) const { return begin <= dim && dim < end; }
};

/// What the packed form's matrices are. The last outer dimensions are those
/// that one call goes over, first the rows, if there, then the columns, if
/// there; a loop goes over each of the `loops` dimensions before.
struct PackLayout {
  /// Of the function's matrices. Those of several dimensions are not tiled. A
  /// tensor of one dimension has columns only: it is one row.
  DimRange rows, cols;
  int64_t r0 = 1, c0 = 1;
  MatrixLines lines = MatrixLines::kRows;
  /// Whether a call goes over all of them, or over one tile's.
  bool rowsInCall = false, colsInCall = false;
  int64_t loops = 0;
};

/// The layout of `form`, or none, and `whyNot`: what no pack function does.
/// The form is a valid one; tiles may be dynamic.
std::optional<PackLayout> packLayoutOf(const PackedForm &form,
                                       std::string &whyNot);

/// Of elements of `bits` bits in memory. Whether there is such a function says
/// validatePackKey.
PackKey packKeyOf(const PackLayout &layout, bool unpack, int bits,
                  tw_isa_t isa);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_PACKLAYOUT_H
