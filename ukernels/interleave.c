// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of the matrix become the columns of a tile: they are read 16 bytes at a
// time, a vector each, and zipped together.

#include "ukernels/interleave.h"

#include "ukernels/interior.h"
#include "ukernels/zip.h"

// `bytes` (4, 8 or 12, a constant) at p, the rest zero.
TW_ZIP_INLINE tw_v16u8 tw_load_part(const unsigned char* p, int bytes) {
  uint64_t low = 0, high = 0;
  memcpy(&low, p, bytes < 8 ? 4 : 8);
  if (bytes == 12) memcpy(&high, p + 8, 4);
  return (tw_v16u8)(tw_v2u64){low, high};
}

// The first `bytes`, a multiple of 8, of the vectors.
TW_ZIP_INLINE void tw_store_vectors(unsigned char* to, const tw_v16u8* v,
                                    int bytes) {
  TW_UNROLL_ALL for (int i = 0; i < bytes / 16; ++i) {
    tw_v16_store(to + 16 * i, v[i]);
  }
  if (bytes % 16 != 0) {
    const tw_v2u64 last = (tw_v2u64)v[bytes / 16];
    memcpy(to + bytes / 16 * 16, &(uint64_t){last[0]}, 8);
  }
}

// The last `bytes` (4, 8 or 12, a constant) of each line of a tile.
TW_ZIP_INLINE void tw_interleave_rest(const unsigned char* from,
                                      tw_index_t line, unsigned char* to,
                                      int bytes, int lines, int width) {
  tw_v16u8 v[16];
  TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
    v[i] = tw_load_part(from + i * line, bytes);
  }
  tw_zip(v, lines, width);
  tw_store_vectors(to, v, lines * bytes);
}

// One tile: `lines` lines of `bytes` bytes, zipped in units of `width` bytes.
// `rest`: what is left of `bytes` after the last 16, a constant.
TW_ZIP_INLINE void tw_interleave(const unsigned char* from, tw_index_t line,
                                 unsigned char* to, tw_index_t bytes, int rest,
                                 int lines, int width) {
  tw_v16u8 v[16];
  for (tw_index_t at = 0; at < bytes - rest; at += 16) {
    TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
      v[i] = tw_v16_load(from + i * line + at);
    }
    tw_zip(v, lines, width);
    tw_store_vectors(to + at * lines, v, 16 * lines);
  }
  if (rest)
    tw_interleave_rest(from + bytes - rest, line, to + (bytes - rest) * lines,
                       rest, lines, width);
}

// `rows` (4, 8, 12 or 16, a constant) rows of a tile of 4-bit elements. Two
// lines' nibbles of one row make a byte; those bytes are zipped.
TW_ZIP_INLINE void tw_interleave_nibble_rows(const unsigned char* from,
                                             tw_index_t line, unsigned char* to,
                                             int rows, int lines) {
  const int pairs = lines / 2;
  tw_v16u8 v[8];
  TW_UNROLL_ALL for (int i = 0; i < pairs; ++i) {
    uint64_t two[2] = {0, 0};
    TW_UNROLL_ALL for (int j = 0; j < 2; ++j) {
      const unsigned char* at = from + (2 * i + j) * line;
      memcpy(&two[j], at, rows == 4 ? 2 : rows == 16 ? 8 : 4);
      if (rows == 12) memcpy((unsigned char*)&two[j] + 4, at + 4, 2);
    }
    const tw_v16u8 a = (tw_v16u8)(tw_v2u64){two[0], 0};
    const tw_v16u8 b = (tw_v16u8)(tw_v2u64){two[1], 0};
    v[i] = tw_zip_low((a & 15) | b << 4, a >> 4 | (b & 0xF0), 1);
  }
  tw_zip(v, pairs, 1);
  if (rows * pairs % 8 == 0)
    tw_store_vectors(to, v, rows * pairs);
  else  // 4 or 12 rows of one pair
    memcpy(to, v, (size_t)rows * (size_t)pairs);
}

// One tile of 4-bit elements: `lines` lines of `rows` / 2 bytes. `rest`: the
// rows after the last 16, a constant.
TW_ZIP_INLINE void tw_interleave_nibbles(const unsigned char* from,
                                         tw_index_t line, unsigned char* to,
                                         tw_index_t rows, int rest, int lines) {
  for (tw_index_t r = 0; r < rows - rest; r += 16)
    tw_interleave_nibble_rows(from + r / 2, line, to + r * (lines / 2), 16,
                              lines);
  if (rest)
    tw_interleave_nibble_rows(from + (rows - rest) / 2, line,
                              to + (rows - rest) * (lines / 2), rest, lines);
}

static int tw_has_interleave(const tw_packing_t* p) {
  const tw_index_t lines = p->tile_cols;
  if (p->bits == 4)
    return (lines == 2 || lines == 4 || lines == 8 || lines == 16) &&
           p->tile_rows % 4 == 0;
  const tw_index_t bytes = p->tile_rows * p->bits / 8;
  return (lines == 2 || lines == 4 || lines == 8 || lines == 16) &&
         lines * p->bits / 8 <= 16 && bytes % 4 == 0;
}

// What is read some time after the `bytes` of `lines` lines at `from`, which
// are at `at` in the matrix's lines, and written after the `run` bytes at `to`
// of each of `panels` panels.
static __attribute__((noinline)) void tw_ask_for_panels(
    const tw_interior_t* in, int asks_to_read, int far,
    const unsigned char* from, int lines, tw_index_t at, tw_index_t bytes,
    const unsigned char* to, int panels, tw_index_t run) {
  if (asks_to_read) tw_ask_ahead(from, in->line, lines, at, bytes);
  if (far)
    for (int i = 0; i < panels; ++i)
      tw_ask_to_write(to + (kZippedAhead / run + i) * in->panel, run);
}

// All tiles. `panels`, `lines`, `width` and `rest` are constants, and `bytes`
// where they are 16 or 32: a tile may be as small as 32 bytes, too little to
// choose a loop for each. So many panels share the cache lines of the matrix's
// lines, and are packed together: lines a page apart do not stay in L1.
TW_ZIP_INLINE void tw_interleave_tiles(const tw_packing_t* p,
                                       const unsigned char* matrix,
                                       unsigned char* packed, int panels,
                                       int lines, int width, tw_index_t bytes,
                                       int rest) {
  const tw_interior_t in = tw_interior_of(p);
  const int zipped = panels > 1 && p->stores != TW_PACK_STORES_PAST
                         ? kZippedShortLines
                         : kZippedLines;
  const tw_index_t tiles = (zipped + lines - 1) / lines, tile = bytes * lines;
  const int asks = tw_asks_ahead(&in, bytes);
  unsigned char block[kPastBlock] __attribute__((aligned(64)));
  const int past =
      p->stores == TW_PACK_STORES_PAST && panels * tiles * tile <= kPastBlock;
  const int far = p->stores == TW_PACK_STORES_ASKED;
  for (tw_index_t begin = 0; begin < in.tiles_c; begin += tiles) {
    const tw_index_t end =
        begin + tiles < in.tiles_c ? begin + tiles : in.tiles_c;
    const tw_index_t run = (end - begin) * tile;
    const tw_index_t panel = past ? run : in.panel;
    for (tw_index_t ro = 0; ro < in.tiles_r; ro += panels) {
      const unsigned char* from = matrix + begin * lines * in.line + ro * bytes;
      unsigned char* const packed_at = packed + ro * in.panel + begin * tile;
      unsigned char* to = past ? block : packed_at;
      const int some =
          in.tiles_r - ro < panels ? (int)(in.tiles_r - ro) : panels;
      if (asks || far)
        tw_ask_for_panels(&in, asks, far, from, (int)(end - begin) * lines,
                          ro * bytes, some * bytes, to, some, run);
      for (tw_index_t co = begin; co < end; ++co) {
        for (int i = 0; i < some; ++i) {
          if (width == 0)
            tw_interleave_nibbles(from + i * bytes, in.line, to + i * panel,
                                  p->tile_rows, rest, lines);
          else
            tw_interleave(from + i * bytes, in.line, to + i * panel, bytes,
                          rest, lines, width);
        }
        from += lines * in.line;
        to += tile;
      }
      if (past)
        for (int i = 0; i < some; ++i)
          tw_copy_past(packed_at + i * in.panel, block + i * run, run);
    }
  }
}

TW_ZIP_INLINE void tw_interleave_all(const tw_packing_t* p,
                                     const unsigned char* matrix,
                                     unsigned char* packed, int lines,
                                     int width) {
  const tw_index_t bytes = p->tile_rows * p->bits / 8;
  if (bytes == 16 && width != 0) {
    tw_interleave_tiles(p, matrix, packed, 4, lines, width, 16, 0);
    return;
  }
  if (bytes == 32 && width != 0) {
    tw_interleave_tiles(p, matrix, packed, 2, lines, width, 32, 0);
    return;
  }
  // Of 16 bytes, of 16 rows of nibbles.
  switch ((width == 0 ? p->tile_rows : bytes) % 16) {
    case 4:
      tw_interleave_tiles(p, matrix, packed, 1, lines, width, bytes, 4);
      break;
    case 8:
      tw_interleave_tiles(p, matrix, packed, 1, lines, width, bytes, 8);
      break;
    case 12:
      tw_interleave_tiles(p, matrix, packed, 1, lines, width, bytes, 12);
      break;
    default:
      tw_interleave_tiles(p, matrix, packed, 1, lines, width, bytes, 0);
  }
}

// Lines that are zipped, and bytes of an element, of vectors of 16 bytes.
#define TW_WHOLE_ELEMENTS(X) \
  X(2, 1)                    \
  X(4, 1) X(8, 1) X(16, 1) X(2, 2) X(4, 2) X(8, 2) X(2, 4) X(4, 4) X(2, 8)

int tw_interleave_lines(const tw_packing_t* p, const unsigned char* matrix,
                        unsigned char* packed) {
  if (!tw_has_interleave(p)) return 0;
#define TW_LINES(lines, width)                          \
  case (lines) * 16 + (width):                          \
    tw_interleave_all(p, matrix, packed, lines, width); \
    return 1;
  switch (p->tile_cols * 16 + p->bits / 8) {
    TW_LINES(2, 0)  // 4-bit elements
    TW_LINES(4, 0)
    TW_LINES(8, 0)
    TW_LINES(16, 0)
    TW_WHOLE_ELEMENTS(TW_LINES)
    default:
      return 0;
  }
#undef TW_LINES
}

// ---- The way back -----------------------------------------------------------

// One tile: its columns become `lines` lines of `bytes` bytes.
TW_ZIP_INLINE void tw_deinterleave(const unsigned char* from, unsigned char* to,
                                   tw_index_t line, tw_index_t bytes, int lines,
                                   int width) {
  tw_v16u8 v[16];
  tw_index_t at = 0;
  for (; at + 16 <= bytes; at += 16) {
    TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
      v[i] = tw_v16_load(from + at * lines + 16 * i);
    }
    tw_unzip(v, lines, width);
    TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
      tw_v16_store(to + i * line + at, v[i]);
    }
  }
  for (; at < bytes; at += width)
    for (int i = 0; i < lines; ++i)
      memcpy(to + i * line + at, from + at * lines + i * width, (size_t)width);
}

TW_ZIP_INLINE void tw_deinterleave_tiles(const tw_packing_t* p,
                                         const unsigned char* packed,
                                         unsigned char* matrix, int lines,
                                         int width) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t bytes = p->tile_rows * width;
  const tw_index_t tiles = (kZippedLines + lines - 1) / lines;
  for (tw_index_t begin = 0; begin < in.tiles_c; begin += tiles) {
    const tw_index_t end =
        begin + tiles < in.tiles_c ? begin + tiles : in.tiles_c;
    for (tw_index_t ro = 0; ro < in.tiles_r; ++ro)
      for (tw_index_t co = begin; co < end; ++co)
        tw_deinterleave(packed + ro * in.panel + co * in.tile,
                        matrix + co * lines * in.line + ro * bytes, in.line,
                        bytes, lines, width);
  }
}

int tw_deinterleave_lines(const tw_packing_t* p, const unsigned char* packed,
                          unsigned char* matrix) {
#define TW_LINES(lines, width)                              \
  case (lines) * 16 + (width):                              \
    tw_deinterleave_tiles(p, packed, matrix, lines, width); \
    return 1;
  if (p->bits < 8 || p->tile_cols > 16) return 0;
  switch (p->tile_cols * 16 + p->bits / 8) {
    TW_WHOLE_ELEMENTS(TW_LINES)
    default:
      return 0;
  }
#undef TW_LINES
}
