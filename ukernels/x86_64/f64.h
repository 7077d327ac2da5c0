// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f64: the f32 family with half the lanes.

#ifndef UKERNELS_X86_64_F64_H_
#define UKERNELS_X86_64_F64_H_

#include "ukernels/x86_64/row_pairs.h"

// Whether rows go in pairs: no load repeats lanes of 64 bits that are odd.
TW_INLINE int tw_f64_pairs_rows(int M0, int nv) {
  return TW_LANES == 8 && tw_pairs_rows(M0, nv);
}

// `odd`: of a tile with extra accumulators.
TW_INLINE void tw_f64_step(tw_vf64* acc, const double* lhs, const double* rhs,
                           int M0, int nv, int odd) {
  tw_vf64 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_f64_load(rhs + n * (TW_LANES / 2));
  }
  if (tw_f64_pairs_rows(M0, nv)) {
    r[1] = tw_f64_swap_pairs(r[0]);
    tw_f64_paired_step(acc, lhs, r, M0, odd);
    return;
  }

  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vf64 l = tw_f64_splat(lhs + m);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      const int i = tw_extra_place(m * nv + n, odd);
      acc[i] = tw_f64_fma(l, r[n], acc[i]);
    }
  }
}

TW_INLINE void f64f64f64_k1(void* out_tile, const void* lhs_panel,
                            const void* rhs_panel,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  const int lanes = TW_LANES / 2;
  const int nv = N0 / lanes;
  const int vectors = M0 * nv;
  const int sets = tw_float_sets(vectors);
  const int extra = tw_extra_accumulators(TW_LANES, vectors);
  // 4x4 of 256 bits keeps the order of its steps: 0.98 of the time (Zen 3).
  const int pins = TW_LANES == 8 && vectors == 4 && nv == 1;
  // Of two vectors a row the compiler mixes more steps, and spills.
  const int steps = !extra ? tw_loop_steps(vectors, sets) : nv == 1 ? 4 : 2;
  const tw_index_t stride = tw_out_stride(params, N0);
  const double* lhs = (const double*)lhs_panel;
  const double* rhs = (const double*)rhs_panel;
  double* out = (double*)out_tile;
  tw_vf64 acc[TW_MAX_ACCUMULATORS];
  TW_UNROLL for (int i = 0; i < sets * vectors + extra; ++i) {
    acc[i] = tw_f64_zero();
  }

  if (tw_accumulates(params)) {
    TW_UNROLL for (int i = 0; i < vectors; ++i) {
      acc[i] = tw_f64_load(out + i / nv * stride + i % nv * lanes);
    }
    if (tw_f64_pairs_rows(M0, nv)) tw_f64_pair_rows(acc, M0);
  }
  tw_far_t far = tw_far_of(params, steps);
  tw_index_t k = params->K;
  TW_UNROLL for (int loop = 0; loop < TW_LOOPS; ++loop) {
    const int each = tw_steps_of_loop(loop, steps, sets);
    if (each == 0) continue;
    TW_NO_UNROLL for (; k >= each; k -= each) {
      if (loop == 0)
        tw_prefetch_panels(lhs, each * M0 * 8, rhs, each * N0 * 8, &far,
                           vectors, nv);
      TW_UNROLL for (int s = 0; s < each; ++s) {
        tw_f64_step(acc + s % sets * vectors, lhs + s * M0, rhs + s * N0, M0,
                    nv, extra && s % 2);
        if (pins && loop == 0) TW_PIN_BEHIND(rhs, acc[s % sets * vectors + 3]);
      }
      TW_ADVANCE(lhs, each * M0);
      TW_ADVANCE(rhs, each * N0);
    }
  }
  TW_UNROLL for (int i = vectors - extra; i < vectors; ++i) {
    acc[i] = tw_f64_add(acc[i], acc[i + extra]);
  }
  TW_UNROLL for (int left = sets; left > 1; left -= left / 2) {
    const int kept = left - left / 2;
    TW_UNROLL for (int i = 0; i < left / 2 * vectors; ++i) {
      acc[i] = tw_f64_add(acc[i], acc[kept * vectors + i]);
    }
  }
  if (tw_f64_pairs_rows(M0, nv)) tw_f64_part_rows(acc, M0);
  TW_UNROLL for (int i = 0; i < vectors; ++i) {
    tw_f64_store(out + i / nv * stride + i % nv * lanes, acc[i]);
  }
}

// The columns of a 4x4 block whose rows are v[4], and the other way round.
TW_INLINE void tw_f64_transpose(__m256d* v) {
  const __m256d a = _mm256_unpacklo_pd(v[0], v[1]);
  const __m256d b = _mm256_unpackhi_pd(v[0], v[1]);
  const __m256d c = _mm256_unpacklo_pd(v[2], v[3]);
  const __m256d d = _mm256_unpackhi_pd(v[2], v[3]);
  v[0] = _mm256_permute2f128_pd(a, c, 0x20);
  v[1] = _mm256_permute2f128_pd(b, d, 0x20);
  v[2] = _mm256_permute2f128_pd(a, c, 0x31);
  v[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

// acc[2 * n + h] has rows 4h to 4h + 3 of column n, but for what is extra.
TW_INLINE void tw_f64_step_8x4(__m256d* acc, const double* lhs,
                               const double* rhs, int odd) {
  const __m256d l[2] = {_mm256_loadu_pd(lhs), _mm256_loadu_pd(lhs + 4)};
  TW_UNROLL for (int n = 0; n < 4; ++n) {
    const __m256d r = _mm256_set1_pd(rhs[n]);
    TW_UNROLL for (int h = 0; h < 2; ++h) {
      const int i = tw_extra_place(2 * n + h, odd);
      acc[i] = _mm256_fmadd_pd(l[h], r, acc[i]);
    }
  }
}

// 8x4 at 256 bits, its lanes along the rows: a step loads two vectors of the
// lhs and spreads four elements of the rhs, 6 loads for 8 multiply-adds, where
// lanes along the columns need 9 (4 % on Zen 4, which loads two a cycle).
TW_INLINE void f64f64f64_k1_8x4(void* out_tile, const void* lhs_panel,
                                const void* rhs_panel,
                                const tw_mmt4d_params_t* params, int M0,
                                int N0) {
  (void)M0;
  const tw_index_t stride = tw_out_stride(params, N0);
  const double* lhs = (const double*)lhs_panel;
  const double* rhs = (const double*)rhs_panel;
  double* out = (double*)out_tile;
  __m256d acc[8 + TW_EXTRA];
  TW_UNROLL for (int i = 0; i < 8 + TW_EXTRA; ++i) acc[i] = _mm256_setzero_pd();
  TW_UNROLL for (int h = 0; h < 2; ++h) {
    if (!tw_accumulates(params)) continue;
    __m256d v[4];
    TW_UNROLL for (int m = 0; m < 4; ++m) {
      v[m] = _mm256_loadu_pd(out + (4 * h + m) * stride);
    }
    tw_f64_transpose(v);
    TW_UNROLL for (int n = 0; n < 4; ++n) acc[2 * n + h] = v[n];
  }
  tw_index_t k = params->K;
  for (; k > 1; k -= 2) {
    tw_f64_step_8x4(acc, lhs, rhs, 0);
    tw_f64_step_8x4(acc, lhs + 8, rhs + 4, 1);
    TW_ADVANCE(lhs, 16);
    TW_ADVANCE(rhs, 8);
  }
  if (k > 0) tw_f64_step_8x4(acc, lhs, rhs, 0);
  TW_UNROLL for (int i = 8 - TW_EXTRA; i < 8; ++i) {
    acc[i] = _mm256_add_pd(acc[i], acc[i + TW_EXTRA]);
  }
  TW_UNROLL for (int h = 0; h < 2; ++h) {
    __m256d v[4];
    TW_UNROLL for (int n = 0; n < 4; ++n) v[n] = acc[2 * n + h];
    tw_f64_transpose(v);
    TW_UNROLL for (int m = 0; m < 4; ++m) {
      _mm256_storeu_pd(out + (4 * h + m) * stride, v[m]);
    }
  }
}

#endif  // UKERNELS_X86_64_F64_H_
