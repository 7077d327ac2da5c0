// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 without f16 arithmetic: converted to f32, multiplied by fmla. Neoverse N1
// converts on one unit only, which multiplies too; so that it is never waited
// for, tiles convert an operand of the next steps as soon as the one before it
// has been multiplied.

#ifndef UKERNELS_ARM_64_F16_H_
#define UKERNELS_ARM_64_F16_H_

#include "ukernels/arm_64/lane.h"

// `steps` K steps of the panels as f32; they move on.
TW_INLINE void tw_f16_load(tw_vec* l, tw_vec* r, const char** lhs,
                           const char** rhs, int M0, int N0, int steps) {
  tw_lane_load(TW_WIDEN_F16, l, lhs, steps * M0 * 2);
  tw_lane_load(TW_WIDEN_F16, r, rhs, steps * N0 * 2);
}

// The i-th four elements of `raw` as f32, after the multiplication into *acc.
TW_INLINE tw_vec tw_f16_widen_after(tw_vec* acc, const tw_vec* raw, int i) {
  tw_vec v;
  if (i % 2) {
    __asm__ volatile("fcvtl2 %0.4s, %2.8h"
                     : "=w"(v), "+w"(*acc)
                     : "w"(raw[i / 2]));
  } else {
    __asm__ volatile("fcvtl %0.4s, %2.4h"
                     : "=w"(v), "+w"(*acc)
                     : "w"(raw[i / 2]));
  }
  return v;
}

// acc[step % sets][m][n] of `steps` K steps, whose operands l and r are f32
// already. If there are `more`, those of the next steps take their places; the
// panels move on.
TW_INLINE void tw_f16_steps(tw_vec* acc, tw_vec* l, tw_vec* r, const char** lhs,
                            const char** rhs, int M0, int N0, int sets,
                            int steps, int more) {
  const int nv = N0 / 4;
  tw_vec raw_l[2], raw_r[4];
  if (more) {
    // One by one, where loads pair up: ld1 of several vectors takes long.
    const char* const at = tw_advance(rhs, steps * N0 * 2);
    TW_UNROLL for (int i = 0; i < steps * N0 * 2; i += 16) {
      raw_r[i / 16] = tw_load(at + i, tw_min(16, steps * N0 * 2 - i));
    }
    tw_load_bytes(raw_l, lhs, steps * M0 * 2);
  }
  TW_UNROLL for (int i = 0; i < steps * nv; ++i) {
    const int s = i / nv, n = i % nv;
    tw_vec* const a = acc + s % sets * M0 * nv + n;
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      const int row = s * M0 + m;
      if (more && i > 0) TW_USE_AFTER(a[m * nv], r[i - 1]);
      a[m * nv] = tw_lane_multiply(TW_LANE_F16_WIDE, a[m * nv], r[i], 0,
                                   l[row / 4], row % 4);
    }
    if (!more) continue;
    tw_vec* const done = a + (M0 - 1) * nv;
    r[i] = tw_f16_widen_after(done, raw_r, i);
    // The rows of this step were the last that these were for.
    if (n < nv - 1) continue;
    TW_UNROLL for (int at = s * M0 / 4; at < (s + 1) * M0 / 4; ++at) {
      l[at] = tw_f16_widen_after(done, raw_l, at);
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
  // As many steps as there are registers for, and as many sets as these and the
  // latency want.
  const int vectors = M0 * N0 / 4;
  const int steps = vectors <= 4 ? 4 : vectors <= 16 ? 2 : 1;
  const int sets = vectors <= 4 ? 4 : vectors < 12 ? 2 : 1;
  const char* lhs = (const char*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  tw_vec acc[TW_MAX_ACCUMULATORS], l[4], r[8];
  tw_begin(acc_kind, acc, out, params, M0, N0, sets);
  tw_index_t k = params->K;
  if (k >= steps) {
    tw_f16_load(l, r, &lhs, &rhs, M0, N0, steps);
    TW_NO_UNROLL for (k -= steps; k >= steps; k -= steps) {
      tw_f16_steps(acc, l, r, &lhs, &rhs, M0, N0, sets, steps, 1);
    }
    tw_f16_steps(acc, l, r, &lhs, &rhs, M0, N0, sets, steps, 0);
  }
  TW_NO_UNROLL for (; steps > 1 && k > 0; --k) {
    tw_f16_load(l, r, &lhs, &rhs, M0, N0, 1);
    tw_f16_steps(acc, l, r, &lhs, &rhs, M0, N0, sets, 1, 0);
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
