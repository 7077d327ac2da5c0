// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what the fast loops of pack and unpack share.

#ifndef UKERNELS_INTERIOR_H_
#define UKERNELS_INTERIOR_H_

#include "ukernels/pack.h"
#include "ukernels/zip.h"

// Lines of a transposed matrix that are read in parallel: few enough for
// hardware prefetchers to follow, while each writes this many runs in a row.
// Measured on Zen 4 and 5, beyond L2: 8 where lines are copied, 16 where they
// are zipped, each of whose runs is shorter, and 32 of the shortest.
enum { kCopiedLines = 8, kZippedLines = 16, kZippedShortLines = 32 };

// Bytes and strides of the interior.
typedef struct tw_interior_t {
  tw_index_t tiles_r, tiles_c;  // whole tiles
  tw_index_t element;           // bytes
  tw_index_t line;              // bytes between lines of the matrix
  tw_index_t panel;             // bytes between rows of tiles
  tw_index_t tile;              // bytes of a tile
} tw_interior_t;

static inline tw_interior_t tw_interior_of(const tw_packing_t* p) {
  tw_interior_t in;
  in.tiles_r = p->rows / p->tile_rows;
  in.tiles_c = p->cols / p->tile_cols;
  in.element = p->bits / 8;
  in.line = p->stride * p->bits / 8;
  in.tile = tw_tile_bytes(p);
  in.panel = p->outer_cols * in.tile;
  return in;
}

// Lines that are asked for ahead, into L2, where a narrow block of a wide
// matrix is packed: a few cache lines of each line, which lies on a page of its
// own, so that hardware prefetchers find nothing to follow. Of the time of
// matmuls of 16 rows this leaves 0.43 for bf16 [4096][4096] and 0.41 for s8
// [4096][4160]; with shorter lines and in wider blocks it takes up to 5 and 10
// % longer (Zen 5).
enum { kLinesAhead = 64, kNarrowBytes = 2048, kPageBytes = 4096 };
static inline int tw_asks_ahead(const tw_interior_t* in, tw_index_t run) {
  return in->line >= kPageBytes && in->tiles_r * run <= kNarrowBytes;
}
// For `lines` lines from `from` on, which is `at` bytes into its line of the
// block: each cache line once, by the run of `run` bytes in which it begins.
static inline void tw_ask_ahead(const unsigned char* from, tw_index_t line,
                                int lines, tw_index_t at, tw_index_t run) {
  for (tw_index_t next = (at + 63) / 64 * 64; next < at + run; next += 64)
    for (int i = 0; i < lines; ++i)
      __builtin_prefetch(from + (kLinesAhead + i) * line + (next - at), 0, 2);
}

// Where the packed form is far: how many bytes before they are written its
// cache lines are asked for. Measured on Zen 5 (docs/performance.md).
enum { kCopiedAhead = 4096, kZippedAhead = 2048, kTransposedAhead = 8192 };
// Bytes of a line after which the next 16 lines' turn comes.
enum { kTransposedRun = 4096 };
// Lines of so many bytes and more are streams to prefetchers.
enum { kStreamBytes = 2048 };
static inline void tw_ask_to_write(const unsigned char* to, tw_index_t bytes) {
  for (tw_index_t i = 0; i < bytes; i += 64) __builtin_prefetch(to + i, 1, 3);
}

// And of the matrix, where it is copied in runs.
enum { kReadAhead = 1024 };
static inline void tw_ask_to_read(const unsigned char* from, tw_index_t bytes) {
  for (tw_index_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i, 0, 3);
}
// And of rows that are transposed past the caches.
enum { kRowsReadAhead = 256 };

// Copies `bytes`, a multiple of 16.
TW_ZIP_INLINE void tw_copy_past(unsigned char* to, const unsigned char* from,
                                tw_index_t bytes) {
  for (tw_index_t i = 0; i < bytes; i += 16)
    tw_v16_store_past(to + i, tw_v16_load(from + i));
}
// So much is put together in L1 before, where whole cache lines are not written
// at once.
enum { kPastBlock = 2048 };

// `bytes` of padding, which repeats itself after 8 at most.
static inline void tw_fill(unsigned char* to, tw_index_t bytes,
                           uint64_t padding) {
  tw_index_t i = 0;
  for (; i + 8 <= bytes; i += 8) memcpy(to + i, &padding, 8);
  memcpy(to + i, &padding, (size_t)(bytes - i));
}

#endif  // UKERNELS_INTERIOR_H_
