// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line's elements of a group load into a part of a vector each, which an
// operand in memory does without a shuffle; one or two shuffles bring those of
// a column together.

#include <immintrin.h>

#include "ukernels/interior.h"
#include "ukernels/tile_body.h"
#include "ukernels/zip_groups.h"

enum { TW_GROUP_BYTES = 4, TW_VECTOR_BYTES = 64 };

// Where the elements of a group lie in a vector that holds a line's after the
// other's. The compiler may not know: it makes eight shuffles of two.
typedef struct tw_group_order_t {
  __m512i lanes, bytes;
} tw_group_order_t;

// Of 4 lines of bytes: to each lane four columns of each line, and of each
// column four lines.
TW_INLINE tw_group_order_t tw_order_of_bytes(void) {
  tw_group_order_t order = {
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
      _mm512_broadcast_i32x4(
          _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15))};
  __asm__("" : "+v"(order.lanes), "+v"(order.bytes));
  return order;
}
// Of 2 lines of words: of each column two.
TW_INLINE tw_group_order_t tw_order_of_words(void) {
  tw_group_order_t order = {
      _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9,
                       24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1,
                       16, 0),
      _mm512_setzero_si512()};
  __asm__("" : "+v"(order.lanes));
  return order;
}

// 16 bytes of each of 4 lines.
TW_INLINE __m512i tw_group_bytes(const unsigned char* from, tw_index_t line,
                                 const tw_group_order_t* order) {
  __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i*)from));
  v = _mm512_mask_broadcast_i32x4(
      v, 0x00F0, _mm_loadu_si128((const __m128i*)(from + line)));
  v = _mm512_mask_broadcast_i32x4(
      v, 0x0F00, _mm_loadu_si128((const __m128i*)(from + 2 * line)));
  v = _mm512_mask_broadcast_i32x4(
      v, 0xF000, _mm_loadu_si128((const __m128i*)(from + 3 * line)));
  return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(order->lanes, v),
                             order->bytes);
}

// 32 bytes of each of 2 lines.
TW_INLINE __m512i tw_group_words(const unsigned char* from, tw_index_t line,
                                 const tw_group_order_t* order) {
  __m512i v = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i*)from));
  v = _mm512_mask_broadcast_i64x4(
      v, 0xF0, _mm256_loadu_si256((const __m256i*)(from + line)));
  return _mm512_permutexvar_epi16(order->lanes, v);
}

static __attribute__((noinline)) void tw_ask_for_lines(
    const unsigned char* from, tw_index_t line, int lines, tw_index_t at,
    tw_index_t run) {
  tw_ask_ahead(from, line, lines, at, run);
}

// All whole tiles, of runs of `run` bytes of each of `lines` lines: a few tiles
// of a row of tiles, of all that share a cache line of the matrix's lines, then
// those of the next rows.
TW_INLINE void tw_zip_groups_of(const tw_packing_t* p,
                                const unsigned char* matrix,
                                unsigned char* packed, int lines,
                                tw_index_t run) {
  const tw_interior_t in = tw_interior_of(p);
  const int piece = TW_VECTOR_BYTES / lines;  // bytes of a line in a vector
  const tw_index_t tile = run * lines;
  const tw_index_t tiles = kZippedShortLines / lines;
  const tw_index_t panels = run < TW_VECTOR_BYTES && TW_VECTOR_BYTES % run == 0
                                ? TW_VECTOR_BYTES / run
                                : 1;
  const int asks = tw_asks_ahead(&in, run);
  const tw_group_order_t order =
      lines == 4 ? tw_order_of_bytes() : tw_order_of_words();
  for (tw_index_t begin = 0; begin < in.tiles_c; begin += tiles) {
    const tw_index_t count = tw_inside(in.tiles_c, begin, tiles);
    for (tw_index_t ro = 0; ro < in.tiles_r; ro += panels) {
      const tw_index_t some = tw_inside(in.tiles_r, ro, panels);
      const unsigned char* from = matrix + begin * lines * in.line + ro * run;
      unsigned char* to = packed + ro * in.panel + begin * tile;
      if (asks)
        tw_ask_for_lines(from, in.line, (int)count * lines, ro * run,
                         some * run);
      for (tw_index_t co = 0; co < count; ++co) {
        TW_NO_UNROLL for (tw_index_t i = 0; i < some; ++i)
            TW_UNROLL_ALL for (tw_index_t at = 0; at < run; at += piece) {
          const unsigned char* const line = from + i * run + at;
          _mm512_storeu_si512(to + i * in.panel + at * lines,
                              lines == 4
                                  ? tw_group_bytes(line, in.line, &order)
                                  : tw_group_words(line, in.line, &order));
        }
        from += lines * in.line;
        to += tile;
      }
    }
  }
}

// Those of the rows that tiles have.
TW_INLINE int tw_zip_groups(const tw_packing_t* p, const unsigned char* matrix,
                            unsigned char* packed, int lines) {
  switch (p->tile_rows * p->bits / 8) {
#define TW_RUN(run)                                  \
  case run:                                          \
    if (run * lines % TW_VECTOR_BYTES) return 0;     \
    tw_zip_groups_of(p, matrix, packed, lines, run); \
    return 1;
    TW_RUN(16)
    TW_RUN(32)
    TW_RUN(48)
    TW_RUN(64)
    TW_RUN(96)
    TW_RUN(128)
#undef TW_RUN
    default:
      return 0;
  }
}

int tw_zip_groups_x86_64_avx512_base(const tw_packing_t* p,
                                     const unsigned char* matrix,
                                     unsigned char* packed) {
  if (p->stores != TW_PACK_STORES_NEAR ||
      p->tile_cols * p->bits != 8 * TW_GROUP_BYTES)
    return 0;
  switch (p->bits) {
    case 8:
      return tw_zip_groups(p, matrix, packed, 4);
    case 16:
      return tw_zip_groups(p, matrix, packed, 2);
    default:
      return 0;
  }
}
