// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products in vectors of 256 bits: one instruction that AVX512_VNNI and
// AVX-VNNI encode differently, and what AVX-VNNI-INT8 adds to it.

#ifndef UKERNELS_X86_64_VNNI_256_H_
#define UKERNELS_X86_64_VNNI_256_H_

#include <immintrin.h>

#include "ukernels/x86_64/tile_body.h"

#if defined(__AVX512VNNI__)
#define TW_HAS_VNNI_256 1
#define TW_DPBUSD_256 _mm256_dpbusd_epi32
#define TW_DPWSSD_256 _mm256_dpwssd_epi32
#elif defined(__AVXVNNI__)
#define TW_HAS_VNNI_256 1
#define TW_DPBUSD_256 _mm256_dpbusd_avx_epi32
#define TW_DPWSSD_256 _mm256_dpwssd_avx_epi32
#else
#define TW_HAS_VNNI_256 0
#endif

// The operands' types of a dot product of four bytes.
typedef enum {
  TW_DOT4_U8S8,
  TW_DOT4_S8U8,
#ifdef __AVXVNNIINT8__
  TW_DOT4_S8S8,
  TW_DOT4_U8U8,
#endif
} tw_dot4_t;

#if TW_HAS_VNNI_256
// c + the sums of pairs of products of s16, modulo 2^32.
TW_INLINE __m256i tw_dot2_256(__m256i c, __m256i a, __m256i b) {
  return TW_DPWSSD_256(c, a, b);
}
// c + the sums of four products of bytes, modulo 2^32.
TW_INLINE __m256i tw_dot4_256(tw_dot4_t types, __m256i c, __m256i lhs,
                              __m256i rhs) {
  switch (types) {
#ifdef __AVXVNNIINT8__
    case TW_DOT4_S8S8:
      return _mm256_dpbssd_epi32(c, rhs, lhs);
    case TW_DOT4_U8U8:
      return _mm256_dpbuud_epi32(c, rhs, lhs);
#endif
    case TW_DOT4_S8U8:
      return TW_DPBUSD_256(c, rhs, lhs);
    default:
      return TW_DPBUSD_256(c, lhs, rhs);
  }
}
#endif

#endif  // UKERNELS_X86_64_VNNI_256_H_
