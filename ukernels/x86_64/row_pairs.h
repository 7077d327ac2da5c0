// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two rows that share a load of what is broadcast. A tile of one vector a row
// loads one element of the lhs for each multiply, and the vector: more than
// load ports take in the time of the multiplies (f32 8x8 at 256 bits: 9 loads,
// 8 multiply-adds in 4 cycles). A load that repeats the elements of two rows,
// a and b, over a vector costs what one that repeats a does:
//
//   (a b a b ..) * (r0 r1 r2 r3 ..) -> (a*r0 b*r1 a*r2 b*r3 ..)  accumulator m
//   (a b a b ..) * (r1 r0 r3 r2 ..) -> (a*r1 b*r0 a*r3 b*r2 ..)  and m + 1
//
// One shuffle of the rhs serves all rows of a step. Of 512 bits Intel's cores
// shuffle where they multiply, and a second load takes its place, which repeats
// lanes as the first one does:
//
//   (a b a b ..) * (r0 r0 r2 r2 ..) -> (a*r0 b*r0 a*r2 b*r2 ..)  accumulator m
//   (a b a b ..) * (r1 r1 r3 r3 ..) -> (a*r1 b*r1 a*r3 b*r3 ..)  and m + 1
//
// The accumulators become rows again behind the last step: each element is
// summed up in the same order as without.

#ifndef UKERNELS_X86_64_ROW_PAIRS_H_
#define UKERNELS_X86_64_ROW_PAIRS_H_

#include "ukernels/x86_64/tile_body.h"

// Whether the rows of a tile share loads. Of 256 bits f32 2x8, 4x8, 8x8 take
// 0.83, 0.80, 0.88 of the time, f64 2x4, 4x4 0.84, 0.79, f16 8x8 0.87 (Zen 3).
// By the port table all cores gain or stay but for Gracemont. Of 512 bits,
// where the load ports have room for prefetches then, f32, s16 and u8s8 16x16
// take 0.91 to 0.95 of the time, 8x16 0.91 to 0.95 of it and 0.84 to 0.88 from
// L2; 4x16 takes 1.03 of it (Granite Rapids). Words that are added apart stay
// as they are: they are bound by all pipes, of which the shuffle takes one (s16
// 2x8 0.91 of the time, 4x8 1.02, s8 8x8 0.97; Zen 3). Of dot products four
// rows of s16 take 1.03 of it, two of s16s8 1.10 (Granite Rapids); s8_vnni.h
// has the one that gains.
TW_INLINE int tw_pairs_rows(int M0, int nv) {
  return nv == 1 && M0 % 2 == 0 && (TW_LANES == 8 || M0 >= 8);
}

// Sets of the accumulators of a tile, whose rows may go in `pairs`, of which
// others of as many have `sets`: of eight rows of 512 bits, which wait for no
// load then, a third one is a tenth of what pairs gain.
TW_INLINE int tw_paired_sets(int pairs, int M0, int sets) {
  return pairs && TW_LANES == 16 && M0 == 8 ? 3 : sets;
}

// Rows in acc[M0] take turns in lanes, and the other way round. `loads`: of
// pairs without a shuffle.
#define TW_TURNING_ROWS(name, vector, loads)                                 \
  TW_INLINE void tw_##name##_pair_rows(vector* acc, int M0) {                \
    TW_UNROLL for (int m = 0; m < M0; m += 2) {                              \
      const vector a = acc[m], b = acc[m + 1];                               \
      acc[m] =                                                               \
          tw_##name##_even_odd(a, (loads) ? tw_##name##_swap_pairs(b) : b);  \
      acc[m + 1] = (loads)                                                   \
                       ? tw_##name##_even_odd(tw_##name##_swap_pairs(a), b)  \
                       : tw_##name##_swap_pairs(tw_##name##_even_odd(b, a)); \
    }                                                                        \
  }                                                                          \
  TW_INLINE void tw_##name##_part_rows(vector* acc, int M0) {                \
    TW_UNROLL for (int m = 0; m < M0; m += 2) {                              \
      const vector a = acc[m], b = acc[m + 1];                               \
      const vector swapped = tw_##name##_swap_pairs(b);                      \
      acc[m] = tw_##name##_even_odd(a, swapped);                             \
      acc[m + 1] = (loads)                                                   \
                       ? tw_##name##_even_odd(tw_##name##_swap_pairs(a), b)  \
                       : tw_##name##_even_odd(swapped, a);                   \
    }                                                                        \
  }
TW_TURNING_ROWS(f32, tw_vf32, TW_LANES == 16)
TW_TURNING_ROWS(f64, tw_vf64, 0)
TW_TURNING_ROWS(i32, tw_vi32, TW_LANES == 16)

// A K step of lhs [M0] and what the two rows of each pair are multiplied by.
// `odd`: of a tile with extra accumulators.
#define TW_PAIRED_STEP(name, vector, element)                                  \
  TW_INLINE void tw_##name##_paired_step(vector* acc, const element* lhs,      \
                                         const vector* rhs, int M0, int odd) { \
    TW_UNROLL for (int m = 0; m < M0; m += 2) {                                \
      const vector l = tw_##name##_splat_pair(lhs + m);                        \
      TW_UNROLL for (int i = 0; i < 2; ++i) {                                  \
        const int at = tw_extra_place(m + i, odd);                             \
        acc[at] = tw_##name##_fma(l, rhs[i], acc[at]);                         \
      }                                                                        \
    }                                                                          \
  }
TW_PAIRED_STEP(f32, tw_vf32, float)
TW_PAIRED_STEP(f64, tw_vf64, double)

#endif  // UKERNELS_X86_64_ROW_PAIRS_H_
