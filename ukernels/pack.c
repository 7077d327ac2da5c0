// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/pack.h"

#include <string.h>

#include "ukernels/core.h"
#include "ukernels/cpu.h"
#include "ukernels/element.h"
#include "ukernels/index.h"
#include "ukernels/pack_edges.h"
#include "ukernels/pack_interior.h"
#include "ukernels/zip.h"
#include "ukernels/zip_groups.h"

tw_status_t tw_packed_size(const tw_pack_params_t* params, tw_index_t* bytes) {
  if (!bytes) return TW_STATUS_INVALID_ARGUMENT;
  tw_packing_t p;
  const tw_status_t status = tw_check_packing(params, &p, /*fault=*/0);
  if (status == TW_STATUS_OK) *bytes = p.packed_bytes;
  return status;
}

// A tile over an edge: its first rows x cols elements lie inside the matrix.
// The rest is padding. `size`: bytes of an element, a constant.
static inline __attribute__((always_inline)) void tw_pack_edge_tile(
    const tw_packing_t* p, size_t size, const unsigned char* from,
    unsigned char* to, tw_index_t rows, tw_index_t cols, uint64_t padding) {
  const size_t row_step = size * (size_t)(p->transpose ? 1 : p->stride);
  const size_t col_step = size * (size_t)(p->transpose ? p->stride : 1);
  const size_t row_bytes = size * (size_t)p->tile_cols;
  const int runs = !p->transpose && row_bytes >= 16;
  for (tw_index_t r = 0; r < p->tile_rows; ++r, to += row_bytes) {
    const size_t inside = r < rows ? (size_t)cols : 0;
    if (runs && inside > 0)
      memcpy(to, from + (size_t)r * row_step, inside * size);
    else
      for (size_t c = 0; c < inside; ++c)
        memcpy(to + c * size, from + (size_t)r * row_step + c * col_step, size);
    tw_fill(to + inside * size, (tw_index_t)(row_bytes - inside * size),
            padding);
  }
}

static void tw_pack_edge_nibbles(const tw_packing_t* p,
                                 const unsigned char* matrix, unsigned char* to,
                                 tw_index_t row, tw_index_t col,
                                 tw_index_t rows, tw_index_t cols,
                                 uint64_t padding) {
  tw_index_t i = 0;
  for (tw_index_t r = 0; r < p->tile_rows; ++r)
    for (tw_index_t c = 0; c < p->tile_cols; ++c, ++i)
      tw_put_nibble(
          to, i,
          r < rows && c < cols
              ? tw_get_nibble(matrix, tw_matrix_at(p, row + r, col + c))
              : (unsigned)padding & 15u);
}

// Packs the tiles of a block over an edge one by one.
static void tw_pack_edge(const tw_packing_t* p, uint64_t padding,
                         const unsigned char* matrix, unsigned char* packed,
                         const tw_tiles_t* block) {
  for (tw_index_t ro = block->row; ro < block->row + block->rows; ++ro)
    for (tw_index_t co = block->col; co < block->col + block->cols; ++co) {
      const tw_index_t row = ro * p->tile_rows, col = co * p->tile_cols;
      const tw_index_t rows = tw_inside(p->rows, row, p->tile_rows);
      const tw_index_t cols = tw_inside(p->cols, col, p->tile_cols);
      const unsigned char* from =
          matrix + tw_matrix_at(p, row, col) * p->bits / 8;
      unsigned char* to = packed + tw_packed_at(p, ro, co);
      switch (p->bits) {
        case 4:
          tw_pack_edge_nibbles(p, matrix, to, row, col, rows, cols, padding);
          break;
        case 8:
          tw_pack_edge_tile(p, 1, from, to, rows, cols, padding);
          break;
        case 16:
          tw_pack_edge_tile(p, 2, from, to, rows, cols, padding);
          break;
        case 32:
          tw_pack_edge_tile(p, 4, from, to, rows, cols, padding);
          break;
        default:
          tw_pack_edge_tile(p, 8, from, to, rows, cols, padding);
      }
    }
}

uint64_t tw_repeat_padding(uint64_t padding, int bits) {
  for (; bits < 64; bits *= 2)
    padding = padding << bits | (padding & (((uint64_t)1 << bits) - 1));
  return padding;
}

// First the tiles inside the matrix, then those over its edges, block by block.
// A function with a name (pack_template.c) has the loop as often as it is
// called here, and knows of `part` what it was made from just before.
void tw_pack_matrix(const tw_packing_t* p, uint64_t padding, const void* matrix,
                    void* packed) {
  const int loop = tw_has_pack_loop(p), own = loop && tw_has_edge_lines(p);
  unsigned char lines[kEdgeBytes];
  tw_tiles_t whole = tw_whole_tiles(p), block = whole;
  for (tw_index_t i = 0; i == 0 || block.rows > 0; ++i) {
    const int edge = i > 0;
    tw_packing_t part = *p;
    const unsigned char* from = (const unsigned char*)matrix;
    unsigned char* to = (unsigned char*)packed;
    if (edge && own) {
      const tw_edge_lines_t inside = tw_edge_lines(p, &block);
      tw_gather_edge(&inside, padding, from, lines);
      tw_narrow_to_block(&part, &block);
      from = lines;
      to += tw_packed_at(p, block.row, block.col);
    }
    const tw_index_t done =
        (edge ? own : loop) ? tw_pack_interior(&part, padding, from, to) : 0;
    if (!edge)
      whole.rows = done;
    else if (!own)
      tw_pack_edge(p, padding, from, to, &block);
    block = tw_edge_block(p, &whole, i);
  }
  if (p->stores == TW_PACK_STORES_PAST) tw_past_stores_done();
}

// ---- Parts ------------------------------------------------------------------

// A part is worth handing out from so many bytes on, and there are so many at
// most: a dozen threads get even shares.
static const tw_index_t kLeastPartBytes = 32 << 10;
static const tw_index_t kMostParts = 64;

typedef struct tw_pack_parts_t {
  const tw_packing_t* whole;
  uint64_t padding;
  unsigned char *matrix, *packed;
  tw_index_t part_rows;  // rows of tiles of a part, the last one's may be fewer
  tw_pack_part_fn_t body;
} tw_pack_parts_t;

static void tw_run_pack_part(void* context, tw_index_t i) {
  const tw_pack_parts_t* parts = (const tw_pack_parts_t*)context;
  const tw_packing_t* whole = parts->whole;
  const tw_index_t begin = i * parts->part_rows;
  const tw_index_t row = begin * whole->tile_rows;
  tw_packing_t part = *whole;
  part.outer_rows = tw_inside(whole->outer_rows, begin, parts->part_rows);
  part.rows = tw_inside(whole->rows, row, parts->part_rows * whole->tile_rows);
  const tw_index_t panel = whole->packed_bytes / whole->outer_rows;
  part.packed_bytes = part.outer_rows * panel;
  parts->body(&part, parts->padding,
              parts->matrix + tw_matrix_at(whole, row, 0) * whole->bits / 8,
              parts->packed + begin * panel);
}

void tw_pack_parts(const tw_packing_t* p, uint64_t padding,
                   unsigned char* matrix, unsigned char* packed,
                   const tw_parallel_for_t* parallel_for,
                   tw_pack_part_fn_t body) {
  tw_index_t count = parallel_for ? p->packed_bytes / kLeastPartBytes : 1;
  count = count > kMostParts ? kMostParts : count < 1 ? 1 : count;
  tw_pack_parts_t parts = {p, padding, matrix, packed, 0, body};
  parts.part_rows = p->outer_rows / count + (p->outer_rows % count != 0);
  // Parts of 4-bit elements begin on a byte of a transposed matrix's lines.
  if (p->bits == 4) parts.part_rows += parts.part_rows % 2;
  count =
      p->outer_rows / parts.part_rows + (p->outer_rows % parts.part_rows != 0);
  if (parallel_for && count > 1)
    parallel_for->run(parallel_for->self, count, tw_run_pack_part, &parts);
  else
    body(p, padding, matrix, packed);
}

static void tw_pack_part(const tw_packing_t* part, uint64_t padding,
                         unsigned char* matrix, unsigned char* packed) {
  tw_pack_matrix(part, padding, matrix, packed);
}

// Whether the packed form is written past the caches.
static int tw_stores_past_caches(const tw_packing_t* p, const void* packed) {
  const tw_index_t least = p->transpose ? kFarBytes : kPastBytes;
  if (p->packed_bytes < least || !tw_is_aligned_packing(p, packed)) return 0;
  uint64_t cpu_data[TW_CPU_DATA_WORDS];
  tw_cpu_data_of_this_cpu(cpu_data);
  return tw_core_stores_past_caches(cpu_data);
}

tw_status_t tw_pack(const tw_pack_params_t* params, const void* matrix,
                    void* packed, tw_index_t packed_bytes,
                    const tw_parallel_for_t* parallel_for) {
  tw_packing_t p;
  const tw_status_t status = tw_check_pack_call(
      params, matrix, packed, packed_bytes, parallel_for, &p, /*fault=*/0);
  if (status != TW_STATUS_OK || p.packed_bytes == 0) return status;
  if (tw_stores_past_caches(&p, packed)) p.stores = TW_PACK_STORES_PAST;
  if (p.transpose) {
    uint64_t cpu_data[TW_CPU_DATA_WORDS];
    tw_cpu_data_of_this_cpu(cpu_data);
    p.zip_groups = tw_zip_groups_for(cpu_data);
  }
  tw_pack_parts(&p, tw_repeat_padding(params->padding, p.bits),
                (unsigned char*)matrix, (unsigned char*)packed, parallel_for,
                tw_pack_part);
  return TW_STATUS_OK;
}
