// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing of blocks, widening elements where the tile's are wider.

#include <string.h>

#include "ukernels/matmul_plan.h"
#include "ukernels/pack.h"

// Decodes `count` elements that follow each other, the first one at index
// `first` of `matrix`, into elements of `side->type`.
static void tw_widen_run(const tw_matmul_side_t* side, const void* matrix,
                         tw_index_t first, tw_index_t count, char* to) {
  enum { kRun = 256 };
  for (tw_index_t done = 0; done < count; done += kRun) {
    const int n = (int)(count - done < kRun ? count - done : kRun);
    const size_t at = (size_t)(first + done);
    if (side->type == TW_ELEMENT_F32) {
      tw_decode_f32(side->from, matrix, at, 1, n, (float*)to + done);
      continue;
    }
    int32_t values[kRun];
    tw_decode_s32(side->from, matrix, at, 1, n, values);
    for (int i = 0; i < n; ++i) {
      if (side->type == TW_ELEMENT_S16) {
        const int16_t x = (int16_t)values[i];
        memcpy(to + (size_t)(done + i) * sizeof x, &x, sizeof x);
      } else {
        to[done + i] = (char)values[i];
      }
    }
  }
}

// A part of the side's matrix, as it is.
static void tw_pack_part(const tw_matmul_side_t* side, const tw_packing_t* p,
                         const char* matrix, char* packed) {
  if (!side->pack) {
    tw_pack_matrix(p, 0, matrix, packed);
    return;
  }
  tw_pack_tile_params_t params = {0};
  params.rows = p->rows;
  params.cols = p->cols;
  params.matrix_stride = p->stride;
  params.outer_rows = p->outer_rows;
  params.outer_cols = p->outer_cols;
  side->pack(packed, matrix, &params);
}

// A part of the matrix from (row, col) on, as it is. The last row of tiles, if
// it is not whole and made of pieces of lines, is filled up with zeros in
// `wide` first: packing whole tiles is an order of magnitude quicker than
// packing elements.
static void tw_pack_whole(const tw_matmul_side_t* side, const tw_packing_t* p,
                          const char* matrix, tw_index_t row, tw_index_t col,
                          char* wide, char* packed) {
  const tw_index_t at =
      p->transpose ? col * p->stride + row : row * p->stride + col;
  const char* from = matrix + at * p->bits / 8;
  const tw_index_t rest = p->rows % p->tile_rows;
  if (rest == 0 || !p->transpose || p->bits == 4) {
    tw_pack_part(side, p, from, packed);
    return;
  }
  const tw_index_t step = p->packed_bytes / p->outer_rows;
  tw_packing_t part = *p;
  part.rows -= rest;
  if (--part.outer_rows > 0) {
    part.packed_bytes = part.outer_rows * step;
    tw_pack_part(side, &part, from, packed);
  }
  const tw_index_t size = p->bits / 8;
  for (tw_index_t i = 0; i < p->outer_cols * p->tile_cols; ++i) {
    char* line = wide + i * p->tile_rows * size;
    const tw_index_t inside = i < p->cols ? rest : 0;
    for (tw_index_t j = 0; j < inside * size; ++j)
      line[j] = from[(i * p->stride + part.rows) * size + j];
    for (tw_index_t j = inside * size; j < p->tile_rows * size; ++j)
      line[j] = 0;
  }
  part = *p;
  part.rows = part.stride = p->tile_rows;
  part.cols = p->outer_cols * p->tile_cols;
  part.outer_rows = 1;
  part.packed_bytes = step;
  tw_pack_part(side, &part, wide, packed + (p->outer_rows - 1) * step);
}

// One row of tiles, whose elements begin at any bit: widened into `wide` as a
// matrix of its own and packed from there.
static void tw_pack_widened_parts(const tw_matmul_side_t* side, tw_packing_t p,
                                  const void* matrix, tw_index_t row,
                                  tw_index_t col, char* wide, void* packed) {
  const tw_index_t line = p.transpose ? p.rows : p.cols;
  const tw_index_t lines = p.transpose ? p.cols : p.rows;
  for (tw_index_t i = 0; i < lines; ++i)
    tw_widen_run(side, matrix,
                 p.transpose ? (col + i) * side->stride + row
                             : (row + i) * side->stride + col,
                 line, wide + i * line * p.bits / 8);
  p.stride = line;
  tw_pack_matrix(&p, 0, wide, packed);
}

// One row of tiles, packed into `wide` as it lies and widened from there.
static void tw_pack_widened(const tw_matmul_side_t* side, tw_packing_t p,
                            const void* matrix, tw_index_t row, tw_index_t col,
                            char* wide, char* packed) {
  if (tw_element_bits(side->from) < 8) {
    tw_pack_widened_parts(side, p, matrix, row, col, wide, packed);
    return;
  }
  const tw_index_t elements = p.packed_bytes * 8 / p.bits;
  p.bits = tw_element_bits(side->from);
  p.packed_bytes = elements * p.bits / 8;
  tw_pack_whole(side, &p, (const char*)matrix, row, col, wide + p.packed_bytes,
                wide);
  tw_widen_run(side, wide, 0, elements, packed);
}

// A tile's groups of 4 bytes from [groups][rows] to [rows][groups].
static void tw_regroup(const tw_matmul_side_t* side, char* tile, char* wide) {
  const tw_index_t groups = side->tile_cols / side->group;
  memcpy(wide, tile, (size_t)side->step);
  tw_packing_t p = {0};
  p.bits = 32;
  p.transpose = 0;
  p.rows = p.tile_rows = groups;
  p.cols = p.stride = p.outer_cols = side->tile_rows;
  p.tile_cols = p.outer_rows = 1;
  p.packed_bytes = side->step;
  tw_pack_matrix(&p, 0, wide, tile);
}

// Tiles as the side's groups say.
static void tw_pack_groups(const tw_matmul_side_t* side, tw_index_t K,
                           const void* matrix, tw_index_t tile,
                           tw_index_t tiles, tw_index_t step, tw_index_t steps,
                           void* wide, void* packed) {
  const tw_index_t row = side->first + tile * side->tile_rows,
                   col = step * side->tile_cols;
  tw_packing_t p = {0};
  p.bits = tw_element_bits(side->type);
  p.transpose = side->transpose;
  p.rows = tw_inside(side->rows, row, tiles * side->tile_rows);
  p.cols = tw_inside(K, col, steps * side->tile_cols);
  p.stride = side->stride;
  p.tile_rows = side->tile_rows;
  p.tile_cols = side->group;
  p.outer_rows = tiles;
  p.outer_cols = steps * (side->tile_cols / side->group);
  p.packed_bytes = tiles * steps * side->step;
  p.zip_groups = side->zip_groups;
  if (p.packed_bytes == 0) return;
  if (side->from == side->type) {
    tw_pack_whole(side, &p, (const char*)matrix, row, col, (char*)wide,
                  (char*)packed);
    return;
  }
  for (tw_index_t t = 0; t < tiles; ++t) {
    tw_packing_t one = p;
    one.outer_rows = 1;
    one.rows = tw_inside(p.rows, t * p.tile_rows, p.tile_rows);
    one.packed_bytes = steps * side->step;
    tw_pack_widened(side, one, matrix, row + t * p.tile_rows, col, (char*)wide,
                    (char*)packed + t * one.packed_bytes);
  }
}

void tw_pack_side(const tw_matmul_side_t* side, tw_index_t K,
                  const void* matrix, tw_index_t tile, tw_index_t tiles,
                  tw_index_t step, tw_index_t steps, void* wide, void* packed) {
  if (side->gather) {
    tw_pack_gathered(side, matrix, tile, tiles, step, steps, wide, packed);
    return;
  }
  tw_pack_groups(side, K, matrix, tile, tiles, step, steps, wide, packed);
  if (side->resign) side->resign->flip(packed, tiles * steps * side->step);
  if (!side->regroups) return;
  for (tw_index_t i = 0; i < tiles * steps; ++i)
    tw_regroup(side, (char*)packed + i * side->step, (char*)wide);
}
