// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what tile calls are told of operands that are not in L2.

#ifndef UKERNELS_FAR_H_
#define UKERNELS_FAR_H_

#include "tilewright/tile.h"
#include "ukernels/core.h"
#include "ukernels/index.h"

// Whether `panels` panels of `steps` steps of `step` bytes are more than half
// of L2 may hold from one pass over them to the next.
static inline int tw_is_far(const tw_caches_t* caches, tw_index_t panels,
                            tw_index_t steps, tw_index_t step) {
  return panels * steps * step > caches->l2 / 2;
}

// What the first row of tiles over such a rhs is told: RHS_FAR, or 0.
static inline uint32_t tw_far_flag(const tw_caches_t* caches, tw_index_t panels,
                                   tw_index_t steps, tw_index_t step) {
  return tw_is_far(caches, panels, steps, step) ? TW_MMT4D_FLAG_RHS_FAR : 0;
}

// Has a call, number `i` of those that precede the one that reads the slice of
// a panel at `slice`, ask for its part of that: `share` bytes a step, those of
// a step by the number of calls, rounded up. Otherwise all of it would have to
// come from L3 or memory while one tile is multiplied: f32 of 4096 cubed takes
// 1.02 times as long then, bf16 by AMX 1.02 to 1.04 from 1024 cubed on,
// and 1.13 of 128x4096x4096 (Granite Rapids).
static inline void tw_ask_for_part(tw_mmt4d_params_t* tile, const char* slice,
                                   tw_index_t share, tw_index_t i) {
  tile->flags |= TW_MMT4D_FLAG_NEXT;
  tile->next_step = share;
  tile->next = slice + i * tile->K * share;
}

// Has the last call of row `m` of `rows` rows of tiles ask for its part of the
// next `panels` panels of the rhs, `row` bytes apart, `step` bytes a K step,
// the first at `slice`. Otherwise the first row over them would wait for L3 or
// memory: with a slow L3, f32 of 1024, 2048, 4096 cubed packed 1.01, 1.02, 1.02
// times as fast, prepacked 1.03, 1.04, 1.03 (Granite Rapids, rhs from memory).
static inline void tw_ask_for_panels(tw_mmt4d_params_t* tile, const char* slice,
                                     tw_index_t row, tw_index_t panels,
                                     tw_index_t step, tw_index_t rows,
                                     tw_index_t m) {
  const tw_index_t each = rows / panels;  // rows a panel
  if (each == 0 || m >= each * panels) return;
  tw_ask_for_part(tile, slice + m / each * row, tw_panels_of(step, each),
                  m % each);
}

// Asks for the lines of an out tile, while the one before it is multiplied: its
// rows may lie in as many places, and of a large out in a cache far away. Tiles
// by AMX ask for their own, some in each step, for they multiply so quickly
// that all at once stand in the way of their panels: 0.86 to 0.93 of the time
// (Granite Rapids).
static inline void tw_ask_for_tile(const char* out, tw_index_t rows,
                                   tw_index_t row_bytes, tw_index_t stride) {
  for (tw_index_t r = 0; r < rows; ++r)
    for (tw_index_t at = 0; at < row_bytes; at += 64)
      __builtin_prefetch(out + r * stride + at, 1);
}

#endif  // UKERNELS_FAR_H_
