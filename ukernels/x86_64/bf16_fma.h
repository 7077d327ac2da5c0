// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 operands by multiply-adds of f32, at 512 bits: for CPUs without
// vdpbf16ps, and for those on which it takes longer (Golden Cove: a quarter of
// the rate). A lane of a panel holds the pair of one K step: the first becomes
// f32 by a shift, the second by a mask.
//
// Per K step of 12x32: 48 multiply-adds, 4 operations on the rhs, and 1.5 on
// the lhs, which is converted once per element by way of a stack buffer that
// multiply-adds then broadcast from. All of them take the two ports that Intel
// cores have for 512 bits: at most 48 / 53.5 of the peak.

#ifndef UKERNELS_X86_64_BF16_FMA_H_
#define UKERNELS_X86_64_BF16_FMA_H_

#include "ukernels/x86_64/narrow_out.h"

TW_INLINE tw_vf32 tw_bf16_first(__m512i pairs) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16));
}

TW_INLINE tw_vf32 tw_bf16_second(__m512i pairs) {
  return _mm512_castsi512_ps(
      _mm512_and_si512(pairs, _mm512_set1_epi32((int)0xFFFF0000u)));
}

// `count` pairs: the first ones to to[0, count), the others from
// to[TW_MAX_STAGED / 2] on.
TW_INLINE void tw_bf16_convert(const uint16_t* from, float* to,
                               tw_index_t count) {
  float* const second = to + TW_MAX_STAGED / 2;
  tw_index_t i = 0;
  TW_NO_UNROLL for (; i + TW_LANES <= count; i += TW_LANES) {
    const __m512i pairs = _mm512_loadu_si512(from + 2 * i);
    tw_f32_store(to + i, tw_bf16_first(pairs));
    tw_f32_store(second + i, tw_bf16_second(pairs));
  }
  if (i == count) return;
  const __mmask16 rest = (__mmask16)((1u << (count - i)) - 1);
  const __m512i pairs = _mm512_maskz_loadu_epi32(rest, from + 2 * i);
  _mm512_mask_storeu_ps(to + i, rest, tw_bf16_first(pairs));
  _mm512_mask_storeu_ps(second + i, rest, tw_bf16_second(pairs));
}

// One K step: lhs [2][M0], TW_MAX_STAGED / 2 apart, rhs [nv] vectors of pairs.
// lhs[n] are pointers to the same values: f16.h says why. Three of four shared
// take 0.98 of the time of half (Zen 5), half 0.95 of that of none (Skylake-SP,
// 8x32 and 12x32).
TW_INLINE void tw_bf16_fma_step(tw_vf32* acc, const float* const* lhs, int at,
                                const uint16_t* rhs, int M0, int nv) {
  // 16x16 masks two multiply-adds before the second half, not beside the shift:
  // 0.96 of the time; one before 0.98, eight 0.98 (Zen 4; others gain nothing).
  const int late = M0 == 16 && nv == 1;
  tw_vf32 r[2][4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    const __m512i pairs = _mm512_loadu_si512(rhs + n * 2 * TW_LANES);
    r[0][n] = tw_bf16_first(pairs);
    r[1][n] = late ? (tw_vf32)pairs : tw_bf16_second(pairs);
  }
  TW_UNROLL for (int half = 0; half < 2; ++half) {
    TW_UNROLL for (int m = 0; m < M0; ++m) {
      if (late && half == 0 && m == M0 - 2) {
        TW_PIN(acc[m - 1]);
        r[1][0] = tw_bf16_second((__m512i)r[1][0]);
        TW_PIN(r[1][0]);
      }
      const int from = half * (TW_MAX_STAGED / 2) + at + m;
      const int shared = m < tw_shared_rows(M0);
      const tw_vf32 l = tw_f32_splat_for(lhs[0] + from, shared ? nv : 1);
      TW_UNROLL for (int n = 0; n < nv; ++n) {
        acc[m * nv + n] =
            tw_f32_fma(shared ? l : tw_f32_splat_for(lhs[n] + from, 1),
                       r[half][n], acc[m * nv + n]);
      }
    }
  }
}

// Whether the next block is converted first, as tile_body.h says; of four
// vectors, too: 4x16 0.98 of the time, 0.92 of 64 steps, 1.05 of 8 (Zen 4; f16
// 0.99, and 1.05 of 8 to 16).
TW_INLINE int tw_bf16_stages_ahead(int vectors) {
  return vectors == 4 || tw_stages_ahead(vectors);
}

// K steps of a block: a step is two multiply-adds, so that half as many suffice
// as for f16, but where a step is short.
TW_INLINE int tw_bf16_staged_steps(int vectors) {
  return vectors == 4  ? 16
         : vectors > 4 ? tw_steps_staged_ahead(vectors) / 2
                       : tw_steps_staged_ahead(vectors);
}

// The K loop; acc[set][m][n].
TW_INLINE void tw_bf16_fma_loop(tw_vf32* acc, const void* lhs_panel,
                                const void* rhs_panel, tw_index_t k, int M0,
                                int N0, int sets) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const tw_index_t block_steps = tw_bf16_staged_steps(vectors);
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  float staged[TW_MAX_STAGED] __attribute__((aligned(64)));
  const int ahead = tw_bf16_stages_ahead(vectors);
  float* now = staged;
  float* next = staged + (ahead ? TW_MAX_STAGED / 4 : 0);
  if (ahead && k > 0)
    tw_bf16_convert(lhs, now, tw_steps_of_block(k, block_steps) * M0);
  for (; k > 0; k -= block_steps) {
    tw_index_t steps = tw_steps_of_block(k, block_steps);
    if (!ahead) tw_bf16_convert(lhs, now, steps * M0);
    lhs += steps * M0 * 2;
    if (ahead && k > block_steps)
      tw_bf16_convert(lhs, next,
                      tw_steps_of_block(k - block_steps, block_steps) * M0);
    const float* l[4];
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      l[n] = now;
      TW_OPAQUE_POINTER(l[n]);
    }
    TW_NO_UNROLL for (; steps >= sets; steps -= sets) {
      TW_UNROLL for (int i = 0; i < sets; ++i) {
        tw_bf16_fma_step(acc + i * vectors, l, i * M0, rhs + i * 2 * N0, M0,
                         nv);
      }
      TW_UNROLL for (int n = 0; n < nv; ++n) { TW_ADVANCE(l[n], sets * M0); }
      TW_ADVANCE(rhs, sets * 2 * N0);
    }
    TW_NO_UNROLL for (; sets > 1 && steps > 0; --steps) {
      tw_bf16_fma_step(acc, l, 0, rhs, M0, nv);
      TW_UNROLL for (int n = 0; n < nv; ++n) { l[n] += M0; }
      rhs += 2 * N0;
    }
    float* const done = now;
    now = next;
    next = done;
  }
}

// Sets of accumulators: one that a step adds to twice, one half after the
// other, waits for itself.
TW_INLINE int tw_bf16_fma_sets(int vectors) {
  return tw_sets_of_chains(vectors, vectors <= 4 ? 16 : vectors < 8 ? 8 : 12);
}

TW_INLINE void tw_bf16_fma_tile(void* out, const void* lhs, const void* rhs,
                                const tw_mmt4d_params_t* params,
                                tw_element_type_t type, int M0, int N0) {
  const int sets = tw_bf16_fma_sets(M0 * (N0 / TW_LANES));
  tw_vf32 acc[TW_MAX_ACCUMULATORS];
  tw_out_begin(acc, type, out, params, M0, N0, sets);
  tw_bf16_fma_loop(acc, lhs, rhs, params->K, M0, N0, sets);
  tw_out_end(acc, type, out, params, M0, N0, sets);
}

TW_INLINE void bf16bf16f32_k2_fma(void* out, const void* lhs, const void* rhs,
                                  const tw_mmt4d_params_t* params, int M0,
                                  int N0) {
  tw_bf16_fma_tile(out, lhs, rhs, params, TW_ELEMENT_F32, M0, N0);
}

TW_INLINE void bf16bf16bf16_k2_fma(void* out, const void* lhs, const void* rhs,
                                   const tw_mmt4d_params_t* params, int M0,
                                   int N0) {
  tw_bf16_fma_tile(out, lhs, rhs, params, TW_ELEMENT_BF16, M0, N0);
}

#endif  // UKERNELS_X86_64_BF16_FMA_H_
