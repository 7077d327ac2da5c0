// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: arithmetic on tw_index_t that sees overflow. Each returns 1 if the
// result does not fit; then *result is unspecified.

#ifndef UKERNELS_INDEX_H_
#define UKERNELS_INDEX_H_

#include "tilewright/tile.h"

static inline int tw_mul_overflows(tw_index_t a, tw_index_t b,
                                   tw_index_t* result) {
  return __builtin_mul_overflow(a, b, result);
}

static inline int tw_add_overflows(tw_index_t a, tw_index_t b,
                                   tw_index_t* result) {
  return __builtin_add_overflow(a, b, result);
}

#endif  // UKERNELS_INDEX_H_
