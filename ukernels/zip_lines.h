// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: lines of a matrix read a vector at a time and zipped together.

#ifndef UKERNELS_ZIP_LINES_H_
#define UKERNELS_ZIP_LINES_H_

#include "tilewright/index.h"
#include "ukernels/zip.h"

// Vectors of 32 rows of nibbles: two lines' nibbles of one row make a byte, and
// those bytes are zipped.
TW_ZIP_INLINE void tw_zip_nibbles(tw_v16u8* v, const unsigned char* from,
                                  tw_index_t line, int lines) {
  const int pairs = lines / 2;  // rows 0 to 15 of each, then rows 16 to 31
  TW_UNROLL_ALL for (int i = 0; i < pairs; ++i) {
    const tw_v16u8 a = tw_v16_load(from + 2 * i * line);
    const tw_v16u8 b = tw_v16_load(from + (2 * i + 1) * line);
    const tw_v16u8 even = (a & 15) | b << 4, odd = a >> 4 | (b & 0xF0);
    v[i] = tw_zip_low(even, odd, 1);
    v[pairs + i] = tw_zip_high(even, odd, 1);
  }
  tw_zip(v, pairs, 1);
  tw_zip(v + pairs, pairs, 1);
}

// 16 bytes of each of `lines` lines, in units of `width` bytes, 0 for nibbles:
// of each row the units of all lines, one row after the other.
TW_ZIP_INLINE void tw_zip_lines(tw_v16u8* v, const unsigned char* from,
                                tw_index_t line, int lines, int width) {
  if (width == 0) {
    tw_zip_nibbles(v, from, line, lines);
    return;
  }
  TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
    v[i] = tw_v16_load(from + i * line);
  }
  tw_zip(v, lines, width);
}

#endif  // UKERNELS_ZIP_LINES_H_
