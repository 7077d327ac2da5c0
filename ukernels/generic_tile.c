// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The portable C fallback. It walks the tile in blocks of kRows x kCols
// accumulators: per element of K it decodes kRows + kCols operands, whatever
// their type, for kRows * kCols multiply-adds, which the compiler vectorises.

#include "ukernels/generic_tile.h"

#include <string.h>

#include "ukernels/element.h"

enum { kRows = 8, kCols = 16 };

typedef struct tw_generic_t {
  const tw_mmt4d_params_t* params;
  tw_triple_t types;
  const unsigned char *lhs, *rhs;
  unsigned char* out;
  size_t lhs_step, rhs_step;  // bytes of one K step
  int group;                  // of the rhs along K0: K0, or that of RHS_VNNI
  tw_index_t out_stride;      // elements
  int step_rounding;
} tw_generic_t;

// A block: `rows` x `cols` of the tile from (row, col) on.
typedef struct tw_block_t {
  int row, col, rows, cols;
} tw_block_t;

static unsigned char* tw_out_at(const tw_generic_t* g, int m, int n,
                                size_t size) {
  return g->out + ((tw_index_t)m * g->out_stride + n) * (tw_index_t)size;
}

// The number of element k0 of column `n` within a step of the rhs. Those of the
// columns behind it follow each other at a distance of g->group.
static size_t tw_rhs_at(const tw_generic_t* g, int n, int k0) {
  return ((size_t)(k0 / g->group) * (size_t)g->params->N0 + (size_t)n) *
             (size_t)g->group +
         (size_t)(k0 % g->group);
}

static float tw_round_f32(tw_element_type_t out, float value) {
  if (out == TW_ELEMENT_F16)
    return tw_decode_one_f32(out, tw_f32_to_f16(value));
  if (out == TW_ELEMENT_BF16)
    return tw_decode_one_f32(out, tw_f32_to_bf16(value));
  return value;
}

static void tw_block_f32(const tw_generic_t* g, const tw_block_t* b) {
  const int k0s = g->params->K0;
  const int accumulate = !!(g->params->flags & TW_MMT4D_FLAG_ACCUMULATE);
  const tw_element_type_t out = g->types.out;
  const size_t out_size = (size_t)tw_element_bits(out) / 8;
  float acc[kRows][kCols] = {{0}};
  for (int m = 0; accumulate && m < b->rows; ++m)
    tw_decode_f32(out, tw_out_at(g, b->row + m, b->col, out_size), 0, 1,
                  b->cols, acc[m]);
  for (tw_index_t k = 0; k < g->params->K; ++k) {
    for (int k0 = 0; k0 < k0s; ++k0) {
      float l[kRows], r[kCols] = {0};
      tw_decode_f32(g->types.lhs, g->lhs + (size_t)k * g->lhs_step,
                    (size_t)b->row * k0s + k0, k0s, b->rows, l);
      tw_decode_f32(g->types.rhs, g->rhs + (size_t)k * g->rhs_step,
                    tw_rhs_at(g, b->col, k0), (size_t)g->group, b->cols, r);
      for (int m = 0; m < b->rows; ++m)
        for (int n = 0; n < kCols; ++n) acc[m][n] += l[m] * r[n];
    }
    for (int m = 0; g->step_rounding && m < b->rows; ++m)
      for (int n = 0; n < b->cols; ++n)
        acc[m][n] = tw_round_f32(out, acc[m][n]);
  }
  for (int m = 0; m < b->rows; ++m)
    for (int n = 0; n < b->cols; ++n) {
      unsigned char* at = tw_out_at(g, b->row + m, b->col + n, out_size);
      if (out == TW_ELEMENT_F32) {
        memcpy(at, &acc[m][n], sizeof(float));
      } else {
        const uint16_t bits = out == TW_ELEMENT_F16 ? tw_f32_to_f16(acc[m][n])
                                                    : tw_f32_to_bf16(acc[m][n]);
        memcpy(at, &bits, sizeof bits);
      }
    }
}

static void tw_block_s32(const tw_generic_t* g, const tw_block_t* b) {
  const int k0s = g->params->K0;
  const int accumulate = !!(g->params->flags & TW_MMT4D_FLAG_ACCUMULATE);
  uint32_t acc[kRows][kCols] = {{0}};  // unsigned: sums wrap modulo 2^32
  for (int m = 0; accumulate && m < b->rows; ++m)
    memcpy(acc[m], tw_out_at(g, b->row + m, b->col, sizeof(int32_t)),
           (size_t)b->cols * sizeof(int32_t));
  for (tw_index_t k = 0; k < g->params->K; ++k) {
    for (int k0 = 0; k0 < k0s; ++k0) {
      int32_t l[kRows], r[kCols] = {0};
      tw_decode_s32(g->types.lhs, g->lhs + (size_t)k * g->lhs_step,
                    (size_t)b->row * k0s + k0, k0s, b->rows, l);
      tw_decode_s32(g->types.rhs, g->rhs + (size_t)k * g->rhs_step,
                    tw_rhs_at(g, b->col, k0), (size_t)g->group, b->cols, r);
      for (int m = 0; m < b->rows; ++m)
        for (int n = 0; n < kCols; ++n)
          acc[m][n] += (uint32_t)l[m] * (uint32_t)r[n];
    }
  }
  for (int m = 0; m < b->rows; ++m)
    memcpy(tw_out_at(g, b->row + m, b->col, sizeof(int32_t)), acc[m],
           (size_t)b->cols * sizeof(int32_t));
}

static void tw_block_f64(const tw_generic_t* g, const tw_block_t* b) {
  const int k0s = g->params->K0;
  const int accumulate = !!(g->params->flags & TW_MMT4D_FLAG_ACCUMULATE);
  double acc[kRows][kCols] = {{0}};
  for (int m = 0; accumulate && m < b->rows; ++m)
    memcpy(acc[m], tw_out_at(g, b->row + m, b->col, sizeof(double)),
           (size_t)b->cols * sizeof(double));
  for (tw_index_t k = 0; k < g->params->K; ++k) {
    const unsigned char* l = g->lhs + (size_t)k * g->lhs_step;
    const unsigned char* r = g->rhs + (size_t)k * g->rhs_step;
    for (int k0 = 0; k0 < k0s; ++k0)
      for (int m = 0; m < b->rows; ++m) {
        double x;
        memcpy(&x, l + ((size_t)(b->row + m) * k0s + k0) * sizeof x, sizeof x);
        for (int n = 0; n < b->cols; ++n) {
          double y;
          memcpy(&y, r + ((size_t)(b->col + n) * k0s + k0) * sizeof y,
                 sizeof y);
          acc[m][n] += x * y;
        }
      }
  }
  for (int m = 0; m < b->rows; ++m)
    memcpy(tw_out_at(g, b->row + m, b->col, sizeof(double)), acc[m],
           (size_t)b->cols * sizeof(double));
}

void tw_mmt4d_generic_tile(void* out_tile, const void* lhs_panel,
                           const void* rhs_panel,
                           const tw_mmt4d_params_t* params) {
  tw_generic_t g;
  // A way to f32 and back would quiet the NaNs of a narrow out tile.
  if (params->K <= 0 && params->flags & TW_MMT4D_FLAG_ACCUMULATE) return;
  g.params = params;
  if (!tw_triple_of(params->flags & TW_MMT4D_FLAG_TYPE_MASK, &g.types)) return;
  const int m0 = params->M0, n0 = params->N0, k0 = params->K0;
  g.lhs = (const unsigned char*)lhs_panel;
  g.rhs = (const unsigned char*)rhs_panel;
  g.out = (unsigned char*)out_tile;
  g.lhs_step = (size_t)m0 * k0 * (size_t)tw_element_bits(g.types.lhs) / 8;
  g.rhs_step = (size_t)n0 * k0 * (size_t)tw_element_bits(g.types.rhs) / 8;
  g.group =
      params->flags & TW_MMT4D_FLAG_RHS_VNNI ? tw_vnni_group(&g.types) : k0;
  g.out_stride = params->flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE
                     ? params->out_row_stride
                     : n0;
  g.step_rounding =
      tw_triple_rounds(&g.types) &&
      !(params->flags & TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS);
  for (int row = 0; row < m0; row += kRows)
    for (int col = 0; col < n0; col += kCols) {
      const tw_block_t block = {row, col, m0 - row < kRows ? m0 - row : kRows,
                                n0 - col < kCols ? n0 - col : kCols};
      switch (g.types.accumulator) {
        case TW_ELEMENT_S32:
          tw_block_s32(&g, &block);
          break;
        case TW_ELEMENT_F64:
          tw_block_f64(&g, &block);
          break;
        default:
          tw_block_f32(&g, &block);
      }
    }
}
