// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of out, which lie as they lie, from and to a row-major scratch. For a
// transposed out, lines are columns of the scratch: taken 16 at a time, over as
// many rows as keep their cache lines in L1.

#include "ukernels/matmul_out.h"

#include <string.h>

#include "ukernels/element.h"
#include "ukernels/index.h"
#include "ukernels/transpose.h"

enum { kLines = 16, kRun = 64 };

// `count` elements as they are, of 2, 4 or 8 bytes, `stride`s elements apart.
static void tw_copy_elements(tw_element_type_t type, const char* from,
                             tw_index_t from_stride, char* to,
                             tw_index_t to_stride, tw_index_t count) {
  const int bits = tw_element_bits(type);
  if (from_stride == 1 && to_stride == 1) {
    memcpy(to, from, (size_t)(count * bits / 8));
    return;
  }
  for (tw_index_t i = 0; i < count; ++i) {
    const tw_index_t f = i * from_stride, t = i * to_stride;
    if (bits == 16)
      memcpy(to + t * 2, from + f * 2, 2);
    else if (bits == 32)
      memcpy(to + t * 4, from + f * 4, 4);
    else
      memcpy(to + t * 8, from + f * 8, 8);
  }
}

// `count` elements of a line of out, and of the scratch, where they are
// `stride` accumulators apart.
static void tw_load_run(const tw_out_t* out, tw_element_type_t type,
                        const char* from, char* to, tw_index_t stride,
                        tw_index_t count) {
  if (type == out->accumulator) {
    tw_copy_elements(type, from, 1, to, stride, count);
  } else {
    float values[kRun];
    tw_decode_f32(type, from, 0, 1, (int)count, values);
    tw_copy_elements(out->accumulator, (char*)values, 1, to, stride, count);
  }
}

static void tw_store_run(const tw_out_t* out, tw_element_type_t type, char* to,
                         const char* from, tw_index_t stride,
                         tw_index_t count) {
  if (type == out->accumulator) {
    tw_copy_elements(type, from, stride, to, 1, count);
  } else {
    float values[kRun];
    uint16_t bits[kRun];
    tw_copy_elements(out->accumulator, from, stride, (char*)values, 1, count);
    tw_encode_f32(type, values, count, bits);
    memcpy(to, bits, (size_t)count * sizeof bits[0]);
  }
}

// A walk over out's lines in pieces.
typedef struct tw_out_walk_t {
  tw_element_type_t type;
  int transposed;
  tw_index_t lines, length;  // inside out
  tw_index_t line_bytes, element_bytes;
  char* first;                               // of out
  tw_index_t scratch_line, scratch_element;  // in accumulators
  tw_index_t accumulator_bytes;
} tw_out_walk_t;

static tw_out_walk_t tw_walk_out(const tw_out_t* out) {
  const tw_matmul_params_t* p = out->params;
  tw_triple_t types;
  tw_out_walk_t w;
  // tw_check_matmul has passed the flags.
  w.type = tw_triple_of(p->flags & TW_MMT4D_FLAG_TYPE_MASK, &types)
               ? types.out
               : out->accumulator;
  w.transposed = !!(p->flags & TW_MATMUL_FLAG_OUT_TRANSPOSED);
  w.element_bytes = tw_element_bits(w.type) / 8;
  w.accumulator_bytes = tw_element_bits(out->accumulator) / 8;
  w.line_bytes = p->out_stride * w.element_bytes;
  const tw_index_t rows = tw_min(out->rows, p->M - out->row);
  const tw_index_t cols = tw_min(out->cols, p->N - out->col);
  w.lines = w.transposed ? cols : rows;
  w.length = w.transposed ? rows : cols;
  w.first =
      (char*)p->out +
      (w.transposed ? out->col * w.line_bytes + out->row * w.element_bytes
                    : out->row * w.line_bytes + out->col * w.element_bytes);
  w.scratch_line = w.transposed ? 1 : out->cols;
  w.scratch_element = w.transposed ? out->cols : 1;
  return w;
}

typedef void (*tw_out_run_fn_t)(const tw_out_t* out, const tw_out_walk_t* w,
                                char* line, char* scratch, tw_index_t count);

static void tw_for_each_run(const tw_out_t* out, char* scratch,
                            tw_out_run_fn_t run) {
  const tw_out_walk_t w = tw_walk_out(out);
  for (tw_index_t begin = 0; begin < w.lines; begin += kLines)
    for (tw_index_t at = 0; at < w.length; at += kRun)
      for (tw_index_t i = begin; i < tw_min(begin + kLines, w.lines); ++i)
        run(out, &w, w.first + i * w.line_bytes + at * w.element_bytes,
            scratch + (i * w.scratch_line + at * w.scratch_element) *
                          w.accumulator_bytes,
            tw_min(kRun, w.length - at));
}

static void tw_load_piece(const tw_out_t* out, const tw_out_walk_t* w,
                          char* line, char* scratch, tw_index_t count) {
  tw_load_run(out, w->type, line, scratch, w->scratch_element, count);
}

static void tw_store_piece(const tw_out_t* out, const tw_out_walk_t* w,
                           char* line, char* scratch, tw_index_t count) {
  tw_store_run(out, w->type, line, scratch, w->scratch_element, count);
}

// Whether out is the scratch transposed, neither rounded nor widened.
static int tw_is_as_transposed(const tw_out_t* out, const tw_out_walk_t* w) {
  return w->transposed && w->type == out->accumulator;
}

void tw_load_out(const tw_out_t* out, void* scratch) {
  memset(
      scratch, 0,
      (size_t)(out->rows * out->cols * tw_element_bits(out->accumulator) / 8));
  const tw_out_walk_t w = tw_walk_out(out);
  if (tw_is_as_transposed(out, &w))
    tw_transpose_chunks((unsigned char*)w.first, w.line_bytes,
                        (unsigned char*)scratch, out->cols * w.element_bytes,
                        w.lines, w.length, w.element_bytes);
  else
    tw_for_each_run(out, (char*)scratch, tw_load_piece);
}

void tw_store_out(const tw_out_t* out, const void* scratch) {
  const tw_out_walk_t w = tw_walk_out(out);
  if (tw_is_as_transposed(out, &w))
    tw_transpose_chunks((const unsigned char*)scratch,
                        out->cols * w.element_bytes, (unsigned char*)w.first,
                        w.line_bytes, w.length, w.lines, w.element_bytes);
  else
    tw_for_each_run(out, (char*)scratch, tw_store_piece);
}
