// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What packing does to memory depends on two numbers: the bytes of a run that
// is contiguous on both sides, and, where runs are short, which side they are
// short on. Three loops cover the shapes that tiles have:
//
//   runs        the tile's inner dimension (tile_cols, or tile_rows when the
//               matrix lies transposed and tile_cols is 1) is copied whole;
//   transpose   not transposed, tile_cols elements make a unit of 1, 2, 4 or 8
//               bytes: square blocks of 16-byte vectors are transposed;
//   interleave  transposed, tile_cols lines of the matrix are zipped together.

#include "ukernels/pack_interior.h"

#include "ukernels/zip.h"

#ifdef __clang__
#define TW_UNROLL_ALL _Pragma("clang loop unroll(full)")
#else
#define TW_UNROLL_ALL _Pragma("GCC unroll 16")
#endif

// Lines of a transposed matrix that are read in parallel: as many as hardware
// prefetchers follow, and few enough pages for the first-level TLB, while each
// writes this many runs in a row.
static const tw_index_t kLines = 32;

// Bytes and strides of the interior.
typedef struct tw_interior_t {
  tw_index_t tiles_r, tiles_c;  // whole tiles
  tw_index_t element;           // bytes
  tw_index_t line;              // bytes between lines of the matrix
  tw_index_t panel;             // bytes between rows of tiles
  tw_index_t tile;              // bytes of a tile
} tw_interior_t;

static tw_interior_t tw_interior_of(const tw_packing_t* p) {
  tw_interior_t in;
  in.tiles_r = p->rows / p->tile_rows;
  in.tiles_c = p->cols / p->tile_cols;
  in.element = p->bits / 8;
  in.line = p->stride * p->bits / 8;
  in.tile = p->tile_rows * p->tile_cols * p->bits / 8;
  in.panel = p->outer_cols * in.tile;
  return in;
}

// The 4-bit packing of rows that are not transposed, as one of bytes. Its whole
// tiles are the same; its odd last column is the caller's edge.
static tw_packing_t tw_as_bytes(const tw_packing_t* p) {
  tw_packing_t bytes = *p;
  bytes.bits = 8;
  bytes.stride /= 2;
  bytes.tile_cols /= 2;
  bytes.cols = p->cols / p->tile_cols * bytes.tile_cols;
  return bytes;
}

static inline void tw_copy_run(unsigned char* to, const unsigned char* from,
                               size_t bytes) {
  // Constant sizes become a few moves instead of a call.
  if (bytes == 64) {
    memcpy(to, from, 64);
  } else if (bytes == 128) {
    memcpy(to, from, 128);
  } else if (bytes == 32) {
    memcpy(to, from, 32);
  } else {
    memcpy(to, from, bytes);
  }
}

// ---- runs -------------------------------------------------------------------

// Copies between matrix and packed; `unpack` tells the direction.
static void tw_copy_rows(const tw_packing_t* p, unsigned char* matrix,
                         unsigned char* packed, int unpack) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t run = p->tile_cols * in.element;
  for (tw_index_t ro = 0; p->tile_rows == 1 && ro < in.tiles_r; ++ro) {
    unsigned char* panel = packed + ro * in.panel;
    unsigned char* row = matrix + ro * in.line;
    memcpy(unpack ? row : panel, unpack ? panel : row,
           (size_t)(in.tiles_c * run));
  }
  for (tw_index_t ro = 0; p->tile_rows > 1 && ro < in.tiles_r; ++ro)
    for (tw_index_t co = 0; co < in.tiles_c; ++co) {
      unsigned char* tile = packed + ro * in.panel + co * in.tile;
      unsigned char* at = matrix + ro * p->tile_rows * in.line + co * run;
      for (tw_index_t ri = 0; ri < p->tile_rows; ++ri) {
        if (unpack)
          tw_copy_run(at, tile, (size_t)run);
        else
          tw_copy_run(tile, at, (size_t)run);
        tile += run;
        at += in.line;
      }
    }
}

static void tw_copy_lines(const tw_packing_t* p, unsigned char* matrix,
                          unsigned char* packed, int unpack) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t run = in.tile;
  for (tw_index_t begin = 0; begin < in.tiles_c; begin += kLines) {
    const tw_index_t end =
        begin + kLines < in.tiles_c ? begin + kLines : in.tiles_c;
    for (tw_index_t ro = 0; ro < in.tiles_r; ++ro)
      for (tw_index_t co = begin; co < end; ++co) {
        unsigned char* tile = packed + ro * in.panel + co * run;
        unsigned char* at = matrix + co * in.line + ro * run;
        if (unpack)
          tw_copy_run(at, tile, (size_t)run);
        else
          tw_copy_run(tile, at, (size_t)run);
      }
  }
}

// ---- transpose --------------------------------------------------------------

// Transposes a block of `rows` rows (n = 16 / unit, or n / 2) and n columns of
// units of `unit` bytes.
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
  TW_UNROLL_ALL for (int i = 0; i < n; i += 2) {  // two columns in a vector
    const tw_v2u64 two = (tw_v2u64)v[i / 2];
    memcpy(to + i * to_stride, &(uint64_t){two[0]}, 8);
    memcpy(to + (i + 1) * to_stride, &(uint64_t){two[1]}, 8);
  }
}

// Transposes units of `unit` bytes: `rows` rows of `cols` units each, of which
// `from_stride` bytes lie between rows, into `cols` rows, `to_stride` bytes
// apart. A cache line of a row is used up before the next row's: with rows a
// power of two apart, lines of more than a few rows do not stay in L1.
TW_ZIP_INLINE void tw_transpose_units(const unsigned char* from,
                                      tw_index_t from_stride, unsigned char* to,
                                      tw_index_t to_stride, tw_index_t rows,
                                      tw_index_t cols, int unit) {
  const int n = 16 / unit;
  const tw_index_t whole_cols = cols / n * n;
  for (tw_index_t begin = 0; begin < whole_cols; begin += 64 / unit) {
    const tw_index_t end =
        begin + 64 / unit < whole_cols ? begin + 64 / unit : whole_cols;
    tw_index_t r = 0;
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
    for (; r < rows; ++r)
      for (tw_index_t c = begin; c < end; ++c)
        memcpy(to + c * to_stride + r * unit, from + r * from_stride + c * unit,
               (size_t)unit);
  }
  for (tw_index_t c = whole_cols; c < cols; ++c)
    for (tw_index_t r = 0; r < rows; ++r)
      memcpy(to + c * to_stride + r * unit, from + r * from_stride + c * unit,
             (size_t)unit);
}

// Two rows, the narrowest tile: their units are zipped.
TW_ZIP_INLINE void tw_zip_two_rows(const unsigned char* from,
                                   tw_index_t from_stride, unsigned char* to,
                                   tw_index_t cols, int unit) {
  const int n = 16 / unit;
  tw_index_t c = 0;
  for (; c + n <= cols; c += n) {
    const tw_v16u8 a = tw_v16_load(from + c * unit);
    const tw_v16u8 b = tw_v16_load(from + from_stride + c * unit);
    tw_v16_store(to + 2 * c * unit, tw_zip_low(a, b, unit));
    tw_v16_store(to + 2 * c * unit + 16, tw_zip_high(a, b, unit));
  }
  tw_transpose_units(from + c * unit, from_stride, to + 2 * c * unit, 2 * unit,
                     2, cols - c, unit);
}

static int tw_is_unit(tw_index_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

// Every row of tiles, the last one's missing rows padded.
static void tw_transpose_rows(const tw_packing_t* p, uint64_t padding,
                              const unsigned char* matrix,
                              unsigned char* packed) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t unit = p->tile_cols * in.element;
  for (tw_index_t ro = 0; ro < p->outer_rows; ++ro) {
    const unsigned char* from = matrix + ro * p->tile_rows * in.line;
    unsigned char* to = packed + ro * in.panel;
    const tw_index_t rows = tw_inside(p->rows, ro * p->tile_rows, p->tile_rows);
    switch (unit) {
#define TW_UNIT(size)                                                         \
  case size:                                                                  \
    if (p->tile_rows == 2 && rows == 2)                                       \
      tw_zip_two_rows(from, in.line, to, in.tiles_c, size);                   \
    else                                                                      \
      tw_transpose_units(from, in.line, to, in.tile, rows, in.tiles_c, size); \
    break;
      TW_UNIT(1)
      TW_UNIT(2)
      TW_UNIT(4)
      TW_UNIT(8)
      default:  // tw_is_unit has said so
        break;
#undef TW_UNIT
    }
    for (tw_index_t c = 0; rows < p->tile_rows && c < in.tiles_c; ++c)
      for (tw_index_t r = rows; r < p->tile_rows; ++r)
        memcpy(to + c * in.tile + r * unit, &padding, (size_t)unit);
  }
}

static void tw_untranspose_rows(const tw_packing_t* p,
                                const unsigned char* packed,
                                unsigned char* matrix) {
  const tw_interior_t in = tw_interior_of(p);
  for (tw_index_t ro = 0; ro < p->outer_rows; ++ro) {
    const unsigned char* from = packed + ro * in.panel;
    unsigned char* to = matrix + ro * p->tile_rows * in.line;
    const tw_index_t rows = tw_inside(p->rows, ro * p->tile_rows, p->tile_rows);
    switch (p->tile_cols * in.element) {
#define TW_UNIT(size)                                                       \
  case size:                                                                \
    tw_transpose_units(from, in.tile, to, in.line, in.tiles_c, rows, size); \
    break;
      TW_UNIT(1)
      TW_UNIT(2)
      TW_UNIT(4)
      TW_UNIT(8)
      default:  // tw_is_unit has said so
        break;
#undef TW_UNIT
    }
  }
}

// ---- interleave -------------------------------------------------------------

// One tile: `lines` lines of `bytes` bytes (8, or a multiple of 16), zipped in
// units of `width` bytes.
TW_ZIP_INLINE void tw_interleave(const unsigned char* from, tw_index_t line,
                                 unsigned char* to, tw_index_t bytes, int lines,
                                 int width) {
  tw_v16u8 v[16];
  if (bytes == 8) {
    TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
      v[i] = tw_v16_load8(from + i * line);
    }
    tw_zip(v, lines, width);
    TW_UNROLL_ALL for (int i = 0; i < lines / 2; ++i) {
      tw_v16_store(to + 16 * i, v[i]);
    }
    return;
  }
  for (tw_index_t at = 0; at < bytes; at += 16) {
    TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
      v[i] = tw_v16_load(from + i * line + at);
    }
    tw_zip(v, lines, width);
    TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
      tw_v16_store(to + at * lines + 16 * i, v[i]);
    }
  }
}

// One tile of 4-bit elements: `lines` lines of tile_rows / 2 bytes. Two lines'
// nibbles of one row make a byte; those bytes are zipped, 16 rows at a time.
TW_ZIP_INLINE void tw_interleave_nibbles(const unsigned char* from,
                                         tw_index_t line, unsigned char* to,
                                         tw_index_t rows, int lines) {
  const int pairs = lines / 2;
  for (tw_index_t r = 0; r < rows; r += 16) {
    tw_v16u8 v[8];
    TW_UNROLL_ALL for (int i = 0; i < pairs; ++i) {
      const tw_v16u8 a = tw_v16_load8(from + 2 * i * line + r / 2);
      const tw_v16u8 b = tw_v16_load8(from + (2 * i + 1) * line + r / 2);
      v[i] = tw_zip_low((a & 15) | b << 4, a >> 4 | (b & 0xF0), 1);
    }
    tw_zip(v, pairs, 1);
    TW_UNROLL_ALL for (int i = 0; i < pairs; ++i) {
      tw_v16_store(to + r * pairs + 16 * i, v[i]);
    }
  }
}

static int tw_has_interleave(const tw_packing_t* p) {
  const tw_index_t lines = p->tile_cols;
  if (p->bits == 4)
    return (lines == 2 || lines == 4 || lines == 8 || lines == 16) &&
           p->tile_rows % 16 == 0;
  const tw_index_t bytes = p->tile_rows * p->bits / 8;
  return (lines == 2 || lines == 4 || lines == 8 || lines == 16) &&
         lines * p->bits / 8 <= 16 && (bytes == 8 || bytes % 16 == 0);
}

// All tiles. `lines` and `width` are constants: a tile may be as small as 32
// bytes, too little to choose a loop for each.
TW_ZIP_INLINE void tw_interleave_all(const tw_packing_t* p,
                                     const unsigned char* matrix,
                                     unsigned char* packed, int lines,
                                     int width) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t bytes = p->tile_rows * p->bits / 8;
  const tw_index_t tiles = (kLines + lines - 1) / lines;
  for (tw_index_t begin = 0; begin < in.tiles_c; begin += tiles) {
    const tw_index_t end =
        begin + tiles < in.tiles_c ? begin + tiles : in.tiles_c;
    for (tw_index_t ro = 0; ro < in.tiles_r; ++ro)
      for (tw_index_t co = begin; co < end; ++co) {
        const unsigned char* from = matrix + co * lines * in.line + ro * bytes;
        unsigned char* to = packed + ro * in.panel + co * in.tile;
        if (width == 0)
          tw_interleave_nibbles(from, in.line, to, p->tile_rows, lines);
        else
          tw_interleave(from, in.line, to, bytes, lines, width);
      }
  }
}

// `p` must be one that tw_has_interleave accepts.
static void tw_interleave_lines(const tw_packing_t* p,
                                const unsigned char* matrix,
                                unsigned char* packed) {
#define TW_LINES(lines, width)                          \
  case (lines) * 16 + (width):                          \
    tw_interleave_all(p, matrix, packed, lines, width); \
    return;
  switch (p->tile_cols * 16 + p->bits / 8) {
    TW_LINES(2, 0)  // 4-bit elements
    TW_LINES(4, 0)
    TW_LINES(8, 0)
    TW_LINES(16, 0)
    TW_LINES(2, 1)
    TW_LINES(4, 1)
    TW_LINES(8, 1)
    TW_LINES(16, 1)
    TW_LINES(2, 2)
    TW_LINES(4, 2)
    TW_LINES(8, 2)
    TW_LINES(2, 4)
    TW_LINES(4, 4)
    TW_LINES(2, 8)
    default:
      return;
  }
#undef TW_LINES
}

// ---- choice -----------------------------------------------------------------

tw_index_t tw_pack_interior(const tw_packing_t* p, uint64_t padding,
                            const unsigned char* matrix,
                            unsigned char* packed) {
  if (p->bits == 4 && !p->transpose) {
    if (p->tile_cols % 2 != 0) return 0;
    const tw_packing_t bytes = tw_as_bytes(p);
    return tw_pack_interior(&bytes, padding, matrix, packed);
  }
  const tw_index_t whole_rows = p->rows / p->tile_rows;
  if (!p->transpose) {
    // A tile of one row is a run, however short its units are.
    if (p->tile_rows > 1 && tw_is_unit(p->tile_cols * p->bits / 8)) {
      tw_transpose_rows(p, padding, matrix, packed);
      return p->outer_rows;
    }
    tw_copy_rows(p, (unsigned char*)matrix, packed, 0);
    return whole_rows;
  }
  if (p->tile_cols == 1 && p->bits >= 8) {
    tw_copy_lines(p, (unsigned char*)matrix, packed, 0);
    return whole_rows;
  }
  if (!tw_has_interleave(p)) return 0;
  tw_interleave_lines(p, matrix, packed);
  return whole_rows;
}

tw_index_t tw_unpack_interior(const tw_packing_t* p,
                              const unsigned char* packed,
                              unsigned char* matrix) {
  if (p->bits == 4 && !p->transpose) {
    if (p->tile_cols % 2 != 0) return 0;
    const tw_packing_t bytes = tw_as_bytes(p);
    return tw_unpack_interior(&bytes, packed, matrix);
  }
  const tw_index_t whole_rows = p->rows / p->tile_rows;
  if (!p->transpose) {
    if (p->tile_rows > 1 && tw_is_unit(p->tile_cols * p->bits / 8)) {
      tw_untranspose_rows(p, packed, matrix);
      return p->outer_rows;
    }
    tw_copy_rows(p, matrix, (unsigned char*)packed, 1);
    return whole_rows;
  }
  if (p->tile_cols == 1 && p->bits >= 8) {
    tw_copy_lines(p, matrix, (unsigned char*)packed, 1);
    return whole_rows;
  }
  return 0;
}
