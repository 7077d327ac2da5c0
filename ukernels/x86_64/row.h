// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of one row, of all types. Each rhs element is used once, so loads bound
// them, not arithmetic: a 512-bit load and a 512-bit broadcast load take two
// cycles of Zen 4, the multiply-add one. So lhs elements are loaded (and
// converted) a vector at a time and spread by shuffles; and the vectors have
// 256 bits on every ISA, where one shuffle serves both halves of a 16 wide row.
// On Zen 4 that is 1.12 cycles per K step of f32 1x16.

#ifndef UKERNELS_X86_64_ROW_H_
#define UKERNELS_X86_64_ROW_H_

#include <immintrin.h>

#include "ukernels/x86_64/tile_body.h"
#include "ukernels/x86_64/vnni_256.h"

// The operands' types, and how many of them are one K step (K0): the elements
// of one step fill one lane of a vector, of 64 bits for f64, of 32 for others.
typedef enum {
  TW_ROW_F64,
  TW_ROW_F32,
  TW_ROW_F16,      // converted to f32
  TW_ROW_BF16_K2,  // by vpdpbf16ps
  TW_ROW_S16_K2,   // by vpmaddwd or vpdpwssd
  TW_ROW_S8_K4,    // by vpdpbusd; the rhs as u8, see s8_vnni.h
  TW_ROW_U8S8_K4,  // the same, one operand being u8
  TW_ROW_S8U8_K4,
  TW_ROW_S8S8_K4,  // by vpdpbssd
  TW_ROW_U8U8_K4   // by vpdpbuud
} tw_row_t;

// K steps of one iteration.
enum { TW_ROW_STEPS = 8 };

TW_INLINE int tw_row_lanes(tw_row_t row) { return row == TW_ROW_F64 ? 4 : 8; }

// Whether products are computed by one instruction and added by another, so
// that arithmetic bounds the tile rather than loads.
TW_INLINE int tw_row_adds_apart(tw_row_t row) {
  return row == TW_ROW_S16_K2 && !TW_HAS_FUSED_DOT2;
}

// How many of them have accumulators of their own. An addition apart has a
// latency of one cycle, and registers beyond 15 longer instructions, which cost
// s16 1x16 one tenth.
TW_INLINE int tw_row_chains(tw_row_t row) {
  return tw_row_adds_apart(row) ? 4 : TW_ROW_STEPS;
}

// Bytes of a lane in a panel.
TW_INLINE int tw_row_step_bytes(tw_row_t row) {
  return row == TW_ROW_F64 ? 8 : row == TW_ROW_F16 ? 2 : 4;
}

// The next lanes of a lhs or rhs panel.
TW_INLINE __m256i tw_row_load(tw_row_t row, const char* panel) {
  return row == TW_ROW_F16 ? _mm256_castps_si256(_mm256_cvtph_ps(
                                 _mm_loadu_si128((const __m128i*)panel)))
                           : _mm256_loadu_si256((const __m256i*)panel);
}

// The next lanes of a rhs panel, s8 that play the part of u8 as such.
TW_INLINE __m256i tw_row_load_rhs(tw_row_t row, const char* panel) {
  const __m256i v = tw_row_load(row, panel);
  return row == TW_ROW_S8_K4 ? _mm256_xor_si256(v, _mm256_set1_epi8((char)0x80))
                             : v;
}

// The first lane of a panel in all lanes of a vector.
TW_INLINE __m256i tw_row_load_one(tw_row_t row, const char* panel) {
  switch (tw_row_step_bytes(row)) {
    case 2:
      return _mm256_castps_si256(
          _mm256_cvtph_ps(_mm_set1_epi16(*(const tw_any_i16_t*)panel)));
    case 8:
      return _mm256_castpd_si256(_mm256_set1_pd(*(const tw_any_f64_t*)panel));
    default:
      return _mm256_set1_epi32(*(const tw_any_i32_t*)panel);
  }
}

// Lane `lane` of each half of `v`, in all lanes of that half.
TW_INLINE __m256i tw_row_spread(tw_row_t row, __m256i v, int lane) {
  if (row == TW_ROW_F64) {
    return lane == 0 ? _mm256_shuffle_epi32(v, 0x44)
                     : _mm256_shuffle_epi32(v, 0xEE);
  }
  return lane == 0   ? _mm256_shuffle_epi32(v, 0x00)
         : lane == 1 ? _mm256_shuffle_epi32(v, 0x55)
         : lane == 2 ? _mm256_shuffle_epi32(v, 0xAA)
                     : _mm256_shuffle_epi32(v, 0xFF);
}

TW_INLINE __m256i tw_row_add(tw_row_t row, __m256i a, __m256i b) {
  if (row == TW_ROW_F64) {
    return _mm256_castpd_si256(
        _mm256_add_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
  }
  if (row == TW_ROW_F32 || row == TW_ROW_F16 || row == TW_ROW_BF16_K2) {
    return _mm256_castps_si256(
        _mm256_add_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
  }
  return _mm256_add_epi32(a, b);
}

// acc + the products of lhs and rhs, summed within each lane.
TW_INLINE __m256i tw_row_multiply_add(tw_row_t row, __m256i acc, __m256i lhs,
                                      __m256i rhs) {
  switch (row) {
    case TW_ROW_F64:
      return _mm256_castpd_si256(_mm256_fmadd_pd(_mm256_castsi256_pd(lhs),
                                                 _mm256_castsi256_pd(rhs),
                                                 _mm256_castsi256_pd(acc)));
#ifdef __AVX512BF16__
    case TW_ROW_BF16_K2:
      return _mm256_castps_si256(_mm256_dpbf16_ps(
          _mm256_castsi256_ps(acc), (__m256bh)lhs, (__m256bh)rhs));
#endif
#if TW_HAS_VNNI_256
    case TW_ROW_S16_K2:
      return tw_dot2_256(acc, lhs, rhs);
    case TW_ROW_U8S8_K4:
      return tw_dot4_256(TW_DOT4_U8S8, acc, lhs, rhs);
    case TW_ROW_S8_K4:
    case TW_ROW_S8U8_K4:
      return tw_dot4_256(TW_DOT4_S8U8, acc, lhs, rhs);
#endif
#ifdef __AVXVNNIINT8__
    case TW_ROW_S8S8_K4:
      return tw_dot4_256(TW_DOT4_S8S8, acc, lhs, rhs);
    case TW_ROW_U8U8_K4:
      return tw_dot4_256(TW_DOT4_U8U8, acc, lhs, rhs);
#endif
    default:  // f32, and f16 as f32.
      return _mm256_castps_si256(_mm256_fmadd_ps(_mm256_castsi256_ps(lhs),
                                                 _mm256_castsi256_ps(rhs),
                                                 _mm256_castsi256_ps(acc)));
  }
}

// The same for acc[nv] and a rhs panel.
TW_INLINE void tw_row_step(tw_row_t row, __m256i* acc, __m256i lhs,
                           const char* rhs, int nv) {
  const int bytes = tw_row_step_bytes(row) * tw_row_lanes(row);
  if (tw_row_adds_apart(row)) {
    // The shuffle, all products, then the sums: s16.h says why.
    TW_PIN(lhs);
    __m256i product[2];
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      product[n] = _mm256_madd_epi16(lhs, tw_row_load(row, rhs + n * bytes));
      TW_PIN(product[n]);
    }
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[n] = _mm256_add_epi32(acc[n], product[n]);
      TW_PIN(acc[n]);
    }
    return;
  }
  if ((row == TW_ROW_S8_K4 || row == TW_ROW_S8U8_K4) && nv == 2) {
    // The rhs is no operand in memory. Left to the compiler, multiply-adds part
    // the loads of a cache line, which then take a cycle each (Zen 4).
    __m256i r[2];
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      r[n] = tw_row_load_rhs(row, rhs + n * bytes);
    }
    TW_PIN_BOTH(r[0], r[1]);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[n] = tw_row_multiply_add(row, acc[n], lhs, r[n]);
    }
    TW_PIN_BOTH(acc[0], acc[1]);
    return;
  }
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    acc[n] = tw_row_multiply_add(row, acc[n], lhs,
                                 tw_row_load_rhs(row, rhs + n * bytes));
  }
}

// Adds the sums of the four s8 of each lane of lhs, times 128.
TW_INLINE __m256i tw_row_add_correction(tw_row_t row, __m256i sum,
                                        __m256i lhs) {
#if TW_HAS_VNNI_256
  if (row == TW_ROW_S8_K4) {
    return tw_dot4_256(TW_DOT4_U8S8, sum, _mm256_set1_epi8((char)0x80), lhs);
  }
#endif
  (void)row, (void)lhs;
  return sum;
}

// The halves of a vector of the lhs panel, each in both halves of a vector. A
// load of one half takes a load slot, a permutation two slots of arithmetic: of
// the former there are fewer to spare where each shuffle serves two vectors,
// and where f64 has a load for two steps (3 % of 1x4).
TW_INLINE void tw_row_load_halves(tw_row_t row, __m256i* half,
                                  const char* panel, int nv) {
  if (tw_row_adds_apart(row) ||
      (nv == 1 && row != TW_ROW_F16 && row != TW_ROW_F64)) {
    half[0] =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)panel));
    half[1] =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)panel + 1));
  } else {
    const __m256i v = tw_row_load(row, panel);
    half[0] = _mm256_permute2x128_si256(v, v, 0x00);
    half[1] = _mm256_permute2x128_si256(v, v, 0x11);
  }
}

// The lhs of TW_ROW_STEPS K steps: half[step / 4], or of f64 half[step / 2].
TW_INLINE void tw_row_load_lhs(tw_row_t row, __m256i* half, __m256i* sum,
                               const char* lhs, int nv) {
  const int lanes = tw_row_lanes(row);
  TW_UNROLL for (int s = 0; s < TW_ROW_STEPS; s += lanes) {
    __m256i* const to = half + 2 * s / lanes;
    tw_row_load_halves(row, to, lhs + s * tw_row_step_bytes(row), nv);
    // Opaque, or the shuffles become broadcast loads again.
    TW_PIN(to[0]);
    TW_PIN(to[1]);
    *sum = tw_row_add_correction(row, *sum,
                                 _mm256_blend_epi32(to[0], to[1], 0xF0));
  }
}

// TW_ROW_STEPS K steps; acc[step % chains][n].
TW_INLINE void tw_row_steps(tw_row_t row, __m256i* acc, const __m256i* half,
                            const char* rhs, int nv) {
  const int lanes = tw_row_lanes(row) / 2;
  const int bytes = tw_row_step_bytes(row) * lanes * 2;
  __m256i l[TW_ROW_STEPS];
  TW_UNROLL for (int i = 0; i < TW_ROW_STEPS; ++i) {
    l[i] = tw_row_spread(row, half[i / lanes], i % lanes);
  }
  // Where registers suffice, all shuffles stand before the first multiply-add,
  // which then wait for nothing but their loads (2 % of f32 1x16).
  if (nv > 1 && !tw_row_adds_apart(row)) {
    __asm__ volatile(""
                     : "+v"(l[0]), "+v"(l[1]), "+v"(l[2]), "+v"(l[3]),
                       "+v"(l[4]), "+v"(l[5]), "+v"(l[6]), "+v"(l[7]));
  }
  TW_UNROLL for (int i = 0; i < TW_ROW_STEPS; ++i) {
    tw_row_step(row, acc + i % tw_row_chains(row) * nv, l[i],
                rhs + i * nv * bytes, nv);
  }
}

// The products of a row, not added to the out tile: result[nv] vectors.
TW_INLINE void tw_row_multiply(tw_row_t row, __m256i* result, const char* lhs,
                               const char* rhs, tw_index_t k, int nv) {
  const int steps = TW_ROW_STEPS;
  const int chains = tw_row_chains(row);
  const int lhs_bytes = tw_row_step_bytes(row);
  const int rhs_bytes = tw_row_lanes(row) * lhs_bytes;
  __m256i acc[TW_ROW_STEPS * 2];
  __m256i sum = _mm256_setzero_si256();
  TW_UNROLL for (int i = 0; i < chains * nv; ++i) {
    acc[i] = _mm256_setzero_si256();
  }
  // Two lhs vectors, which are one cache line, are loaded together: the loads
  // of rhs vectors then stay paired by cache lines too, two per cycle. But not
  // for vpdpwssd: where the next one depends on it, the compiler would split it
  // into vpmaddwd and vpaddd. And f64 of 256-bit ISAs would find no registers.
  const int blocks = row <= TW_ROW_BF16_K2 && nv > 1 ? 2 : 1;
  TW_NO_UNROLL for (; k >= blocks * steps; k -= blocks * steps) {
    __m256i half[2][4];
    TW_UNROLL for (int i = 0; i < blocks; ++i) {
      tw_row_load_lhs(row, half[i], &sum, lhs + i * steps * lhs_bytes, nv);
    }
    TW_UNROLL for (int i = 0; i < blocks; ++i) {
      tw_row_steps(row, acc, half[i], rhs + i * steps * nv * rhs_bytes, nv);
    }
    lhs += blocks * steps * lhs_bytes;
    rhs += blocks * steps * nv * rhs_bytes;
  }
  TW_NO_UNROLL for (; k > 0; --k) {
    const __m256i l = tw_row_load_one(row, lhs);
    sum = tw_row_add_correction(
        row, sum, _mm256_blend_epi32(_mm256_setzero_si256(), l, 1));
    tw_row_step(row, acc, l, rhs, nv);
    lhs += lhs_bytes;
    rhs += nv * rhs_bytes;
  }
  TW_UNROLL for (int half = chains / 2; half > 0; half /= 2) {
    TW_UNROLL for (int i = 0; i < half * nv; ++i) {
      acc[i] = tw_row_add(row, acc[i], acc[half * nv + i]);
    }
  }
  if (row == TW_ROW_S8_K4) {
    sum = _mm256_add_epi32(sum, _mm256_permute2x128_si256(sum, sum, 0x01));
    sum = _mm256_add_epi32(sum, _mm256_shuffle_epi32(sum, 0x4E));
    sum = _mm256_add_epi32(sum, _mm256_shuffle_epi32(sum, 0xB1));
  }
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    result[n] = row == TW_ROW_S8_K4 ? _mm256_sub_epi32(acc[n], sum) : acc[n];
  }
}

// The whole tile, where its elements are as wide as the accumulators.
TW_INLINE void tw_row_tile(tw_row_t row, void* out, const void* lhs,
                           const void* rhs, const tw_mmt4d_params_t* params,
                           int N0) {
  const int nv = N0 / tw_row_lanes(row);
  // Read once: the compiler cannot know that `out` does not hold the flags.
  const int accumulate = tw_accumulates(params);
  __m256i result[2];
  tw_row_multiply(row, result, (const char*)lhs, (const char*)rhs, params->K,
                  nv);
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    __m256i* const to = (__m256i*)out + n;
    // Added last: a call that adds to the previous one's result need not wait.
    if (accumulate) {
      result[n] = tw_row_add(row, result[n], _mm256_loadu_si256(to));
    }
    _mm256_storeu_si256(to, result[n]);
  }
}

// M0 = 1; N0 is one or two vectors of out elements.
#define TW_ROW_FAMILY(family, row)                                         \
  TW_INLINE void family(void* out, const void* lhs, const void* rhs,       \
                        const tw_mmt4d_params_t* params, int M0, int N0) { \
    (void)M0;                                                              \
    tw_row_tile(row, out, lhs, rhs, params, N0);                           \
  }
TW_ROW_FAMILY(f32f32f32_k1_row, TW_ROW_F32)
TW_ROW_FAMILY(f64f64f64_k1_row, TW_ROW_F64)
TW_ROW_FAMILY(f16f16f32_k1_row, TW_ROW_F16)
TW_ROW_FAMILY(s16s16s32_k2_row, TW_ROW_S16_K2)
#ifdef __AVX512BF16__
TW_ROW_FAMILY(bf16bf16f32_k2_row, TW_ROW_BF16_K2)
#endif
#if TW_HAS_VNNI_256
TW_ROW_FAMILY(s8s8s32_k4_vnni_row, TW_ROW_S8_K4)
TW_ROW_FAMILY(u8s8s32_k4_vnni_row, TW_ROW_U8S8_K4)
TW_ROW_FAMILY(s8u8s32_k4_vnni_row, TW_ROW_S8U8_K4)
#endif
#ifdef __AVXVNNIINT8__
TW_ROW_FAMILY(s8s8s32_k4_int8_row, TW_ROW_S8S8_K4)
TW_ROW_FAMILY(u8u8s32_k4_int8_row, TW_ROW_U8U8_K4)
#endif

// Rounded once, at the end; added to what was there before.
TW_INLINE void f16f16f16_k1_row(void* out, const void* lhs, const void* rhs,
                                const tw_mmt4d_params_t* params, int M0,
                                int N0) {
  (void)M0;
  const int nv = N0 / 8;
  const int accumulate = tw_accumulates(params);
  __m256i result[2];
  tw_row_multiply(TW_ROW_F16, result, (const char*)lhs, (const char*)rhs,
                  params->K, nv);
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    __m128i* const to = (__m128i*)out + n;
    __m256 sum = _mm256_castsi256_ps(result[n]);
    if (accumulate) {
      sum = _mm256_add_ps(sum, _mm256_cvtph_ps(_mm_loadu_si128(to)));
    }
    _mm_storeu_si128(to, _mm256_cvtps_ph(sum, _MM_FROUND_TO_NEAREST_INT |
                                                  _MM_FROUND_NO_EXC));
  }
}

#endif  // UKERNELS_X86_64_ROW_H_
