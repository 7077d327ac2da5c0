// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// u8 x s8 by sdot: the lhs as l - 128 = l ^ 0x80, a s8, which takes 128 times
// the sum of its rhs column from every element. That sum is computed beside the
// tile, by one sdot with the constant -128 per vector of the rhs.

#ifndef UKERNELS_ARM_64_DOT_U8S8_H_
#define UKERNELS_ARM_64_DOT_U8S8_H_

#include "ukernels/arm_64/lane.h"

// Sums of a column: of one row steps take turns at two, or the accumulators
// would wait for one.
TW_INLINE int tw_dot_u8s8_sums(int M0, int sets) {
  return M0 == 1 && sets > 1 ? 2 : 1;
}

// `steps` K steps of four elements; acc[step % sets][m][n], and
// minus[step % sums][n] as said above. The panels move on.
TW_INLINE void tw_dot_u8s8_steps(tw_vec* acc, tw_vec* minus, const char** lhs,
                                 const char** rhs, int M0, int N0, int sets,
                                 int steps) {
  const int nv = N0 / 4;
  const tw_vec flip = vdupq_n_u32(0x80808080);
  tw_vec l[8], r[4];
  tw_load_bytes(l, lhs, steps * M0 * 4);
  TW_UNROLL for (int i = 0; i < steps * M0; i += 4) {
    l[i / 4] = veorq_u32(l[i / 4], flip);
  }
  TW_UNROLL for (int s = 0; s < steps; ++s) {
    // While the steps before are multiplied.
    if (s % 2 == 0 && s > 0) TW_LOAD_AFTER(*rhs, acc[(s - 1) % sets * M0 * nv]);
    if (s % 2 == 0) tw_load_bytes(r, rhs, tw_min(2, steps - s) * N0 * 4);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      const tw_vec column = r[s % 2 * nv + n];
      tw_vec* const sum = minus + s % tw_dot_u8s8_sums(M0, sets) * nv + n;
      *sum = (tw_vec)vdotq_s32((int32x4_t)*sum, (int8x16_t)column,
                               (int8x16_t)flip);
      TW_UNROLL for (int m = 0; m < M0; ++m) {
        tw_vec* const a = acc + (s % sets * M0 + m) * nv + n;
        const int at = s * M0 + m;
        *a = tw_lane_multiply(TW_LANE_SDOT, *a, column, 0, l[at / 4], at % 4);
      }
    }
  }
}

TW_INLINE void u8s8s32_k4_sdot(void* out, const void* lhs_panel,
                               const void* rhs_panel,
                               const tw_mmt4d_params_t* params, int M0,
                               int N0) {
  const int nv = N0 / 4;
  const int vectors = M0 * nv;
  const int sets = vectors >= 8 ? 1 : vectors >= 4 ? 2 : 4;
  const int steps = vectors > 8 ? 2 : vectors == 8 ? 4 : 8;
  const char* lhs = (const char*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  tw_vec acc[TW_MAX_ACCUMULATORS], minus[8];
  const int sums = tw_dot_u8s8_sums(M0, sets) * nv;
  TW_UNROLL for (int n = 0; n < sums; ++n) minus[n] = tw_zero();
  tw_begin(TW_ACC_S32, acc, out, params, M0, N0, sets);
  const tw_index_t K = params->K > 0 ? params->K : 0;
  TW_NO_UNROLL for (tw_index_t i = K / steps; i != 0; --i) {
    tw_dot_u8s8_steps(acc, minus, &lhs, &rhs, M0, N0, sets, steps);
  }
  TW_NO_UNROLL for (tw_index_t k = K % steps; k > 0; --k) {
    tw_dot_u8s8_steps(acc, minus, &lhs, &rhs, M0, N0, 1, 1);
  }
  TW_UNROLL for (int n = sums - 1; n >= nv; --n) {
    minus[n - nv] = vaddq_u32(minus[n - nv], minus[n]);
  }
  TW_UNROLL for (int i = 0; i < vectors; ++i) {
    acc[i] = vsubq_u32(acc[i], minus[i % nv]);
  }
  tw_end(TW_ACC_S32, acc, out, params, M0, N0, sets);
}

#endif  // UKERNELS_ARM_64_DOT_U8S8_H_
