// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of the matrix become the columns of a tile: a tile's run of each is
// read 16 bytes at a time, a vector each, and zipped together. Runs of less are
// zipped for several rows of tiles at once, and taken apart after that.

#include "ukernels/interleave.h"

#include "ukernels/interior.h"
#include "ukernels/transpose.h"
#include "ukernels/zip_lines.h"

// ---- Zipping ----------------------------------------------------------------

// tw_zip_lines to memory.
TW_ZIP_INLINE void tw_zip_vectors(const unsigned char* from, tw_index_t line,
                                  unsigned char* to, int lines, int width) {
  tw_v16u8 v[16];
  tw_zip_lines(v, from, line, lines, width);
  TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
    tw_v16_store(to + 16 * i, v[i]);
  }
}

// The same of `bytes` bytes, 16 or more: the last vector overlaps the one
// before it.
TW_ZIP_INLINE void tw_zip_run(const unsigned char* from, tw_index_t line,
                              unsigned char* to, tw_index_t bytes, int lines,
                              int width) {
  tw_index_t at = 0;
  for (; at + 16 <= bytes; at += 16)
    tw_zip_vectors(from + at, line, to + at * lines, lines, width);
  if (at < bytes)
    tw_zip_vectors(from + bytes - 16, line, to + (bytes - 16) * lines, lines,
                   width);
}

typedef void (*tw_zip_fn_t)(const unsigned char* from, tw_index_t line,
                            unsigned char* to, tw_index_t bytes,
                            tw_index_t lines);

// Lines that are zipped, and bytes of an element, of vectors of 16 bytes. 0: of
// half a byte.
#define TW_WHOLE_ELEMENTS(X) \
  X(2, 1)                    \
  X(4, 1) X(8, 1) X(16, 1) X(2, 2) X(4, 2) X(8, 2) X(2, 4) X(4, 4) X(2, 8)
#define TW_ZIPPED_LINES(X) X(2, 0) X(4, 0) X(8, 0) X(16, 0) TW_WHOLE_ELEMENTS(X)

#define TW_ZIP_RUN(count, width)                                     \
  static void tw_zip_run_##count##_##width(                          \
      const unsigned char* from, tw_index_t line, unsigned char* to, \
      tw_index_t bytes, tw_index_t lines) {                          \
    (void)lines;                                                     \
    tw_zip_run(from, line, to, bytes, count, width);                 \
  }
TW_ZIPPED_LINES(TW_ZIP_RUN)
#undef TW_ZIP_RUN

// Any other number of lines.
#define TW_TRANSPOSE_RUN(width)                                              \
  static void tw_transpose_run_##width(const unsigned char* from,            \
                                       tw_index_t line, unsigned char* to,   \
                                       tw_index_t bytes, tw_index_t lines) { \
    tw_transpose_chunks(from, line, to, lines * (width), lines,              \
                        bytes / (width), width);                             \
  }
TW_TRANSPOSE_RUN(1)
TW_TRANSPOSE_RUN(2)
TW_TRANSPOSE_RUN(4)
TW_TRANSPOSE_RUN(8)
#undef TW_TRANSPOSE_RUN

// What zips `lines` lines of `bits`-bit elements; null if nothing does.
static tw_zip_fn_t tw_zip_of(tw_index_t lines, int bits) {
  switch (lines * 16 + bits / 8) {
#define TW_LINES(lines, width) \
  case (lines) * 16 + (width): \
    return tw_zip_run_##lines##_##width;
    TW_ZIPPED_LINES(TW_LINES)
#undef TW_LINES
    default:
      break;
  }
  switch (bits) {
    case 8:
      return tw_transpose_run_1;
    case 16:
      return tw_transpose_run_2;
    case 32:
      return tw_transpose_run_4;
    case 64:
      return tw_transpose_run_8;
    default:
      return 0;
  }
}

// ---- Runs of a vector and more ----------------------------------------------

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

// All tiles, of runs of `bytes`, by `zip` where `width` is -1, or else by
// tw_zip_run, all constants then: a tile may be as small as 32 bytes, too
// little for a call. So many panels share the cache lines of the matrix's
// lines, and are packed together: lines a page apart do not stay in L1.
TW_ZIP_INLINE void tw_interleave_tiles(const tw_packing_t* p,
                                       const unsigned char* matrix,
                                       unsigned char* packed, int panels,
                                       tw_index_t bytes, tw_index_t lines,
                                       int width, tw_zip_fn_t zip) {
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
        tw_ask_for_panels(&in, asks, far, from, (int)((end - begin) * lines),
                          ro * bytes, some * bytes, to, some, run);
      for (tw_index_t co = begin; co < end; ++co) {
        for (int i = 0; i < some; ++i) {
          if (width < 0)
            zip(from + i * bytes, in.line, to + i * panel, bytes, lines);
          else
            tw_zip_run(from + i * bytes, in.line, to + i * panel, bytes,
                       (int)lines, width);
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

// The runs of most tiles.
static int tw_interleave_usual(const tw_packing_t* p,
                               const unsigned char* matrix,
                               unsigned char* packed, tw_index_t run) {
  switch ((p->tile_cols * 16 + p->bits / 8) * 128 + run) {
#define TW_LINES_OF(lines, width, panels, run)                        \
  case ((lines) * 16 + (width)) * 128 + (run):                        \
    tw_interleave_tiles(p, matrix, packed, panels, run, lines, width, \
                        /*zip=*/0);                                   \
    return 1;
#define TW_LINES(lines, width)     \
  TW_LINES_OF(lines, width, 4, 16) \
  TW_LINES_OF(lines, width, 1, 24) \
  TW_LINES_OF(lines, width, 2, 32) \
  TW_LINES_OF(lines, width, 1, 64)
    TW_WHOLE_ELEMENTS(TW_LINES)
    // 32 rows of nibbles
    TW_LINES_OF(2, 0, 4, 16)
    TW_LINES_OF(4, 0, 4, 16)
    TW_LINES_OF(8, 0, 4, 16)
#undef TW_LINES
#undef TW_LINES_OF
    default:
      return 0;
  }
}

// ---- Shorter runs -----------------------------------------------------------

// So much is zipped and taken apart at a time.
enum { kShortBlock = 8 << 10 };

// The bytes of a strip of the lines: whole cache lines if they fit; vectors
// always, of lines that are zipped.
static tw_index_t tw_short_strip(tw_index_t run, tw_index_t lines) {
  tw_index_t strip = run;
  while (strip % 64 != 0 && 2 * strip * lines <= kShortBlock) strip *= 2;
  return strip;
}

// All tiles, of runs of less than a vector. A strip of the lines is zipped into
// rows of a block, one for each tile, in which tiles of different panels stand
// beside each other; from there each goes to its own.
static void tw_interleave_short(const tw_packing_t* p,
                                const unsigned char* matrix,
                                unsigned char* packed, tw_index_t run,
                                tw_zip_fn_t zip) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t lines = p->tile_cols;
  const tw_index_t strip = tw_short_strip(run, lines);
  const tw_index_t panels = strip / run, row = strip * lines;
  const tw_index_t tiles = kShortBlock / row;
  unsigned char block[kShortBlock], part[kShortBlock];
  for (tw_index_t begin = 0; begin < in.tiles_c; begin += tiles) {
    const tw_index_t count = tw_inside(in.tiles_c, begin, tiles);
    for (tw_index_t ro = 0; ro < in.tiles_r; ro += panels) {
      const tw_index_t some = tw_inside(in.tiles_r, ro, panels);
      const unsigned char* from = matrix + begin * lines * in.line + ro * run;
      tw_index_t line = in.line;
      if (some < panels) {  // nothing is read behind the last panel
        for (tw_index_t i = 0; i < count * lines; ++i)
          memcpy(part + i * strip, from + i * line, (size_t)(some * run));
        from = part;
        line = strip;
      }
      for (tw_index_t i = 0; i < count; ++i)
        zip(from + i * lines * line, line, block + i * row, strip, lines);
      tw_transpose_chunks(block, row, packed + ro * in.panel + begin * in.tile,
                          in.panel, count, some, in.tile);
    }
  }
}

int tw_can_interleave(const tw_packing_t* p) {
  const tw_index_t run = p->tile_rows * p->bits / 8;
  return p->tile_rows * p->bits % 8 == 0 &&
         (run >= 16 || run * p->tile_cols <= kShortBlock) &&
         tw_zip_of(p->tile_cols, p->bits);
}

void tw_interleave_lines(const tw_packing_t* p, const unsigned char* matrix,
                         unsigned char* packed) {
  if (p->zip_groups && p->zip_groups(p, matrix, packed)) return;
  const tw_zip_fn_t zip = tw_zip_of(p->tile_cols, p->bits);
  const tw_index_t run = p->tile_rows * p->bits / 8;
  if (run < 16) {
    const tw_interior_t in = tw_interior_of(p);
    const tw_index_t done = tw_interleave_straight(p, matrix, packed, run);
    if (done == in.tiles_c) return;
    tw_packing_t rest = *p;
    rest.cols -= done * p->tile_cols;
    tw_interleave_short(&rest, matrix + done * p->tile_cols * in.line,
                        packed + done * in.tile, run, zip);
    return;
  }
  if (run >= 128 || !tw_interleave_usual(p, matrix, packed, run))
    tw_interleave_tiles(p, matrix, packed, 1, run, p->tile_cols, -1, zip);
}

// ---- The way back -----------------------------------------------------------

// What tw_zip_vectors has zipped becomes 16 bytes of each of `lines` lines.
TW_ZIP_INLINE void tw_unzip_vectors(const unsigned char* from,
                                    unsigned char* to, tw_index_t line,
                                    int lines, int width) {
  tw_v16u8 v[16];
  TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
    v[i] = tw_v16_load(from + 16 * i);
  }
  tw_unzip(v, lines, width);
  TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
    tw_v16_store(to + i * line, v[i]);
  }
}

// And what tw_zip_run has, `bytes` of each.
TW_ZIP_INLINE void tw_unzip_run(const unsigned char* from, unsigned char* to,
                                tw_index_t line, tw_index_t bytes, int lines,
                                int width) {
  tw_index_t at = 0;
  for (; at + 16 <= bytes; at += 16)
    tw_unzip_vectors(from + at * lines, to + at, line, lines, width);
  if (at < bytes)
    tw_unzip_vectors(from + (bytes - 16) * lines, to + bytes - 16, line, lines,
                     width);
}

typedef void (*tw_unzip_fn_t)(const unsigned char* from, unsigned char* to,
                              tw_index_t line, tw_index_t bytes);
#define TW_UNZIP_RUN(lines, width)                                   \
  static void tw_unzip_run_##lines##_##width(                        \
      const unsigned char* from, unsigned char* to, tw_index_t line, \
      tw_index_t bytes) {                                            \
    tw_unzip_run(from, to, line, bytes, lines, width);               \
  }
TW_WHOLE_ELEMENTS(TW_UNZIP_RUN)
#undef TW_UNZIP_RUN

// Runs of less than a vector, as tw_interleave_short.
static void tw_deinterleave_short(const tw_packing_t* p,
                                  const unsigned char* packed,
                                  unsigned char* matrix, tw_unzip_fn_t unzip) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t lines = p->tile_cols, run = p->tile_rows * in.element;
  const tw_index_t strip = tw_short_strip(run, lines);
  const tw_index_t panels = strip / run, row = strip * lines;
  const tw_index_t tiles = kShortBlock / row;
  unsigned char block[kShortBlock], part[kShortBlock];
  for (tw_index_t begin = 0; begin < in.tiles_c; begin += tiles) {
    const tw_index_t count = tw_inside(in.tiles_c, begin, tiles);
    for (tw_index_t ro = 0; ro < in.tiles_r; ro += panels) {
      const tw_index_t some = tw_inside(in.tiles_r, ro, panels);
      unsigned char* to = matrix + begin * lines * in.line + ro * run;
      tw_transpose_chunks(packed + ro * in.panel + begin * in.tile, in.panel,
                          block, row, some, count, in.tile);
      if (some == panels) {
        for (tw_index_t i = 0; i < count; ++i)
          unzip(block + i * row, to + i * lines * in.line, in.line, strip);
        continue;
      }
      for (tw_index_t i = 0; i < count; ++i)
        unzip(block + i * row, part + i * row, strip, strip);
      for (tw_index_t i = 0; i < count * lines; ++i)
        memcpy(to + i * in.line, part + i * strip, (size_t)(some * run));
    }
  }
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
        tw_unzip_run(packed + ro * in.panel + co * in.tile,
                     matrix + co * lines * in.line + ro * bytes, in.line, bytes,
                     lines, width);
  }
}

// Any other number of lines: each tile is transposed back.
static void tw_untranspose_tiles(const tw_packing_t* p,
                                 const unsigned char* packed,
                                 unsigned char* matrix) {
  const tw_interior_t in = tw_interior_of(p);
  const tw_index_t lines = p->tile_cols, run = p->tile_rows * in.element;
  for (tw_index_t co = 0; co < in.tiles_c; ++co)
    for (tw_index_t ro = 0; ro < in.tiles_r; ++ro)
      tw_transpose_chunks(packed + ro * in.panel + co * in.tile,
                          lines * in.element,
                          matrix + co * lines * in.line + ro * run, in.line,
                          p->tile_rows, lines, in.element);
}

void tw_deinterleave_lines(const tw_packing_t* p, const unsigned char* packed,
                           unsigned char* matrix) {
#define TW_LINES(lines, width)                                \
  case (lines) * 16 + (width):                                \
    if (p->tile_rows * (width) < 16)                          \
      tw_deinterleave_short(p, packed, matrix,                \
                            tw_unzip_run_##lines##_##width);  \
    else                                                      \
      tw_deinterleave_tiles(p, packed, matrix, lines, width); \
    break;
  switch (p->tile_cols * 16 + p->bits / 8) {
    TW_WHOLE_ELEMENTS(TW_LINES)
    default:
      tw_untranspose_tiles(p, packed, matrix);
  }
#undef TW_LINES
}
