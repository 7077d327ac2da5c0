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

#include "ukernels/cpu.h"
#include "ukernels/interior.h"
#include "ukernels/interleave.h"
#include "ukernels/transpose.h"
#include "ukernels/zip.h"

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

// ---- runs -------------------------------------------------------------------

// The run of the loops below is a constant where it can be: a few moves instead
// of a call.
TW_ZIP_INLINE void tw_copy_run(unsigned char* packed, unsigned char* matrix,
                               tw_index_t run, int unpack) {
  memcpy(unpack ? matrix : packed, unpack ? packed : matrix, (size_t)run);
}

// Tiles of several rows of `run` bytes, of as many at a time as share a cache
// line of the matrix's rows: rows a page apart do not stay in L1.
TW_ZIP_INLINE void tw_copy_rows_of(const tw_packing_t* p, unsigned char* matrix,
                                   unsigned char* packed, int unpack,
                                   tw_index_t run) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t tiles = run < 64 ? 64 / run : 1;
  for (tw_index_t ro = 0; ro < in.tiles_r; ++ro)
    for (tw_index_t co = 0; co < in.tiles_c; co += tiles) {
      unsigned char* tile = packed + ro * in.panel + co * in.tile;
      unsigned char* at = matrix + ro * p->tile_rows * in.line + co * run;
      if (in.tiles_c - co >= tiles) {
        for (tw_index_t ri = 0; ri < p->tile_rows; ++ri, at += in.line)
          for (tw_index_t i = 0; i < tiles; ++i)
            tw_copy_run(tile + i * in.tile + ri * run, at + i * run, run,
                        unpack);
        continue;
      }
      for (tw_index_t i = 0; i < in.tiles_c - co; ++i)
        for (tw_index_t ri = 0; ri < p->tile_rows; ++ri)
          tw_copy_run(tile + i * in.tile + ri * run,
                      at + ri * in.line + i * run, run, unpack);
    }
}

// Tiles of one column, `run` bytes of a line of a transposed matrix.
TW_ZIP_INLINE void tw_copy_lines_of(const tw_packing_t* p,
                                    unsigned char* matrix,
                                    unsigned char* packed, int unpack,
                                    tw_index_t run) {
  const tw_interior_t in = tw_interior_of(p);
  const int asks = !unpack && tw_asks_ahead(&in, run);
  const int far = !unpack && p->stores == TW_PACK_STORES_ASKED;
  const int past = !unpack && p->stores == TW_PACK_STORES_PAST;
  for (tw_index_t begin = 0; begin < in.tiles_c; begin += kCopiedLines) {
    const tw_index_t count = tw_inside(in.tiles_c, begin, kCopiedLines);
    const tw_index_t ahead = kCopiedAhead / (count * run);
    for (tw_index_t ro = 0; ro < in.tiles_r; ++ro) {
      unsigned char* from = matrix + begin * in.line + ro * run;
      unsigned char* to = packed + ro * in.panel + begin * run;
      if (asks) tw_ask_ahead(from, in.line, (int)count, ro * run, run);
      if (past) {
        for (tw_index_t i = 0; i < count; ++i)
          tw_copy_past(to + i * run, from + i * in.line, run);
        continue;
      }
      if (far)
        for (tw_index_t i = 0; i < count; ++i) {
          tw_ask_to_write(to + i * run + ahead * in.panel, run);
          tw_ask_to_read(from + i * in.line + kReadAhead, run);
        }
      if (count == kCopiedLines) {
        TW_UNROLL_ALL for (int i = 0; i < kCopiedLines; ++i) {
          tw_copy_run(to + i * run, from + i * in.line, run, unpack);
        }
        continue;
      }
      for (tw_index_t i = 0; i < count; ++i)
        tw_copy_run(to + i * run, from + i * in.line, run, unpack);
    }
  }
}

// Copies between matrix and packed; `unpack` tells the direction.
TW_ZIP_INLINE void tw_copy_rows(const tw_packing_t* p, unsigned char* matrix,
                                unsigned char* packed, int unpack) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t run = p->tile_cols * in.element;
  if (p->tile_rows == 1) {
    for (tw_index_t ro = 0; ro < in.tiles_r; ++ro)
      tw_copy_run(packed + ro * in.panel, matrix + ro * in.line,
                  in.tiles_c * run, unpack);
    return;
  }
  switch (run) {
#define TW_RUN(size)                                  \
  case size:                                          \
    tw_copy_rows_of(p, matrix, packed, unpack, size); \
    break;
    TW_RUN(16)
    TW_RUN(32)
    TW_RUN(48)
    TW_RUN(64)
    TW_RUN(96)
    TW_RUN(128)
#undef TW_RUN
    default:
      tw_copy_rows_of(p, matrix, packed, unpack, run);
  }
}

// What is transposed in vectors.
static int tw_is_unit(tw_index_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

// Runs of less than a vector, of so many lines at a time that each panel has a
// few cache lines. Unpacked from panels that stay in L1, though they may be a
// power of two apart; units are read by cache lines as it is.
static void tw_copy_short_lines(const tw_packing_t* p, unsigned char* matrix,
                                unsigned char* packed, int unpack,
                                tw_index_t run) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t lines = 256 / run;
  const tw_index_t panels = tw_is_unit(run) ? in.tiles_r : 8;
  const tw_index_t done =
      unpack ? 0 : tw_interleave_straight(p, matrix, packed, run);
  for (tw_index_t begin = done; begin < in.tiles_c; begin += lines) {
    const tw_index_t count = tw_inside(in.tiles_c, begin, lines);
    unsigned char* line = matrix + begin * in.line;
    unsigned char* panel = packed + begin * run;
    if (!unpack) {
      tw_transpose_chunks(line, in.line, panel, in.panel, count, in.tiles_r,
                          run);
      continue;
    }
    for (tw_index_t ro = 0; ro < in.tiles_r; ro += panels)
      tw_transpose_chunks(panel + ro * in.panel, in.panel, line + ro * run,
                          in.line, tw_inside(in.tiles_r, ro, panels), count,
                          run);
  }
}

TW_ZIP_INLINE void tw_copy_lines(const tw_packing_t* p, unsigned char* matrix,
                                 unsigned char* packed, int unpack) {
  const tw_index_t run = p->tile_rows * p->bits / 8;
  if (run < 16) {
    tw_copy_short_lines(p, matrix, packed, unpack, run);
    return;
  }
  switch (run) {
#define TW_RUN(size)                                   \
  case size:                                           \
    tw_copy_lines_of(p, matrix, packed, unpack, size); \
    break;
    TW_RUN(16)
    TW_RUN(24)
    TW_RUN(32)
    TW_RUN(48)
    TW_RUN(64)
    TW_RUN(96)
    TW_RUN(128)
#undef TW_RUN
    default:
      tw_copy_lines_of(p, matrix, packed, unpack, run);
  }
}

// ---- transpose --------------------------------------------------------------

// `bytes` of each of `count` tiles, each cache line once.
static __attribute__((noinline)) void tw_ask_for_rows(const unsigned char* to,
                                                      int count, int tile,
                                                      int bytes) {
  if (bytes == tile)
    tw_ask_to_write(to, count * tile);
  else
    for (int i = 0; i < count; ++i) tw_ask_to_write(to + i * tile, bytes);
}

// More streams than prefetchers follow: half of the rows at a time.
TW_ZIP_INLINE int tw_are_many_streams(int rows, int unit) {
  return rows == 32 && unit >= 4;
}

// The tiles of `cols` columns that lie in whole cache lines, of which it
// returns the columns, `together` of their rows at a time. `far`: into what is.
TW_ZIP_INLINE tw_index_t tw_transpose_lines_of(
    const unsigned char* from, tw_index_t from_stride, unsigned char* to,
    tw_index_t cols, int rows, int together, int unit, int far) {
  const int columns = 64 / unit, tile = rows * unit;
  const tw_index_t whole = cols / columns * columns;
  const tw_index_t run = kTransposedRun / unit;
  for (tw_index_t begin = 0; begin < whole; begin += run) {
    const tw_index_t end = begin + run < whole ? begin + run : whole;
    TW_UNROLL_ALL for (int row = 0; row < rows; row += together) {
      for (tw_index_t c = begin; c < end; c += columns) {
        unsigned char* tiles = to + c * tile;
        if (far)
          tw_ask_for_rows(tiles + row * unit + kTransposedAhead, columns, tile,
                          together * unit);
        tw_transpose_line(from + c * unit, from_stride, tiles, row,
                          row + together, rows, unit);
      }
    }
  }
  return whole;
}

// The same; none where there is no loop for the shape, nor where a loop for
// each would be that of tw_transpose_units byte by byte (RISC-V without V: 360
// KB of them).
static tw_index_t tw_transpose_lines(const unsigned char* from,
                                     tw_index_t from_stride, unsigned char* to,
                                     tw_index_t rows, tw_index_t cols,
                                     tw_index_t unit, int far) {
  if (!TW_CPU_HAS_VECTORS) return 0;
  switch (rows * 16 + unit) {
#define TW_LINE(rows, unit)                                                 \
  case (rows) * 16 + (unit):                                                \
    if (!tw_are_many_streams(rows, unit))                                   \
      return tw_transpose_lines_of(from, from_stride, to, cols, rows, rows, \
                                   unit, far);                              \
    if (far || from_stride >= kStreamBytes)                                 \
      return tw_transpose_lines_of(from, from_stride, to, cols, rows,       \
                                   (rows) / 2, unit, far);                  \
    return tw_transpose_lines_of(from, from_stride, to, cols, rows, rows,   \
                                 unit, 0);
#define TW_LINES(unit) \
  TW_LINE(4, unit)     \
  TW_LINE(8, unit) TW_LINE(12, unit) TW_LINE(16, unit) TW_LINE(32, unit)
    TW_LINES(2)
    TW_LINE(6, 2)
    TW_LINES(4)
    TW_LINE(6, 4)
    TW_LINES(8)
    TW_LINE(6, 8)
#undef TW_LINES
#undef TW_LINE
    default:
      return 0;
  }
}

// The same for how the packed form is written. Past the caches by way of a
// block in L1: a vector of a tile comes from each block of rows, a cache line
// from several.
static tw_index_t tw_transpose_to(const unsigned char* from,
                                  tw_index_t from_stride, unsigned char* to,
                                  tw_index_t rows, tw_index_t cols,
                                  tw_index_t unit, tw_pack_stores_t stores) {
  if (stores != TW_PACK_STORES_PAST)
    return tw_transpose_lines(from, from_stride, to, rows, cols, unit,
                              stores == TW_PACK_STORES_ASKED);
  unsigned char block[kPastBlock] __attribute__((aligned(64)));
  const tw_index_t some = kPastBlock / (64 * rows) * (64 / unit);
  tw_index_t c = 0;
  while (c < cols) {
    const tw_index_t done =
        tw_transpose_lines(from + c * unit, from_stride, block, rows,
                           cols - c < some ? cols - c : some, unit, /*far=*/0);
    if (done == 0) break;
    for (tw_index_t r = 0; r < rows; ++r)
      tw_ask_to_read(from + r * from_stride + c * unit + kRowsReadAhead,
                     done * unit);
    tw_copy_past(to + c * rows * unit, block, done * rows * unit);
    c += done;
  }
  return c;
}

// The same of `cols` columns, fewer than n = 16 / unit, of which `readable`
// bytes may be read from the first unit on: whole vectors are read.
TW_ZIP_INLINE void tw_transpose_few_columns(const unsigned char* from,
                                            tw_index_t from_stride,
                                            unsigned char* to,
                                            tw_index_t to_stride,
                                            tw_index_t rows, tw_index_t cols,
                                            int unit, tw_index_t readable) {
  const int n = 16 / unit;
  tw_index_t r = 0;
  for (; r + n <= rows && (r + n - 1) * from_stride + 16 <= readable; r += n) {
    tw_v16u8 v[16];
    TW_UNROLL_ALL for (int i = 0; i < n; ++i) {
      v[i] = tw_v16_load(from + (r + i) * from_stride);
    }
    tw_zip(v, n, unit);
    TW_UNROLL_ALL for (int i = 0; i < n - 1; ++i) {
      if (i < cols) tw_v16_store(to + i * to_stride + r * unit, v[i]);
    }
  }
  for (; r < rows; ++r)
    for (tw_index_t c = 0; c < cols; ++c)
      memcpy(to + c * to_stride + r * unit, from + r * from_stride + c * unit,
             (size_t)unit);
}

// Two rows, the narrowest tile: their units are zipped.
TW_ZIP_INLINE void tw_zip_two_rows_of(const unsigned char* from,
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
  tw_transpose_chunks(from + c * unit, from_stride, to + 2 * c * unit, 2 * unit,
                      2, cols - c, unit);
}

static void tw_zip_two_rows(const unsigned char* from, tw_index_t from_stride,
                            unsigned char* to, tw_index_t cols, int unit) {
  switch (unit) {
#define TW_UNIT(size)                                      \
  case size:                                               \
    tw_zip_two_rows_of(from, from_stride, to, cols, size); \
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
    if (rows < p->tile_rows) tw_fill(to, in.tiles_c * in.tile, padding);
    // The pages of the next tiles' rows.
    if (in.line >= kPageBytes && ro + 1 < p->outer_rows)
      for (tw_index_t row = p->tile_rows; row < 2 * p->tile_rows; ++row)
        __builtin_prefetch(from + row * in.line, 0, 2);
    const tw_index_t done =
        rows < p->tile_rows ? 0
                            : tw_transpose_to(from, in.line, to, p->tile_rows,
                                              in.tiles_c, unit, p->stores);
    if (p->tile_rows == 2 && rows == 2)
      tw_zip_two_rows(from, in.line, to, in.tiles_c, (int)unit);
    else
      tw_transpose_chunks(from + done * unit, in.line, to + done * in.tile,
                          in.tile, rows, in.tiles_c - done, unit);
  }
}

// One row of tiles. Whole ones follow each other, so that what is behind the
// rows of one may be read, too: elements of the next.
TW_ZIP_INLINE void tw_untranspose_row(const tw_packing_t* p,
                                      const unsigned char* from,
                                      unsigned char* to, tw_index_t rows,
                                      int unit) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t few = p->tile_rows % (16 / unit);
  const tw_index_t many = rows == p->tile_rows ? rows - few : rows;
  tw_transpose_chunks(from, in.tile, to, in.line, in.tiles_c, many, unit);
  if (many < rows)
    tw_transpose_few_columns(from + many * unit, in.tile, to + many * in.line,
                             in.line, in.tiles_c, few, unit,
                             in.tiles_c * in.tile - many * unit);
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
#define TW_UNIT(size)                            \
  case size:                                     \
    tw_untranspose_row(p, from, to, rows, size); \
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

// Tiles of one row are the same as as many of one column: elements in a row.
static tw_packing_t tw_as_columns(const tw_packing_t* p) {
  tw_packing_t columns = *p;
  if (p->tile_rows != 1) return columns;
  columns.tile_cols = 1;
  columns.cols = p->cols / p->tile_cols * p->tile_cols;
  columns.outer_cols *= p->tile_cols;
  return columns;
}

// ---- choice -----------------------------------------------------------------

// Of rows of nibbles those that are bytes.
static int tw_has_rows_loop(const tw_packing_t* p) {
  return p->bits != 4 || p->tile_cols % 2 == 0;
}

int tw_has_pack_loop(const tw_packing_t* p) {
  return p->transpose ? (p->bits >= 8 && tw_as_columns(p).tile_cols == 1) ||
                            tw_can_interleave(p)
                      : tw_has_rows_loop(p);
}

int tw_has_unpack_loop(const tw_packing_t* p) {
  return p->transpose ? p->bits >= 8 : tw_has_rows_loop(p);
}

tw_index_t tw_pack_interior(const tw_packing_t* p, uint64_t padding,
                            const unsigned char* matrix,
                            unsigned char* packed) {
  if (p->bits == 4 && !p->transpose) {
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
  const tw_packing_t columns = tw_as_columns(p);
  if (columns.tile_cols == 1 && p->bits >= 8) {
    tw_copy_lines(&columns, (unsigned char*)matrix, packed, 0);
    return whole_rows;
  }
  tw_interleave_lines(p, matrix, packed);
  return whole_rows;
}

tw_index_t tw_unpack_interior(const tw_packing_t* p,
                              const unsigned char* packed,
                              unsigned char* matrix) {
  if (p->bits == 4 && !p->transpose) {
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
  const tw_packing_t columns = tw_as_columns(p);
  if (columns.tile_cols == 1 && p->bits >= 8) {
    tw_copy_lines(&columns, matrix, (unsigned char*)packed, 1);
    return whole_rows;
  }
  tw_deinterleave_lines(p, packed, matrix);
  return whole_rows;
}
