/* Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "call.h"

TILE(tw_mmt4d_tile_f32f32f32_5x7x1_generic);
TILE(tw_mmt4d_tile_f32f32f32_2x9x1_generic);

int check_tile(tw_mmt4d_tile_fn_t tile, int M0, int N0) {
  enum { K = 4, MAX = 16 };
  float lhs[K * MAX], rhs[K * MAX], out[MAX * MAX];
  for (int i = 0; i < K * M0; ++i) lhs[i] = (float)(i % 7 - 3);
  for (int i = 0; i < K * N0; ++i) rhs[i] = (float)(i % 5 - 2);
  tw_mmt4d_params_t params = {0};
  params.K = K;
  params.M0 = M0;
  params.N0 = N0;
  params.K0 = 1;
  params.flags = TW_TYPES_F32F32F32;
  tile(out, lhs, rhs, &params);
  int wrong = 0;
  for (int m = 0; m < M0; ++m)
    for (int n = 0; n < N0; ++n) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += lhs[k * M0 + m] * rhs[k * N0 + n];
      wrong += out[m * N0 + n] != sum;
    }
  return wrong;
}

int call_helper_tiles(void) {
  return check_tile(tw_mmt4d_tile_f32f32f32_5x7x1_generic, 5, 7) +
         check_tile(tw_mmt4d_tile_f32f32f32_2x9x1_generic, 2, 9);
}
