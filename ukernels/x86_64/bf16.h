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

TW_INLINE void tw_bf16_step(tw_vf32* acc, const uint16_t* lhs,
                            const uint16_t* rhs, int M0, int nv) {
  tw_vi32 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_i32_load(rhs + n * 2 * TW_LANES);
  }

  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vi32 l = tw_i32_splat(lhs + 2 * m);
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
                            const void* rhs_panel, tw_index_t k, int M0, int N0,
                            int sets) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int steps = tw_loop_steps(vectors, sets);
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  for (; k >= steps; k -= steps) {
    tw_prefetch_panels(lhs, steps * 4 * M0, rhs, steps * 4 * N0, vectors, nv);
    TW_UNROLL for (int s = 0; s < steps; ++s) {
      tw_bf16_step(acc + s % sets * vectors, lhs + s * 2 * M0, rhs + s * 2 * N0,
                   M0, nv);
    }
    TW_ADVANCE(lhs, steps * 2 * M0);
    TW_ADVANCE(rhs, steps * 2 * N0);
  }
  TW_NO_UNROLL for (; steps > 1 && k > 0; --k) {
    tw_bf16_step(acc, lhs, rhs, M0, nv);
    lhs += 2 * M0;
    rhs += 2 * N0;
  }
}

TW_INLINE void bf16bf16f32_k2(void* out, const void* lhs_panel,
                              const void* rhs_panel,
                              const tw_mmt4d_params_t* params, int M0, int N0) {
  const int sets = tw_bf16_sets(M0 * (N0 / TW_LANES));
  tw_vf32 acc[TW_MAX_ACCUMULATORS];
  tw_out_begin(acc, TW_ELEMENT_F32, out, params, M0, N0, sets);
  tw_bf16_loop(acc, lhs_panel, rhs_panel, params->K, M0, N0, sets);
  tw_out_end(acc, TW_ELEMENT_F32, out, params, M0, N0, sets);
}

TW_INLINE tw_vf32 tw_f32_from_bf16(__m256i v) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
}

// Rounds acc[count] to bf16. The bf16 become f32 again by an extension and a
// shift, which is quick, or by one permutation, which leaves more issue slots.
TW_INLINE void tw_bf16_round(tw_vf32* acc, int count) {
  enum { kGroup = 8 };  // More would not find registers in the widest tiles.
  const __m512i high_halves = _mm512_slli_epi32(
      _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
      16);
  TW_UNROLL for (int first = 0; first < count; first += kGroup) {
    __m256i rounded[kGroup];
    TW_UNROLL for (int i = 0; i < kGroup; ++i) {
      if (first + i >= count) break;
      rounded[i] = (__m256i)_mm512_cvtneps_pbh(acc[first + i]);
      if (count > 2) TW_PIN(rounded[i]);
    }
    TW_UNROLL for (int i = 0; i < kGroup; ++i) {
      if (first + i >= count) break;
      acc[first + i] = count > 2
                           ? _mm512_castsi512_ps(_mm512_maskz_permutexvar_epi16(
                                 0xAAAAAAAA, high_halves,
                                 _mm512_castsi256_si512(rounded[i])))
                           : tw_f32_from_bf16(rounded[i]);
      if (count > 2) TW_PIN(acc[first + i]);
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
  tw_bf16_loop(acc, lhs_panel, rhs_panel, params->K, M0, N0, sets);
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
    tw_bf16_step(acc, lhs, rhs, M0, nv);
    tw_bf16_round(acc, M0 * nv);
    TW_ADVANCE(lhs, 2 * M0);
    TW_ADVANCE(rhs, 2 * N0);
  }
  TW_UNROLL for (int i = 0; i < M0 * nv; ++i) {
    tw_bf16_store(out + i / nv * stride + i % nv * TW_LANES, acc[i]);
  }
}

// For up to 4 x 16: what bounds it is how long a step's rounding takes, which
// is less in vectors of 256 bits (Zen 4).
TW_INLINE void bf16bf16bf16_k2_steprnd_few(void* out, const void* lhs_panel,
                                           const void* rhs_panel,
                                           const tw_mmt4d_params_t* params,
                                           int M0, int N0) {
  const int nv = N0 / 8;
  const uint16_t* lhs = (const uint16_t*)lhs_panel;
  const uint16_t* rhs = (const uint16_t*)rhs_panel;
  const tw_index_t stride = tw_out_stride(params, N0);
  __m128i acc[8];
  TW_UNROLL for (int i = 0; i < M0 * nv; ++i) {
    acc[i] =
        tw_accumulates(params)
            ? _mm_loadu_si128((const __m128i*)((const uint16_t*)out +
                                               i / nv * stride + i % nv * 8))
            : _mm_setzero_si128();
  }
  for (tw_index_t k = params->K; k > 0; --k) {
    TW_UNROLL for (int i = 0; i < M0 * nv; ++i) {
      const __m256 from = _mm256_castsi256_ps(
          _mm256_slli_epi32(_mm256_cvtepu16_epi32(acc[i]), 16));
      const __m256i l =
          _mm256_set1_epi32(*(const tw_any_i32_t*)(lhs + 2 * (i / nv)));
      const __m256i r = _mm256_loadu_si256((const __m256i*)(rhs + i % nv * 16));
      acc[i] = (__m128i)_mm256_cvtneps_pbh(
          _mm256_dpbf16_ps(from, (__m256bh)l, (__m256bh)r));
    }
    TW_ADVANCE(lhs, 2 * M0);
    TW_ADVANCE(rhs, 2 * N0);
  }
  TW_UNROLL for (int i = 0; i < M0 * nv; ++i) {
    _mm_storeu_si128((__m128i*)((uint16_t*)out + i / nv * stride + i % nv * 8),
                     acc[i]);
  }
}

#endif  // UKERNELS_X86_64_BF16_H_
