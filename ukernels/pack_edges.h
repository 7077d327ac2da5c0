// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the tiles over the edges of a matrix, in blocks. Those of one that
// lies transposed have lines of their own, which are packed as a matrix of
// whole tiles is: element by element, an edge of a few columns takes as long as
// all the rest.

#ifndef UKERNELS_PACK_EDGES_H_
#define UKERNELS_PACK_EDGES_H_

#include <string.h>

#include "ukernels/interior.h"

// What the lines of one block take, at most.
enum { kEdgeBytes = 4 << 10 };

// Tiles [row, row + rows) x [col, col + cols) of a packing.
typedef struct tw_tiles_t {
  tw_index_t row, col, rows, cols;
} tw_tiles_t;

// The tiles that lie inside the matrix.
static inline tw_tiles_t tw_whole_tiles(const tw_packing_t* p) {
  const tw_tiles_t whole = {0, 0, p->rows / p->tile_rows,
                            p->cols / p->tile_cols};
  return whole;
}

// Whether blocks have lines of their own, which are bytes.
static inline int tw_has_edge_lines(const tw_packing_t* p) {
  return p->transpose && p->tile_rows * p->bits % 8 == 0 &&
         tw_tile_bytes(p) <= kEdgeBytes;
}

static inline tw_index_t tw_blocks_of(tw_index_t tiles, tw_index_t block) {
  return (tiles + block - 1) / block;
}

// Block `i` of those that cover all tiles but `whole`: down the columns of
// tiles behind them, then along the rows below. Has no tiles behind the last.
static inline tw_tiles_t tw_edge_block(const tw_packing_t* p,
                                       const tw_tiles_t* whole, tw_index_t i) {
  const tw_index_t tile = tw_tile_bytes(p);
  const tw_index_t most = tile < kEdgeBytes ? kEdgeBytes / tile : 1;
  const tw_index_t down = tw_blocks_of(whole->rows, most);
  const tw_index_t along = tw_blocks_of(p->outer_cols, most);
  const tw_index_t right = (p->outer_cols - whole->cols) * down;
  tw_tiles_t block = {0, 0, 0, 0};
  if (i < right) {
    block.row = i % down * most;
    block.col = whole->cols + i / down;
    block.rows = tw_inside(whole->rows, block.row, most);
    block.cols = 1;
  } else if (i - right < (p->outer_rows - whole->rows) * along) {
    block.row = whole->rows + (i - right) / along;
    block.col = (i - right) % along * most;
    block.rows = 1;
    block.cols = tw_inside(p->outer_cols, block.col, most);
  }
  return block;
}

// Makes of the whole packing that of a block with lines of its own, all of
// whose tiles are whole.
static inline void tw_narrow_to_block(tw_packing_t* p,
                                      const tw_tiles_t* block) {
  p->rows = p->stride = block->rows * p->tile_rows;
  p->cols = block->cols * p->tile_cols;
  p->outer_rows = block->rows;
  p->stores = TW_PACK_STORES_NEAR;
}

// How much of a block lies inside the matrix, and where it begins there. Of a
// row of nibbles the last byte may be half inside.
typedef struct tw_edge_lines_t {
  tw_index_t count;     // lines inside
  tw_index_t bytes;     // of each, what is inside
  int half;             // of the last byte, its low nibble alone
  tw_index_t line;      // bytes of one
  tw_index_t all;       // lines
  tw_index_t at, step;  // the first one's place in the matrix, and the distance
} tw_edge_lines_t;

static inline tw_edge_lines_t tw_edge_lines(const tw_packing_t* p,
                                            const tw_tiles_t* block) {
  const tw_index_t row = block->row * p->tile_rows;
  const tw_index_t col = block->col * p->tile_cols;
  const tw_index_t rows =
      tw_inside(p->rows, row, block->rows * p->tile_rows) * p->bits;
  tw_edge_lines_t l;
  l.all = block->cols * p->tile_cols;
  l.count = rows > 0 ? tw_inside(p->cols, col, l.all) : 0;
  l.bytes = (rows + 7) / 8;
  l.half = rows % 8 != 0;
  l.line = block->rows * p->tile_rows * p->bits / 8;
  l.step = p->stride * p->bits / 8;
  l.at = col * l.step + row * p->bits / 8;
  return l;
}

// memcpy of the few bytes of an edge's line: no call, whose branches are the
// same for all lines. The last eight (four) bytes overlap those before.
static inline void tw_copy_few(unsigned char* to, const unsigned char* from,
                               tw_index_t bytes) {
  const tw_index_t some = bytes >= 8 ? 8 : bytes >= 4 ? 4 : 1;
  for (tw_index_t at = 0; at < bytes; at += some) {
    const tw_index_t i = bytes - at < some ? bytes - some : at;
    if (some == 8)
      memcpy(to + i, from + i, 8);
    else if (some == 4)
      memcpy(to + i, from + i, 4);
    else
      to[i] = from[i];
  }
}

// Copies what lies inside the matrix to the block's lines; the rest is padding.
static inline void tw_gather_edge(const tw_edge_lines_t* l, uint64_t padding,
                                  const unsigned char* matrix,
                                  unsigned char* lines) {
  tw_fill(lines, l->all * l->line, padding);
  for (tw_index_t i = 0; i < l->count; ++i, lines += l->line) {
    tw_copy_few(lines, matrix + l->at + i * l->step, l->bytes);
    unsigned char* last = lines + l->bytes - 1;
    if (l->half) *last = (unsigned char)((*last & 0xF) | (padding & 0xF0));
  }
}

// The way back, of elements of bytes.
static inline void tw_scatter_edge(const tw_edge_lines_t* l,
                                   const unsigned char* lines,
                                   unsigned char* matrix) {
  for (tw_index_t i = 0; i < l->count; ++i, lines += l->line)
    tw_copy_few(matrix + l->at + i * l->step, lines, l->bytes);
}

#endif  // UKERNELS_PACK_EDGES_H_
