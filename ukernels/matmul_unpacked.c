// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/matmul_unpacked.h"

#include "ukernels/index.h"

// Fewer multiply-adds are not worth a task: 20 us at 100 Gop/s.
static const double kLeastTaskWork = 1 << 20;
// A block of the rhs has so many bytes of a column, and half of L2 altogether.
static const tw_index_t kDepthBytes = 2 << 10;
// Of a rhs of more than so many L2 caches, which comes from memory, a block is
// rather so many whole rows, the streams that prefetchers follow: 8 to 32 rows
// by f32 4096x4096 1.3 to 2.5 times as fast as packed, instead of 1.0 to 1.5
// (Skylake-SP).
static const tw_index_t kManyCaches = 8;
static const tw_index_t kStreams = 16;

static tw_index_t tw_min(tw_index_t a, tw_index_t b) { return a < b ? a : b; }
static tw_index_t tw_max(tw_index_t a, tw_index_t b) { return a > b ? a : b; }

// The least part that cuts `total` into no more parts than `part` does, or the
// next multiple of `unit`.
static tw_index_t tw_even_part(tw_index_t total, tw_index_t part,
                               tw_index_t unit) {
  if (part >= total) return total;
  const tw_index_t parts = (total + part - 1) / part;
  return ((total + parts - 1) / parts + unit - 1) / unit * unit;
}

// ---- Whether ----------------------------------------------------------------

// How much longer multiplying takes than from panels: more where rows begin
// within lines, and where a rhs that is not in L2 has many rows in the same
// sets of a cache.
static double tw_unpacked_delay(const tw_unpacked_t* u, tw_index_t size,
                                const tw_caches_t* caches) {
  const int is_aligned = u->rhs_row % 64 == 0;
  if (u->K * u->N <= caches->l2 / 8 * 5 / size) return is_aligned ? 0 : 0.15;
  return !is_aligned ? 0.35 : u->rhs_row % 4096 == 0 ? 0.25 : 0.1;
}

// Packing an element takes as long as multiplying it by so many others; tiles
// pad rows to so many.
static const double kPackRows = 13, kPackColumns = 15;
static const tw_index_t kPaddedRows = 8;

// Of 368 shapes, M of 5 to 512 and rhs from 64x64 to 4096x4096, this takes the
// quicker way for 334; those of the others are 5 % slower on average (f32,
// Skylake-SP).
static int tw_is_quicker_unpacked(const tw_unpacked_t* u, tw_index_t size,
                                  const tw_caches_t* caches) {
  const double M = (double)u->M;
  const double padding =
      (double)((kPaddedRows - u->M % kPaddedRows) % kPaddedRows);
  return (kPackRows + padding) / M + kPackColumns / (double)u->N >
         tw_unpacked_delay(u, size, caches);
}

// ---- How --------------------------------------------------------------------

static void tw_plan_unpacked_tasks(tw_unpacked_run_t* run, tw_index_t threads) {
  const tw_unpacked_t* u = &run->all;
  const double work = (double)u->M * (double)u->N * (double)u->K;
  if (work / kLeastTaskWork < (double)threads)
    threads = (tw_index_t)(work / kLeastTaskWork) + 1;
  // By columns first: then each task reads a part of the rhs of its own.
  const tw_index_t stripes =
      (u->N + TW_UNPACKED_COLUMNS - 1) / TW_UNPACKED_COLUMNS;
  run->columns = tw_even_part(
      u->N, (u->N + tw_min(threads, stripes) - 1) / tw_min(threads, stripes),
      TW_UNPACKED_COLUMNS);
  const tw_index_t column_tasks = (u->N + run->columns - 1) / run->columns;
  const tw_index_t rows = tw_min(threads / column_tasks, u->M);
  run->rows = (u->M + rows - 1) / rows;
  run->row_tasks = (u->M + run->rows - 1) / run->rows;
  run->tasks = run->row_tasks * column_tasks;
}

static void tw_plan_unpacked_blocks(tw_unpacked_run_t* run, tw_index_t size,
                                    const tw_caches_t* caches) {
  const tw_unpacked_t* u = &run->all;
  const int streams = u->K * u->N / kManyCaches > caches->l2 / size;
  const tw_index_t depth = streams ? kStreams : kDepthBytes / size;
  // Rows of out beside half of the L2 that is left.
  const tw_index_t width = streams ? caches->l2 / 4 / size / run->rows
                                   : caches->l2 / 2 / size / depth;
  run->depth = tw_even_part(u->K, depth, 4);
  run->width = tw_max(width / TW_UNPACKED_COLUMNS, 1) * TW_UNPACKED_COLUMNS;
}

int tw_plan_unpacked(const tw_matmul_params_t* p, const tw_triple_t* types,
                     tw_unpacked_fn_t fn, const tw_caches_t* caches,
                     tw_unpacked_run_t* run) {
  const uint32_t all = TW_MATMUL_FLAG_LHS_TRANSPOSED |
                       TW_MATMUL_FLAG_RHS_TRANSPOSED |
                       TW_MATMUL_FLAG_OUT_TRANSPOSED;
  const uint32_t transposed = p->flags & all;
  const tw_element_type_t type = types->accumulator;
  if (!fn || (transposed != 0 && transposed != all) || types->lhs != type ||
      types->rhs != type || types->out != type ||
      (type != TW_ELEMENT_F32 && type != TW_ELEMENT_F64))
    return 0;
  const tw_index_t size = tw_element_bits(type) / 8;
  tw_unpacked_t* u = &run->all;
  u->type = type;
  u->accumulate = !!(p->flags & TW_MMT4D_FLAG_ACCUMULATE);
  // All of them transposed, it is the product of the rhs and the lhs.
  const int swaps = transposed != 0;
  u->M = swaps ? p->N : p->M;
  u->N = swaps ? p->M : p->N;
  u->K = p->K;
  u->lhs = (const char*)(swaps ? p->rhs : p->lhs);
  u->rhs = (const char*)(swaps ? p->lhs : p->rhs);
  u->out = (char*)p->out;
  u->lhs_row = (swaps ? p->rhs_stride : p->lhs_stride) * size;
  u->rhs_row = (swaps ? p->lhs_stride : p->rhs_stride) * size;
  u->out_row = p->out_stride * size;
  if (!tw_is_quicker_unpacked(u, size, caches)) return 0;
  run->fn = fn;
  tw_plan_unpacked_tasks(run, p->threads);
  tw_plan_unpacked_blocks(run, size, caches);
  return 1;
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
      block.rhs = all->rhs + k * all->rhs_row + n * size;
      const tw_index_t to_line = tw_unpacked_columns_to_line(&block);
      block.N = tw_min(run->width + to_line, end - n);
      block.out = all->out + m * all->out_row + n * size;
      run->fn(&block);
    }
    k += run->depth;
  } while (k < all->K);
}
