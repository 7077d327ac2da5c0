// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: a rhs from L3 or memory that a few rows of tiles pass over.
//
// With many rows a block of the rhs stays in half of L2, and slices of the lhs
// come from L3, each once a block. All slices of a few rows could stay in the
// other half, but both halves, tiles of out and the next block are more than
// L2: some of each then comes from L3 again and again. Where each panel of the
// rhs is multiplied with all rows before the next one, panels pass through, and
// the lhs stays.

#ifndef UKERNELS_FEW_ROWS_H_
#define UKERNELS_FEW_ROWS_H_

#include "ukernels/core.h"

// Rows that take panels singly have their calls ask for the next one if there
// are as many: two ask for too much each (by AMX 64x4096x4096 would take 1.1 to
// 1.15 times as long, 96 to 192 rows take 0.85 to 0.93; Granite Rapids).
enum { TW_ROWS_THAT_ASK = 3 };

// Whether `rows` slices of the lhs, of `lhs_slice` bytes, take all of them one
// after the other of `panels` slices of the rhs, of `rhs_slice` bytes. A rhs
// that stays in L2 needs no order (s8 and bf16 128x4096x4096 0.8 to 0.88, f32
// 0.97, Granite Rapids). A slice that stays in L1 takes as many as there are
// instead (bf16 128x1536x384, 256 cubed: 1.15 times as long singly), unless
// panels come from so far away that asking for the next one gains more: f32 of
// 32, 64, 128 rows by 4096 x 4096 from memory 0.73, 0.74, 0.83.
static inline int tw_takes_panels_singly(const tw_caches_t* caches,
                                         tw_index_t rows, tw_index_t lhs_slice,
                                         tw_index_t panels,
                                         tw_index_t rhs_slice) {
  const tw_index_t half = caches->l2 / 2, rhs = panels * rhs_slice;
  return rows > 1 && rows * lhs_slice <= half && rhs > half &&
         (lhs_slice > caches->l1 ||
          (rows >= TW_ROWS_THAT_ASK && rhs > 4 * caches->l2));
}

#endif  // UKERNELS_FEW_ROWS_H_
