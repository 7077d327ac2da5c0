// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what the parts of a thin matmul hand each other.

#ifndef UKERNELS_THIN_BLOCK_H_
#define UKERNELS_THIN_BLOCK_H_

#include "ukernels/thin.h"
#include "ukernels/tile_body.h"

// A part of the work: sums[m][n] += sum over k of lhs[m][k] * rhs[k][n]. The
// lhs has been decoded to a wide type: f32, f64, s32, or s16 for integers of
// at most 16 bits. Sums are in the accumulator type.
typedef struct tw_thin_block_t {
  int M;
  tw_index_t N, K;
  int rhs_transposed, asks_pages;  // as of tw_thin_t
  // Distances in bytes: between rows of lhs and sums, between lines of rhs.
  const char *lhs, *rhs;
  char* sums;
  tw_index_t lhs_row, rhs_line, sums_row;
} tw_thin_block_t;

#endif  // UKERNELS_THIN_BLOCK_H_
