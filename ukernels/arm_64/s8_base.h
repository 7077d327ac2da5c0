// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit and 4-bit integers without dot products. smull makes eight products of
// bytes where smlal of widened ones makes four, and what follows it runs on
// another unit of Neoverse N1: sadalp adds pairs of them to 32-bit sums; and
// products with a s4 are so small that smlal may add 30 of them up in 16 bits.

#ifndef UKERNELS_ARM_64_S8_BASE_H_
#define UKERNELS_ARM_64_S8_BASE_H_

#include "ukernels/arm_64/lane.h"

// Both K elements of a row, in all lanes.
TW_INLINE tw_vec tw_spread_pair(tw_vec v, int lane) {
  return (tw_vec)TW_LANE_OF_8(lane, vdupq_laneq_u16, (uint16x8_t)v);
}

// Products of the bytes of one half of a and b, pairs of them added to acc.
TW_INLINE tw_vec tw_pair_multiply(int is_signed, tw_vec acc, tw_vec a, tw_vec b,
                                  int half) {
  if (is_signed) {
    const int8x16_t x = (int8x16_t)a, y = (int8x16_t)b;
    const int16x8_t products =
        half ? vmull_high_s8(x, y) : vmull_s8(vget_low_s8(x), vget_low_s8(y));
    return (tw_vec)vpadalq_s16((int32x4_t)acc, products);
  }
  const uint8x16_t x = (uint8x16_t)a, y = (uint8x16_t)b;
  const uint16x8_t products =
      half ? vmull_high_u8(x, y) : vmull_u8(vget_low_u8(x), vget_low_u8(y));
  return vpadalq_u16(acc, products);
}

// `steps` K steps of two elements; acc[step % sets][m][n]. The panels move on.
// Of a single row's iteration the rhs is loaded by one register at a time:
// A64FX and Oryon take longer over ld1 of four than over its products.
TW_INLINE void tw_pair_steps(int is_signed, tw_vec* acc, const char** lhs,
                             const char** rhs, int M0, int N0, int sets,
                             int steps) {
  const int nv = N0 / 4;
  const int rhs_bytes = steps * N0 * 2;
  const int alone = M0 == 1 && steps > 1;
  const int ahead = alone ? tw_min(6, rhs_bytes / 16) : 0;
  tw_vec l[2], r[12];
  tw_load_bytes(l, lhs, steps * M0 * 2);
  if (!alone) tw_load_bytes(r, rhs, rhs_bytes);
  TW_UNROLL for (int v = 0; v < ahead; ++v) r[v] = tw_load_alone(rhs, v * 16);
  TW_UNROLL for (int s = 0; s < steps; ++s) {
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      const int at = s * M0 + m;
      const tw_vec pair = tw_spread_pair(l[at / 8], at % 8);
      TW_UNROLL for (int n = 0; n < nv; ++n) {
        tw_vec* const a = acc + (s % sets * M0 + m) * nv + n;
        const int half = s * nv + n, next = half / 2 + ahead;
        *a = tw_pair_multiply(is_signed, *a, pair, r[half / 2], half % 2);
        // Else products pile up until registers run out.
        if (M0 * nv > 16) TW_USE_AFTER(l[at / 8], *a);
        if (alone && half % 2 != 0 && next < rhs_bytes / 16) {
          r[next] = tw_load_alone(rhs, next * 16);
        }
      }
    }
  }
  if (alone) *rhs += rhs_bytes;
}

TW_INLINE void tw_pair_tile(int is_signed, void* out, const void* lhs_panel,
                            const void* rhs_panel,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  const int vectors = M0 * N0 / 4;
  const int sets = vectors >= 8 ? 1 : vectors >= 4 ? 2 : 4;
  // A whole register of the lhs.
  const int steps = M0 == 1 ? 8 : sets;
  const char* lhs = (const char*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  tw_vec acc[TW_MAX_ACCUMULATORS];
  tw_begin(TW_ACC_S32, acc, out, params, M0, N0, sets);
  const tw_index_t K = params->K > 0 ? params->K : 0;
  TW_NO_UNROLL for (tw_index_t i = K / steps; i != 0; --i) {
    tw_pair_steps(is_signed, acc, &lhs, &rhs, M0, N0, sets, steps);
  }
  TW_NO_UNROLL for (tw_index_t k = K % steps; steps > 1 && k > 0; --k) {
    tw_pair_steps(is_signed, acc, &lhs, &rhs, M0, N0, 1, 1);
  }
  tw_end(TW_ACC_S32, acc, out, params, M0, N0, sets);
}

TW_INLINE void s8s8s32_k2(void* out, const void* lhs, const void* rhs,
                          const tw_mmt4d_params_t* params, int M0, int N0) {
  tw_pair_tile(1, out, lhs, rhs, params, M0, N0);
}
TW_INLINE void u8u8s32_k2(void* out, const void* lhs, const void* rhs,
                          const tw_mmt4d_params_t* params, int M0, int N0) {
  tw_pair_tile(0, out, lhs, rhs, params, M0, N0);
}

// K steps whose 16-bit sums cannot overflow: 2 * 15 * 2^7 * 2^3 < 2^15.
enum { TW_S4_SHORT_STEPS = 15 };

TW_INLINE tw_vec tw_spread_byte(tw_vec v, int lane) {
#define TW_DUP_HIGH(bytes, i) vdupq_laneq_u8(bytes, 8 + i)
  const uint8x16_t bytes = (uint8x16_t)v;
  return lane < 8 ? (tw_vec)TW_LANE_OF_8(lane, vdupq_laneq_u8, bytes)
                  : (tw_vec)TW_LANE_OF_8(lane - 8, TW_DUP_HIGH, bytes);
#undef TW_DUP_HIGH
}

// `steps` K steps of s8 x s4, K0 = 2: adds the products of row m and columns
// [8g, 8g + 8) to sum[m][part][g], whose `parts` take turns. The panels move
// on.
TW_INLINE void tw_s4_short_steps(int16x8_t* sum, const char** lhs,
                                 const char** rhs, int M0, int N0, int parts,
                                 int steps) {
  const int groups = N0 / 8;
  const tw_vec l = tw_load(*lhs, 2 * M0 * steps);
  tw_vec r[4];
  tw_load_bytes(r, rhs, steps * N0);
  TW_UNROLL for (int s = 0; s < steps; ++s) {
    const int8x16_t even = vshrq_n_s8(vshlq_n_s8((int8x16_t)r[s], 4), 4);
    const int8x16_t odd = vshrq_n_s8((int8x16_t)r[s], 4);
    TW_UNROLL for (int i = 0; i < 2 * M0; ++i) {
      const int8x16_t one = (int8x16_t)tw_spread_byte(l, 2 * M0 * s + i);
      const int8x16_t part = i % 2 == 0 ? even : odd;
      int16x8_t* const to =
          sum + (i / 2 * parts + (2 * s + i % 2) % parts) * groups;
      to[0] = vmlal_s8(to[0], vget_low_s8(part), vget_low_s8(one));
      to[1] = vmlal_high_s8(to[1], part, one);
    }
  }
  *lhs += 2 * M0 * steps;
}

// Adds the products of k K steps to acc[M0][N0 / 4].
TW_INLINE void tw_s4_short(tw_vec* acc, const char* lhs, const char* rhs,
                           tw_index_t k, int M0, int N0) {
  const int groups = N0 / 8;
  // Few rows have several sums each: their chains are few. And they are
  // multiplied so quickly that what steps can share counts.
  const int parts = M0 <= 2 ? 4 : M0 <= 4 ? 2 : 1;
  const int unrolled = M0 <= 2 ? 4 : 1;
  const tw_index_t most = TW_S4_SHORT_STEPS - TW_S4_SHORT_STEPS % unrolled;
  while (k > 0) {
    const tw_index_t steps = k < most ? k : most;
    k -= steps;
    int16x8_t sum[16];
    TW_UNROLL for (int i = 0; i < parts * M0 * groups; ++i) {
      sum[i] = vdupq_n_s16(0);
    }
    TW_NO_UNROLL for (tw_index_t i = steps / unrolled; i != 0; --i) {
      tw_s4_short_steps(sum, &lhs, &rhs, M0, N0, parts, unrolled);
    }
    TW_NO_UNROLL for (tw_index_t i = steps % unrolled; unrolled > 1 && i > 0;
                      --i) {
      tw_s4_short_steps(sum, &lhs, &rhs, M0, N0, parts, 1);
    }
    TW_UNROLL for (int i = 0; i < M0 * groups; ++i) {
      int16x8_t* const part = sum + i / groups * parts * groups + i % groups;
      TW_UNROLL for (int p = 1; p < parts; ++p) {
        part[0] = vaddq_s16(part[0], part[p * groups]);
      }
      int32x4_t* const to = (int32x4_t*)acc + 2 * i;
      to[0] = vaddw_s16(to[0], vget_low_s16(part[0]));
      to[1] = vaddw_high_s16(to[1], part[0]);
    }
  }
}

// N0 = 16. Of eight rows `acc` is in memory while the sums of 16 bits are in
// registers, which costs less than a second pass over the lhs.
TW_INLINE void s8s4s32_k2(void* out, const void* lhs, const void* rhs,
                          const tw_mmt4d_params_t* params, int M0, int N0) {
  const tw_index_t stride = tw_out_stride(params, N0);
  tw_vec acc[TW_MAX_ACCUMULATORS];
  TW_UNROLL for (int i = 0; i < M0 * N0 / 4; ++i) acc[i] = tw_zero();
  tw_s4_short(acc, (const char*)lhs, (const char*)rhs, params->K, M0, N0);
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    int32_t* const to = (int32_t*)out + m * stride;
    TW_UNROLL for (int i = 0; i < N0 / 4; ++i) {
      tw_vec v = acc[m * N0 / 4 + i];
      if (tw_accumulates(params)) v = vaddq_u32(v, tw_load(to + 4 * i, 16));
      tw_store(to + 4 * i, v);
    }
  }
}

#endif  // UKERNELS_ARM_64_S8_BASE_H_
