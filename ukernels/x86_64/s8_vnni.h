// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes by dot products of four.
//
// s8 x s8 by vpdpbusd, which multiplies u8 by s8: the rhs plays the unsigned
// part as r + 128 = r ^ 0x80, which adds 128 * (sum of the lhs row) to every
// element of a row. That sum is computed beside the tile, by vpdpbusd of the
// constant 0x80 with whole vectors of the lhs panel, and subtracted at the end;
// all of it is exact modulo 2^32. Where one operand is u8, it plays that part,
// and nothing is to be corrected; nor where instructions take both signs.

#ifndef UKERNELS_X86_64_S8_VNNI_H_
#define UKERNELS_X86_64_S8_VNNI_H_

#include "ukernels/x86_64/row_pairs.h"
#include "ukernels/x86_64/s16.h"

// K steps per block: the block's lhs quads [steps][M0] fill whole vectors, so
// that the correction costs 1/(TW_LANES*nv) of the multiplications. 6 rows of
// 256 bits have a register for one vector of sums only: it takes the quads of
// each step, and in its last lanes those of the next, which do not count. Of 8
// rows two vectors, for one waits for its own sum.
TW_INLINE int tw_s8_vnni_block_steps(int M0, int nv) {
  return M0 == 8 && TW_LANES == 8                            ? 2
         : TW_LANES == 16 && nv == 1 && (M0 == 4 || M0 == 8) ? 2 * TW_LANES / M0
         : TW_LANES % M0 == 0                                ? TW_LANES / M0
         : M0 % TW_LANES == 0                                ? 1
         : TW_LANES == 16                                    ? 4
                                                             : 1;
}

// Sets, which the steps of a block take in turn, so that they divide these: 12
// chains where registers have room.
TW_INLINE int tw_s8_vnni_sets(int vectors) {
  return TW_LANES == 8 ? tw_accumulator_sets(vectors)
                       : tw_sets_of_chains(vectors, 12);
}

// 128 in each byte. `*in_memory`, which holds it, is read each time where the
// accumulators leave no register for it: it would be one of them that spills.
TW_INLINE tw_vi32 tw_s8_vnni_flip(const tw_vi32** in_memory, int vectors) {
  if (TW_LANES == 16 || vectors < 8) return tw_i8_all(0x80);
  TW_OPAQUE_POINTER(*in_memory);
  return tw_i32_load(*in_memory);
}

// One K step: lhs [M0] quads in memory. `flip`: null, or what flips the top
// bits of the rhs; `pairs`: two rows share a load (row_pairs.h); `odd`: of a
// tile with extra accumulators.
TW_INLINE void tw_dot4_step(tw_dot4_t types, tw_vi32* acc, const char* lhs,
                            const char* rhs, const tw_vi32** flip, int M0,
                            int nv, int pairs, int odd) {
  tw_vi32 r[4];
  const int loaded = pairs && TW_LANES == 16;
  const int count = loaded ? 2 : nv;
  if (loaded) tw_i32_load_factors(r, rhs);
  TW_UNROLL for (int n = 0; n < count; ++n) {
    if (!loaded) r[n] = tw_i32_load(rhs + n * 4 * TW_LANES);
    if (flip) r[n] = tw_i32_xor(r[n], tw_s8_vnni_flip(flip, M0 * nv));
  }
  if (pairs && !loaded) r[1] = tw_i32_swap_pairs(r[0]);
  tw_vi32 l = r[0];
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    if (!pairs)
      l = tw_i32_splat(lhs + 4 * m);
    else if (m % 2 == 0)
      l = tw_i32_splat_pair(lhs + 4 * m);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      const int at = tw_extra_place(m * nv + n, odd);
      acc[at] = tw_i32_dot4(types, acc[at], l, r[pairs ? m % 2 : n]);
    }
  }
}

// Adds the sums of a block's whole vectors of the lhs.
TW_INLINE void tw_s8_vnni_add_sums(tw_vi32* sum, const char* lhs, int count,
                                   const tw_vi32** flip, int vectors) {
  TW_UNROLL for (int i = 0; i < count; ++i) {
    sum[i] = tw_i32_dot4(TW_DOT4_U8S8, sum[i], tw_s8_vnni_flip(flip, vectors),
                         tw_i32_load(lhs + 4 * TW_LANES * i));
  }
}

// tw_extra_accumulators, behind those of a set.
TW_INLINE void tw_i32_begin_extra(tw_vi32* acc, int vectors, int extra) {
  TW_UNROLL for (int i = 0; i < extra; ++i) acc[vectors + i] = tw_i32_zero();
}
TW_INLINE void tw_i32_add_extra(tw_vi32* acc, int vectors, int extra) {
  TW_UNROLL for (int i = vectors - extra; i < vectors; ++i) {
    acc[i] = tw_i32_add(acc[i], acc[i + extra]);
  }
}

TW_INLINE void s8s8s32_k4_vnni(void* out, const void* lhs_panel,
                               const void* rhs_panel,
                               const tw_mmt4d_params_t* params, int M0,
                               int N0) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int sets = tw_s8_vnni_sets(vectors);
  // Eight rows of 256 bits: 0.88 of the time (Granite Rapids). With two vectors
  // of sums that leaves no registers for more accumulators.
  const int pairs = TW_LANES == 8 && tw_pairs_rows(M0, nv) && M0 == 8;
  const int extra = pairs ? 0 : tw_extra_accumulators(TW_LANES, vectors);
  const int steps = tw_s8_vnni_block_steps(M0, nv);
  const int sum_vectors = (steps * M0 + TW_LANES - 1) / TW_LANES;
  // Whether a block's vectors reach into the next step, which must be there.
  const int ragged = steps * M0 % TW_LANES != 0;
  // Ahead of the block's products, where the pipes that multiply wait for the
  // first flip: 2x32 and 4x32 0.97 of the time; of others up to 1.2 (Zen 4).
  const int sums_first = TW_LANES == 16 && nv == 2 && M0 <= 4;
  const char* lhs = (const char*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  const tw_vi32 flips = tw_i8_all(0x80);
  const tw_vi32* flip = &flips;
  // sum[i] lane j belongs to row (TW_LANES*i + j) % M0; tail lane j to row j.
  tw_vi32 acc[TW_MAX_ACCUMULATORS], sum[4], tail = tw_i32_zero();
  TW_UNROLL for (int i = 0; i < sum_vectors; ++i) { sum[i] = tw_i32_zero(); }

  tw_i32_begin(acc, out, params, M0, N0, sets, pairs);
  tw_i32_begin_extra(acc, vectors, extra);
  tw_far_t far = tw_far_of(params, steps);
  tw_index_t k = params->K;
  for (; k >= steps + ragged; k -= steps) {
    tw_prefetch_panels(lhs, steps * 4 * M0, rhs, steps * 4 * N0, &far, vectors,
                       nv);
    if (sums_first) {
      tw_s8_vnni_add_sums(sum, lhs, sum_vectors, &flip, vectors);
      TW_PIN(sum[0]);
    }
    TW_UNROLL for (int s = 0; s < steps; ++s) {
      tw_dot4_step(TW_DOT4_S8U8, acc + s % sets * vectors, lhs + s * 4 * M0,
                   rhs + s * 4 * N0, &flip, M0, nv, pairs, extra && s % 2);
    }

    if (!sums_first) tw_s8_vnni_add_sums(sum, lhs, sum_vectors, &flip, vectors);

    TW_ADVANCE(lhs, steps * 4 * M0);
    TW_ADVANCE(rhs, steps * 4 * N0);
  }
  for (; (steps > 1 || ragged) && k > 0; --k) {
    tw_dot4_step(TW_DOT4_S8U8, acc, lhs, rhs, &flip, M0, nv, pairs, 0);
    tail = tw_i32_dot4(TW_DOT4_U8S8, tail, tw_s8_vnni_flip(&flip, vectors),
                       tw_i32_load_first(lhs, M0));
    lhs += 4 * M0;
    rhs += 4 * N0;
  }
  // The rows' sums of each step of the block, moved to lanes 0 to M0 - 1.
  TW_UNROLL for (int s = 0; s < steps; ++s) {
    const int at = s * M0 / TW_LANES;
    tail = tw_i32_add(
        tail, tw_i32_window(sum[at], sum[at + 1 < sum_vectors ? at + 1 : at],
                            s * M0 % TW_LANES));
  }
  tw_i32_reduce(acc, vectors, sets);
  tw_i32_add_extra(acc, vectors, extra);
  if (pairs) tw_i32_part_rows(acc, M0);
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vi32 correction = tw_i32_splat_lane(tail, m);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] = tw_i32_sub(acc[m * nv + n], correction);
    }
  }
  tw_i32_end(acc, out, params, M0, N0, 1, 0);
}

// Types that an instruction multiplies as they are, or would if the top bits of
// the rhs were flipped, and `flips` says so. `sums`, unless it is null, has
// what is added to each row. M0 rows of a panel of `rows`, N0
// columns of one of `cols`.
TW_INLINE void tw_dot4_rows(tw_dot4_t types, void* out, const void* lhs_panel,
                            const void* rhs_panel,
                            const tw_mmt4d_params_t* params,
                            const int32_t* sums, int flips, int M0, int N0,
                            int rows, int cols) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  // Eight rows have twice as many flips with them, and multiply no longer than
  // that.
  const int pairs = tw_pairs_dots(M0, nv) && !(flips && M0 == 8);
  const int sets = tw_paired_sets(pairs, M0, tw_dot_sets(vectors));
  const int steps = tw_loop_steps(vectors, sets);
  const char* lhs = (const char*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  const tw_vi32 top_bits = tw_i8_all(0x80);
  const tw_vi32* top = &top_bits;
  const tw_vi32** flip = flips ? &top : 0;
  tw_vi32 acc[TW_MAX_ACCUMULATORS];
  tw_i32_begin(acc, out, params, M0, N0, sets, 0);
  TW_UNROLL for (int i = 0; sums && i < vectors; ++i) {
    acc[i] = tw_i32_add(acc[i], tw_i32_splat(sums + i / nv));
  }
  if (pairs && (sums || tw_accumulates(params))) tw_i32_pair_rows(acc, M0);
  tw_far_t far = tw_far_of(params, steps);
  tw_index_t k = params->K;
  TW_UNROLL for (int loop = 0; loop < TW_LOOPS; ++loop) {
    const int each = tw_steps_of_loop(loop, steps, sets);
    if (each == 0) continue;
    TW_NO_UNROLL for (; k >= each; k -= each) {
      if (loop == 0)
        tw_prefetch_panels(lhs, each * 4 * rows, rhs, each * 4 * cols, &far,
                           vectors, nv);
      TW_UNROLL for (int s = 0; s < each; ++s) {
        tw_dot4_step(types, acc + s % sets * vectors, lhs + s * 4 * rows,
                     rhs + s * 4 * cols, flip, M0, nv, pairs, 0);
      }
      TW_ADVANCE(lhs, each * 4 * rows);
      TW_ADVANCE(rhs, each * 4 * cols);
    }
  }
  tw_i32_end(acc, out, params, M0, N0, sets, pairs);
}

TW_INLINE void tw_dot4_tile(tw_dot4_t types, void* out, const void* lhs,
                            const void* rhs, const tw_mmt4d_params_t* params,
                            const int32_t* sums, int flips, int M0, int N0) {
  const tw_dot_part_t part = tw_dot_part_of(M0, N0);
  if (part.rows == M0 && part.cols == N0) {
    tw_dot4_rows(types, out, lhs, rhs, params, sums, flips, M0, N0, M0, N0);
    return;
  }
  tw_mmt4d_params_t of_part;
  tw_set_part_params(&of_part, params, N0);
  TW_UNROLL for (int m = 0; m < M0; m += part.rows) {
    TW_UNROLL for (int n = 0; n < N0; n += part.cols) {
      tw_dot4_rows(types, (int32_t*)out + m * of_part.out_row_stride + n,
                   (const char*)lhs + 4 * m, (const char*)rhs + 4 * n, &of_part,
                   sums ? sums + m : 0, flips, part.rows, part.cols, M0, N0);
    }
  }
}

#define TW_DOT4_FAMILY(family, types)                                      \
  TW_INLINE void family(void* out, const void* lhs, const void* rhs,       \
                        const tw_mmt4d_params_t* params, int M0, int N0) { \
    tw_dot4_tile(types, out, lhs, rhs, params, 0, 0, M0, N0);              \
  }
TW_DOT4_FAMILY(u8s8s32_k4_vnni, TW_DOT4_U8S8)
TW_DOT4_FAMILY(s8u8s32_k4_vnni, TW_DOT4_S8U8)
#ifdef __AVXVNNIINT8__
TW_DOT4_FAMILY(s8s8s32_k4_int8, TW_DOT4_S8S8)
TW_DOT4_FAMILY(u8u8s32_k4_int8, TW_DOT4_U8U8)
#endif

#endif  // UKERNELS_X86_64_S8_VNNI_H_
