// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 without f16 arithmetic: converted to f32, multiplied by fmla. Neoverse N1
// converts on one unit only, which multiplies too; so that it is not waited
// for, tiles convert the operands of a step while the step before it is
// multiplied.

#ifndef UKERNELS_ARM_64_F16_H_
#define UKERNELS_ARM_64_F16_H_

#include "ukernels/arm_64/lane.h"

// `steps` K steps of the panels as f32; they move on.
TW_INLINE void tw_f16_load(tw_vec* l, tw_vec* r, const char** lhs,
                           const char** rhs, int M0, int N0, int steps) {
  tw_lane_load(TW_WIDEN_F16, l, lhs, steps * M0 * 2);
  tw_lane_load(TW_WIDEN_F16, r, rhs, steps * N0 * 2);
}

// acc[step % sets][m][n].
TW_INLINE void tw_f16_multiply(tw_vec* acc, const tw_vec* l, const tw_vec* r,
                               int M0, int N0, int sets, int steps) {
  const int nv = N0 / 4;
  TW_UNROLL for (int i = 0; i < steps * M0; ++i) {
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      tw_vec* const a = acc + i % (sets * M0) * nv + n;
      *a = tw_lane_multiply(TW_LANE_F16_WIDE, *a, r[i / M0 * nv + n], 0,
                            l[i / 4], i % 4);
    }
  }
}

TW_INLINE void tw_f16_tile(tw_acc_t acc_kind, void* out, const void* lhs_panel,
                           const void* rhs_panel,
                           const tw_mmt4d_params_t* params, int M0, int N0) {
  if (M0 == 1) {
    // Bound by conversions: nothing to wait for.
    tw_lane_tile(TW_LANE_F16_WIDE, acc_kind, out, lhs_panel, rhs_panel, params,
                 M0, N0);
    return;
  }
  if (tw_out_bytes(acc_kind) == 2 && tw_keeps_out(params)) return;
  const int steps = M0 < 8 ? 2 : 1;
  const int sets = M0 * N0 / 4 < 12 ? 2 : 1;
  const char* lhs = (const char*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  tw_vec acc[TW_MAX_ACCUMULATORS], l[3], r[6], next_l[3], next_r[6];
  tw_begin(acc_kind, acc, out, params, M0, N0, sets);
  tw_index_t k = params->K;
  if (k >= steps) {
    tw_f16_load(l, r, &lhs, &rhs, M0, N0, steps);
    TW_NO_UNROLL for (k -= steps; k >= steps; k -= steps) {
      tw_f16_load(next_l, next_r, &lhs, &rhs, M0, N0, steps);
      tw_f16_multiply(acc, l, r, M0, N0, sets, steps);
      TW_UNROLL for (int i = 0; i < (steps * M0 + 3) / 4; ++i) l[i] = next_l[i];
      TW_UNROLL for (int i = 0; i < steps * N0 / 4; ++i) r[i] = next_r[i];
    }
    tw_f16_multiply(acc, l, r, M0, N0, sets, steps);
  }
  if (steps > 1 && k > 0) {
    tw_f16_load(l, r, &lhs, &rhs, M0, N0, 1);
    tw_f16_multiply(acc, l, r, M0, N0, sets, 1);
  }
  tw_end(acc_kind, acc, out, params, M0, N0, sets);
}

TW_INLINE void f16f16f32_k1(void* out, const void* lhs, const void* rhs,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  tw_f16_tile(TW_ACC_F32, out, lhs, rhs, params, M0, N0);
}
TW_INLINE void f16f16f16_k1(void* out, const void* lhs, const void* rhs,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  tw_f16_tile(TW_ACC_F32_OUT_F16, out, lhs, rhs, params, M0, N0);
}

#endif  // UKERNELS_ARM_64_F16_H_
