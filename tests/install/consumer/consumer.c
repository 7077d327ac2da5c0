// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs, multiplies and unpacks a 5x7 * 7x3 matrix with the tile sizes that the
// library recommends, and compares with a plain loop.

#include <stdio.h>
#include <stdlib.h>
#include <tilewright/tilewright.h>

enum { kM = 5, kN = 3, kK = 7 };

static void check(tw_status_t status, const char* what) {
  if (status == TW_STATUS_OK) return;
  fprintf(stderr, "%s: %s\n", what, tw_status_message(status));
  exit(1);
}

static void* packed_buffer(const tw_pack_params_t* params, tw_index_t* bytes) {
  check(tw_packed_size(params, bytes), "tw_packed_size");
  return malloc((size_t)*bytes);
}

int main(void) {
  float lhs[kM * kK], rhs[kK * kN], out[kM * kN];
  for (int i = 0; i < kM * kK; ++i) lhs[i] = (float)(i % 5 - 2);
  for (int i = 0; i < kK * kN; ++i) rhs[i] = (float)(i % 7 - 3);

  tw_tile_sizes_t tile;
  check(tw_query_tile_sizes(TW_TYPES_F32F32F32, kM, kN, NULL, &tile),
        "tw_query_tile_sizes");

  tw_pack_params_t lhs_pack = {.type = TW_ELEMENT_F32,
                               .rows = kM,
                               .cols = kK,
                               .matrix_stride = kK,
                               .tile_rows = tile.M0,
                               .tile_cols = tile.K0};
  tw_pack_params_t rhs_pack = {.type = TW_ELEMENT_F32,
                               .flags = TW_PACK_FLAG_TRANSPOSE,
                               .rows = kN,
                               .cols = kK,
                               .matrix_stride = kN,
                               .tile_rows = tile.N0,
                               .tile_cols = tile.K0};
  tw_pack_params_t out_pack = {.type = TW_ELEMENT_F32,
                               .rows = kM,
                               .cols = kN,
                               .matrix_stride = kN,
                               .tile_rows = tile.M0,
                               .tile_cols = tile.N0};
  tw_index_t lhs_bytes, rhs_bytes, out_bytes;
  void* lhs_packed = packed_buffer(&lhs_pack, &lhs_bytes);
  void* rhs_packed = packed_buffer(&rhs_pack, &rhs_bytes);
  void* out_packed = packed_buffer(&out_pack, &out_bytes);
  check(tw_pack(&lhs_pack, lhs, lhs_packed, lhs_bytes, NULL), "tw_pack(lhs)");
  check(tw_pack(&rhs_pack, rhs, rhs_packed, rhs_bytes, NULL), "tw_pack(rhs)");

  tw_mmt4d_params_t params = {
      .lhs_buffer = lhs_packed,
      .rhs_buffer = rhs_packed,
      .out_buffer = out_packed,
      .M = (kM + tile.M0 - 1) / tile.M0,
      .N = (kN + tile.N0 - 1) / tile.N0,
      .K = (kK + tile.K0 - 1) / tile.K0,
      .M0 = tile.M0,
      .N0 = tile.N0,
      .K0 = tile.K0,
      .flags = TW_TYPES_F32F32F32,
  };
  params.lhs_stride0 = params.K * tile.M0 * tile.K0;
  params.rhs_stride0 = params.K * tile.N0 * tile.K0;
  params.out_stride0 = params.N * tile.M0 * tile.N0;
  tw_tile_info_t info;
  check(tw_find_tile(&params, &info), "tw_find_tile");
  printf("%s: %s\n", info.name, info.reason);
  check(tw_mmt4d(&params, NULL), "tw_mmt4d");
  check(tw_unpack(&out_pack, out_packed, out_bytes, out, NULL), "tw_unpack");

  for (int m = 0; m < kM; ++m) {
    for (int n = 0; n < kN; ++n) {
      float expected = 0;
      for (int k = 0; k < kK; ++k)
        expected += lhs[m * kK + k] * rhs[k * kN + n];
      if (out[m * kN + n] != expected) {
        fprintf(stderr, "out[%d][%d] is %g, expected %g\n", m, n,
                (double)out[m * kN + n], (double)expected);
        return 1;
      }
    }
  }
  free(lhs_packed);
  free(rhs_packed);
  free(out_packed);
  puts("ok");
  return 0;
}
