// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s8 x s4 by sdot, K0 = 8: one of the four even elements of K and one of the
// odd ones. The rhs comes apart into these by its halves of bytes, the lhs by
// unzipping.

#ifndef UKERNELS_ARM_64_DOT_S4_H_
#define UKERNELS_ARM_64_DOT_S4_H_

#include "ukernels/arm_64/lane.h"
#include "ukernels/arm_64/s4.h"

// `steps` K steps; acc[step % sets][m][n]. The panels move on.
TW_INLINE void tw_dot_s4_steps(tw_vec* acc, const char** lhs, const char** rhs,
                               int M0, int N0, int sets, int steps) {
  const int nv = N0 / 4;
  const int passes = tw_s4_passes(M0 * nv);
  const int lhs_bytes = steps * M0 * 8;
  TW_UNROLL for (int pass = 0; pass < passes; ++pass) {
    // Lane s * M0 + m of l[0], the even elements, and of l[1] belongs to row m
    // of step s.
    tw_vec l[2][4];
    const char* l_at = *lhs;
    const char* r_at = *rhs;
    TW_UNROLL for (int i = 0; i < lhs_bytes; i += 32) {
      const tw_vec a = tw_load(l_at, lhs_bytes - i < 16 ? 8 : 16);
      const tw_vec b = lhs_bytes - i > 16 ? tw_load(l_at + 16, 16) : a;
      l[0][i / 32] = (tw_vec)vuzp1q_u8((uint8x16_t)a, (uint8x16_t)b);
      l[1][i / 32] = (tw_vec)vuzp2q_u8((uint8x16_t)a, (uint8x16_t)b);
      l_at += 32;
      if (passes > 1) TW_LOAD_AFTER(l_at, l[pass][i / 32]);
    }
    tw_vec next = tw_load(r_at, 16);
    TW_UNROLL for (int i = 0; i < steps * nv; ++i) {
      tw_vec* const a = acc + i / nv % sets * M0 * nv + i % nv;
      // The vector before this one was multiplied into its accumulators.
      const int before = (i + steps * nv - 1) % (steps * nv);
      tw_vec* const done =
          acc + (before / nv % sets * M0 + M0 - 1) * nv + before % nv;
      const tw_vec r =
          tw_s4_next(&next, &r_at, passes == 1, done, i + 1 < steps * nv);
      TW_UNROLL for (int odd = 0; odd < 2; ++odd) {
        const tw_vec part = odd ? tw_s4_odd(r) : tw_s4_even(r);
        TW_UNROLL for (int m = 0; m < M0; ++m) {
          if (passes > 1 && pass != odd) break;
          const int at = i / nv * M0 + m;
          a[m * nv] = tw_lane_multiply(TW_LANE_SDOT, a[m * nv], part, 0,
                                       l[odd][at / 4], at % 4);
          if (passes > 1) TW_PIN(a[m * nv]);
        }
      }
    }
    if (pass + 1 == passes) {
      *lhs += lhs_bytes;
      *rhs = r_at;
    }
    TW_LOAD_AFTER(*lhs, acc[M0 * nv - 1]);
    TW_LOAD_AFTER(*rhs, acc[M0 * nv - 1]);
  }
}

// acc = 16 times the products of k K steps.
TW_INLINE void tw_dot_s4(tw_vec* acc, const char** lhs, const char** rhs,
                         tw_index_t k, int M0, int N0) {
  const int vectors = M0 * N0 / 4;
  const int sets = tw_s4_sets(vectors);
  TW_UNROLL for (int i = 0; i < sets * vectors; ++i) acc[i] = tw_zero();
  k -= sets;
  TW_NO_UNROLL for (; k >= 0; k -= sets) {
    tw_dot_s4_steps(acc, lhs, rhs, M0, N0, sets, sets);
  }
  k += sets;
  TW_NO_UNROLL for (; sets > 1 && k > 0; --k) {
    tw_dot_s4_steps(acc, lhs, rhs, M0, N0, 1, 1);
  }
  tw_reduce(TW_ACC_S32, acc, vectors, sets);
}

TW_S4_FAMILY(s8s4s32_k8, 8, tw_dot_s4)

#endif  // UKERNELS_ARM_64_DOT_S4_H_
