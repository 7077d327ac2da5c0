// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What families with a s4 rhs share. A byte of the panel holds an even element
// of K in its low half and the next, odd one in its high half. Both are used
// times 16, in the high half of a byte, where they need no sign extension: one
// instruction each. The sums are divided by 16 at the end, exactly, as long as
// they do not wrap; so K is cut into blocks, and the out tile adds them up.

#ifndef UKERNELS_ARM_64_S4_H_
#define UKERNELS_ARM_64_S4_H_

#include "ukernels/arm_64/vector.h"

// Elements of K in a block: 2^16 * 2^7 * 2^3 * 16 = 2^30.
enum { TW_S4_BLOCK = 65536 };

// The even elements, times 16.
TW_INLINE tw_vec tw_s4_even(tw_vec v) {
  return (tw_vec)vshlq_n_u8((uint8x16_t)v, 4);
}
// The odd elements, times 16.
TW_INLINE tw_vec tw_s4_odd(tw_vec v) {
  return vandq_u32(v, vdupq_n_u32(0xF0F0F0F0));
}

// Unpacking bounds narrow tiles: a few chains are enough.
TW_INLINE int tw_s4_sets(int vectors) {
  return vectors >= 8 ? 1 : vectors >= 4 ? 2 : 4;
}

// The widest tiles have no registers for even and odd elements of the lhs at
// once: they go through each K step twice.
TW_INLINE int tw_s4_passes(int vectors) { return vectors > 16 ? 2 : 1; }

// Stores acc[M0][N0 / 4], which is 16 times the products, added to the out tile
// if `accumulate`.
TW_INLINE void tw_s4_end(tw_vec* acc, void* out,
                         const tw_mmt4d_params_t* params, int accumulate,
                         int M0, int N0) {
  TW_UNROLL for (int i = 0; i < M0 * N0 / 4; ++i) {
    acc[i] = (tw_vec)vshrq_n_s32((int32x4_t)acc[i], 4);
  }
  if (accumulate) {
    const tw_index_t stride = tw_out_stride(params, N0);
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      TW_UNROLL for (int n = 0; n < N0; n += 4) {
        tw_vec* const a = acc + (m * N0 + n) / 4;
        *a = vaddq_u32(*a, tw_load((const int32_t*)out + m * stride + n, 16));
      }
    }
  }
  tw_end(TW_ACC_S32, acc, out, params, M0, N0, 1);
}

// A family s8s4s32: one block of K after another. `body` adds up the products
// of `steps` K steps from panels that it moves on: it is called as
// body(acc, &lhs, &rhs, steps, M0, N0) and leaves acc[M0][N0 / 4].
#define TW_S4_FAMILY(family, K0, body)                                     \
  TW_INLINE void family(void* out, const void* lhs_panel,                  \
                        const void* rhs_panel,                             \
                        const tw_mmt4d_params_t* params, int M0, int N0) { \
    const char* lhs = (const char*)lhs_panel;                              \
    const char* rhs = (const char*)rhs_panel;                              \
    int accumulate = tw_accumulates(params);                               \
    tw_index_t k = params->K > 0 ? params->K : 0;                          \
    do {                                                                   \
      tw_index_t steps = k < TW_S4_BLOCK / K0 ? k : TW_S4_BLOCK / K0;      \
      tw_vec acc[TW_MAX_ACCUMULATORS];                                     \
      body(acc, &lhs, &rhs, steps, M0, N0);                                \
      tw_s4_end(acc, out, params, accumulate, M0, N0);                     \
      accumulate = 1;                                                      \
      k -= steps;                                                          \
    } while (k > 0);                                                       \
  }

#endif  // UKERNELS_ARM_64_S4_H_
