// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 operands.

#ifndef UKERNELS_X86_64_F32_H_
#define UKERNELS_X86_64_F32_H_

#include "ukernels/x86_64/narrow_out.h"

// One K step: lhs [M0], rhs [N0]. `odd`: of a tile with extra accumulators.
TW_INLINE void tw_f32_step(tw_vf32* acc, const float* lhs, const float* rhs,
                           int M0, int nv, int odd) {
  tw_vf32 r[4];
  if (tw_pairs_rows(M0, nv)) {
    tw_f32_load_factors(r, rhs);
    tw_f32_paired_step(acc, lhs, r, M0, odd);
    return;
  }
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_f32_load(rhs + n * TW_LANES);
  }
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vf32 l = tw_f32_splat(lhs + m);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      const int i = tw_extra_place(m * nv + n, odd);
      acc[i] = tw_f32_fma(l, r[n], acc[i]);
    }
  }
}

TW_INLINE void f32f32f32_k1(void* out_tile, const void* lhs_panel,
                            const void* rhs_panel,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int pairs = tw_pairs_rows(M0, nv);
  const int sets = tw_paired_sets(pairs, M0, tw_float_sets(vectors));
  // 8x8, whose rows go in pairs, takes 0.85 of the time with them (Granite
  // Rapids), and 1.03 from L2 on Zen 3.
  const int extra = tw_extra_accumulators(TW_LANES, vectors);
  // Of two vectors a row the compiler mixes more steps, and spills.
  const int steps = !extra ? tw_loop_steps(vectors, sets) : nv == 1 ? 4 : 2;
  float* out = (float*)out_tile;
  const float* lhs = (const float*)lhs_panel;
  const float* rhs = (const float*)rhs_panel;
  tw_vf32 acc[TW_MAX_ACCUMULATORS];
  tw_paired_out_begin(acc, TW_ELEMENT_F32, out, params, M0, N0, sets, pairs);
  tw_f32_begin_extra(acc, vectors, extra);
  tw_far_t far = tw_far_of(params, steps);
  tw_index_t k = params->K;
  TW_UNROLL for (int loop = 0; loop < TW_LOOPS; ++loop) {
    const int each = tw_steps_of_loop(loop, steps, sets);
    if (each == 0) continue;
    TW_NO_UNROLL for (; k >= each; k -= each) {
      if (loop == 0)
        tw_prefetch_panels(lhs, each * M0 * 4, rhs, each * N0 * 4, &far,
                           vectors, nv);
      TW_UNROLL for (int s = 0; s < each; ++s) {
        tw_f32_step(acc + s % sets * vectors, lhs + s * M0, rhs + s * N0, M0,
                    nv, extra && s % 2);
      }
      TW_ADVANCE(lhs, each * M0);
      TW_ADVANCE(rhs, each * N0);
    }
  }
  tw_f32_add_extra(acc, vectors, extra);
  tw_paired_out_end(acc, TW_ELEMENT_F32, out, params, M0, N0, sets, pairs);
}

// The rows of each half of v[4], which are columns, and the other way round.
TW_INLINE void tw_f32_transpose(__m256* v) {
  const __m256 a = _mm256_unpacklo_ps(v[0], v[1]);
  const __m256 b = _mm256_unpackhi_ps(v[0], v[1]);
  const __m256 c = _mm256_unpacklo_ps(v[2], v[3]);
  const __m256 d = _mm256_unpackhi_ps(v[2], v[3]);
  v[0] = _mm256_shuffle_ps(a, c, 0x44);
  v[1] = _mm256_shuffle_ps(a, c, 0xEE);
  v[2] = _mm256_shuffle_ps(b, d, 0x44);
  v[3] = _mm256_shuffle_ps(b, d, 0xEE);
}

// acc[2 * n + h] has rows 8h to 8h + 7 of column n of four, but for what is
// extra.
TW_INLINE void tw_f32_step_16x4(__m256* acc, const float* lhs, const float* rhs,
                                int odd) {
  const __m256 l[2] = {_mm256_loadu_ps(lhs), _mm256_loadu_ps(lhs + 8)};
  TW_UNROLL for (int n = 0; n < 4; ++n) {
    const __m256 r = _mm256_set1_ps(rhs[n]);
    TW_UNROLL for (int h = 0; h < 2; ++h) {
      const int i = tw_extra_place(2 * n + h, odd);
      acc[i] = _mm256_fmadd_ps(l[h], r, acc[i]);
    }
  }
}

// 16x8 at 256 bits, twice the rows that the registers carry: four columns, then
// the others, with lanes along the rows. A step loads two vectors of the lhs
// and spreads four elements of the rhs, 6 loads for 8 multiply-adds, where
// lanes along the columns need 9.
TW_INLINE void f32f32f32_k1_16x8(void* out_tile, const void* lhs_panel,
                                 const void* rhs_panel,
                                 const tw_mmt4d_params_t* params, int M0,
                                 int N0) {
  (void)M0;
  const tw_index_t stride = tw_out_stride(params, N0);
  for (int column = 0; column < 8; column += 4) {
    const float* lhs = (const float*)lhs_panel;
    const float* rhs = (const float*)rhs_panel + column;
    float* const out = (float*)out_tile + column;
    __m256 acc[8 + TW_EXTRA];
    TW_UNROLL for (int i = 0; i < 8 + TW_EXTRA; ++i) {
      acc[i] = _mm256_setzero_ps();
    }
    TW_UNROLL for (int h = 0; h < 2; ++h) {
      if (!tw_accumulates(params)) continue;
      __m256 v[4];
      TW_UNROLL for (int m = 0; m < 4; ++m) {
        float* const row = out + (8 * h + m) * stride;
        v[m] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row)),
                                    _mm_loadu_ps(row + 4 * stride), 1);
      }
      tw_f32_transpose(v);
      TW_UNROLL for (int n = 0; n < 4; ++n) acc[2 * n + h] = v[n];
    }
    tw_index_t k = params->K;
    for (; k > 1; k -= 2) {
      tw_f32_step_16x4(acc, lhs, rhs, 0);
      tw_f32_step_16x4(acc, lhs + 16, rhs + 8, 1);
      TW_ADVANCE(lhs, 32);
      TW_ADVANCE(rhs, 16);
    }
    if (k > 0) tw_f32_step_16x4(acc, lhs, rhs, 0);
    TW_UNROLL for (int i = 8 - TW_EXTRA; i < 8; ++i) {
      acc[i] = _mm256_add_ps(acc[i], acc[i + TW_EXTRA]);
    }
    TW_UNROLL for (int h = 0; h < 2; ++h) {
      __m256 v[4];
      TW_UNROLL for (int n = 0; n < 4; ++n) v[n] = acc[2 * n + h];
      tw_f32_transpose(v);
      TW_UNROLL for (int m = 0; m < 4; ++m) {
        float* const row = out + (8 * h + m) * stride;
        _mm_storeu_ps(row, _mm256_castps256_ps128(v[m]));
        _mm_storeu_ps(row + 4 * stride, _mm256_extractf128_ps(v[m], 1));
      }
    }
  }
}

#endif  // UKERNELS_X86_64_F32_H_
