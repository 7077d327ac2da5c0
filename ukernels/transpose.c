// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/transpose.h"

// What tw_transpose_chunks does, by copying each chunk: `bytes` is a constant
// where it can be, a few moves instead of a call.
TW_ZIP_INLINE void tw_copy_chunks_of(const unsigned char* from,
                                     tw_index_t from_stride, unsigned char* to,
                                     tw_index_t to_stride, tw_index_t rows,
                                     tw_index_t cols, tw_index_t bytes) {
  for (tw_index_t c = 0; c < cols; ++c)
    for (tw_index_t r = 0; r < rows; ++r)
      memcpy(to + c * to_stride + r * bytes, from + r * from_stride + c * bytes,
             (size_t)bytes);
}

// Transposes units of `unit` bytes: `rows` rows of `cols` units each, of which
// `from_stride` bytes lie between rows, into `cols` rows, `to_stride` bytes
// apart. A cache line of `from` is used up before the next row's, or one of
// `to` written whole where those rows are a greater power of two apart: of such
// rows lines of more than a few do not stay in L1.
TW_ZIP_INLINE void tw_transpose_units_of(const unsigned char* from,
                                         tw_index_t from_stride,
                                         unsigned char* to,
                                         tw_index_t to_stride, tw_index_t rows,
                                         tw_index_t cols, int unit) {
  const int n = 16 / unit;
  const tw_index_t whole_cols = cols / n * n;
  const int whole_lines =
      (to_stride & -to_stride) > (from_stride & -from_stride);
  for (tw_index_t begin = 0; begin < whole_cols; begin += 64 / unit) {
    const tw_index_t end =
        begin + 64 / unit < whole_cols ? begin + 64 / unit : whole_cols;
    tw_index_t r = 0;
    for (; whole_lines && r + 64 / unit <= rows; r += 64 / unit)
      for (tw_index_t c = begin; c < end; c += n)
        for (tw_index_t i = r; i < r + 64 / unit; i += n)
          tw_transpose_block(from + i * from_stride + c * unit, from_stride,
                             to + c * to_stride + i * unit, to_stride, n, unit);
    for (; r + n <= rows; r += n)
      for (tw_index_t c = begin; c < end; c += n)
        tw_transpose_block(from + r * from_stride + c * unit, from_stride,
                           to + c * to_stride + r * unit, to_stride, n, unit);
    // 12 rows of two-byte units are 8 and 4.
    if (n >= 4 && r + n / 2 <= rows) {
      for (tw_index_t c = begin; c < end; c += n)
        tw_transpose_block(from + r * from_stride + c * unit, from_stride,
                           to + c * to_stride + r * unit, to_stride, n / 2,
                           unit);
      r += n / 2;
    }
    // And of one-byte units 12 are 8 and 4, 6 of two 4 and 2.
    if (n >= 8 && r + n / 4 <= rows) {
      for (tw_index_t c = begin; c < end; c += n)
        tw_transpose_block(from + r * from_stride + c * unit, from_stride,
                           to + c * to_stride + r * unit, to_stride, n / 4,
                           unit);
      r += n / 4;
    }
    tw_copy_chunks_of(from + r * from_stride + begin * unit, from_stride,
                      to + begin * to_stride + r * unit, to_stride, rows - r,
                      end - begin, unit);
  }
  tw_copy_chunks_of(from + whole_cols * unit, from_stride,
                    to + whole_cols * to_stride, to_stride, rows,
                    cols - whole_cols, unit);
}

void tw_transpose_chunks(const unsigned char* from, tw_index_t from_stride,
                         unsigned char* to, tw_index_t to_stride,
                         tw_index_t rows, tw_index_t cols, tw_index_t bytes) {
  switch (bytes) {
#define TW_UNITS(size)                                                         \
  case size:                                                                   \
    tw_transpose_units_of(from, from_stride, to, to_stride, rows, cols, size); \
    break;
    TW_UNITS(1)
    TW_UNITS(2)
    TW_UNITS(4)
    TW_UNITS(8)
#undef TW_UNITS
#define TW_CHUNKS(size)                                                    \
  case size:                                                               \
    tw_copy_chunks_of(from, from_stride, to, to_stride, rows, cols, size); \
    break;
    TW_CHUNKS(6)
    TW_CHUNKS(12)
    TW_CHUNKS(16)
    TW_CHUNKS(24)
    TW_CHUNKS(32)
    TW_CHUNKS(48)
    TW_CHUNKS(64)
    TW_CHUNKS(96)
#undef TW_CHUNKS
    default:
      tw_copy_chunks_of(from, from_stride, to, to_stride, rows, cols, bytes);
  }
}
