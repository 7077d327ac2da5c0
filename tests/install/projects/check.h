// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a tile by name and counts what it got wrong.

#ifndef TESTS_INSTALL_PROJECTS_CHECK_H_
#define TESTS_INSTALL_PROJECTS_CHECK_H_

#include <tilewright/tile.h>

#define TILE(M0, N0) tw_mmt4d_tile_f32f32f32_##M0##x##N0##x1_generic

#define DECLARE_TILE(M0, N0)                                     \
  void TILE(M0, N0)(void* out, const void* lhs, const void* rhs, \
                    const tw_mmt4d_params_t* params)

// Number of wrong elements of an M0 x N0 x 1 tile over 4 K steps.
static inline int wrong_elements(tw_mmt4d_tile_fn_t tile, int M0, int N0) {
  enum { kSteps = 4, kMost = 16 };
  float lhs[kSteps * kMost], rhs[kSteps * kMost], out[kMost * kMost];
  for (int i = 0; i < kSteps * M0; ++i) lhs[i] = (float)(i % 7 - 3);
  for (int i = 0; i < kSteps * N0; ++i) rhs[i] = (float)(i % 5 - 2);
  tw_mmt4d_params_t params = {0};
  params.K = kSteps;
  params.flags = TW_TYPES_F32F32F32;
  tile(out, lhs, rhs, &params);
  int wrong = 0;
  for (int m = 0; m < M0; ++m)
    for (int n = 0; n < N0; ++n) {
      float sum = 0;
      for (int k = 0; k < kSteps; ++k) sum += lhs[k * M0 + m] * rhs[k * N0 + n];
      wrong += out[m * N0 + n] != sum;
    }
  return wrong;
}

// Of the tile that part.c calls.
int wrong_elements_of_part(void);

#endif  // TESTS_INSTALL_PROJECTS_CHECK_H_
