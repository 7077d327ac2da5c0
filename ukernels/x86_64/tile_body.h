// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bodies of all x86-64 families share.

#ifndef UKERNELS_X86_64_TILE_BODY_H_
#define UKERNELS_X86_64_TILE_BODY_H_

#include "ukernels/tile_body.h"

// Most accumulators that a tile may have: 28 of 32 registers.
enum { TW_MAX_ACCUMULATORS = 32 };

// How many sets of accumulators hide the latency of the multiply-accumulate, of
// at most 5 cycles at 2 per cycle: with `vectors` accumulators per set, at
// least 8 chains in flight. K is unrolled by as much.
TW_INLINE int tw_accumulator_sets(int vectors) {
  return vectors >= 8 ? 1 : vectors >= 4 ? 2 : vectors >= 2 ? 4 : 8;
}

// K steps of a block whose lhs [steps][M0] is converted on the stack: so many
// that a store is long done when it is read back, and that starting a block
// costs little, which takes more of them where they are short. More than that
// loses: 12x32 of s8 3 % with 16 instead of 4 (Zen 4).
enum { TW_MAX_STAGED = 512 };
TW_INLINE int tw_staged_steps(int M0, int N0) {
  const int elements = M0 * N0;
  return elements > 256 ? 4 : elements >= 128 ? 8 : elements > 64 ? 16 : 64;
}
// Vectors of a whole block that are converted without a loop: what that loop
// takes is 3 % of f16 6x16 at 256 bits (Zen 4).
TW_INLINE int tw_staged_group(int vectors) {
  return vectors <= 16 ? vectors : 4;
}

#endif  // UKERNELS_X86_64_TILE_BODY_H_
