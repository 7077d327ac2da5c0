// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing of a side whose rows and columns are numbered by nested loops.
//
// Where a tile's rows follow each other by one stride, and so do the columns of
// an iteration of the inner loop, they are a matrix, which is packed from where
// it lies if one of the strides is 1. Anything else is copied to a small matrix
// first.

#include <string.h>

#include "ukernels/matmul_plan.h"
#include "ukernels/pack.h"

// Transposing packs fewer columns than these no quicker than copying each.
enum { kFewColumns = 16 };

#define TW_GATHER_INLINE static inline __attribute__((always_inline))

// Where nested loops are.
typedef struct tw_gather_at_t {
  const tw_gather_loops_t* loops;
  int last;  // the inner loop
  tw_index_t at[TW_GATHER_LOOPS];
  tw_index_t offset;  // in elements
} tw_gather_at_t;

// The iteration `number` of loops of which there are some.
static tw_gather_at_t tw_gather_begin(const tw_gather_loops_t* loops, int count,
                                      tw_index_t number) {
  tw_gather_at_t place = {loops, count - 1, {0}, 0};
  for (int i = count - 1; i >= 0; --i) {
    place.at[i] = i > 0 ? number % loops->sizes[i] : number;
    number /= loops->sizes[i];
    place.offset += place.at[i] * loops->strides[i];
  }
  return place;
}

// Goes on by `count`, no further than the inner loop's end.
static void tw_gather_advance(tw_gather_at_t* place, tw_index_t count) {
  const tw_gather_loops_t* loops = place->loops;
  int i = place->last;
  place->at[i] += count;
  place->offset += count * loops->strides[i];
  for (; i > 0 && place->at[i] >= loops->sizes[i]; --i) {
    place->offset += loops->strides[i - 1] - place->at[i] * loops->strides[i];
    place->at[i] = 0;
    ++place->at[i - 1];
  }
}

static tw_index_t tw_gather_left(const tw_gather_at_t* place) {
  return place->loops->sizes[place->last] - place->at[place->last];
}

// Rows that go on by one stride.
typedef struct tw_row_run_t {
  tw_index_t offset, count;
} tw_row_run_t;

// The rows of a tile.
typedef struct tw_gathered_rows_t {
  tw_row_run_t runs[TW_MATMUL_MOST_TILE_ROWS];
  tw_index_t count;  // of runs
  tw_index_t rows, stride;
} tw_gathered_rows_t;

static void tw_find_rows(tw_gather_at_t* place, tw_index_t rows,
                         tw_gathered_rows_t* found) {
  found->count = 0;
  found->rows = rows;
  found->stride = place->loops->strides[place->last];
  while (rows > 0) {
    const tw_index_t count = tw_inside(rows, 0, tw_gather_left(place));
    tw_row_run_t* run = &found->runs[found->count++];
    run->offset = place->offset;
    run->count = count;
    rows -= count;
    tw_gather_advance(place, count);
  }
}

// Copies `count` elements of `size` bytes, a constant; `step` bytes lie between
// those of `from`.
TW_GATHER_INLINE char* tw_copy_elements(char* to, const char* from,
                                        tw_index_t step, tw_index_t count,
                                        size_t size) {
  for (tw_index_t i = 0; i < count; ++i, to += size)
    memcpy(to, from + i * step, size);
  return to;
}

TW_GATHER_INLINE char* tw_fill_zeros(char* to, tw_index_t count, size_t size) {
  const uint64_t zero = 0;
  for (tw_index_t i = 0; i < count; ++i, to += size) memcpy(to, &zero, size);
  return to;
}

// Columns of a tile, as the rows of a matrix [cols][tile_rows].
TW_GATHER_INLINE void tw_copy_columns(const tw_gathered_rows_t* rows,
                                      const char* from, tw_index_t stride,
                                      tw_index_t cols, tw_index_t tile_rows,
                                      char* to, tw_index_t size) {
  for (tw_index_t c = 0; c < cols; ++c, from += stride * size) {
    for (tw_index_t i = 0; i < rows->count; ++i) {
      const tw_row_run_t run = rows->runs[i];
      const char* begin = from + run.offset * size;
      to = rows->stride == 1
               ? tw_copy_elements(to, begin, size, run.count, (size_t)size)
               : tw_copy_elements(to, begin, rows->stride * size, run.count,
                                  (size_t)size);
    }
    to = tw_fill_zeros(to, tile_rows - rows->rows, (size_t)size);
  }
}

// Rows of a tile, as those of a matrix [tile_rows][cols].
TW_GATHER_INLINE void tw_copy_rows(const tw_gathered_rows_t* rows,
                                   const char* from, tw_index_t cols,
                                   tw_index_t tile_rows, char* to,
                                   tw_index_t size) {
  for (tw_index_t i = 0; i < rows->count; ++i) {
    const tw_row_run_t run = rows->runs[i];
    for (tw_index_t r = 0; r < run.count; ++r)
      to = tw_copy_elements(to, from + (run.offset + r * rows->stride) * size,
                            size, cols, (size_t)size);
  }
  tw_fill_zeros(to, (tile_rows - rows->rows) * cols, (size_t)size);
}

// A tile's rows and `p->cols` columns, which begin at `from` for a row at
// offset 0 and go on by `stride`, into `p->outer_cols` steps at `packed`.
static void tw_pack_columns(tw_packing_t* p, const tw_gathered_rows_t* rows,
                            const char* from, tw_index_t stride, char* wide,
                            char* packed) {
  const tw_index_t size = p->bits / 8;
  p->rows = rows->rows;
  const int is_matrix = rows->count == 1;
  p->transpose = stride != 1 || (p->tile_cols == 1 && p->cols < kFewColumns);
  // What transposing packs fills up the last rows itself.
  if (is_matrix && !p->transpose) {
    p->stride = rows->stride;
    tw_pack_matrix(p, 0, from + rows->runs[0].offset * size, packed);
    return;
  }
  if (is_matrix && rows->stride == 1 && rows->rows == p->tile_rows) {
    p->stride = stride;
    tw_pack_matrix(p, 0, from + rows->runs[0].offset * size, packed);
    return;
  }
  p->rows = p->tile_rows;
  p->stride = p->transpose ? p->tile_rows : p->cols;
  // Lines of columns are what tiles of one column are made of.
  char* to = p->transpose && p->tile_cols == 1 ? packed : wide;
  switch (size) {
#define TW_SIZE(bytes)                                                       \
  case bytes:                                                                \
    if (p->transpose)                                                        \
      tw_copy_columns(rows, from, stride, p->cols, p->tile_rows, to, bytes); \
    else                                                                     \
      tw_copy_rows(rows, from, p->cols, p->tile_rows, to, bytes);            \
    break;
    TW_SIZE(1)
    TW_SIZE(2)
    TW_SIZE(4)
    default:
      TW_SIZE(8)
#undef TW_SIZE
  }
  if (to == wide) tw_pack_matrix(p, 0, wide, packed);
}

void tw_pack_gathered(const tw_matmul_side_t* side, const void* tensor,
                      tw_index_t tile, tw_index_t tiles, tw_index_t step,
                      tw_index_t steps, void* wide, void* packed) {
  const tw_gather_t* gather = side->gather;
  const int row_loops = gather->row_loops, last = gather->column_loops - 1;
  if (steps == 0 || row_loops < 1 || last < 0) return;
  const tw_index_t size = tw_element_bits(side->type) / 8;
  // The loops of columns in steps, as panels count them.
  tw_gather_loops_t columns = gather->columns;
  const tw_index_t cols = columns.sizes[last], stride = columns.strides[last];
  columns.sizes[last] = tw_panels_of(cols, side->tile_cols);
  columns.strides[last] = stride * side->tile_cols;

  tw_packing_t p = {0};
  p.bits = tw_element_bits(side->type);
  p.tile_rows = side->tile_rows;
  p.tile_cols = side->tile_cols;
  p.outer_rows = 1;
  char* to = (char*)packed;
  tw_gather_at_t row = tw_gather_begin(&gather->rows, row_loops,
                                       side->first + tile * side->tile_rows);
  const tw_gather_at_t first = tw_gather_begin(&columns, last + 1, step);
  for (tw_index_t t = tile; t < tile + tiles; ++t) {
    tw_gathered_rows_t rows;
    tw_find_rows(&row,
                 tw_inside(side->rows, side->first + t * side->tile_rows,
                           side->tile_rows),
                 &rows);
    tw_gather_at_t column = first;
    for (tw_index_t left = steps; left > 0; left -= p.outer_cols) {
      p.outer_cols = tw_inside(left, 0, tw_gather_left(&column));
      p.cols = tw_inside(cols, column.at[last] * side->tile_cols,
                         p.outer_cols * side->tile_cols);
      p.packed_bytes = p.outer_cols * side->step;
      tw_pack_columns(&p, &rows, (const char*)tensor + column.offset * size,
                      stride, (char*)wide, to);
      to += p.packed_bytes;
      tw_gather_advance(&column, p.outer_cols);
    }
  }
}
