// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of one row of one or two vectors, of all types. Each rhs element is
// used once, so loads bound them, not arithmetic: a load of a vector and one of
// what is broadcast would be two for each multiply-add. So lhs elements are
// loaded several at a time and spread by shuffles. f16 is no such row: shuffles
// would stand beside those that convert the rhs.

#ifndef UKERNELS_X86_64_ROW_H_
#define UKERNELS_X86_64_ROW_H_

#include "ukernels/x86_64/vnni_256.h"

// The operands' types, and how many of them are one K step (K0): the elements
// of one step fill one lane of a vector, of 64 bits for f64, of 32 for others.
typedef enum {
  TW_ROW_F64,
  TW_ROW_F32,
  TW_ROW_BF16_K2,  // by vdpbf16ps
  TW_ROW_S16_K2,   // by vpmaddwd or vpdpwssd
  TW_ROW_S8_K4,    // by vpdpbusd; the rhs as u8, see s8_vnni.h
  TW_ROW_U8S8_K4,  // the same, one operand being u8
  TW_ROW_S8U8_K4,
  TW_ROW_S8S8_K4,  // by vpdpbssd
  TW_ROW_U8U8_K4   // by vpdpbuud
} tw_row_t;

// K steps of an iteration.
enum { TW_ROW_STEPS = 8 };

// Whether products are computed by one instruction and added by another.
TW_INLINE int tw_row_adds_apart(tw_row_t row) {
  return row == TW_ROW_S16_K2 && !TW_HAS_FUSED_DOT2;
}

// How many steps have accumulators of their own, of a row of `nv` vectors. An
// addition apart has a latency of one cycle: four accumulators are enough, but
// eight of 1x16 at 256 bits take 0.98 of the time. 16 registers have no room
// for more than eight.
TW_INLINE int tw_row_chains(tw_row_t row, int nv) {
  return tw_row_adds_apart(row)      ? TW_LANES == 8 ? 4 : 4 / nv
         : nv == 1 || TW_LANES == 16 ? TW_ROW_STEPS
                                     : TW_ROW_STEPS / nv;
}

// Bytes of a K step of the lhs.
TW_INLINE int tw_row_step_bytes(tw_row_t row) {
  return row == TW_ROW_F64 ? 8 : 4;
}

// K steps of 16 bytes of a vector.
TW_INLINE int tw_row_quarter_steps(tw_row_t row) {
  return row == TW_ROW_F64 ? 2 : 4;
}

// The next vector of a rhs panel, s8 that play the part of u8 as such.
TW_INLINE tw_vi32 tw_row_load_rhs(tw_row_t row, const char* panel) {
  const tw_vi32 v = tw_i32_load(panel);
  return row == TW_ROW_S8_K4 ? tw_i32_xor(v, tw_i8_all(0x80)) : v;
}

// The first K step of a lhs panel in all lanes.
TW_INLINE tw_vi32 tw_row_load_one(tw_row_t row, const char* panel) {
  return row == TW_ROW_F64 ? (tw_vi32)tw_f64_splat(panel) : tw_i32_splat(panel);
}

// The K steps of `count` quarters of a vector, each repeated over all of a
// vector. A load of a quarter takes a load slot, a permutation two slots of
// arithmetic. f64 1x4 at 256 bits by permutations takes 0.97 of the time on Zen
// 4, and 1.7 times as long on Zen 3, 1x8 1.4 times. Of 512 bits permutations
// share Intel's port 5 with the shuffles and half of the multiplies.
TW_INLINE void tw_row_load_quarters(tw_vi32* quarter, const char* panel,
                                    int count) {
  TW_UNROLL for (int q = 0; q < count; ++q) {
    quarter[q] = tw_i32_load_quarter(panel + 16 * q);
  }
  // Opaque, or the shuffles become broadcast loads again.
  TW_UNROLL for (int q = 0; q < count; ++q) { TW_PIN(quarter[q]); }
}

// K step `step` of each quarter of `v`, in all lanes of that quarter.
TW_INLINE tw_vi32 tw_row_spread(tw_row_t row, tw_vi32 v, int step) {
  if (row == TW_ROW_F64) {
    return step == 0 ? tw_i32_shuffle_quarters(v, 0x44)
                     : tw_i32_shuffle_quarters(v, 0xEE);
  }
  return step == 0   ? tw_i32_shuffle_quarters(v, 0x00)
         : step == 1 ? tw_i32_shuffle_quarters(v, 0x55)
         : step == 2 ? tw_i32_shuffle_quarters(v, 0xAA)
                     : tw_i32_shuffle_quarters(v, 0xFF);
}

TW_INLINE tw_vi32 tw_row_add(tw_row_t row, tw_vi32 a, tw_vi32 b) {
  return row == TW_ROW_F64       ? (tw_vi32)tw_f64_add((tw_vf64)a, (tw_vf64)b)
         : row <= TW_ROW_BF16_K2 ? (tw_vi32)tw_f32_add((tw_vf32)a, (tw_vf32)b)
                                 : tw_i32_add(a, b);
}

// acc + the products of lhs and rhs, summed within each lane.
TW_INLINE tw_vi32 tw_row_multiply_add(tw_row_t row, tw_vi32 acc, tw_vi32 lhs,
                                      tw_vi32 rhs) {
  switch (row) {
    case TW_ROW_F64:
      return (tw_vi32)tw_f64_fma((tw_vf64)lhs, (tw_vf64)rhs, (tw_vf64)acc);
#ifdef __AVX512BF16__
    case TW_ROW_BF16_K2:
      return (tw_vi32)_mm512_dpbf16_ps((tw_vf32)acc, (__m512bh)lhs,
                                       (__m512bh)rhs);
#endif
#if TW_HAS_FUSED_DOT2
    case TW_ROW_S16_K2:
      return tw_i32_dot2(acc, lhs, rhs);
    case TW_ROW_U8S8_K4:
      return tw_i32_dot4(TW_DOT4_U8S8, acc, lhs, rhs);
    case TW_ROW_S8_K4:
    case TW_ROW_S8U8_K4:
      return tw_i32_dot4(TW_DOT4_S8U8, acc, lhs, rhs);
#else
    case TW_ROW_S16_K2:
      return tw_i32_add(acc, tw_i32_madd(lhs, rhs));
#endif
#ifdef __AVXVNNIINT8__
    case TW_ROW_S8S8_K4:
      return tw_i32_dot4(TW_DOT4_S8S8, acc, lhs, rhs);
    case TW_ROW_U8U8_K4:
      return tw_i32_dot4(TW_DOT4_U8U8, acc, lhs, rhs);
#endif
    default:  // f32
      return (tw_vi32)tw_f32_fma((tw_vf32)lhs, (tw_vf32)rhs, (tw_vf32)acc);
  }
}

// The products of `count` vectors, two and then their sums: 1x16 at 256 bits
// takes 0.97 of the time of products and sums in turn, as the compiler has them
// (Zen 4; at 512 bits 1.01).
TW_INLINE void tw_row_multiply_in_pairs(tw_row_t row, tw_vi32* acc,
                                        const tw_vi32* lhs, const char* rhs,
                                        int count, int accumulators, int nv) {
  TW_UNROLL for (int first = 0; first < count; first += 2) {
    tw_vi32 product[2];
    TW_UNROLL for (int i = 0; i < 2; ++i) {
      const int at = first + i;
      product[i] = tw_i32_madd(lhs[at / nv],
                               tw_row_load_rhs(row, rhs + at * 4 * TW_LANES));
      TW_PIN(product[i]);
    }
    TW_UNROLL for (int i = 0; i < 2; ++i) {
      tw_vi32* const a = &acc[(first + i) % accumulators];
      *a = tw_i32_add(*a, product[i]);
      TW_PIN(*a);
    }
  }
}

// The sums of the four s8 of each lane of lhs, times 128, are added.
TW_INLINE tw_vi32 tw_row_add_correction(tw_row_t row, tw_vi32 sum,
                                        tw_vi32 lhs) {
#if TW_HAS_FUSED_DOT2
  if (row == TW_ROW_S8_K4) {
    return tw_i32_dot4(TW_DOT4_U8S8, sum, tw_i8_all(0x80), lhs);
  }
#endif
  (void)row, (void)lhs;
  return sum;
}

// The products of a row of `nv` vectors, at most 2, not added to the out tile.
TW_INLINE void tw_row_multiply(tw_row_t row, tw_vi32* result, const char* lhs,
                               const char* rhs, tw_index_t k, int nv) {
  const int chains = tw_row_chains(row, nv);
  const int steps = TW_ROW_STEPS;
  const int lhs_bytes = tw_row_step_bytes(row);
  const int vector_bytes = 4 * TW_LANES;
  const int quarter_steps = tw_row_quarter_steps(row);
  const int quarters = steps / quarter_steps;
  tw_vi32 acc[2 * TW_ROW_STEPS];  // [chains][nv]
  // Of eight steps side by side, which are as many lanes, and of steps over all
  // lanes. The former are added ahead of the products: with 512 bits, behind
  // them, 1x16 takes 1.02 of the time (Zen 4).
  __m256i sum_of_steps = _mm256_setzero_si256();
  tw_vi32 sum = tw_i32_zero();
  TW_UNROLL for (int i = 0; i < chains * nv; ++i) { acc[i] = tw_i32_zero(); }
  TW_NO_UNROLL for (; k >= steps; k -= steps) {
    tw_vi32 quarter[4], l[TW_ROW_STEPS];
    TW_UNROLL for (int q = 0; q < quarters; q += 2) {
      tw_row_load_quarters(quarter + q, lhs + q * quarter_steps * lhs_bytes,
                           quarters < 2 ? quarters : 2);
    }
    TW_UNROLL for (int i = 0; i < steps; ++i) {
      l[i] = tw_row_spread(row, quarter[i / quarter_steps], i % quarter_steps);
      // All shuffles before the first product: 0.98 of the time (Zen 4).
      if (row == TW_ROW_F64 && TW_LANES == 16 && nv == 1) TW_PIN(l[i]);
    }
    if (row == TW_ROW_S8_K4) {
#if TW_HAS_VNNI_256
      sum_of_steps =
          tw_dot4_256(TW_DOT4_U8S8, sum_of_steps, _mm256_set1_epi8((char)0x80),
                      _mm256_loadu_si256((const __m256i*)lhs));
      TW_PIN(sum_of_steps);
#endif
    }
    if (tw_row_adds_apart(row) && TW_LANES == 8) {
      tw_row_multiply_in_pairs(row, acc, l, rhs, steps * nv, chains * nv, nv);
    } else {
      TW_UNROLL for (int i = 0; i < steps; ++i) {
        TW_UNROLL for (int v = 0; v < nv; ++v) {
          tw_vi32* a = &acc[i % chains * nv + v];
          *a = tw_row_multiply_add(
              row, *a, l[i],
              tw_row_load_rhs(row, rhs + (i * nv + v) * vector_bytes));
        }
      }
    }
    lhs += steps * lhs_bytes;
    rhs += steps * nv * vector_bytes;
  }
  TW_NO_UNROLL for (; k > 0; --k) {
    const tw_vi32 l = tw_row_load_one(row, lhs);
    sum = tw_row_add_correction(row, sum, l);
    TW_UNROLL for (int v = 0; v < nv; ++v) {
      acc[v] = tw_row_multiply_add(
          row, acc[v], l, tw_row_load_rhs(row, rhs + v * vector_bytes));
    }
    lhs += lhs_bytes;
    rhs += nv * vector_bytes;
  }
  TW_UNROLL for (int half = chains / 2; half > 0; half /= 2) {
    TW_UNROLL for (int i = 0; i < half * nv; ++i) {
      acc[i] = tw_row_add(row, acc[i], acc[half * nv + i]);
    }
  }
  if (row == TW_ROW_S8_K4) {
    __m256i all = sum_of_steps;
    all = _mm256_add_epi32(all, _mm256_permute2x128_si256(all, all, 0x01));
    all = _mm256_add_epi32(all, _mm256_shuffle_epi32(all, 0x4E));
    all = _mm256_add_epi32(all, _mm256_shuffle_epi32(all, 0xB1));
    sum = tw_i32_add(tw_i32_splat_lane(tw_i32_from_8(all), 0), sum);
  }
  TW_UNROLL for (int v = 0; v < nv; ++v) {
    result[v] = row == TW_ROW_S8_K4 ? tw_i32_sub(acc[v], sum) : acc[v];
  }
}

// The whole tile, where its elements are as wide as the accumulators.
TW_INLINE void tw_row_tile(tw_row_t row, void* out, const void* lhs,
                           const void* rhs, const tw_mmt4d_params_t* params,
                           int N0) {
  // Read once: the compiler cannot know that `out` does not hold the flags.
  const int accumulate = tw_accumulates(params);
  const int nv = N0 / (row == TW_ROW_F64 ? TW_LANES / 2 : TW_LANES);
  tw_vi32 result[2];
  tw_row_multiply(row, result, (const char*)lhs, (const char*)rhs, params->K,
                  nv);
  TW_UNROLL for (int v = 0; v < nv; ++v) {
    char* at = (char*)out + v * 4 * TW_LANES;
    // Added last: a call that adds to the previous one's result need not wait.
    if (accumulate) result[v] = tw_row_add(row, result[v], tw_i32_load(at));
    tw_i32_store(at, result[v]);
  }
}

// M0 = 1; N0 is one or two vectors of out elements, or of accumulators.
#define TW_ROW_FAMILY(family, row)                                         \
  TW_INLINE void family(void* out, const void* lhs, const void* rhs,       \
                        const tw_mmt4d_params_t* params, int M0, int N0) { \
    (void)M0;                                                              \
    tw_row_tile(row, out, lhs, rhs, params, N0);                           \
  }
TW_ROW_FAMILY(f32f32f32_k1_row, TW_ROW_F32)
TW_ROW_FAMILY(f64f64f64_k1_row, TW_ROW_F64)
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

#endif  // UKERNELS_X86_64_ROW_H_
