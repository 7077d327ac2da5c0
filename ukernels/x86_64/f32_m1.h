// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 tiles of one row. Each rhs element is used once, so loads bound them, not
// arithmetic. A broadcast load costs as much as a load of a whole vector; here
// one 128-bit broadcast fetches four lhs elements, which shuffles then spread.
// The vectors have 256 bits on every ISA: one shuffle serves the two
// multiply-adds of a 16 wide tile. On Zen 4 that is 1.1 cycles per K step of
// 1x16, where 512-bit broadcasts and multiply-adds take 1.9.

#ifndef UKERNELS_X86_64_F32_M1_H_
#define UKERNELS_X86_64_F32_M1_H_

#include <immintrin.h>

#include "ukernels/x86_64/tile_body.h"

TW_INLINE void f32f32f32_k1_m1(void* out_tile, const void* lhs_panel,
                               const void* rhs_panel,
                               const tw_mmt4d_params_t* params, int M0,
                               int N0) {
  enum { kLanes = 8, kSteps = 8 };
  const int nv = N0 / kLanes;
  const float* lhs = (const float*)lhs_panel;
  const float* rhs = (const float*)rhs_panel;
  float* out = (float*)out_tile;
  __m256 acc[kSteps * 4];
  TW_UNROLL for (int i = 0; i < kSteps * nv; ++i) acc[i] = _mm256_setzero_ps();
  if (tw_accumulates(params)) {
    TW_UNROLL for (int n = 0; n < nv; ++n) acc[n] =
        _mm256_loadu_ps(out + n * kLanes);
  }
  tw_index_t k = params->K;
  for (; k >= kSteps; k -= kSteps) {
    const __m256 l0 = _mm256_broadcast_ps((const __m128*)lhs);
    const __m256 l1 = _mm256_broadcast_ps((const __m128*)(lhs + 4));
    const __m256 l[kSteps] = {
        _mm256_permute_ps(l0, 0x00), _mm256_permute_ps(l0, 0x55),
        _mm256_permute_ps(l0, 0xAA), _mm256_permute_ps(l0, 0xFF),
        _mm256_permute_ps(l1, 0x00), _mm256_permute_ps(l1, 0x55),
        _mm256_permute_ps(l1, 0xAA), _mm256_permute_ps(l1, 0xFF)};
    TW_UNROLL for (int s = 0; s < kSteps; ++s) {
      TW_UNROLL for (int n = 0; n < nv; ++n) acc[s * nv + n] = _mm256_fmadd_ps(
          l[s], _mm256_loadu_ps(rhs + s * N0 + n * kLanes), acc[s * nv + n]);
    }
    lhs += kSteps;
    rhs += kSteps * N0;
  }
  for (; k > 0; --k) {
    const __m256 l = _mm256_broadcast_ss(lhs);
    TW_UNROLL for (int n = 0; n < nv; ++n) acc[n] =
        _mm256_fmadd_ps(l, _mm256_loadu_ps(rhs + n * kLanes), acc[n]);
    lhs += 1;
    rhs += N0;
  }
  TW_UNROLL for (int half = kSteps / 2; half > 0; half /= 2) {
    TW_UNROLL for (int i = 0; i < half * nv; ++i) acc[i] =
        _mm256_add_ps(acc[i], acc[half * nv + i]);
  }
  TW_UNROLL for (int n = 0; n < nv; ++n)
      _mm256_storeu_ps(out + n * kLanes, acc[n]);
  (void)M0;
}

#endif  // UKERNELS_X86_64_F32_M1_H_
