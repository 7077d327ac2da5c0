// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: arithmetic on tw_index_t.

#ifndef UKERNELS_INDEX_H_
#define UKERNELS_INDEX_H_

#include "tilewright/tile.h"

static inline tw_index_t tw_min(tw_index_t a, tw_index_t b) {
  return a < b ? a : b;
}
static inline tw_index_t tw_max(tw_index_t a, tw_index_t b) {
  return a > b ? a : b;
}

// How many parts of size `part` there are, the last of which may be smaller.
static inline tw_index_t tw_panels_of(tw_index_t extent, tw_index_t part) {
  return extent / part + (extent % part != 0);
}

// The least part size, a multiple of `unit` if it is less than all, that cuts
// `total` into no more parts than `part` does.
static inline tw_index_t tw_even_part(tw_index_t total, tw_index_t part,
                                      tw_index_t unit) {
  if (part >= total) return tw_max(total, 1);
  part = tw_max(part / unit * unit, unit);
  const tw_index_t even = tw_panels_of(total, tw_panels_of(total, part));
  return tw_panels_of(even, unit) * unit;
}

// These see overflow: they return 1 if the result does not fit; then *result is
// unspecified.
static inline int tw_mul_overflows(tw_index_t a, tw_index_t b,
                                   tw_index_t* result) {
  return __builtin_mul_overflow(a, b, result);
}

static inline int tw_add_overflows(tw_index_t a, tw_index_t b,
                                   tw_index_t* result) {
  return __builtin_add_overflow(a, b, result);
}

#endif  // UKERNELS_INDEX_H_
