// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where buffers lie in one piece of memory, given when each is in use. No MLIR
// here: buffers are numbers.

#ifndef TILEWRIGHT_COMPILE_PLANOFFSETS_H
#define TILEWRIGHT_COMPILE_PLANOFFSETS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace tilewright {

/// When a buffer is in use: from `first` to `last`, both included. Two buffers
/// that are used at one moment, as the operand and the result of an operation,
/// are apart.
struct Lifetime {
  int64_t first = 0, last = -1;

  bool overlaps(const Lifetime &o) const {
    return first <= o.last && o.first <= last;
  }
};

struct OffsetPlan {
  std::vector<int64_t> offsets; ///< of each buffer
  int64_t bytes = 0;            ///< of the whole
};

/// Offsets for buffers of known sizes, which are multiples of the alignment
/// that the offsets are to have. Buffers are placed one by one, large ones
/// first or early ones first, whichever needs less in the end; each into the
/// smallest gap that has room for it between those that are in use with it.
OffsetPlan planOffsets(llvm::ArrayRef<Lifetime> lifetimes,
                       llvm::ArrayRef<int64_t> sizes);

/// The bytes of the buffers that are in use at the moment when most are: no
/// plan needs fewer.
int64_t mostBytesInUse(llvm::ArrayRef<Lifetime> lifetimes,
                       llvm::ArrayRef<int64_t> sizes);

/// A slot for each buffer whose size is not known, so that no two in one slot
/// are in use together. `estimates` are what their sizes might be: a slot is to
/// hold buffers of about the same size, since it is as large as the largest.
std::vector<unsigned> planSlots(llvm::ArrayRef<Lifetime> lifetimes,
                                llvm::ArrayRef<int64_t> estimates);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_PLANOFFSETS_H
