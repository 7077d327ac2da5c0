// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory a tw.matmul needs beside its operands.

#ifndef TILEWRIGHT_ENCODING_MATMULWORKSPACE_H
#define TILEWRIGHT_ENCODING_MATMULWORKSPACE_H

#include "tilewright/key.h"
#include <optional>

namespace tilewright {

/// Rows, columns and steps of a matrix multiplication, in elements. Negative
/// where they are not known.
struct MatmulSizes {
  int64_t m, n, k;
};

/// At least what tw_contract plans for a task of the tile `key`, however many
/// there are and however long vectors are: of each operand, enough for all of
/// it, or what its blocks never exceed. None if that depends on what is not
/// known: a tile that rounds has all of K at a time.
std::optional<int64_t> matmulWorkspace(const TileKey &key,
                                       const MatmulSizes &sizes, bool rhsPacked,
                                       bool outTransposed);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_MATMULWORKSPACE_H
