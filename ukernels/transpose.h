// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: units of some bytes transposed in 16-byte vectors, by blocks and by
// cache lines.

#ifndef UKERNELS_TRANSPOSE_H_
#define UKERNELS_TRANSPOSE_H_

#include <string.h>

#include "tilewright/index.h"
#include "ukernels/zip.h"

// Transposes chunks of `bytes` bytes: `rows` rows of `cols` chunks each, of
// which `from_stride` bytes lie between rows, into `cols` rows of `rows`,
// `to_stride` bytes apart.
void tw_transpose_chunks(const unsigned char* from, tw_index_t from_stride,
                         unsigned char* to, tw_index_t to_stride,
                         tw_index_t rows, tw_index_t cols, tw_index_t bytes);

// Transposes a block of `rows` rows (n = 16 / unit, n / 2 or n / 4) and n
// columns of units of `unit` bytes.
TW_ZIP_INLINE void tw_transpose_block(const unsigned char* from,
                                      tw_index_t from_stride, unsigned char* to,
                                      tw_index_t to_stride, int rows,
                                      int unit) {
  const int n = 16 / unit;
  tw_v16u8 v[16];
  TW_UNROLL_ALL for (int i = 0; i < rows; ++i) {
    v[i] = tw_v16_load(from + i * from_stride);
  }
  tw_zip(v, rows, unit);
  if (rows == n) {
    TW_UNROLL_ALL for (int i = 0; i < n; ++i) {
      tw_v16_store(to + i * to_stride, v[i]);
    }
    return;
  }
  if (rows == n / 2) {
    TW_UNROLL_ALL for (int i = 0; i < n; i += 2) {  // two columns in a vector
      const tw_v2u64 two = (tw_v2u64)v[i / 2];
      memcpy(to + i * to_stride, &(uint64_t){two[0]}, 8);
      memcpy(to + (i + 1) * to_stride, &(uint64_t){two[1]}, 8);
    }
    return;
  }
  TW_UNROLL_ALL for (int i = 0; i < n; ++i) {  // four
    memcpy(to + i * to_stride, &(uint32_t){((tw_v4u32)v[i / 4])[i % 4]}, 4);
  }
}

// A cache line of each of the rows from `row` on, as many as blocks of `height`
// rows fill below `end`. Returns the row behind them. As below.
TW_ZIP_INLINE int tw_transpose_blocks(const unsigned char* from,
                                      tw_index_t from_stride, unsigned char* to,
                                      int row, int end, int height, int rows,
                                      int unit) {
  const int n = 16 / unit, tile = rows * unit;
  TW_UNROLL_ALL for (; row + height <= end; row += height) {
    TW_UNROLL_ALL for (int block = 0; block < 4; ++block) {
      tw_transpose_block(from + row * from_stride + block * 16, from_stride,
                         to + block * n * tile + row * unit, tile, height,
                         unit);
    }
  }
  return row;
}

// A cache line of each of six rows of two-byte units: their columns of 12 bytes
// are written in vectors, where by blocks of four and two rows each would be a
// store of 8 and one of 4.
TW_ZIP_INLINE void tw_transpose_six_rows(const unsigned char* from,
                                         tw_index_t from_stride,
                                         unsigned char* to) {
  TW_UNROLL_ALL for (int block = 0; block < 4; ++block) {
    tw_v16u8 columns[6];  // of pairs of rows; the first four, the other four
    TW_UNROLL_ALL for (int pair = 0; pair < 3; ++pair) {
      const unsigned char* at = from + 2 * pair * from_stride + block * 16;
      const tw_v16u8 a = tw_v16_load(at), b = tw_v16_load(at + from_stride);
      columns[pair] = tw_zip_low(a, b, 2);
      columns[3 + pair] = tw_zip_high(a, b, 2);
    }
    tw_zip_three(columns);
    tw_zip_three(columns + 3);
    TW_UNROLL_ALL for (int i = 0; i < 6; ++i) {
      tw_v16_store(to + (block * 6 + i) * 16, columns[i]);
    }
  }
}

// A cache line of each of the rows from `row` to `end` of `rows` rows of units:
// 64 / unit tiles that follow each other. With `rows` and `unit` constants no
// address is computed but that of every n-th row. 12 rows of two-byte units are
// 8 and 4, 6 of four bytes 4 and 2.
TW_ZIP_INLINE void tw_transpose_line(const unsigned char* from,
                                     tw_index_t from_stride, unsigned char* to,
                                     int row, int end, int rows, int unit) {
  const int n = 16 / unit;
  if (rows == 6 && unit == 2) {
    tw_transpose_six_rows(from, from_stride, to);
    return;
  }
  row = tw_transpose_blocks(from, from_stride, to, row, end, n, rows, unit);
  if (n >= 4)
    row =
        tw_transpose_blocks(from, from_stride, to, row, end, n / 2, rows, unit);
  if (n >= 8)
    tw_transpose_blocks(from, from_stride, to, row, end, n / 4, rows, unit);
}

#endif  // UKERNELS_TRANSPOSE_H_
