// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 operands by vdpbf16ps, which adds pairs of products along K to an f32
// accumulator, with denormal inputs and results as zero. bf16 outputs round
// once, at the end, or after every K step (`steprnd`).

#ifndef UKERNELS_X86_64_BF16_H_
#define UKERNELS_X86_64_BF16_H_

#include "ukernels/x86_64/narrow_out.h"
#include "ukernels/x86_64/row.h"

// `uses` of tw_i32_splat_for: 1, or nv where pipes that shuffle have other
// work.
TW_INLINE void tw_bf16_step(tw_vf32* acc, const uint16_t* lhs,
                            const uint16_t* rhs, int M0, int nv, int uses) {
  tw_vi32 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_i32_load(rhs + n * 2 * TW_LANES);
  }

  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vi32 l = tw_i32_splat_for(lhs + 2 * m, uses);
    // The lhs stands last, where a memory operand with a broadcast may.
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] =
          _mm512_dpbf16_ps(acc[m * nv + n], (__m512bh)r[n], (__m512bh)l);
    }
  }
}

// Sets of accumulators: vdpbf16ps has a latency of 6 cycles, so that 12 chains
// are in flight where two complete per cycle (Zen 5: 4x16 and 8x16 take 0.86
// and 0.77 of the time of 8 chains). Fewer rows wait for loads.
TW_INLINE int tw_bf16_sets(int vectors) {
  return tw_sets_of_chains(vectors, vectors < 4 ? 8 : 12);
}

// The K loop with f32 accumulators.
TW_INLINE void tw_bf16_loop(tw_vf32* acc, const void* lhs_panel,
                            const void* rhs_panel,
                            const tw_mmt4d_params_t* params, int M0, int N0,
                            int sets) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int steps = tw_loop_steps(vectors, sets);
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  tw_far_t far = tw_far_of(params, steps);
  tw_index_t k = params->K;
  TW_UNROLL for (int loop = 0; loop < TW_LOOPS; ++loop) {
    const int each = tw_steps_of_loop(loop, steps, sets);
    if (each == 0) continue;
    TW_NO_UNROLL for (; k >= each; k -= each) {
      if (loop == 0)
        tw_prefetch_panels(lhs, each * 4 * M0, rhs, each * 4 * N0, &far,
                           vectors, nv);
      TW_UNROLL for (int s = 0; s < each; ++s) {
        tw_bf16_step(acc + s % sets * vectors, lhs + s * 2 * M0,
                     rhs + s * 2 * N0, M0, nv, 1);
      }
      TW_ADVANCE(lhs, each * 2 * M0);
      TW_ADVANCE(rhs, each * 2 * N0);
    }
  }
}

TW_INLINE void bf16bf16f32_k2(void* out, const void* lhs_panel,
                              const void* rhs_panel,
                              const tw_mmt4d_params_t* params, int M0, int N0) {
  const int sets = tw_bf16_sets(M0 * (N0 / TW_LANES));
  tw_vf32 acc[TW_MAX_ACCUMULATORS];
  tw_out_begin(acc, TW_ELEMENT_F32, out, params, M0, N0, sets);
  tw_bf16_loop(acc, lhs_panel, rhs_panel, params, M0, N0, sets);
  tw_out_end(acc, TW_ELEMENT_F32, out, params, M0, N0, sets);
}

// Rounds to bf16, to nearest even, as a sum of integers: halves are lifted by a
// bit that odd results have. Four operations of one cycle each, on any pipe but
// for the shift. NaNs, which come of bf16 and of vdpbf16ps, have zeros below,
// and stay what they are.
TW_INLINE tw_vf32 tw_bf16_round_bits(tw_vf32 v) {
  const tw_vi32 bits = (tw_vi32)v;
  const tw_vi32 lifted = _mm512_or_si512(
      bits, tw_i32_and(tw_i32_shift_right(bits, 16), _mm512_set1_epi32(1)));
  return (tw_vf32)tw_i32_and(tw_i32_add(lifted, _mm512_set1_epi32(0x7FFF)),
                             _mm512_set1_epi32((int)0xFFFF0000u));
}

// Rounds acc[count] to bf16: every third one as above, the others by
// vcvtneps2bf16, and a permutation makes them f32 again. Those take shuffles,
// the former all pipes: either alone takes longer (Zen 4: 12x32 1.15 times as
// long by instructions, 1.16 by bits).
TW_INLINE void tw_bf16_round(tw_vf32* acc, int count) {
  enum { kMost = 4 };
  // More would not find registers in the widest tiles.
  const int group = count > 20 ? 2 : kMost;
  const __m512i high_halves = _mm512_slli_epi32(
      _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
      16);
  TW_UNROLL for (int first = 0; first < count; first += group) {
    __m256i rounded[kMost];
    TW_UNROLL for (int i = first; i < first + group; ++i) {
      if (i % 3 == 0) {
        acc[i] = tw_bf16_round_bits(acc[i]);
        TW_PIN(acc[i]);
      } else {
        rounded[i - first] = (__m256i)_mm512_cvtneps_pbh(acc[i]);
        TW_PIN(rounded[i - first]);
      }
    }
    TW_UNROLL for (int i = first; i < first + group; ++i) {
      if (i % 3 == 0) continue;
      acc[i] = _mm512_castsi512_ps(_mm512_maskz_permutexvar_epi16(
          0xAAAAAAAA, high_halves, _mm512_castsi256_si512(rounded[i - first])));
      TW_PIN(acc[i]);
    }
  }
}

TW_INLINE void bf16bf16bf16_k2(void* out, const void* lhs_panel,
                               const void* rhs_panel,
                               const tw_mmt4d_params_t* params, int M0,
                               int N0) {
  const int sets = tw_bf16_sets(M0 * (N0 / TW_LANES));
  tw_vf32 acc[TW_MAX_ACCUMULATORS];
  tw_out_begin(acc, TW_ELEMENT_BF16, out, params, M0, N0, sets);
  tw_bf16_loop(acc, lhs_panel, rhs_panel, params, M0, N0, sets);
  tw_out_end(acc, TW_ELEMENT_BF16, out, params, M0, N0, sets);
}

// M0 = 1, N0 = 16.
TW_INLINE void bf16bf16bf16_k2_row(void* out, const void* lhs_panel,
                                   const void* rhs_panel,
                                   const tw_mmt4d_params_t* params, int M0,
                                   int N0) {
  tw_vi32 product;
  tw_row_multiply(TW_ROW_BF16_K2, &product, (const char*)lhs_panel,
                  (const char*)rhs_panel, params->K, 1);
  tw_vf32 acc = (tw_vf32)product;
  if (tw_accumulates(params)) {
    acc = tw_f32_add(acc, tw_f32_load_bf16(out));
  }
  tw_out_end(&acc, TW_ELEMENT_BF16, out, params, M0, N0, 1);
}

TW_INLINE void bf16bf16bf16_k2_steprnd(void* out_tile, const void* lhs_panel,
                                       const void* rhs_panel,
                                       const tw_mmt4d_params_t* params, int M0,
                                       int N0) {
  const int nv = N0 / TW_LANES;
  const tw_index_t stride = tw_out_stride(params, N0);
  uint16_t* out = (uint16_t*)out_tile;
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  tw_vf32 acc[TW_MAX_ACCUMULATORS];
  TW_UNROLL for (int i = 0; i < M0 * nv; ++i) { acc[i] = tw_f32_zero(); }
  if (tw_accumulates(params)) {
    TW_UNROLL for (int i = 0; i < M0 * nv; ++i) {
      acc[i] = tw_f32_load_bf16(out + i / nv * stride + i % nv * TW_LANES);
    }
  }
  for (tw_index_t k = params->K; k > 0; --k) {
    // A shuffle of vbroadcastss would stand beside those of roundings: 12x32
    // 0.83 of the time, 8x32 0.88 (Zen 4).
    tw_bf16_step(acc, lhs, rhs, M0, nv, nv);
    tw_bf16_round(acc, M0 * nv);
    TW_ADVANCE(lhs, 2 * M0);
    TW_ADVANCE(rhs, 2 * N0);
  }
  TW_UNROLL for (int i = 0; i < M0 * nv; ++i) {
    tw_bf16_store(out + i / nv * stride + i % nv * TW_LANES, acc[i]);
  }
}

// For up to 4 x 16, which wait for a step's rounding: products are summed
// apart, so that an addition of two floats stands before it and no dot product,
// and rounded in four cycles.
TW_INLINE void bf16bf16bf16_k2_steprnd_few(void* out_tile,
                                           const void* lhs_panel,
                                           const void* rhs_panel,
                                           const tw_mmt4d_params_t* params,
                                           int M0, int N0) {
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  tw_vf32 acc[4];
  tw_out_begin(acc, TW_ELEMENT_BF16, out_tile, params, M0, N0, 1);
  for (tw_index_t k = params->K; k > 0; --k) {
    const tw_vi32 r = tw_i32_load(rhs);
    // One row after the other: 2x16 0.98, 4x16 0.96 of the time (Zen 4), whose
    // pipes are chosen in the order of instructions.
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      const tw_vi32 l = tw_i32_splat(lhs + 2 * m);
      tw_vf32 product =
          _mm512_dpbf16_ps(tw_f32_zero(), (__m512bh)r, (__m512bh)l);
      TW_PIN(product);
      acc[m] = tw_bf16_round_bits(tw_f32_add(acc[m], product));
      TW_PIN(acc[m]);
    }
    TW_ADVANCE(lhs, 2 * M0);
    TW_ADVANCE(rhs, 2 * N0);
  }
  tw_out_end(acc, TW_ELEMENT_BF16, out_tile, params, M0, N0, 1);
}

#endif  // UKERNELS_X86_64_BF16_H_
