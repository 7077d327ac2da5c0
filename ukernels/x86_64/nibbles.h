// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s8 x s4 by vpdpbusd and s16 x u4 by vpdpwssd, K0 = 8. A lane of the rhs panel
// holds the eight elements of a column, four bits each. Shifts and masks make
// parts of it: of bytes (s4), the even and the odd elements; of words (u4),
// elements p and p + 4. The elements of the lhs are put in that order, a vector
// at a time, by way of a stack buffer that is then broadcast from.
//
// A s4 plays vpdpbusd's unsigned part as r + 8 = r ^ 8, which adds 8 * (sum of
// the lhs row) to every element of a row. That sum is computed from the vectors
// that are put in order, and subtracted at the end; all of it is exact modulo
// 2^32.

#ifndef UKERNELS_X86_64_NIBBLES_H_
#define UKERNELS_X86_64_NIBBLES_H_

#include "ukernels/x86_64/s16.h"

typedef enum { TW_NIBBLES_S8S4, TW_NIBBLES_S16U4 } tw_nibbles_t;

// Dot products per accumulator and K step.
TW_INLINE int tw_nibble_parts(tw_nibbles_t types) {
  return types == TW_NIBBLES_S8S4 ? 2 : 4;
}

// Whether the rhs is loaded for each part: 12 accumulators of 256 bits leave
// registers for one. 6x16, two K steps an iteration, takes 0.86 of the time of
// going through a block once for each part (Granite Rapids).
TW_INLINE int tw_nibble_loads_each(tw_nibbles_t types, int M0, int nv) {
  return types == TW_NIBBLES_S8S4 && TW_LANES == 8 && M0 * nv > 8;
}

// Whether all parts of a K step are made before the first is multiplied. Of two
// to four accumulators, which wait for them: s8s4 2x32 0.90, 4x16 0.97, 2x16
// 0.98 of the time, s16u4 2x32 0.98; more lose 1 to 3 %, one row 3 to 6 % (Zen
// 4).
TW_INLINE int tw_nibble_parts_first(tw_nibbles_t types, int M0, int nv) {
  return TW_LANES == 16 && M0 > 1 && M0 * nv <= 4;
}

// Sets that a K step of one pass adds to, one part after the other.
TW_INLINE int tw_nibble_step_sets(tw_nibbles_t types, int sets, int M0,
                                  int nv) {
  const int parts = tw_nibble_parts(types);
  if (types == TW_NIBBLES_S8S4 && !tw_nibble_parts_first(types, M0, nv))
    return 1;
  return sets < parts ? sets : parts;
}

// Vectors of the lhs panel of s8 after which a lane belongs to the same row
// again. Each has sums of its own: of fewer than three vectors they would wait
// for each other (s8s4 4x8 of 256 bits 1.26 times as long, Zen 5).
TW_INLINE int tw_nibble_period(int M0) {
  const int lanes = 2 * M0;
  const int power = lanes & -lanes;
  const int period = lanes / (power < TW_LANES ? power : TW_LANES);
  return period < 3 ? 4 : period;
}

// K steps of a block, whose lhs has so many lanes each. A step of s16 x u4 is
// as much as four of f16, for which so many steps were found.
TW_INLINE tw_index_t tw_nibble_block_steps(tw_nibbles_t types, int lanes,
                                           int M0, int N0) {
  const tw_index_t steps =
      tw_staged_steps(M0 * N0 / TW_LANES) / (types == TW_NIBBLES_S16U4 ? 4 : 1);
  return steps * lanes < TW_MAX_STAGED ? steps : TW_MAX_STAGED / lanes;
}

// Part `part` of a vector of the rhs.
TW_INLINE tw_vi32 tw_nibble_part(tw_nibbles_t types, tw_vi32 v, int part) {
  const unsigned shift = 4 * (unsigned)part;
  if (types == TW_NIBBLES_S16U4) {
    // Of the last part a shift of words leaves nothing to mask.
    return part == 3 ? tw_i16_shift_right(v, shift)
                     : tw_i32_and(tw_i32_shift_right(v, shift), tw_i16_all(15));
  }
  return tw_i32_and(tw_i32_xor(tw_i32_shift_right(v, shift), tw_i8_all(8)),
                    tw_i8_all(15));
}

// The elements of the lhs of each run of 16 bytes, in the order of parts.
TW_INLINE tw_vi32 tw_nibble_order(tw_nibbles_t types, tw_vi32 lhs) {
  const __m128i order =
      types == TW_NIBBLES_S8S4
          ? _mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15)
          : _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
  return tw_i8_shuffle(lhs, order);
}

// One vector of the lhs: to `to`, and its sums times 8 to *sum.
TW_INLINE void tw_nibble_stage_vector(tw_nibbles_t types, tw_vi32 lhs,
                                      int32_t* to, tw_vi32* sum) {
  tw_i32_store(to, tw_nibble_order(types, lhs));
  if (types == TW_NIBBLES_S8S4) {
    *sum = tw_i32_dot4(TW_DOT4_U8S8, *sum, tw_i8_all(8), lhs);
  }
}

// `count` lanes of the lhs; writes whole vectors. Vector i is added to
// sum[i % period].
TW_INLINE void tw_nibble_stage(tw_nibbles_t types, const int32_t* lhs,
                               int32_t* to, tw_vi32* sum, tw_index_t count,
                               int period) {
  TW_NO_UNROLL for (; count >= period * TW_LANES; count -= period * TW_LANES) {
    TW_UNROLL for (int i = 0; i < period; ++i) {
      tw_nibble_stage_vector(types, tw_i32_load(lhs + i * TW_LANES),
                             to + i * TW_LANES, sum + i);
    }
    lhs += period * TW_LANES;
    to += period * TW_LANES;
  }
  TW_UNROLL for (int i = 0; i < period; ++i) {
    if (count <= 0) break;
    const int lanes = count < TW_LANES ? (int)count : TW_LANES;
    tw_nibble_stage_vector(types, tw_i32_load_first(lhs + i * TW_LANES, lanes),
                           to + i * TW_LANES, sum + i);
    count -= TW_LANES;
  }
}

// The parts of one K step: lhs [M0][parts] in order, rhs [nv] vectors. Parts
// take turns with `sets` of accumulators.
TW_INLINE void tw_nibble_step(tw_nibbles_t types, tw_vi32* acc,
                              const int32_t* lhs, const int32_t* rhs, int M0,
                              int nv, int sets) {
  const int parts = tw_nibble_parts(types);
  const int each = tw_nibble_loads_each(types, M0, nv);
  // Parts are not made before their turn: 8x8 0.90, 4x16 0.92 of the time
  // (Granite Rapids).
  const int pins =
      types == TW_NIBBLES_S8S4 && TW_LANES == 8 && M0 * nv >= TW_LANES;
  tw_vi32 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) r[n] = tw_i32_load(rhs + n * TW_LANES);
  const int first = tw_nibble_parts_first(types, M0, nv);
  tw_vi32 made[4][2];
  if (first) {
    // The last part first: it is shifted into another register, and r's own is
    // masked in place.
    TW_UNROLL for (int i = 0; i < parts * nv; ++i) {
      const int part = parts - 1 - i / nv, n = nv - 1 - i % nv;
      made[part][n] = tw_nibble_part(types, r[n], part);
      TW_PIN(made[part][n]);
    }
  }
  TW_UNROLL for (int part = 0; part < parts; ++part) {
    tw_vi32 p[4];
    if (each && part > 0) TW_OPAQUE_POINTER(rhs);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      if (each && part > 0) r[n] = tw_i32_load(rhs + n * TW_LANES);
      p[n] = first ? made[part][n] : tw_nibble_part(types, r[n], part);
      if (pins) TW_PIN(p[n]);
    }
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      const tw_vi32 l = types == TW_NIBBLES_S8S4
                            ? tw_i32_splat(lhs + m * parts + part)
                            : tw_i32_splat_for(lhs + m * parts + part, nv);
      TW_UNROLL for (int n = 0; n < nv; ++n) {
        tw_vi32* const a = acc + (part % sets * M0 + m) * nv + n;
        *a = types == TW_NIBBLES_S8S4 ? tw_i32_dot4(TW_DOT4_S8U8, *a, l, p[n])
                                      : tw_i32_dot2_whole(*a, p[n], l);
      }
    }
  }
}

// The K steps of a block.
TW_INLINE void tw_nibble_block(tw_nibbles_t types, tw_vi32* acc,
                               const int32_t* lhs, const int32_t* rhs,
                               tw_index_t steps, int M0, int N0, int sets) {
  const int nv = N0 / TW_LANES;
  const int lanes = M0 * tw_nibble_parts(types);
  const int step_sets = tw_nibble_step_sets(types, sets, M0, nv);
  const int turns = sets / step_sets;
  // K steps of an iteration.
  const int turn = tw_nibble_loads_each(types, M0, nv) ? 2 : turns;
  TW_NO_UNROLL for (; steps >= turn; steps -= turn) {
    TW_UNROLL for (int i = 0; i < turn; ++i) {
      tw_nibble_step(types, acc + i % turns * step_sets * M0 * nv,
                     lhs + i * lanes, rhs + i * N0, M0, nv, step_sets);
    }
    TW_ADVANCE(lhs, turn * lanes);
    TW_ADVANCE(rhs, turn * N0);
  }
  TW_NO_UNROLL for (; turn > 1 && steps > 0; --steps) {
    tw_nibble_step(types, acc, lhs, rhs, M0, nv, step_sets);
    lhs += lanes;
    rhs += N0;
  }
}

// Takes 8 * (the sum of its lhs row) from each row of acc[M0][nv]. Of the lanes
// of sum[period] two belong to row 0, the next two to row 1, and so on; where
// rows fill vectors evenly all of them are alike.
TW_INLINE void tw_nibble_correct(tw_vi32* acc, tw_vi32* sum, int period, int M0,
                                 int nv) {
  if (TW_LANES % (2 * M0) == 0) {
    TW_UNROLL for (int i = 1; i < period; ++i) {
      sum[0] = tw_i32_add(sum[0], sum[i]);
    }
    period = 1;
  }
  TW_UNROLL for (int i = 0; i < period; ++i) {
    sum[i] = tw_i32_add(sum[i], tw_i32_swap_pairs(sum[i]));
  }
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    tw_vi32 row = tw_i32_zero();
    TW_UNROLL for (int at = 2 * m; at < period * TW_LANES; at += 2 * M0) {
      row =
          tw_i32_add(row, tw_i32_splat_lane(sum[at / TW_LANES], at % TW_LANES));
    }
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] = tw_i32_sub(acc[m * nv + n], row);
    }
  }
}

TW_INLINE void tw_nibble_tile(tw_nibbles_t types, void* out,
                              const void* lhs_panel, const void* rhs_panel,
                              const tw_mmt4d_params_t* params, int M0, int N0) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int sets = tw_accumulator_sets(vectors);
  const int lanes = M0 * tw_nibble_parts(types);
  const int period = types == TW_NIBBLES_S8S4 ? tw_nibble_period(M0) : 1;
  const tw_index_t block_steps = tw_nibble_block_steps(types, lanes, M0, N0);
  const int32_t* lhs = (const int32_t*)lhs_panel;
  const int32_t* rhs = (const int32_t*)rhs_panel;
  int32_t staged[TW_MAX_STAGED] __attribute__((aligned(64)));
  tw_vi32 acc[TW_MAX_ACCUMULATORS], sum[4];
  TW_UNROLL for (int i = 0; i < period; ++i) sum[i] = tw_i32_zero();
  tw_i32_begin(acc, out, params, M0, N0, sets, 0);
  for (tw_index_t k = params->K; k > 0; k -= block_steps) {
    const tw_index_t steps = k < block_steps ? k : block_steps;
    tw_nibble_stage(types, lhs, staged, sum, steps * lanes, period);
    lhs += steps * lanes;
    tw_nibble_block(types, acc, staged, rhs, steps, M0, N0, sets);
    rhs += steps * N0;
  }
  tw_i32_reduce(acc, vectors, sets);
  if (types == TW_NIBBLES_S8S4) tw_nibble_correct(acc, sum, period, M0, nv);
  tw_i32_end(acc, out, params, M0, N0, 1, 0);
}

TW_INLINE void s8s4s32_k8_vnni(void* out, const void* lhs, const void* rhs,
                               const tw_mmt4d_params_t* params, int M0,
                               int N0) {
  tw_nibble_tile(TW_NIBBLES_S8S4, out, lhs, rhs, params, M0, N0);
}

TW_INLINE void s16u4s32_k8_vnni(void* out, const void* lhs, const void* rhs,
                                const tw_mmt4d_params_t* params, int M0,
                                int N0) {
  tw_nibble_tile(TW_NIBBLES_S16U4, out, lhs, rhs, params, M0, N0);
}

#endif  // UKERNELS_X86_64_NIBBLES_H_
