// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 with every K step rounded to bf16. An accumulator is multiplied into,
// narrowed, widened, and so on, each of which waits for the one before; and
// Neoverse N2 and V1 narrow in one half of their pipelines and widen in the
// other. Both are busy all the time if the accumulators of a tile stand at
// different points of that circle: so between K steps most are narrow.

#ifndef UKERNELS_ARM_64_BF16_STEPRND_H_
#define UKERNELS_ARM_64_BF16_STEPRND_H_

#include "ukernels/arm_64/lane.h"
#include "ukernels/arm_64/mmla.h"

#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC

TW_INLINE tw_vec tw_bf16_narrow(tw_vec v) {
  return tw_from_low((uint8x8_t)vcvt_bf16_f32((float32x4_t)v));
}

TW_INLINE tw_vec tw_bf16_widen(tw_vec v) {
  return vshll_n_u16(vget_low_u16((uint16x8_t)v), 16);
}

// One K step of acc[i], i < vectors, which is acc[m][n] for K0 = 2, by bfdot,
// and acc[m / 2][n / 2] for K0 = 4, by bfmmla. Before and after it acc[i] is
// narrow, but for the first vectors / 8. The panels move on.
TW_INLINE void tw_bf16_rounded_step(int K0, tw_vec* acc, const char** lhs,
                                    const char** rhs, int M0, int N0) {
  const int vectors = M0 * N0 / 4;
  const int columns = K0 == 2 ? N0 / 4 : N0 / 2;
  const int ahead = vectors / 8;
  // An accumulator is narrowed when the next two have been multiplied into.
  const int behind = 2;
  tw_vec l[4], r[4];
  tw_load_bytes(l, lhs, M0 * K0 * 2);
  tw_load_bytes(r, rhs, N0 * K0 * 2);
  tw_vec* last = acc + vectors - 1;
  TW_UNROLL for (int i = 0; i < vectors + behind; ++i) {
    if (i < vectors) {
      tw_vec* const a = acc + (i + ahead) % vectors;
      TW_USE_AFTER(*a, *last);
      *a = tw_bf16_widen(*a);
      last = a;
    }
    if (i >= behind) {
      tw_vec* const a = acc + i - behind;
      TW_USE_AFTER(*a, *last);
      *a = tw_bf16_narrow(*a);
      last = a;
    }
    if (i < vectors) {
      const int m = i / columns, n = i % columns;
      TW_USE_AFTER(acc[i], *last);
      acc[i] = K0 == 2 ? tw_lane_multiply(TW_LANE_BFDOT, acc[i], r[n], 0,
                                          l[m / 4], m % 4)
                       : tw_mmla(TW_MMLA_BF16, acc[i], l[m], r[n]);
      last = acc + i;
    }
  }
}

TW_INLINE void tw_bf16_rounded_tile(int K0, void* out, const void* lhs_panel,
                                    const void* rhs_panel,
                                    const tw_mmt4d_params_t* params, int M0,
                                    int N0) {
  const int vectors = M0 * N0 / 4;
  if (vectors < 8) {
    // Bound by the circle itself.
    if (K0 == 2) {
      tw_lane_tile(TW_LANE_BFDOT, TW_ACC_F32_STEP_BF16, out, lhs_panel,
                   rhs_panel, params, M0, N0);
    } else {
      tw_mmla_tile(TW_MMLA_BF16, TW_ACC_F32_STEP_BF16, out, lhs_panel,
                   rhs_panel, params, M0, N0);
    }
    return;
  }
  const char* lhs = (const char*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  tw_vec acc[TW_MAX_ACCUMULATORS];
  tw_begin(TW_ACC_F32_STEP_BF16, acc, out, params, M0, N0, 1);
  if (K0 == 4) tw_mmla_from_rows(acc, M0, N0);
  // What was loaded is a bf16: narrowing loses nothing.
  TW_UNROLL for (int i = vectors / 8; i < vectors; ++i) {
    acc[i] = tw_bf16_narrow(acc[i]);
  }
  TW_NO_UNROLL for (tw_index_t k = params->K; k > 0; --k) {
    tw_bf16_rounded_step(K0, acc, &lhs, &rhs, M0, N0);
  }
  TW_UNROLL for (int i = vectors / 8; i < vectors; ++i) {
    acc[i] = tw_bf16_widen(acc[i]);
  }
  if (K0 == 4) tw_mmla_to_rows(acc, M0, N0);
  tw_end(TW_ACC_F32_STEP_BF16, acc, out, params, M0, N0, 1);
}

TW_INLINE void bf16bf16bf16_k2_steprnd(void* out, const void* lhs,
                                       const void* rhs,
                                       const tw_mmt4d_params_t* params, int M0,
                                       int N0) {
  tw_bf16_rounded_tile(2, out, lhs, rhs, params, M0, N0);
}
TW_INLINE void bf16bf16bf16_k4_steprnd(void* out, const void* lhs,
                                       const void* rhs,
                                       const tw_mmt4d_params_t* params, int M0,
                                       int N0) {
  tw_bf16_rounded_tile(4, out, lhs, rhs, params, M0, N0);
}

#endif

#endif  // UKERNELS_ARM_64_BF16_STEPRND_H_
