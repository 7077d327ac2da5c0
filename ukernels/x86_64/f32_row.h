// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 tiles of one row. Each rhs element is used once, so loads bound them, not
// arithmetic: a 512-bit load and a 512-bit broadcast load take two cycles of
// Zen 4, the multiply-add one. So lhs elements are loaded a vector at a time
// and spread by shuffles; and the vectors have 256
// bits on every ISA, where one shuffle serves both halves of a 16 wide row.
// On Zen 4 that is 1.1 cycles per K step of 1x16.

#ifndef UKERNELS_X86_64_F32_ROW_H_
#define UKERNELS_X86_64_F32_ROW_H_

#include <immintrin.h>

#include "ukernels/x86_64/tile_body.h"

// M0 = 1, N0 = 8 or 16.
TW_INLINE void f32f32f32_k1_row(void* out_tile, const void* lhs_panel,
                                const void* rhs_panel,
                                const tw_mmt4d_params_t* params, int M0,
                                int N0) {
  enum { kLanes = 8, kSteps = 8, kMaxVectors = 2 };
  const int nv = N0 / kLanes;
  const float* lhs = (const float*)lhs_panel;
  const float* rhs = (const float*)rhs_panel;
  float* out = (float*)out_tile;
  // acc[step][n]
  __m256 acc[kSteps * kMaxVectors];
  TW_UNROLL for (int i = 0; i < kSteps * nv; ++i) {
    acc[i] = _mm256_setzero_ps();
  }
  if (tw_accumulates(params)) {
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[n] = _mm256_loadu_ps(out + n * kLanes);
    }
  }
  tw_index_t k = params->K;
  for (; k >= kSteps; k -= kSteps) {
    const __m256i v = _mm256_loadu_si256((const __m256i*)lhs);
    __m256i q0 = _mm256_permute2x128_si256(v, v, 0x00);
    __m256i q1 = _mm256_permute2x128_si256(v, v, 0x11);
    // Opaque, or the shuffles become broadcast loads again.
    TW_OPAQUE(q0);
    TW_OPAQUE(q1);
    const __m256 l0 = _mm256_castsi256_ps(q0);
    const __m256 l1 = _mm256_castsi256_ps(q1);
    const __m256 l[kSteps] = {
        _mm256_permute_ps(l0, 0x00), _mm256_permute_ps(l0, 0x55),
        _mm256_permute_ps(l0, 0xAA), _mm256_permute_ps(l0, 0xFF),
        _mm256_permute_ps(l1, 0x00), _mm256_permute_ps(l1, 0x55),
        _mm256_permute_ps(l1, 0xAA), _mm256_permute_ps(l1, 0xFF)};
    TW_UNROLL for (int i = 0; i < kSteps * nv; ++i) {
      acc[i] =
          _mm256_fmadd_ps(l[i / nv], _mm256_loadu_ps(rhs + i * kLanes), acc[i]);
    }
    lhs += kSteps;
    rhs += kSteps * N0;
  }
  TW_NO_UNROLL for (; k > 0; --k) {
    const __m256 l = _mm256_broadcast_ss(lhs);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[n] = _mm256_fmadd_ps(l, _mm256_loadu_ps(rhs + n * kLanes), acc[n]);
    }
    lhs += 1;
    rhs += N0;
  }
  TW_UNROLL for (int half = kSteps / 2; half > 0; half /= 2) {
    TW_UNROLL for (int i = 0; i < half * nv; ++i) {
      acc[i] = _mm256_add_ps(acc[i], acc[half * nv + i]);
    }
  }
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    _mm256_storeu_ps(out + n * kLanes, acc[n]);
  }
}

#endif  // UKERNELS_X86_64_F32_ROW_H_
