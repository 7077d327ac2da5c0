// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 operands.

#ifndef UKERNELS_X86_64_F32_H_
#define UKERNELS_X86_64_F32_H_

#include "ukernels/x86_64/narrow_out.h"

// One K step: lhs [M0], rhs [N0].
TW_INLINE void tw_f32_step(tw_vf32* acc, const float* lhs, const float* rhs,
                           int M0, int nv) {
  tw_vf32 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_f32_load(rhs + n * TW_LANES);
  }
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vf32 l = tw_f32_splat(lhs + m);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] = tw_f32_fma(l, r[n], acc[m * nv + n]);
    }
  }
}

// Rows [row, row + M0) of a tile of `rows` rows.
TW_INLINE void tw_f32_rows(void* out_tile, const void* lhs_panel,
                           const void* rhs_panel,
                           const tw_mmt4d_params_t* params, int M0, int N0,
                           int row, int rows) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int sets = tw_accumulator_sets(vectors);
  const int steps = tw_loop_steps(vectors, sets);
  float* out = (float*)out_tile + row * tw_out_stride(params, N0);
  const float* lhs = (const float*)lhs_panel + row;
  const float* rhs = (const float*)rhs_panel;
  tw_vf32 acc[TW_MAX_ACCUMULATORS];
  tw_out_begin(acc, TW_ELEMENT_F32, out, params, M0, N0, sets);
  tw_index_t k = params->K;
  for (; k >= steps; k -= steps) {
    tw_prefetch_panels(lhs, steps * rows * 4, rhs, steps * N0 * 4, vectors, nv);
    TW_UNROLL for (int s = 0; s < steps; ++s) {
      tw_f32_step(acc + s % sets * vectors, lhs + s * rows, rhs + s * N0, M0,
                  nv);
    }
    TW_ADVANCE(lhs, steps * rows);
    TW_ADVANCE(rhs, steps * N0);
  }
  TW_NO_UNROLL for (; steps > 1 && k > 0; --k) {
    tw_f32_step(acc, lhs, rhs, M0, nv);
    lhs += rows;
    rhs += N0;
  }
  tw_out_end(acc, TW_ELEMENT_F32, out, params, M0, N0, sets);
}

TW_INLINE void f32f32f32_k1(void* out, const void* lhs, const void* rhs,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  tw_f32_rows(out, lhs, rhs, params, M0, N0, 0, M0);
}

// For twice the rows that the registers carry: the rhs is read twice, from L1.
TW_INLINE void f32f32f32_k1_halves(void* out, const void* lhs, const void* rhs,
                                   const tw_mmt4d_params_t* params, int M0,
                                   int N0) {
  tw_f32_rows(out, lhs, rhs, params, M0 / 2, N0, 0, M0);
  tw_f32_rows(out, lhs, rhs, params, M0 / 2, N0, M0 / 2, M0);
}

#endif  // UKERNELS_X86_64_F32_H_
