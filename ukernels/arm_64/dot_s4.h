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

// The even (or the odd) elements of K of a and of b, which hold two times 8.
TW_INLINE tw_vec tw_dot_s4_unzip(int odd, tw_vec a, tw_vec b) {
  return odd ? (tw_vec)vuzp2q_u8((uint8x16_t)a, (uint8x16_t)b)
             : (tw_vec)vuzp1q_u8((uint8x16_t)a, (uint8x16_t)b);
}

// A K step of a tile that has no registers for even and odd elements of the lhs
// at once: one pass for either, acc[m][n]. The panels move on. Few instructions
// load, and in a fixed order: Neoverse N1 dispatches 3 operations per cycle.
TW_INLINE void tw_dot_s4_wide_step(tw_vec* acc, const char** lhs,
                                   const char** rhs, int M0, int N0) {
  const int nv = N0 / 4;
  TW_UNROLL for (int odd = 0; odd < 2; ++odd) {
    tw_vec l[3], r[4];
    TW_UNROLL for (int i = 0; i < M0 / 2; i += 4) {
      tw_vec raw[4];
      const int count = tw_min(4, M0 / 2 - i);
      tw_load_vectors(raw, *lhs + i * 16, count);
      TW_UNROLL for (int j = 0; j < count; j += 2) {
        l[(i + j) / 2] = tw_dot_s4_unzip(odd, raw[j], raw[j + 1]);
      }
      TW_LOAD_AFTER(*lhs, l[(i + count) / 2 - 1]);
    }
    TW_LOAD_AFTER(*rhs, l[M0 / 4 - 1]);
    TW_UNROLL for (int n = 0; n < nv; ++n) r[n] = tw_load(*rhs + n * 16, 16);
    TW_UNROLL for (int i = 0; i < nv * M0; ++i) {
      const int n = i / M0, m = i % M0;
      tw_vec* const a = acc + m * nv + n;
      if (m == 0) r[n] = odd ? tw_s4_odd(r[n]) : tw_s4_even(r[n]);
      *a = tw_lane_multiply(TW_LANE_SDOT, *a, r[n], 0, l[m / 4], m % 4);
      TW_PIN(*a);
    }
    TW_LOAD_AFTER(*lhs, acc[M0 * nv - 1]);
  }
  *lhs += M0 * 8;
  *rhs += N0 * 4;
}

// `steps` K steps; acc[step % sets][m][n]. The panels move on.
TW_INLINE void tw_dot_s4_steps(tw_vec* acc, const char** lhs, const char** rhs,
                               int M0, int N0, int sets, int steps) {
  const int nv = N0 / 4;
  const int lhs_bytes = steps * M0 * 8;
  if (tw_s4_passes(M0 * nv) > 1) {
    tw_dot_s4_wide_step(acc, lhs, rhs, M0, N0);
    return;
  }
  // Lane s * M0 + m of l[0], the even elements, and of l[1] belongs to row m of
  // step s.
  tw_vec l[2][4], raw[8], r[16];
  tw_load_bytes(raw, lhs, lhs_bytes);
  TW_UNROLL for (int i = 0; i < lhs_bytes / 16; i += 2) {
    const int two = i + 1 < lhs_bytes / 16;
    l[0][i / 2] = tw_dot_s4_unzip(0, raw[i], raw[two ? i + 1 : i]);
    l[1][i / 2] = tw_dot_s4_unzip(1, raw[i], raw[two ? i + 1 : i]);
  }
  if (lhs_bytes < 16) {
    l[0][0] = tw_dot_s4_unzip(0, raw[0], raw[0]);
    l[1][0] = tw_dot_s4_unzip(1, raw[0], raw[0]);
  }
  TW_UNROLL for (int i = 0; i < steps * nv; ++i) {
    const int s = i / nv, n = i % nv;
    tw_vec* const a = acc + s % sets * M0 * nv + n;
    if (i % 4 == 0) {
      // While the group before it is multiplied.
      if (i > 0)
        TW_LOAD_AFTER(*rhs, acc[(i - 4) / nv % sets * M0 * nv + (i - 4) % nv]);
      tw_load_group(r + i, rhs, tw_min(4, steps * nv - i));
    }
    if (M0 == 1 && i > 0)
      TW_USE_AFTER(r[i], acc[(i - 1) / nv % sets * nv + (i - 1) % nv]);
    TW_UNROLL for (int odd = 0; odd < 2; ++odd) {
      const tw_vec part = odd ? tw_s4_odd(r[i]) : tw_s4_even(r[i]);
      TW_UNROLL for (int m = 0; m < M0; ++m) {
        const int at = s * M0 + m;
        a[m * nv] = tw_lane_multiply(TW_LANE_SDOT, a[m * nv], part, 0,
                                     l[odd][at / 4], at % 4);
      }
    }
  }
}

// acc = 16 times the products of k K steps.
TW_INLINE void tw_dot_s4(tw_vec* acc, const char** lhs, const char** rhs,
                         tw_index_t k, int M0, int N0) {
  const int vectors = M0 * N0 / 4;
  const int sets = tw_s4_sets(vectors);
  const int steps = vectors < 3 ? 2 * sets : sets;
  TW_UNROLL for (int i = 0; i < sets * vectors; ++i) acc[i] = tw_zero();
  TW_NO_UNROLL for (tw_index_t i = k / steps; i != 0; --i) {
    tw_dot_s4_steps(acc, lhs, rhs, M0, N0, sets, steps);
  }
  TW_NO_UNROLL for (tw_index_t i = k % steps; steps > 1 && i > 0; --i) {
    tw_dot_s4_steps(acc, lhs, rhs, M0, N0, 1, 1);
  }
  tw_reduce(TW_ACC_S32, acc, vectors, sets);
}

TW_S4_FAMILY(s8s4s32_k8, 8, tw_dot_s4)

#endif  // UKERNELS_ARM_64_DOT_S4_H_
