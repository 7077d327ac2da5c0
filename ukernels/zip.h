// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: 16-byte vectors in portable C, and the perfect shuffle of several.
// clang and gcc turn them into the baseline's vectors on every architecture.

#ifndef UKERNELS_ZIP_H_
#define UKERNELS_ZIP_H_

#include <stdint.h>
#include <string.h>

#ifdef __clang__
#define TW_UNROLL_ALL _Pragma("clang loop unroll(full)")
#else
#define TW_UNROLL_ALL _Pragma("GCC unroll 16")
#endif

#define TW_ZIP_INLINE static inline __attribute__((always_inline))

typedef uint8_t tw_v16u8 __attribute__((vector_size(16)));
typedef uint16_t tw_v8u16 __attribute__((vector_size(16)));
typedef uint32_t tw_v4u32 __attribute__((vector_size(16)));
typedef uint64_t tw_v2u64 __attribute__((vector_size(16)));

TW_ZIP_INLINE tw_v16u8 tw_v16_load(const void* p) {
  tw_v16u8 v;
  memcpy(&v, p, sizeof v);
  return v;
}
TW_ZIP_INLINE void tw_v16_store(void* p, tw_v16u8 v) {
  memcpy(p, &v, sizeof v);
}

// Past the caches, where the compiler has a store that does so, to what is
// aligned to 16 bytes. Four that follow each other fill a cache line.
TW_ZIP_INLINE void tw_v16_store_past(void* p, tw_v16u8 v) {
#ifdef __clang__
  __builtin_nontemporal_store(v, (tw_v16u8*)p);
#elif defined(__SSE2__)
  typedef long long tw_v2i64 __attribute__((vector_size(16)));
  __builtin_ia32_movntdq((tw_v2i64*)p, (tw_v2i64)v);
#else
  tw_v16_store(p, v);
#endif
}
// Such stores come before those that follow: x86-64 does not order them.
TW_ZIP_INLINE void tw_past_stores_done(void) {
#ifdef __SSE2__
  __builtin_ia32_sfence();
#endif
}

// The low (high) halves of a and b, interleaved in units of `width` bytes.
TW_ZIP_INLINE tw_v16u8 tw_zip_low(tw_v16u8 a, tw_v16u8 b, int width) {
  switch (width) {
    case 1:
      return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                     21, 6, 22, 7, 23);
    case 2:
      return (tw_v16u8)__builtin_shufflevector((tw_v8u16)a, (tw_v8u16)b, 0, 8,
                                               1, 9, 2, 10, 3, 11);
    case 4:
      return (tw_v16u8)__builtin_shufflevector((tw_v4u32)a, (tw_v4u32)b, 0, 4,
                                               1, 5);
    default:
      return (tw_v16u8)__builtin_shufflevector((tw_v2u64)a, (tw_v2u64)b, 0, 2);
  }
}
TW_ZIP_INLINE tw_v16u8 tw_zip_high(tw_v16u8 a, tw_v16u8 b, int width) {
  switch (width) {
    case 1:
      return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                     13, 29, 14, 30, 15, 31);
    case 2:
      return (tw_v16u8)__builtin_shufflevector((tw_v8u16)a, (tw_v8u16)b, 4, 12,
                                               5, 13, 6, 14, 7, 15);
    case 4:
      return (tw_v16u8)__builtin_shufflevector((tw_v4u32)a, (tw_v4u32)b, 2, 6,
                                               3, 7);
    default:
      return (tw_v16u8)__builtin_shufflevector((tw_v2u64)a, (tw_v2u64)b, 1, 3);
  }
}

// `count` vectors: vector i and vector i + count/2 are zipped into vectors 2*i
// and 2*i + 1.
TW_ZIP_INLINE void tw_zip_once(tw_v16u8* v, int count, int width) {
  tw_v16u8 next[16];
  for (int i = 0; i < count / 2; ++i) {
    next[2 * i] = tw_zip_low(v[i], v[i + count / 2], width);
    next[2 * i + 1] = tw_zip_high(v[i], v[i + count / 2], width);
  }
  for (int i = 0; i < count; ++i) v[i] = next[i];
}

// `count` (1, 2, 4, 8 or 16) vectors of units of `width` bytes, seen as rows:
// leaves in v, one after the other, the columns. With count * width = 16 that
// is the transpose of a square block.
TW_ZIP_INLINE void tw_zip(tw_v16u8* v, int count, int width) {
  for (int done = 1; done < count; done *= 2) tw_zip_once(v, count, width);
}

// Three vectors of four units of 4 bytes, seen as rows: leaves in v, one after
// the other, the columns. Masks and a shift take no port that zips: the mask is
// opaque to the compiler, which else makes three shuffles of it.
TW_ZIP_INLINE void tw_zip_three(tw_v16u8* v) {
  const tw_v2u64 a = (tw_v2u64)v[0], b = (tw_v2u64)v[1], c = (tw_v2u64)v[2];
  uint64_t even = 0xFFFFFFFF;
  __asm__("" : "+r"(even));
  const tw_v16u8 ca = (tw_v16u8)((c & even) | (a & ~even));  // c0 a1 c2 a3
  const tw_v16u8 bc = (tw_v16u8)(b >> 32 | (c & ~even));     // b1 c1 b3 c3
  const tw_v16u8 low = tw_zip_low(v[0], v[1], 4);            // a0 b0 a1 b1
  const tw_v16u8 high = tw_zip_high(v[0], v[1], 4);          // a2 b2 a3 b3
  v[0] = tw_zip_low(low, ca, 8);                             // a0 b0 c0 a1
  v[1] = tw_zip_low(bc, high, 8);                            // b1 c1 a2 b2
  v[2] = tw_zip_high(ca, bc, 8);                             // c2 a3 b3 c3
}

// The way back: of columns, one after the other, the rows. Zipping log2 of all
// units times leaves every unit where it was, so it is as many times less.
TW_ZIP_INLINE void tw_unzip(tw_v16u8* v, int count, int width) {
  for (int left = 16 / width; left > 1; left /= 2) tw_zip_once(v, count, width);
}

#endif  // UKERNELS_ZIP_H_
