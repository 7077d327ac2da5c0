/* Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include <tilewright/pack_tile.h>

#include "call.h"

// Declared by hand: a function that is asked for by its name alone.
void tw_pack_tile_32_rows_5x1_generic(void* packed, const void* matrix,
                                      const tw_pack_tile_params_t* params);
void tw_unpack_tile_32_rows_5x1_generic(void* matrix, const void* packed,
                                        const tw_pack_tile_params_t* params);

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

// 7x3 elements into two panels of 5x1 tiles, and back.
static int check_pack(void) {
  enum { ROWS = 7, COLS = 3, TILE_ROWS = 5, PANELS = 2 };
  float matrix[ROWS * COLS], packed[PANELS * COLS * TILE_ROWS];
  float back[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; ++i) matrix[i] = (float)i;
  tw_pack_tile_params_t params = {0};
  params.rows = ROWS;
  params.cols = COLS;
  params.matrix_stride = COLS;
  params.outer_rows = PANELS;
  params.outer_cols = COLS;
  params.padding = 0xbf800000;  // -1.0f
  tw_pack_tile_32_rows_5x1_generic(packed, matrix, &params);
  int wrong = 0;
  for (int i = 0; i < PANELS * COLS * TILE_ROWS; ++i) {
    const int row = i / (COLS * TILE_ROWS) * TILE_ROWS + i % TILE_ROWS;
    const int col = i / TILE_ROWS % COLS;
    wrong += packed[i] != (row < ROWS ? matrix[row * COLS + col] : -1.0f);
  }
  tw_unpack_tile_32_rows_5x1_generic(back, packed, &params);
  for (int i = 0; i < ROWS * COLS; ++i) wrong += back[i] != matrix[i];
  return wrong;
}

int call_helper_tiles(void) {
  return check_pack() +
         check_tile(tw_mmt4d_tile_f32f32f32_5x7x1_generic, 5, 7) +
         check_tile(tw_mmt4d_tile_f32f32f32_2x9x1_generic, 2, 9);
}
