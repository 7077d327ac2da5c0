// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: a rhs from memory that one row of tiles passes over, or a few.
//
// The prefetchers of some cores stay only so far ahead of a stream of lines
// that one does not fill the memory's bandwidth: Zen 3 reads 64 MiB at 18 GB/s
// in a row, by two streams side by side at 27, by four at 30, and Granite
// Rapids f32 by four rows at 10 and 12.5, but by one at 16 and 14. A tile call
// takes a slice of a panel there, and the next call the same slice of the next
// panel. With a few rows of tiles each slice is multiplied with all of them
// before the next one: a second row's pass over a whole block would leave the
// memory idle (f32 16x4096x14336 1.3 times as fast, Granite Rapids).

#ifndef UKERNELS_STREAMS_H_
#define UKERNELS_STREAMS_H_

#include "tilewright/tile.h"
#include "ukernels/core.h"
#include "ukernels/index.h"
#include "ukernels/pages.h"

enum { TW_SLICE_BYTES = 1024 };

// Whether `tiles` rows of tiles of `rows` rows read `panels` panels of `steps`
// steps of `step` bytes, elements of `bits`, caches->streams at a time. Of
// elements that each call converts by way of the stack, bytes, calls of a slice
// cost more than that gains; so they do of what lies in an L3 that is quick
// (Zen 3: 32 times an L2), and of slices of a few steps (AMX: a third of the
// speed). Granite Rapids gains from L3, too, by a rhs of 32 MiB (f32 4, 16, 24
// rows by 4096 x 2048 1.23, 1.08, 0.96 times as fast, from memory 1.17, 1.5,
// 1.39), of 16 MiB only where it comes from memory (16 rows 0.91, 1.48).
static inline int tw_reads_streams(const tw_caches_t* caches, int32_t rows,
                                   tw_index_t tiles, tw_index_t panels,
                                   tw_index_t steps, tw_index_t step,
                                   int bits) {
  const tw_index_t kLeastPanel = 4 * TW_PAGE_BYTES, kLeastSteps = 4;
  return caches->streams > 1 && rows >= caches->stream_rows &&
         tiles <= caches->stream_tiles && bits >= 16 &&
         step <= TW_SLICE_BYTES / kLeastSteps && steps * step >= kLeastPanel &&
         panels * steps * step / caches->stream_caches >= caches->l2;
}

// Of `steps` steps of `step` bytes that are left at `from` those of a slice. It
// ends where a page may: slices that go on for 128 bytes of the next page, as
// they do behind the header of a prepacked rhs, read at 0.86 of the speed.
static inline tw_index_t tw_slice_of_stream(const char* from, tw_index_t step,
                                            tw_index_t steps) {
  const tw_index_t bytes =
      TW_SLICE_BYTES - (tw_index_t)((uintptr_t)from % TW_SLICE_BYTES);
  return tw_min((bytes + step - 1) / step, steps);
}

// Asks for `next`, a slice of the panel that follows that of the slice `from`,
// once for each page.
static inline void tw_ask_beside(const char* from, const char* next) {
  if ((uintptr_t)from % TW_PAGE_BYTES < TW_SLICE_BYTES)
    __builtin_prefetch(next, 0, 2);
}

#endif  // UKERNELS_STREAMS_H_
