// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 tiles of one row. Each rhs element is used once, so loads bound them, not
// arithmetic: a 512-bit load and a 512-bit broadcast load take two cycles of
// Zen 4, the multiply-add one. So lhs elements are loaded a vector at a time
// and spread by shuffles; and the vectors have 256
// bits on every ISA, where one shuffle serves both halves of a 16 wide row.
// On Zen 4 that is 1.12 cycles per K step of 1x16.

#ifndef UKERNELS_X86_64_F32_ROW_H_
#define UKERNELS_X86_64_F32_ROW_H_

#include <immintrin.h>

#include "ukernels/x86_64/tile_body.h"

enum { TW_ROW_STEPS = 8, TW_ROW_LANES = 8 };

// TW_ROW_STEPS K steps, each with accumulators of its own: acc[step][n].
TW_INLINE void tw_f32_row_steps(__m256* acc, const float* lhs, const float* rhs,
                                int nv) {
  const __m256i v = _mm256_loadu_si256((const __m256i*)lhs);
  __m256i q0 = _mm256_permute2x128_si256(v, v, 0x00);
  __m256i q1 = _mm256_permute2x128_si256(v, v, 0x11);
  // Opaque, or the shuffles become broadcast loads again.
  TW_OPAQUE(q0);
  TW_OPAQUE(q1);
  const __m256 l0 = _mm256_castsi256_ps(q0);
  const __m256 l1 = _mm256_castsi256_ps(q1);
  const __m256 l[TW_ROW_STEPS] = {
      _mm256_permute_ps(l0, 0x00), _mm256_permute_ps(l0, 0x55),
      _mm256_permute_ps(l0, 0xAA), _mm256_permute_ps(l0, 0xFF),
      _mm256_permute_ps(l1, 0x00), _mm256_permute_ps(l1, 0x55),
      _mm256_permute_ps(l1, 0xAA), _mm256_permute_ps(l1, 0xFF)};
  TW_UNROLL for (int i = 0; i < TW_ROW_STEPS * nv; ++i) {
    acc[i] = _mm256_fmadd_ps(l[i / nv], _mm256_loadu_ps(rhs + i * TW_ROW_LANES),
                             acc[i]);
  }
}

// M0 = 1, N0 = 8 or 16.
TW_INLINE void f32f32f32_k1_row(void* out_tile, const void* lhs_panel,
                                const void* rhs_panel,
                                const tw_mmt4d_params_t* params, int M0,
                                int N0) {
  const int nv = N0 / TW_ROW_LANES;
  const int steps = TW_ROW_STEPS;
  const float* lhs = (const float*)lhs_panel;
  const float* rhs = (const float*)rhs_panel;
  float* out = (float*)out_tile;
  __m256 acc[TW_ROW_STEPS * 2];
  TW_UNROLL for (int i = 0; i < steps * nv; ++i) {
    acc[i] = _mm256_setzero_ps();
  }
  tw_index_t k = params->K;
  for (; k >= 2 * steps; k -= 2 * steps) {
    tw_f32_row_steps(acc, lhs, rhs, nv);
    tw_f32_row_steps(acc, lhs + steps, rhs + steps * N0, nv);
    lhs += 2 * steps;
    rhs += 2 * steps * N0;
  }
  if (k >= steps) {
    tw_f32_row_steps(acc, lhs, rhs, nv);
    k -= steps;
    lhs += steps;
    rhs += steps * N0;
  }
  TW_NO_UNROLL for (; k > 0; --k) {
    const __m256 l = _mm256_broadcast_ss(lhs);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[n] =
          _mm256_fmadd_ps(l, _mm256_loadu_ps(rhs + n * TW_ROW_LANES), acc[n]);
    }
    lhs += 1;
    rhs += N0;
  }
  TW_UNROLL for (int half = steps / 2; half > 0; half /= 2) {
    TW_UNROLL for (int i = 0; i < half * nv; ++i) {
      acc[i] = _mm256_add_ps(acc[i], acc[half * nv + i]);
    }
  }
  // Added last: a call that adds to the previous one's result need not wait.
  if (tw_accumulates(params)) {
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[n] = _mm256_add_ps(acc[n], _mm256_loadu_ps(out + n * TW_ROW_LANES));
    }
  }
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    _mm256_storeu_ps(out + n * TW_ROW_LANES, acc[n]);
  }
}

#endif  // UKERNELS_X86_64_F32_ROW_H_
