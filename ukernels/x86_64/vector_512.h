// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vectors that families are written in, at 512 bits. vector_256.h has the
// same names.

#ifndef UKERNELS_X86_64_VECTOR_512_H_
#define UKERNELS_X86_64_VECTOR_512_H_

#include <immintrin.h>

#include "ukernels/x86_64/tile_body.h"
#include "ukernels/x86_64/vnni_256.h"

// 32-bit lanes of a vector.
enum { TW_LANES = 16 };

typedef __m512 tw_vf32;
typedef __m512d tw_vf64;
typedef __m512i tw_vi32;

TW_INLINE tw_vf32 tw_f32_zero(void) { return _mm512_setzero_ps(); }
TW_INLINE tw_vf32 tw_f32_load(const void* p) { return _mm512_loadu_ps(p); }
TW_INLINE void tw_f32_store(void* p, tw_vf32 v) { _mm512_storeu_ps(p, v); }
TW_INLINE tw_vf32 tw_f32_splat(const void* p) {
  return _mm512_set1_ps(*(const tw_any_f32_t*)p);
}
// For `uses` multiply-adds: one has it as an operand in place. Of more it is a
// load alone, of whatever type. Compilers take vbroadcastss where they are of
// floats, or are not known, which on Zen 4 is a shuffle of this width besides:
// f16 2x32 to 4x32 0.76 to 0.78 of the time, 12x32 0.97.
TW_INLINE __m512i tw_splat_by_load(const void* p) {
  __m512i v;
  __asm__("vpbroadcastd %1, %0" : "=v"(v) : "m"(*(const tw_any_i32_t*)p));
  return v;
}
TW_INLINE tw_vf32 tw_f32_splat_for(const void* p, int uses) {
  return uses == 1 ? tw_f32_splat(p) : (tw_vf32)tw_splat_by_load(p);
}
// Two lanes, repeated over the vector: in a load alone, as that of one.
TW_INLINE tw_vf32 tw_f32_splat_pair(const void* p) {
  tw_vf32 v;
  __asm__("vpbroadcastq %1, %0" : "=v"(v) : "m"(*(const tw_any_f64_t*)p));
  return v;
}
// Lanes 1, 0, 3, 2 and so on.
TW_INLINE tw_vf32 tw_f32_swap_pairs(tw_vf32 v) {
  return _mm512_permute_ps(v, 0xB1);
}
// What the two rows of a pair are multiplied by (row_pairs.h): lanes 0, 0, 2, 2
// and so on of a vector in memory, and 1, 1, 3, 3. Intel's load ports repeat
// them; of one load compilers would make shuffles, which take a port that
// multiplies.
TW_INLINE void tw_f32_load_factors(tw_vf32* r, const void* p) {
  __asm__("vmovsldup %1, %0" : "=v"(r[0]) : "m"(*(const __m512_u*)p));
  __asm__("vmovshdup %1, %0" : "=v"(r[1]) : "m"(*(const __m512_u*)p));
}
// The even lanes of `a` and the odd ones of `b`.
TW_INLINE tw_vf32 tw_f32_even_odd(tw_vf32 a, tw_vf32 b) {
  return _mm512_mask_blend_ps(0xAAAA, a, b);
}
TW_INLINE tw_vf32 tw_f32_add(tw_vf32 a, tw_vf32 b) {
  return _mm512_add_ps(a, b);
}
TW_INLINE tw_vf32 tw_f32_fma(tw_vf32 a, tw_vf32 b, tw_vf32 c) {
  return _mm512_fmadd_ps(a, b, c);
}

// The first `count` lanes, at most all: no byte behind them is touched, and
// zeros are loaded for them.
TW_INLINE tw_vf32 tw_f32_load_first(const void* p, int count) {
  return _mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), p);
}
TW_INLINE void tw_f32_store_first(void* p, tw_vf32 v, int count) {
  _mm512_mask_storeu_ps(p, (__mmask16)((1u << count) - 1), v);
}

TW_INLINE tw_vf64 tw_f64_zero(void) { return _mm512_setzero_pd(); }
TW_INLINE tw_vf64 tw_f64_load(const void* p) { return _mm512_loadu_pd(p); }
TW_INLINE void tw_f64_store(void* p, tw_vf64 v) { _mm512_storeu_pd(p, v); }
TW_INLINE tw_vf64 tw_f64_splat(const void* p) {
  return _mm512_set1_pd(*(const tw_any_f64_t*)p);
}
TW_INLINE tw_vf64 tw_f64_splat_pair(const void* p) {
  return (tw_vf64)_mm512_broadcast_f32x4(_mm_loadu_ps((const float*)p));
}
TW_INLINE tw_vf64 tw_f64_swap_pairs(tw_vf64 v) {
  return _mm512_permute_pd(v, 0x55);
}
TW_INLINE tw_vf64 tw_f64_even_odd(tw_vf64 a, tw_vf64 b) {
  return _mm512_mask_blend_pd(0xAA, a, b);
}
TW_INLINE tw_vf64 tw_f64_add(tw_vf64 a, tw_vf64 b) {
  return _mm512_add_pd(a, b);
}
TW_INLINE tw_vf64 tw_f64_fma(tw_vf64 a, tw_vf64 b, tw_vf64 c) {
  return _mm512_fmadd_pd(a, b, c);
}
TW_INLINE tw_vf64 tw_f64_load_first(const void* p, int count) {
  return _mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), p);
}
TW_INLINE void tw_f64_store_first(void* p, tw_vf64 v, int count) {
  _mm512_mask_storeu_pd(p, (__mmask8)((1u << count) - 1), v);
}

TW_INLINE tw_vi32 tw_i32_zero(void) { return _mm512_setzero_si512(); }
TW_INLINE tw_vi32 tw_i32_load(const void* p) { return _mm512_loadu_si512(p); }
TW_INLINE void tw_i32_store(void* p, tw_vi32 v) { _mm512_storeu_si512(p, v); }
TW_INLINE tw_vi32 tw_i32_splat(const void* p) {
  return _mm512_set1_epi32(*(const tw_any_i32_t*)p);
}
TW_INLINE tw_vi32 tw_i32_splat_for(const void* p, int uses) {
  return uses == 1 ? tw_i32_splat(p) : tw_splat_by_load(p);
}
TW_INLINE tw_vi32 tw_i32_add(tw_vi32 a, tw_vi32 b) {
  return _mm512_add_epi32(a, b);
}
// The sums of pairs of products of s16, modulo 2^32.
TW_INLINE tw_vi32 tw_i32_madd(tw_vi32 a, tw_vi32 b) {
  return _mm512_madd_epi16(a, b);
}
#ifdef __AVX512VNNI__
#define TW_HAS_FUSED_DOT2 1
// c + tw_i32_madd(a, b).
TW_INLINE tw_vi32 tw_i32_dot2(tw_vi32 c, tw_vi32 a, tw_vi32 b) {
  return _mm512_dpwssd_epi32(c, a, b);
}
// The same. The compiler splits vpdpwssd into vpmaddwd and vpaddd where it sees
// that another one depends on it.
TW_INLINE tw_vi32 tw_i32_dot2_whole(tw_vi32 c, tw_vi32 a, tw_vi32 b) {
  __asm__("vpdpwssd %2, %1, %0" : "+v"(c) : "v"(a), "v"(b));
  return c;
}
// c + the sums of four products of bytes, modulo 2^32.
TW_INLINE tw_vi32 tw_i32_dot4(tw_dot4_t types, tw_vi32 c, tw_vi32 lhs,
                              tw_vi32 rhs) {
  return types == TW_DOT4_U8S8 ? _mm512_dpbusd_epi32(c, lhs, rhs)
                               : _mm512_dpbusd_epi32(c, rhs, lhs);
}
#else
#define TW_HAS_FUSED_DOT2 0
#endif
TW_INLINE tw_vi32 tw_i32_sub(tw_vi32 a, tw_vi32 b) {
  return _mm512_sub_epi32(a, b);
}
TW_INLINE tw_vi32 tw_i32_xor(tw_vi32 a, tw_vi32 b) {
  return _mm512_xor_si512(a, b);
}
TW_INLINE tw_vi32 tw_i8_all(int value) { return _mm512_set1_epi8((char)value); }
TW_INLINE tw_vi32 tw_i32_and(tw_vi32 a, tw_vi32 b) {
  return _mm512_and_si512(a, b);
}
TW_INLINE tw_vi32 tw_i32_shift_right(tw_vi32 v, unsigned bits) {
  return _mm512_srli_epi32(v, bits);
}
TW_INLINE tw_vi32 tw_i16_shift_right(tw_vi32 v, unsigned bits) {
  return _mm512_srli_epi16(v, bits);
}
TW_INLINE tw_vi32 tw_i16_all(int value) {
  return _mm512_set1_epi16((short)value);
}
// Lane i % 4 of each run of 4 from lane (order >> i % 4 * 2) & 3 of that run.
#define tw_i32_shuffle_quarters(v, order) \
  _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)(order))
// 16 bytes, repeated over the vector.
TW_INLINE tw_vi32 tw_i32_load_quarter(const void* p) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i*)p));
}
// 8 lanes, zeros behind them.
TW_INLINE tw_vi32 tw_i32_from_8(__m256i v) { return _mm512_zextsi256_si512(v); }
// The bytes of each run of 16 in the order `from`.
TW_INLINE tw_vi32 tw_i8_shuffle(tw_vi32 v, __m128i from) {
  return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(from));
}
// Lanes 1, 0, 3, 2 and so on.
TW_INLINE tw_vi32 tw_i32_swap_pairs(tw_vi32 v) {
  return _mm512_shuffle_epi32(v, 0xB1);
}
TW_INLINE void tw_i32_load_factors(tw_vi32* r, const void* p) {
  tw_vf32 factors[2];
  tw_f32_load_factors(factors, p);
  r[0] = (tw_vi32)factors[0];
  r[1] = (tw_vi32)factors[1];
}
// Two lanes, repeated over the vector.
TW_INLINE tw_vi32 tw_i32_splat_pair(const void* p) {
  return (tw_vi32)tw_f32_splat_pair(p);
}
// The even lanes of `a` and the odd ones of `b`.
TW_INLINE tw_vi32 tw_i32_even_odd(tw_vi32 a, tw_vi32 b) {
  return (tw_vi32)tw_f32_even_odd((tw_vf32)a, (tw_vf32)b);
}
// Lane `lane` of `v` in all lanes.
TW_INLINE tw_vi32 tw_i32_splat_lane(tw_vi32 v, int lane) {
  return _mm512_permutexvar_epi32(_mm512_set1_epi32(lane), v);
}
// The first `count` lanes, at most all; zeros behind them, which are not read.
TW_INLINE tw_vi32 tw_i32_load_first(const void* p, int count) {
  return _mm512_maskz_loadu_epi32((__mmask16)((1u << count) - 1), p);
}
// TW_LANES lanes of `a` and, behind them, `b`, from lane `first` on.
TW_INLINE tw_vi32 tw_i32_window(tw_vi32 a, tw_vi32 b, int first) {
  const __m512i lane =
      _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_permutex2var_epi32(
      a, _mm512_add_epi32(lane, _mm512_set1_epi32(first)), b);
}

// TW_LANES f16 -> f32.
TW_INLINE tw_vf32 tw_f32_from_f16(const void* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)p));
}
// The same of bf16.
TW_INLINE tw_vf32 tw_f32_load_bf16(const void* p) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(
      _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)p)), 16));
}
// The first and the second bf16 of each pair.
TW_INLINE tw_vf32 tw_f32_first_bf16(tw_vi32 pairs) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16));
}
TW_INLINE tw_vf32 tw_f32_second_bf16(tw_vi32 pairs) {
  return _mm512_castsi512_ps(
      _mm512_and_si512(pairs, _mm512_set1_epi32((int)0xFFFF0000u)));
}
// And back, to nearest even.
TW_INLINE void tw_f16_store(void* p, tw_vf32 v) {
  _mm256_storeu_si256(
      (__m256i*)p,
      _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
TW_INLINE void tw_bf16_store(void* p, tw_vf32 v) {
#ifdef __AVX512BF16__
  // Denormals become zero.
  _mm256_storeu_si256((__m256i*)p, (__m256i)_mm512_cvtneps_pbh(v));
#else
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i high = _mm512_srli_epi32(bits, 16);
  const __m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
  const __m512i half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF));
  const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, half), 16);
  // A NaN stays one, and becomes quiet.
  const __mmask16 is_nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
  const __m512i result =
      _mm512_mask_or_epi32(rounded, is_nan, high, _mm512_set1_epi32(0x40));
  _mm256_storeu_si256((__m256i*)p, _mm512_cvtepi32_epi16(result));
#endif
}
TW_INLINE float tw_f32_from_one_f16(const void* p) {
  return _mm_cvtss_f32(
      _mm_cvtph_ps(_mm_cvtsi32_si128(*(const tw_any_i16_t*)p)));
}
// 2 * TW_LANES s8, u8 -> s16.
TW_INLINE tw_vi32 tw_s16_from_s8(const void* p) {
  return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i*)p));
}
TW_INLINE tw_vi32 tw_s16_from_u8(const void* p) {
  return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i*)p));
}

// 2 * TW_LANES columns of s16 in two rows, as TW_LANES pairs each: `low` of the
// lower halves of all runs of 8 columns, `high` of the higher ones.
TW_INLINE void tw_s16_pair_up(tw_vi32 row0, tw_vi32 row1, tw_vi32* low,
                              tw_vi32* high) {
  *low = _mm512_unpacklo_epi16(row0, row1);
  *high = _mm512_unpackhi_epi16(row0, row1);
}
// 2 * TW_LANES 32-bit columns in that order, and back.
TW_INLINE void tw_i32_split(tw_vi32 v0, tw_vi32 v1, tw_vi32* low,
                            tw_vi32* high) {
  *low = _mm512_shuffle_i32x4(v0, v1, 0x88);
  *high = _mm512_shuffle_i32x4(v0, v1, 0xDD);
}
TW_INLINE void tw_i32_join(tw_vi32 low, tw_vi32 high, tw_vi32* v0,
                           tw_vi32* v1) {
  *v0 = _mm512_permutex2var_epi64(
      low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high);
  *v1 = _mm512_permutex2var_epi64(
      low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high);
}

// The sum of all lanes.
TW_INLINE float tw_f32_sum(tw_vf32 v) { return _mm512_reduce_add_ps(v); }
TW_INLINE uint32_t tw_i32_sum(tw_vi32 v) {
  return (uint32_t)_mm512_reduce_add_epi32(v);
}

#endif  // UKERNELS_X86_64_VECTOR_512_H_
