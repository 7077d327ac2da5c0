// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/matmul_unpacked.h"

#include "ukernels/core.h"
#include "ukernels/index.h"
#include "ukernels/thin.h"

// A block of the rhs has so many bytes of a column, and half of L2 altogether.
static const tw_index_t kDepthBytes = 2 << 10;
// Of a rhs of more than so many L2 caches, which comes from memory, a block is
// rather so many whole rows, the streams that prefetchers follow: 8 to 32 rows
// by f32 4096x4096 1.3 to 2.5 times as fast as packed, instead of 1.0 to 1.5
// (Skylake-SP).
static const tw_index_t kManyCaches = 8;
static const tw_index_t kStreams = 16;

// ---- Whether ----------------------------------------------------------------

// How much longer multiplying takes than from panels, by where rows begin:
// within lines, or multiples of 4 KiB apart, in one set of a cache, or of 2
// KiB, in two, or anywhere else.
typedef struct tw_row_delays_t {
  double ragged, aliased, half_aliased, even;
} tw_row_delays_t;

typedef struct tw_delays_t {
  // A rhs of at most so many eighths of L2 is near.
  tw_index_t near_eighths;
  tw_row_delays_t near, far;
  // Of the lhs: a tile's rows would be in one set of L1.
  double lhs_aliased;
  // What multiplying gains where the lhs has panels, too, beside a rhs that is
  // prepacked.
  double panels_gain;
} tw_delays_t;

// Skylake-SP's serve cores that nobody has timed. Of 368 shapes, M of 5 to 512
// and rhs from 64x64 to 4096x4096, they choose the quicker way for 336; those
// of the others are 5 % slower on average (f32).
static const tw_delays_t kDelays = {
    .near_eighths = 5,
    .near = {.ragged = 0.15, .aliased = 0, .half_aliased = 0, .even = 0},
    .far = {.ragged = 0.35, .aliased = 0.25, .half_aliased = 0.1, .even = 0.1},
    .lhs_aliased = 0.2,
    .panels_gain = 0.03};
// Its L3 is as good as L2 for that: of 24 shapes, rhs from 100x100 to
// 2048x2048, they choose the quicker way for 23, of 16 prepacked ones for 14;
// the other three are at most 3 % slower.
static const tw_delays_t kZen5Delays = {
    .near_eighths = 32,
    .near = {.ragged = 0, .aliased = 0.11, .half_aliased = 0, .even = 0},
    .far = {.ragged = 0.35, .aliased = 0.25, .half_aliased = 0.1, .even = 0.1},
    .lhs_aliased = 0.05,
    .panels_gain = 0};
// Its tiles of 256 bits read a line of each row, and L1 has 8 ways: 128 rows by
// 512x512 take 1.2 times as long as packed, by 1024x1024 1.9. Of 42 shapes, M
// of 5 to 512 and rhs from 32x512 to 4096x4096, they choose the quicker way for
// 38; the others are at most 3 % slower (f32).
static const tw_delays_t kZen3Delays = {
    .near_eighths = 32,
    .near = {.ragged = 0.05, .aliased = 1, .half_aliased = 0.45, .even = 0.05},
    .far = {.ragged = 0.12, .aliased = 1, .half_aliased = 0.45, .even = 0.1},
    .lhs_aliased = 0.1,
    .panels_gain = 0.03};

static const tw_delays_t* tw_delays_of(const uint64_t* cpu_data) {
  switch (tw_core_of(cpu_data)) {
    case TW_CORE_ZEN5:
      return &kZen5Delays;
    case TW_CORE_ZEN3:
      return &kZen3Delays;
    default:
      return &kDelays;
  }
}

static double tw_rhs_delay(const tw_unpacked_t* u, tw_index_t size,
                           const tw_caches_t* caches,
                           const tw_delays_t* delays) {
  const tw_index_t near = caches->l2 / 8 * delays->near_eighths / size;
  const tw_row_delays_t* rows =
      u->K * u->N <= near ? &delays->near : &delays->far;
  return u->rhs_row % 64 != 0            ? rows->ragged
         : tw_is_aliased(u->rhs_row)     ? rows->aliased
         : tw_is_aliased(2 * u->rhs_row) ? rows->half_aliased
                                         : rows->even;
}

// Packing an element takes as long as multiplying it by so many others.
static const double kPackRows = 13, kPackColumns = 15;

// The share of rows that tiles add, of 12 rows or, a little slower, of 8.
static double tw_padding(tw_index_t M) {
  const double twelve = (double)((12 - M % 12) % 12) / (double)M;
  const double eight = (double)((8 - M % 8) % 8) / (double)M + 0.01;
  return twelve < eight ? twelve : eight;
}

static int tw_is_quicker_unpacked(const tw_unpacked_t* u, tw_index_t size,
                                  int prepacked, const tw_caches_t* caches,
                                  const tw_delays_t* delays) {
  const double lhs = tw_is_aliased(u->lhs_row) ? delays->lhs_aliased : 0;
  const double rhs =
      prepacked ? delays->panels_gain : tw_rhs_delay(u, size, caches, delays);
  const double packing =
      kPackColumns / (double)u->N + (prepacked ? 0 : kPackRows / (double)u->M);
  return packing + tw_padding(u->M) > (lhs > rhs ? lhs : rhs);
}

// ---- How --------------------------------------------------------------------

static void tw_plan_unpacked_tasks(tw_unpacked_run_t* run, tw_index_t threads) {
  const tw_unpacked_t* u = &run->all;
  threads = tw_worthwhile_tasks(u->M, u->N, u->K, threads);
  // By columns first: then each task reads a part of the rhs of its own.
  const tw_index_t stripes =
      tw_min(threads, tw_panels_of(u->N, TW_UNPACKED_COLUMNS));
  run->columns =
      tw_panels_of(tw_panels_of(u->N, stripes), TW_UNPACKED_COLUMNS) *
      TW_UNPACKED_COLUMNS;
  const tw_index_t column_tasks = tw_panels_of(u->N, run->columns);
  run->rows = tw_panels_of(u->M, tw_min(threads / column_tasks, u->M));
  run->row_tasks = tw_panels_of(u->M, run->rows);
  run->tasks = run->row_tasks * column_tasks;
}

static void tw_plan_unpacked_blocks(tw_unpacked_run_t* run, tw_index_t size,
                                    int prepacked, const tw_caches_t* caches) {
  const tw_unpacked_t* u = &run->all;
  const int streams =
      !prepacked && u->K * u->N / kManyCaches > caches->l2 / size;
  const tw_index_t depth = streams ? kStreams : kDepthBytes / size;
  // Rows of out beside half of the L2 that is left.
  const tw_index_t width = streams ? caches->l2 / 4 / size / run->rows
                                   : caches->l2 / 2 / size / depth;
  run->depth = tw_even_part(u->K, depth, 4);
  run->width = tw_max(width / TW_UNPACKED_COLUMNS, 1) * TW_UNPACKED_COLUMNS;
}

static int tw_is_one_type(const tw_triple_t* types) {
  return (types->out == TW_ELEMENT_F32 || types->out == TW_ELEMENT_F64) &&
         types->lhs == types->out && types->rhs == types->out;
}

// Whether all lies row-major, or all of it transposed.
static int tw_lies_well(const tw_matmul_params_t* p) {
  const uint32_t all = TW_MATMUL_FLAG_LHS_TRANSPOSED |
                       TW_MATMUL_FLAG_RHS_TRANSPOSED |
                       TW_MATMUL_FLAG_OUT_TRANSPOSED;
  return (p->flags & all) == 0 || (p->flags & all) == all;
}

tw_index_t tw_in_unpacked_tiles(const tw_matmul_params_t* p,
                                const tw_triple_t* types,
                                const uint64_t* cpu_data) {
  if (!tw_is_one_type(types)) return p->N;
  const tw_unpacked_variant_t* variant = tw_unpacked_find(cpu_data);
  if (!variant) return p->N;
  const tw_index_t columns =
      variant->tile_bytes / (tw_element_bits(types->out) / 8);
  if (p->N <= columns / 2) return p->N;
  return p->N < columns ? columns : p->N - p->N % columns;
}

int tw_plan_unpacked(const tw_matmul_params_t* p, const tw_triple_t* types,
                     const uint64_t* cpu_data, const tw_matmul_run_t* prepacked,
                     tw_unpacked_run_t* run) {
  if (!tw_is_one_type(types) || !tw_lies_well(p)) return 0;
  const tw_unpacked_variant_t* variant = tw_unpacked_find(cpu_data);
  if (!variant) return 0;
  const tw_caches_t caches = tw_caches_of(cpu_data);
  const tw_index_t size = tw_element_bits(types->out) / 8;
  // All of them transposed, it is the product of the rhs and the lhs.
  const int swaps = !!(p->flags & TW_MATMUL_FLAG_OUT_TRANSPOSED);
  tw_unpacked_t* u = &run->all;
  u->type = types->out;
  u->accumulate = !!(p->flags & TW_MMT4D_FLAG_ACCUMULATE);
  u->M = swaps ? p->N : p->M;
  u->N = swaps ? p->M : p->N;
  u->K = p->K;
  u->lhs = (const char*)(swaps ? p->rhs : p->lhs);
  u->rhs = (const char*)(swaps ? p->lhs : p->rhs);
  u->out = (char*)p->out;
  u->lhs_row = (swaps ? p->rhs_stride : p->lhs_stride) * size;
  u->rhs_row = (swaps ? p->lhs_stride : p->rhs_stride) * size;
  u->out_row = p->out_stride * size;
  u->rhs_tile = variant->tile_bytes;
  if (prepacked) {
    const tw_tile_sizes_t* tile = &prepacked->plan.tile.sizes;
    if (tile->N0 * size != variant->tile_bytes || tile->K0 != 1) return 0;
    // Less than 8 accumulators would wait for each other, where tiles of few
    // rows have several for each sum.
    if (u->M <= TW_THIN_MOST_ROWS && tile->M0 <= u->M) return 0;
    u->rhs = prepacked->panels;
    u->rhs_row = variant->tile_bytes;
    u->rhs_tile = u->K * u->rhs_row;
  }
  if (!tw_is_quicker_unpacked(u, size, !!prepacked, &caches,
                              tw_delays_of(cpu_data))) {
    return 0;
  }
  run->variant = variant;
  tw_plan_unpacked_tasks(run, p->threads);
  tw_plan_unpacked_blocks(run, size, !!prepacked, &caches);
  return 1;
}

// Row k of the rhs at column n, of which a tile begins.
static const char* tw_rhs_at(const tw_unpacked_run_t* run, tw_index_t k,
                             tw_index_t n, tw_index_t size) {
  const tw_index_t tile = run->variant->tile_bytes;
  const tw_index_t bytes = n * size;
  return run->all.rhs + k * run->all.rhs_row +
         bytes / tile * run->all.rhs_tile + bytes % tile;
}

void tw_run_unpacked_task(void* context, tw_index_t i) {
  const tw_unpacked_run_t* run = (const tw_unpacked_run_t*)context;
  const tw_unpacked_t* all = &run->all;
  const tw_index_t size = tw_element_bits(all->type) / 8;
  const tw_index_t m = i % run->row_tasks * run->rows;
  const tw_index_t begin = i / run->row_tasks * run->columns;
  const tw_index_t end = tw_min(begin + run->columns, all->N);
  tw_unpacked_t block = *all;
  block.M = tw_min(run->rows, all->M - m);
  tw_index_t k = 0;
  do {  // once for K of 0
    block.K = tw_min(run->depth, all->K - k);
    block.accumulate = all->accumulate || k > 0;
    block.lhs = all->lhs + m * all->lhs_row + k * size;
    for (tw_index_t n = begin; n < end; n += block.N) {
      block.rhs = tw_rhs_at(run, k, n, size);
      const tw_index_t to_line =
          tw_unpacked_columns_to_line(&block, run->variant->tile_bytes);
      block.N = tw_min(run->width + to_line, end - n);
      block.out = all->out + m * all->out_row + n * size;
      run->variant->fn(&block);
    }
    k += run->depth;
  } while (k < all->K);
}
