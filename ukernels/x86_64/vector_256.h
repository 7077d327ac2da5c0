// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vectors that families are written in, at 256 bits. vector_512.h has the
// same names.

#ifndef UKERNELS_X86_64_VECTOR_256_H_
#define UKERNELS_X86_64_VECTOR_256_H_

#include <immintrin.h>

#include "ukernels/x86_64/tile_body.h"
#include "ukernels/x86_64/vnni_256.h"

// 32-bit lanes of a vector.
enum { TW_LANES = 8 };

typedef __m256 tw_vf32;
typedef __m256d tw_vf64;
typedef __m256i tw_vi32;

TW_INLINE tw_vf32 tw_f32_zero(void) { return _mm256_setzero_ps(); }
TW_INLINE tw_vf32 tw_f32_load(const void* p) {
  return _mm256_loadu_ps((const float*)p);
}
TW_INLINE void tw_f32_store(void* p, tw_vf32 v) {
  _mm256_storeu_ps((float*)p, v);
}
TW_INLINE tw_vf32 tw_f32_splat(const void* p) {
  return _mm256_set1_ps(*(const tw_any_f32_t*)p);
}
// For `uses` multiply-adds: a load alone at this width, whatever they are.
TW_INLINE tw_vf32 tw_f32_splat_for(const void* p, int uses) {
  (void)uses;
  return tw_f32_splat(p);
}
// Two lanes, repeated over the vector.
TW_INLINE tw_vf32 tw_f32_splat_pair(const void* p) {
  return (tw_vf32)_mm256_set1_pd(*(const tw_any_f64_t*)p);
}
// Lanes 1, 0, 3, 2 and so on.
TW_INLINE tw_vf32 tw_f32_swap_pairs(tw_vf32 v) {
  return _mm256_permute_ps(v, 0xB1);
}
// What the two rows of a pair are multiplied by (row_pairs.h).
TW_INLINE void tw_f32_load_factors(tw_vf32* r, const void* p) {
  r[0] = tw_f32_load(p);
  r[1] = tw_f32_swap_pairs(r[0]);
}
// The even lanes of `a` and the odd ones of `b`.
TW_INLINE tw_vf32 tw_f32_even_odd(tw_vf32 a, tw_vf32 b) {
  return _mm256_blend_ps(a, b, 0xAA);
}
TW_INLINE tw_vf32 tw_f32_add(tw_vf32 a, tw_vf32 b) {
  return _mm256_add_ps(a, b);
}
TW_INLINE tw_vf32 tw_f32_fma(tw_vf32 a, tw_vf32 b, tw_vf32 c) {
  return _mm256_fmadd_ps(a, b, c);
}

// The first `count` lanes, at most all: no byte behind them is touched, and
// zeros are loaded for them.
TW_INLINE __m256i tw_first_of_8(int count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
TW_INLINE tw_vf32 tw_f32_load_first(const void* p, int count) {
  return _mm256_maskload_ps((const float*)p, tw_first_of_8(count));
}
TW_INLINE void tw_f32_store_first(void* p, tw_vf32 v, int count) {
  _mm256_maskstore_ps((float*)p, tw_first_of_8(count), v);
}

TW_INLINE tw_vf64 tw_f64_zero(void) { return _mm256_setzero_pd(); }
TW_INLINE tw_vf64 tw_f64_load(const void* p) {
  return _mm256_loadu_pd((const double*)p);
}
TW_INLINE void tw_f64_store(void* p, tw_vf64 v) {
  _mm256_storeu_pd((double*)p, v);
}
TW_INLINE tw_vf64 tw_f64_splat(const void* p) {
  return _mm256_set1_pd(*(const tw_any_f64_t*)p);
}
TW_INLINE tw_vf64 tw_f64_splat_pair(const void* p) {
  return _mm256_broadcast_pd((const __m128d*)p);
}
TW_INLINE tw_vf64 tw_f64_swap_pairs(tw_vf64 v) {
  return _mm256_permute_pd(v, 0x5);
}
TW_INLINE tw_vf64 tw_f64_even_odd(tw_vf64 a, tw_vf64 b) {
  return _mm256_blend_pd(a, b, 0xA);
}
TW_INLINE tw_vf64 tw_f64_add(tw_vf64 a, tw_vf64 b) {
  return _mm256_add_pd(a, b);
}
TW_INLINE tw_vf64 tw_f64_fma(tw_vf64 a, tw_vf64 b, tw_vf64 c) {
  return _mm256_fmadd_pd(a, b, c);
}
TW_INLINE tw_vf64 tw_f64_load_first(const void* p, int count) {
  return _mm256_maskload_pd((const double*)p, tw_first_of_8(2 * count));
}
TW_INLINE void tw_f64_store_first(void* p, tw_vf64 v, int count) {
  _mm256_maskstore_pd((double*)p, tw_first_of_8(2 * count), v);
}

TW_INLINE tw_vi32 tw_i32_zero(void) { return _mm256_setzero_si256(); }
TW_INLINE tw_vi32 tw_i32_load(const void* p) {
  return _mm256_loadu_si256((const __m256i*)p);
}
TW_INLINE void tw_i32_store(void* p, tw_vi32 v) {
  _mm256_storeu_si256((__m256i*)p, v);
}
TW_INLINE tw_vi32 tw_i32_splat(const void* p) {
  return _mm256_set1_epi32(*(const tw_any_i32_t*)p);
}
TW_INLINE tw_vi32 tw_i32_splat_for(const void* p, int uses) {
  (void)uses;
  return tw_i32_splat(p);
}
TW_INLINE tw_vi32 tw_i32_add(tw_vi32 a, tw_vi32 b) {
  return _mm256_add_epi32(a, b);
}
// The sums of pairs of products of s16, modulo 2^32.
TW_INLINE tw_vi32 tw_i32_madd(tw_vi32 a, tw_vi32 b) {
  return _mm256_madd_epi16(a, b);
}
#define TW_HAS_FUSED_DOT2 TW_HAS_VNNI_256
#if TW_HAS_VNNI_256
// c + tw_i32_madd(a, b).
TW_INLINE tw_vi32 tw_i32_dot2(tw_vi32 c, tw_vi32 a, tw_vi32 b) {
  return tw_dot2_256(c, a, b);
}
TW_INLINE tw_vi32 tw_i32_dot2_whole(tw_vi32 c, tw_vi32 a, tw_vi32 b) {
  return tw_dot2_256(c, a, b);
}
// c + the sums of four products of bytes, modulo 2^32.
TW_INLINE tw_vi32 tw_i32_dot4(tw_dot4_t types, tw_vi32 c, tw_vi32 lhs,
                              tw_vi32 rhs) {
  return tw_dot4_256(types, c, lhs, rhs);
}
#endif
TW_INLINE tw_vi32 tw_i32_sub(tw_vi32 a, tw_vi32 b) {
  return _mm256_sub_epi32(a, b);
}
TW_INLINE tw_vi32 tw_i32_xor(tw_vi32 a, tw_vi32 b) {
  return _mm256_xor_si256(a, b);
}
TW_INLINE tw_vi32 tw_i8_all(int value) { return _mm256_set1_epi8((char)value); }
TW_INLINE tw_vi32 tw_i32_and(tw_vi32 a, tw_vi32 b) {
  return _mm256_and_si256(a, b);
}
TW_INLINE tw_vi32 tw_i32_shift_right(tw_vi32 v, unsigned bits) {
  return _mm256_srli_epi32(v, (int)bits);
}
TW_INLINE tw_vi32 tw_i16_shift_right(tw_vi32 v, unsigned bits) {
  return _mm256_srli_epi16(v, (int)bits);
}
TW_INLINE tw_vi32 tw_i16_all(int value) {
  return _mm256_set1_epi16((short)value);
}
// Lane i % 4 of each run of 4 from lane (order >> i % 4 * 2) & 3 of that run.
#define tw_i32_shuffle_quarters(v, order) _mm256_shuffle_epi32(v, order)
// 16 bytes, repeated over the vector.
TW_INLINE tw_vi32 tw_i32_load_quarter(const void* p) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)p));
}
// 8 lanes.
TW_INLINE tw_vi32 tw_i32_from_8(__m256i v) { return v; }
// The bytes of each run of 16 in the order `from`.
TW_INLINE tw_vi32 tw_i8_shuffle(tw_vi32 v, __m128i from) {
  return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(from));
}
// Lanes 1, 0, 3, 2 and so on.
TW_INLINE tw_vi32 tw_i32_swap_pairs(tw_vi32 v) {
  return _mm256_shuffle_epi32(v, 0xB1);
}
TW_INLINE void tw_i32_load_factors(tw_vi32* r, const void* p) {
  r[0] = tw_i32_load(p);
  r[1] = tw_i32_swap_pairs(r[0]);
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
  return _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(lane));
}
// The first `count` lanes, at most all; zeros behind them, which are not read.
TW_INLINE tw_vi32 tw_i32_load_first(const void* p, int count) {
  return _mm256_maskload_epi32((const int*)p, tw_first_of_8(count));
}
// TW_LANES lanes of `a` and, behind them, `b`, from lane `first` on.
TW_INLINE tw_vi32 tw_i32_window(tw_vi32 a, tw_vi32 b, int first) {
  const __m256i from = _mm256_add_epi32(
      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(first));
  return _mm256_blendv_epi8(_mm256_permutevar8x32_epi32(a, from),
                            _mm256_permutevar8x32_epi32(b, from),
                            _mm256_cmpgt_epi32(from, _mm256_set1_epi32(7)));
}

// TW_LANES f16 -> f32.
TW_INLINE tw_vf32 tw_f32_from_f16(const void* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)p));
}
// The same of bf16.
TW_INLINE tw_vf32 tw_f32_load_bf16(const void* p) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(
      _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i*)p)), 16));
}
// The first and the second bf16 of each pair.
TW_INLINE tw_vf32 tw_f32_first_bf16(tw_vi32 pairs) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
}
TW_INLINE tw_vf32 tw_f32_second_bf16(tw_vi32 pairs) {
  tw_vi32 mask = _mm256_set1_epi32((int)0xFFFF0000u);
  // The compiler would take a blend with zeros, which has fewer pipes.
  TW_OPAQUE(mask);
  return _mm256_castsi256_ps(_mm256_and_si256(pairs, mask));
}
// And back, to nearest even.
TW_INLINE void tw_f16_store(void* p, tw_vf32 v) {
  _mm_storeu_si128((__m128i*)p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT |
                                                       _MM_FROUND_NO_EXC));
}
TW_INLINE void tw_bf16_store(void* p, tw_vf32 v) {
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i high = _mm256_srli_epi32(bits, 16);
  const __m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
  const __m256i half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
  // A NaN stays one, and becomes quiet.
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  const __m256i nan = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
  const __m256i result = _mm256_blendv_epi8(rounded, nan, is_nan);
  const __m256i packed = _mm256_packus_epi32(result, result);
  _mm_storeu_si128((__m128i*)p, _mm256_castsi256_si128(
                                    _mm256_permute4x64_epi64(packed, 0x08)));
}
TW_INLINE float tw_f32_from_one_f16(const void* p) {
  return _mm_cvtss_f32(
      _mm_cvtph_ps(_mm_cvtsi32_si128(*(const tw_any_i16_t*)p)));
}
// 2 * TW_LANES s8, u8 -> s16.
TW_INLINE tw_vi32 tw_s16_from_s8(const void* p) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i*)p));
}
TW_INLINE tw_vi32 tw_s16_from_u8(const void* p) {
  return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i*)p));
}

// 2 * TW_LANES columns of s16 in two rows, as TW_LANES pairs each: `low` of the
// lower halves of all runs of 8 columns, `high` of the higher ones.
TW_INLINE void tw_s16_pair_up(tw_vi32 row0, tw_vi32 row1, tw_vi32* low,
                              tw_vi32* high) {
  *low = _mm256_unpacklo_epi16(row0, row1);
  *high = _mm256_unpackhi_epi16(row0, row1);
}
// 2 * TW_LANES 32-bit columns in that order, and back.
TW_INLINE void tw_i32_split(tw_vi32 v0, tw_vi32 v1, tw_vi32* low,
                            tw_vi32* high) {
  *low = _mm256_permute2x128_si256(v0, v1, 0x20);
  *high = _mm256_permute2x128_si256(v0, v1, 0x31);
}
TW_INLINE void tw_i32_join(tw_vi32 low, tw_vi32 high, tw_vi32* v0,
                           tw_vi32* v1) {
  tw_i32_split(low, high, v0, v1);
}

// The sum of all lanes.
TW_INLINE float tw_f32_sum(tw_vf32 v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
TW_INLINE uint32_t tw_i32_sum(tw_vi32 v) {
  __m128i s =
      _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
  return (uint32_t)_mm_cvtsi128_si32(
      _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));
}

#endif  // UKERNELS_X86_64_VECTOR_256_H_
