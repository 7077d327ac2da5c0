// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unpacked matmul in the vectors of vector_256.h or vector_512.h, which
// come first.

#ifndef UKERNELS_X86_64_UNPACKED_H_
#define UKERNELS_X86_64_UNPACKED_H_

#include "ukernels/index.h"
#include "ukernels/unpacked.h"

// Row counts of tiles: two vectors of the most take 24 of 32 registers, or 12
// of 16.
#define TW_UNPACKED_TO_6(X) X(1) X(2) X(3) X(4) X(5) X(6)
#ifdef __AVX512F__
#define TW_UNPACKED_EACH(X) TW_UNPACKED_TO_6(X) X(7) X(8) X(9) X(10) X(11) X(12)
enum { TW_UNPACKED_ROWS = 12 };
#else
#define TW_UNPACKED_EACH(X) TW_UNPACKED_TO_6(X)
enum { TW_UNPACKED_ROWS = 6 };
#endif

enum {
  // So many rows are addressed from one pointer.
  TW_UNPACKED_GROUP = 3,
  TW_UNPACKED_GROUPS = TW_UNPACKED_ROWS / TW_UNPACKED_GROUP,
  // Rows of the rhs that a loop takes at a time, and how many rows ahead it
  // asks for them: those of a matrix are often too far apart for hardware
  // prefetchers, which also stop at pages. f32 128x384x384 goes from 0.79 to
  // 0.95 of oneMKL's speed, 128x384x1536 from 0.43 to 0.92 (Skylake-SP).
  TW_UNPACKED_STEPS = 4,
  TW_UNPACKED_AHEAD = 8,
};

// The tiles of a row of tiles: M0 rows, of the columns of two vectors, or the
// last ones.
typedef void (*tw_unpacked_tiles_fn_t)(const tw_unpacked_t* u);

// Where a tile's rows of the lhs are, by TW_UNPACKED_GROUP.
typedef struct tw_unpacked_lhs_t {
  const char* group[TW_UNPACKED_GROUPS];
} tw_unpacked_lhs_t;

#define TW_UNPACKED_TYPE f32
#define TW_UNPACKED_BYTES 4
#include "ukernels/x86_64/unpacked_tiles.h"

#define TW_UNPACKED_TYPE f64
#define TW_UNPACKED_BYTES 8
#include "ukernels/x86_64/unpacked_tiles.h"

// Rows of tiles are as even as they can be: one of few rows would load the rhs
// for hardly any multiply-adds.
TW_INLINE void tw_unpacked_run(const tw_unpacked_t* u) {
  const tw_unpacked_tiles_fn_t* const tiles =
      u->type == TW_ELEMENT_F32 ? tw_unpacked_rows_f32 : tw_unpacked_rows_f64;
  tw_unpacked_t part = *u;
  tw_index_t rows = tw_panels_of(u->M, TW_UNPACKED_ROWS);
  for (tw_index_t m = 0; m < u->M; m += part.M, --rows) {
    part.M = tw_panels_of(u->M - m, rows);
    tiles[part.M](&part);
    part.lhs += part.M * u->lhs_row;
    part.out += part.M * u->out_row;
  }
}

#endif  // UKERNELS_X86_64_UNPACKED_H_
