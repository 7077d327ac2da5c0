// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what the fast loops of pack and unpack share.

#ifndef UKERNELS_INTERIOR_H_
#define UKERNELS_INTERIOR_H_

#include "ukernels/pack.h"

// Lines of a transposed matrix that are read in parallel: few enough for
// hardware prefetchers to follow, while each writes this many runs in a row.
// Measured on Zen 4, beyond L2: 8 where lines are copied, 16 where they are
// zipped, each of whose runs is shorter.
enum { kCopiedLines = 8, kZippedLines = 16 };

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
  in.tile = p->tile_rows * p->tile_cols * p->bits / 8;
  in.panel = p->outer_cols * in.tile;
  return in;
}

#endif  // UKERNELS_INTERIOR_H_
