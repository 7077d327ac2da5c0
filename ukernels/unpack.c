// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <string.h>

#include "ukernels/pack_edges.h"
#include "ukernels/pack_interior.h"

// A tile of which the first rows x cols elements lie inside the matrix. `size`:
// bytes of an element, a constant.
static inline __attribute__((always_inline)) void tw_unpack_edge_tile(
    const tw_packing_t* p, size_t size, const unsigned char* from,
    unsigned char* to, tw_index_t rows, tw_index_t cols) {
  const size_t row_step = size * (size_t)(p->transpose ? 1 : p->stride);
  const size_t col_step = size * (size_t)(p->transpose ? p->stride : 1);
  const size_t row_bytes = size * (size_t)p->tile_cols;
  const int runs = !p->transpose && row_bytes >= 16;
  for (tw_index_t r = 0; r < rows; ++r, from += row_bytes) {
    if (runs) {
      memcpy(to + (size_t)r * row_step, from, (size_t)cols * size);
      continue;
    }
    for (tw_index_t c = 0; c < cols; ++c)
      memcpy(to + (size_t)r * row_step + (size_t)c * col_step,
             from + (size_t)c * size, size);
  }
}

// Unpacks the tiles of a block over an edge one by one.
static void tw_unpack_edge(const tw_packing_t* p, const unsigned char* packed,
                           unsigned char* matrix, const tw_tiles_t* block) {
  for (tw_index_t ro = block->row; ro < block->row + block->rows; ++ro)
    for (tw_index_t co = block->col; co < block->col + block->cols; ++co) {
      const tw_index_t row = ro * p->tile_rows, col = co * p->tile_cols;
      const tw_index_t rows = tw_inside(p->rows, row, p->tile_rows);
      const tw_index_t cols = tw_inside(p->cols, col, p->tile_cols);
      const unsigned char* from = packed + tw_packed_at(p, ro, co);
      unsigned char* to = matrix + tw_matrix_at(p, row, col) * p->bits / 8;
      switch (p->bits) {
        case 4:
          for (tw_index_t r = 0; r < rows; ++r)
            for (tw_index_t c = 0; c < cols; ++c)
              tw_put_nibble(matrix, tw_matrix_at(p, row + r, col + c),
                            tw_get_nibble(from, r * p->tile_cols + c));
          break;
        case 8:
          tw_unpack_edge_tile(p, 1, from, to, rows, cols);
          break;
        case 16:
          tw_unpack_edge_tile(p, 2, from, to, rows, cols);
          break;
        case 32:
          tw_unpack_edge_tile(p, 4, from, to, rows, cols);
          break;
        default:
          tw_unpack_edge_tile(p, 8, from, to, rows, cols);
      }
    }
}

// As tw_pack_matrix.
void tw_unpack_matrix(const tw_packing_t* p, const void* packed, void* matrix) {
  const int loop = tw_has_unpack_loop(p), own = loop && tw_has_edge_lines(p);
  unsigned char lines[kEdgeBytes];
  tw_tiles_t whole = tw_whole_tiles(p), block = whole;
  for (tw_index_t i = 0; i == 0 || block.rows > 0; ++i) {
    const int edge = i > 0;
    tw_packing_t part = *p;
    const unsigned char* from = (const unsigned char*)packed;
    unsigned char* to = (unsigned char*)matrix;
    if (edge && own) {
      tw_narrow_to_block(&part, &block);
      from += tw_packed_at(p, block.row, block.col);
      to = lines;
    }
    const tw_index_t done =
        (edge ? own : loop) ? tw_unpack_interior(&part, from, to) : 0;
    if (!edge) {
      whole.rows = done;
    } else if (own) {
      const tw_edge_lines_t inside = tw_edge_lines(p, &block);
      tw_scatter_edge(&inside, lines, (unsigned char*)matrix);
    } else {
      tw_unpack_edge(p, from, to, &block);
    }
    block = tw_edge_block(p, &whole, i);
  }
}

static void tw_unpack_part(const tw_packing_t* part, uint64_t padding,
                           unsigned char* matrix, unsigned char* packed) {
  (void)padding;
  tw_unpack_matrix(part, packed, matrix);
}

tw_status_t tw_unpack(const tw_pack_params_t* params, const void* packed,
                      tw_index_t packed_bytes, void* matrix,
                      const tw_parallel_for_t* parallel_for) {
  tw_packing_t p;
  const tw_status_t status = tw_check_pack_call(
      params, matrix, packed, packed_bytes, parallel_for, &p, /*fault=*/0);
  if (status != TW_STATUS_OK || p.packed_bytes == 0) return status;
  tw_pack_parts(&p, 0, (unsigned char*)matrix, (unsigned char*)packed,
                parallel_for, tw_unpack_part);
  return TW_STATUS_OK;
}
