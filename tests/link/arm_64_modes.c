// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls tiles of NEON, SVE and SME from one function that has all their
// features: to be linked as bitcode, called and inlined. Exits with the number
// of wrong elements.

#include <arm_sme.h>
#include <arm_sve.h>
#include <stdio.h>

#include "tilewright/tile.h"

#define TILE(name)                                            \
  void name(void* out_tile, const void* lhs, const void* rhs, \
            const tw_mmt4d_params_t* params)
TILE(tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_base);
TILE(tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve);
TILE(tw_mmt4d_tile_f32f32f32_1vlx2vlx1_arm_64_sme);

enum { kSteps = 5, kMost = 128 };  // kMost: 2vl of 2048 bits

static float lhs[kSteps * kMost], rhs[kSteps * kMost], out[kMost * kMost];

static int wrong(const char* what, int M0, int N0) {
  int count = 0;
  for (int m = 0; m < M0; ++m)
    for (int n = 0; n < N0; ++n) {
      float sum = 0;
      for (int k = 0; k < kSteps; ++k) sum += lhs[k * M0 + m] * rhs[k * N0 + n];
      count += out[m * N0 + n] != sum;
      out[m * N0 + n] = -1;
    }
  printf("%s: %d x %d, %d wrong\n", what, M0, N0, count);
  return count;
}

int main(void) {
  for (int i = 0; i < kSteps * kMost; ++i) {
    lhs[i] = (float)(i % 7 - 3);
    rhs[i] = (float)(i % 5 - 2);
  }
  tw_mmt4d_params_t params = {0};
  params.K = kSteps;
  params.flags = TW_TYPES_F32F32F32;
  int vl = (int)svcntw(), streaming_vl = (int)svcntsw();
  // A value that lives in registers across all calls, mode changes included.
  svfloat32_t live = svdup_f32((float)vl);

  tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_base(out, lhs, rhs, &params);
  int count = wrong("NEON", 8, 8);
  tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve(out, lhs, rhs, &params);
  count += wrong("SVE", 8, 2 * vl);
  tw_mmt4d_tile_f32f32f32_1vlx2vlx1_arm_64_sme(out, lhs, rhs, &params);
  count += wrong("SME", streaming_vl, 2 * streaming_vl);
  tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve(out, lhs, rhs, &params);
  count += wrong("SVE after SME", 8, 2 * vl);

  count += svaddv_f32(svptrue_b32(), live) != (float)(vl * vl);
  return count != 0;
}
