// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of which a line's run is less than a vector, as a transposed matrix of
// few rows a tile has, for the runs of usual tiles: lines are zipped in
// registers and go from there to their panels.

#include "ukernels/cpu.h"
#include "ukernels/interior.h"
#include "ukernels/interleave.h"
#include "ukernels/zip_lines.h"

// A way of L1: lines this far apart have the same set of it.
enum { kWayBytes = 4096, kWays = 8 };
// Bytes that a panel gets in a row, from registers and by way of a block.
enum { kNearRun = 128, kFarRun = 256 };

// How many of `count` lines, `line` bytes apart, share a set at most.
static tw_index_t tw_share_set(tw_index_t count, tw_index_t line) {
  const tw_index_t apart = line & -line;  // the greatest power of two in it
  return count * (apart < kWayBytes ? apart : kWayBytes) / kWayBytes;
}

// 16 bytes of lines, which are of as many panels as they hold runs of `run`
// bytes: of each as many tiles as fill a vector, or one.
TW_ZIP_INLINE void tw_zip_panels(const unsigned char* from, tw_index_t line,
                                 unsigned char* to, tw_index_t panel, int lines,
                                 int width, int run) {
  const int tile = run * lines, tiles = tile < 16 ? 16 / tile : 1;
  tw_v16u8 v[16], column[16];
  TW_UNROLL_ALL for (int i = 0; i < tiles; ++i) {
    tw_zip_lines(v + i * lines, from + i * lines * line, line, lines, width);
  }
  TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
    if (tiles == 1) {
      tw_v16_store(to + i * 16 / tile * panel + i * 16 % tile, v[i]);
      continue;
    }
    TW_UNROLL_ALL for (int j = 0; j < tiles; ++j) {
      column[j] = v[j * lines + i];
    }
    tw_zip(column, tiles, tile);
    TW_UNROLL_ALL for (int j = 0; j < tiles; ++j) {
      tw_v16_store(to + (i * tiles + j) * panel, column[j]);
    }
  }
}

// All tiles, of runs of 1, 2, 4 or 8 bytes, from registers to their panels, of
// which each gets two cache lines in a row. Or, of what `copies`, by way of a
// block, to which whole cache lines of the lines are copied; panels get four
// (of single bytes two) then.
TW_ZIP_INLINE void tw_interleave_panels_by(const tw_packing_t* p,
                                           const unsigned char* matrix,
                                           unsigned char* packed, int lines,
                                           int width, int run, tw_index_t whole,
                                           int copies) {
  enum { kMostLines = 128 };
  const tw_interior_t in = tw_interior_of(p);
  const int tile = run * lines, vector = tile < 16 ? 16 / tile : 1;
  const int row = !copies ? kNearRun : run < 2 ? kMostLines * run : kFarRun;
  const int tiles = row > tile ? row / tile : 1;
  const int panels = (copies ? 64 : 16) / run;
  unsigned char block[kMostLines * 64];
  for (tw_index_t begin = 0; begin < whole; begin += tiles) {
    const tw_index_t count = tw_inside(whole, begin, tiles);
    for (tw_index_t i = 0; i < in.tiles_r; i += panels) {
      // The last panels may be some of those before.
      const tw_index_t ro = i + panels > in.tiles_r ? in.tiles_r - panels : i;
      const unsigned char* from = matrix + begin * lines * in.line + ro * run;
      unsigned char* to = packed + ro * in.panel + begin * tile;
      if (copies)
        for (tw_index_t l = 0; l < count * lines; ++l) {
          __builtin_prefetch(from + l * in.line + 64, 0, 3);
          memcpy(block + l * 64, from + l * in.line, 64);
        }
      const unsigned char* const at = copies ? block : from;
      const tw_index_t line = copies ? 64 : in.line;
      for (int r = 0; r < panels; r += 16 / run)
        for (tw_index_t co = 0; co < count; co += vector)
          tw_zip_panels(at + co * lines * line + r * run, line,
                        to + r * in.panel + co * tile, in.panel, lines, width,
                        run);
    }
  }
}

// The same; copies where as many lines as a panel gets in a row do not stay in
// L1, or panels share a set of it. Returns how many columns of tiles there
// were: none where there are fewer panels than fill a vector.
TW_ZIP_INLINE tw_index_t tw_interleave_panels(const tw_packing_t* p,
                                              const unsigned char* matrix,
                                              unsigned char* packed, int lines,
                                              int width, int run) {
  const tw_interior_t in = tw_interior_of(p);
  const int tile = run * lines, vector = tile < 16 ? 16 / tile : 1;
  const tw_index_t whole = in.tiles_c / vector * vector;
  const int bytes = run < 8 ? kNearRun : kFarRun;
  const int shares = tw_share_set(bytes / run, in.line) > kWays ||
                     (run < 8 && in.panel % kWayBytes == 0);
  if (in.tiles_r * run < 16) return 0;
  if (shares && in.tiles_r * run >= 64)
    tw_interleave_panels_by(p, matrix, packed, lines, width, run, whole, 1);
  else
    tw_interleave_panels_by(p, matrix, packed, lines, width, run, whole, 0);
  return whole;
}

// One tile of runs of `run` bytes, less than a vector: what is read behind them
// is written behind the tile.
TW_ZIP_INLINE void tw_zip_tile(const unsigned char* from, tw_index_t line,
                               unsigned char* to, int lines, int width,
                               int run) {
  tw_v16u8 v[16];
  TW_UNROLL_ALL for (int i = 0; i < lines; ++i) {
    if (run > 8) {
      v[i] = tw_v16_load(from + i * line);
      continue;
    }
    uint64_t half;
    memcpy(&half, from + i * line, 8);
    v[i] = (tw_v16u8)(tw_v2u64){half, 0};
  }
  tw_zip(v, lines, width);
  TW_UNROLL_ALL for (int i = 0; i < (run * lines + 15) / 16; ++i) {
    tw_v16_store(to + 16 * i, v[i]);
  }
}

// All tiles, of runs of 6 or 12 bytes. A tile is written over what is behind
// the one before it; nothing is read behind the last panel, nor written behind
// a panel's last tile.
TW_ZIP_INLINE tw_index_t tw_interleave_over(const tw_packing_t* p,
                                            const unsigned char* matrix,
                                            unsigned char* packed, int lines,
                                            int width, int run) {
  enum { kLeastLines = 16, kMostLines = 64 };
  const tw_interior_t in = tw_interior_of(p);
  const int tile = run * lines, written = (tile + 15) / 16 * 16;
  // Tiles behind one that are written over.
  const int behind = (written - tile + tile - 1) / tile;
  unsigned char block[kMostLines * 16], one[16 * 16];
  tw_index_t some = kMostLines;
  while (some > kLeastLines && 2 * tw_share_set(some, in.line) > kWays)
    some /= 2;
  for (tw_index_t begin = 0; begin < in.tiles_c; begin += some / lines) {
    const tw_index_t count = tw_inside(in.tiles_c, begin, some / lines);
    const tw_index_t over = tw_inside(in.tiles_c - behind, begin, count);
    for (tw_index_t ro = 0; ro < in.tiles_r; ++ro) {
      const unsigned char* from = matrix + begin * lines * in.line + ro * run;
      unsigned char* to = packed + ro * in.panel + begin * tile;
      tw_index_t line = in.line;
      if (ro == in.tiles_r - 1) {
        for (tw_index_t l = 0; l < count * lines; ++l)
          memcpy(block + l * 16, from + l * line, (size_t)run);
        from = block;
        line = 16;
      }
      tw_index_t co = 0;
      for (; co < over; ++co)
        tw_zip_tile(from + co * lines * line, line, to + co * tile, lines,
                    width, run);
      for (; co < count; ++co) {
        tw_zip_tile(from + co * lines * line, line, one, lines, width, run);
        memcpy(to + co * tile, one, (size_t)tile);
      }
    }
  }
  return in.tiles_c;
}

tw_index_t tw_interleave_straight(const tw_packing_t* p,
                                  const unsigned char* matrix,
                                  unsigned char* packed, tw_index_t run) {
  if (!TW_CPU_HAS_VECTORS) return 0;
  // Of single lines runs are copied, whatever their elements are.
  const tw_index_t width = p->tile_cols == 1 ? 1 : p->bits / 8;
  switch ((p->tile_cols * 16 + width) * 16 + run) {
#define TW_PANELS(lines, width, run)          \
  case ((lines) * 16 + (width)) * 16 + (run): \
    return tw_interleave_panels(p, matrix, packed, lines, width, run);
#define TW_OVER(lines, width, run)            \
  case ((lines) * 16 + (width)) * 16 + (run): \
    return tw_interleave_over(p, matrix, packed, lines, width, run);
#define TW_BYTES(lines)  \
  TW_PANELS(lines, 1, 2) \
  TW_PANELS(lines, 1, 4) \
  TW_PANELS(lines, 1, 8) TW_OVER(lines, 1, 6) TW_OVER(lines, 1, 12)
#define TW_PAIRS(lines) \
  TW_PANELS(lines, 2, 4) TW_PANELS(lines, 2, 8) TW_OVER(lines, 2, 12)
    TW_PANELS(1, 1, 1)
    TW_BYTES(1)
    TW_BYTES(2)
    TW_BYTES(4)
    TW_BYTES(8)
    TW_PAIRS(2)
    TW_PAIRS(8)
    // 8 and 16 rows of nibbles
    TW_PANELS(8, 0, 4)
    TW_PANELS(8, 0, 8)
#undef TW_PAIRS
#undef TW_BYTES
#undef TW_OVER
#undef TW_PANELS
    default:
      return 0;
  }
}
