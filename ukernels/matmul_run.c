// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs what matmul_blocks.c has planned.

#include "ukernels/matmul_run.h"

#include "tilewright/tilewright.h"
#include "ukernels/epilogue.h"
#include "ukernels/far.h"
#include "ukernels/few_rows.h"
#include "ukernels/matmul_out.h"
#include "ukernels/pages.h"
#include "ukernels/streams.h"

// A half-open range of tiles or K steps.
typedef struct tw_range_t {
  tw_index_t begin, end;
} tw_range_t;

// A task at a place of its loops.
typedef struct tw_matmul_task_t {
  const tw_matmul_run_t* run;
  char *lhs, *rhs, *out, *tile, *wide;  // its workspace
  int32_t* sums;  // also; of each row of the lhs, by tw_resign_t::sum
  // What is multiplied next: tiles of M and of N, steps of K.
  tw_range_t m, n, k;
  uint32_t begun;  // of tw_begin_tile_calls
  // What the packed blocks hold.
  tw_range_t lhs_m, lhs_k, rhs_n, rhs_k;
} tw_matmul_task_t;

static tw_range_t tw_part_of(tw_range_t all, tw_index_t begin,
                             tw_index_t size) {
  const tw_range_t part = {begin, tw_min(begin + size, all.end)};
  return part;
}

static tw_index_t tw_count(tw_range_t range) { return range.end - range.begin; }

static int tw_same(tw_range_t a, tw_range_t b) {
  return a.begin == b.begin && a.end == b.end;
}

// Whether sums of this call's out block have begun, or begin with out.
static int tw_adds(const tw_matmul_task_t* task) {
  return task->k.begin > 0 ||
         task->run->params->flags & TW_MMT4D_FLAG_ACCUMULATE;
}

// How many rows of tiles of this call are not of the plan's last tile.
static tw_index_t tw_alike(const tw_matmul_task_t* task) {
  return tw_count(task->m) -
         (task->m.end - 1 == task->run->plan.last_at ? 1 : 0);
}

// Bytes between rows of a lhs that is multiplied in place, and the first of row
// of tiles `m` of this call, at its first step.
static tw_index_t tw_lhs_row(const tw_matmul_task_t* task) {
  const tw_matmul_side_t* lhs = &task->run->plan.lhs;
  return lhs->stride * tw_element_bits(lhs->type) / 8;
}

static const char* tw_lhs_rows(const tw_matmul_task_t* task, tw_index_t m) {
  const tw_matmul_plan_t* plan = &task->run->plan;
  return (const char*)task->run->params->lhs +
         (task->m.begin + m) * plan->tile.sizes.M0 * tw_lhs_row(task) +
         task->k.begin * plan->tile.sizes.K0 * tw_element_bits(plan->lhs.type) /
             8;
}

// ---- Packing ----------------------------------------------------------------

static void tw_pack_lhs(tw_matmul_task_t* task) {
  if (tw_same(task->lhs_m, task->m) && tw_same(task->lhs_k, task->k)) return;
  const tw_matmul_plan_t* plan = &task->run->plan;
  const void* lhs = task->run->params->lhs;
  const tw_index_t steps = tw_count(task->k);
  const tw_index_t panel = steps * plan->lhs.step;
  const tw_index_t alike = tw_alike(task);
  if (!plan->in_place)
    tw_pack_side(&plan->lhs, plan->K, lhs, task->m.begin, alike, task->k.begin,
                 steps, task->wide, task->lhs);
  if (alike < tw_count(task->m))
    tw_pack_side(&plan->last, plan->K, lhs, 0, 1, task->k.begin, steps,
                 task->wide, task->lhs + alike * panel);
  const tw_resign_t* resign = plan->tile.resign;
  const int is_signed = plan->tile.types.lhs == TW_ELEMENT_S8;
  for (tw_index_t m = 0; resign && m < tw_count(task->m); ++m) {
    const int M0 = (int)(m < alike ? &plan->tile.body : &plan->tile.last)->M0;
    int32_t* sums = task->sums + m * plan->tile.sizes.M0;
    if (plan->in_place && m < alike)
      resign->sum_rows(tw_lhs_rows(task, m), tw_lhs_row(task), steps, M0,
                       is_signed, sums);
    else
      resign->sum(task->lhs + m * panel, steps, M0, is_signed, sums);
  }
  task->lhs_m = task->m;
  task->lhs_k = task->k;
}

static void tw_pack_rhs(tw_matmul_task_t* task) {
  if (task->run->panels ||
      (tw_same(task->rhs_n, task->n) && tw_same(task->rhs_k, task->k)))
    return;
  const tw_matmul_plan_t* plan = &task->run->plan;
  tw_pack_side(&plan->rhs, plan->K, task->run->params->rhs, task->n.begin,
               tw_count(task->n), task->k.begin, tw_count(task->k), task->wide,
               task->rhs);
  task->rhs_n = task->n;
  task->rhs_k = task->k;
}

// ---- Multiplying ------------------------------------------------------------

// The packed blocks and the out matrix of a multiplication, in bytes.
typedef struct tw_blocks_t {
  const char *lhs, *rhs;  // of the first tile and step
  const char* rows;       // of a lhs in place
  tw_index_t row;         // between them
  tw_index_t lhs_panel, rhs_panel;
  const int32_t* sums;  // of the first tile's rows
  char* out;            // of the first tile
  tw_index_t out_row, out_col;
  tw_index_t m, n, k;  // tiles and steps
  tw_index_t panels;   // of a prepacked rhs: from the first tile to its end
  const char* behind;  // null, or, of one whose panels are asked for, the next
                       // chunk
  tw_index_t alike;    // rows of tiles from here on are of the plan's last tile
} tw_blocks_t;

static tw_blocks_t tw_blocks_of(const tw_matmul_task_t* task) {
  const tw_matmul_run_t* run = task->run;
  const tw_matmul_plan_t* plan = &run->plan;
  tw_blocks_t b;
  b.m = tw_count(task->m);
  b.n = tw_count(task->n);
  b.k = tw_count(task->k);
  b.alike = tw_alike(task);
  b.lhs = task->lhs;
  b.rows = plan->in_place ? tw_lhs_rows(task, 0) : 0;
  b.row = tw_lhs_row(task);
  b.lhs_panel = b.k * plan->lhs.step;
  b.rhs = task->rhs;
  b.rhs_panel = b.k * plan->rhs.step;
  b.panels = 0;
  b.behind = 0;
  b.sums = task->sums;
  if (run->panels) {
    b.rhs_panel = plan->k_steps * plan->rhs.step;
    b.panels = plan->rhs.tiles - task->n.begin;
    const int is_last = task->k.end >= plan->k_steps;
    if (plan->asks_panels)
      b.behind = run->panels + (is_last ? 0 : task->k.end * plan->rhs.step);
    b.rhs = run->panels + task->n.begin * b.rhs_panel +
            task->k.begin * plan->rhs.step;
  }
  return b;
}

static tw_mmt4d_params_t tw_tile_params(const tw_matmul_task_t* task,
                                        tw_index_t out_row_stride) {
  const tw_matmul_plan_t* plan = &task->run->plan;
  tw_mmt4d_params_t tile = {0};
  tile.M0 = plan->tile.sizes.M0;
  tile.N0 = plan->tile.sizes.N0;
  tile.K0 = plan->tile.sizes.K0;
  tile.flags = (uint32_t)plan->tile.value |
               TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS |
               TW_MMT4D_FLAG_OUT_ROW_STRIDE | task->begun;
  if (plan->tile.vnni) tile.flags |= TW_MMT4D_FLAG_RHS_VNNI;
  if (tw_adds(task)) tile.flags |= TW_MMT4D_FLAG_ACCUMULATE;
  tile.out_row_stride = out_row_stride;
  return tile;
}

static const tw_matmul_body_t* tw_body_at(const tw_matmul_plan_t* plan,
                                          const tw_blocks_t* b, tw_index_t m) {
  return m < b->alike ? &plan->tile.body : &plan->tile.last;
}

// Multiplies tiles m and n of the blocks into `out`. Sets the M0 of `tile`.
static void tw_multiply_tile(const tw_matmul_plan_t* plan, const tw_blocks_t* b,
                             tw_index_t m, tw_index_t n, char* out,
                             tw_mmt4d_params_t* tile) {
  const tw_matmul_body_t* body = tw_body_at(plan, b, m);
  const char* lhs = b->lhs + m * b->lhs_panel;
  const char* rhs = b->rhs + n * b->rhs_panel;
  const int32_t* sums = b->sums + m * plan->tile.sizes.M0;
  tile->M0 = body->M0;
  if (plan->in_place && m < b->alike) {
    body->in_place(out, b->rows + m * body->M0 * b->row, b->row, rhs, tile,
                   plan->tile.resign ? sums : 0);
    return;
  }
  if (body->resign_fn) {
    body->resign_fn(out, lhs, rhs, tile, sums);
    return;
  }
  body->fn(out, lhs, rhs, tile);
  if (plan->tile.resign)
    plan->tile.resign->add(out, tile->out_row_stride, tile->M0, tile->N0, sums);
}

// Has a row's last call ask for a part of the panels behind those of the block.
static void tw_ask_behind_block(const tw_matmul_plan_t* plan,
                                const tw_blocks_t* b, tw_index_t m,
                                tw_mmt4d_params_t* tile) {
  const tw_index_t left = b->panels - b->n;
  tw_ask_for_panels(tile, left > 0 ? b->rhs + b->n * b->rhs_panel : b->behind,
                    b->rhs_panel, left > 0 ? tw_min(b->n, left) : b->n,
                    plan->rhs.step, b->m, m);
}

// Tiles [0, b->m) x [0, b->n), all of them inside out.
static void tw_multiply_whole(const tw_matmul_plan_t* plan,
                              const tw_blocks_t* b, tw_mmt4d_params_t tile) {
  const tw_index_t stride = b->out_row / plan->tile.sizes.M0;
  const uint32_t flags = tile.flags;
  tile.K = b->k;
  const int singly = plan->group == 1 && plan->rhs_far && !plan->lhs_far &&
                     b->m >= TW_ROWS_THAT_ASK;
  for (tw_index_t first = 0; first < b->n; first += plan->group) {
    const tw_index_t end = tw_min(first + plan->group, b->n);
    const tw_index_t share = singly ? tw_panels_of(plan->rhs.step, b->m)
                             : plan->lhs_far
                                 ? tw_panels_of(plan->lhs.step, end - first)
                                 : 0;
    for (tw_index_t m = 0; m < b->m; ++m)
      for (tw_index_t n = first; n < end; ++n) {
        char* out = b->out + m * b->out_row + n * b->out_col;
        const tw_index_t next =
            n + 1 < end ? b->out_col : b->out_row - (n - first) * b->out_col;
        const tw_index_t at = n + 1 < end ? m : m + 1;
        if (at < b->m && !plan->tile.vnni)
          tw_ask_for_tile(out + next, tw_body_at(plan, b, at)->M0, b->out_col,
                          stride);
        if (m == 0 && n + 1 < b->panels)
          tw_ask_for_pages(b->rhs + (n + 1) * b->rhs_panel,
                           b->k * plan->rhs.step);
        tile.flags = flags | (m == 0 ? plan->rhs_far : 0);
        if (singly && n + 1 < b->panels)
          tw_ask_for_part(&tile, b->rhs + (n + 1) * b->rhs_panel, share, m);
        else if (b->behind && n + 1 == b->n)
          tw_ask_behind_block(plan, b, m, &tile);
        else if (plan->lhs_far && m + 1 < b->m)
          tw_ask_for_part(&tile, b->lhs + (m + 1) * b->lhs_panel, share,
                          n - first);
        tw_multiply_tile(plan, b, m, n, out, &tile);
      }
  }
}

// The same of panels that are read side by side.
static void tw_multiply_streams(const tw_matmul_plan_t* plan,
                                const tw_blocks_t* b, tw_mmt4d_params_t tile) {
  uint32_t flags = tile.flags;
  for (tw_index_t k = 0; k < b->k; k += tile.K) {
    const tw_index_t at = k * plan->rhs.step;
    tile.K = tw_slice_of_stream(b->rhs + at, plan->rhs.step, b->k - k);
    for (tw_index_t n = 0; n < b->n; ++n) {
      const char* rhs = b->rhs + n * b->rhs_panel + at;
      if (n + b->n < b->panels) tw_ask_beside(rhs, rhs + b->n * b->rhs_panel);
      for (tw_index_t m = 0; m < b->m; ++m) {
        const tw_matmul_body_t* body = tw_body_at(plan, b, m);
        const tw_index_t step = (m < b->alike ? &plan->lhs : &plan->last)->step;
        tile.M0 = body->M0;
        tile.flags = flags | (m == 0 ? plan->rhs_far : 0);
        body->fn(b->out + m * b->out_row + n * b->out_col,
                 b->lhs + m * b->lhs_panel + k * step, rhs, &tile);
      }
    }
    flags |= TW_MMT4D_FLAG_ACCUMULATE;
  }
}

static void tw_multiply_inside(const tw_matmul_plan_t* plan,
                               const tw_blocks_t* b, tw_mmt4d_params_t tile) {
  if (plan->streams && b->m > 0)
    tw_multiply_streams(plan, b, tile);
  else
    tw_multiply_whole(plan, b, tile);
}

// One tile over an edge of out: by way of the task's scratch tile.
static void tw_multiply_edge(const tw_matmul_task_t* task, const tw_blocks_t* b,
                             tw_index_t m, tw_index_t n) {
  const tw_matmul_run_t* run = task->run;
  const tw_matmul_plan_t* plan = &run->plan;
  const tw_tile_sizes_t sizes = plan->tile.sizes;
  const tw_out_t out = {run->params,
                        plan->tile.types.out,
                        (task->m.begin + m) * sizes.M0,
                        (task->n.begin + n) * sizes.N0,
                        tw_body_at(plan, b, m)->M0,
                        sizes.N0};
  if (tw_adds(task)) tw_load_out(&out, task->tile);
  tw_mmt4d_params_t tile = tw_tile_params(task, sizes.N0);
  tile.K = b->k;
  tw_multiply_tile(plan, b, m, n, task->tile, &tile);
  tw_store_out(&out, task->tile);
}

static void tw_multiply_into_out(const tw_matmul_task_t* task) {
  const tw_matmul_run_t* run = task->run;
  const tw_matmul_params_t* p = run->params;
  const tw_matmul_plan_t* plan = &run->plan;
  const tw_tile_sizes_t sizes = plan->tile.sizes;
  const tw_index_t size = tw_element_bits(plan->out) / 8;
  const tw_blocks_t all = tw_blocks_of(task);
  tw_blocks_t whole = all;
  // A last row of tiles ends where M does, or over it.
  const tw_index_t last_ends =
      plan->last_at * sizes.M0 + plan->tile.last.M0 == p->M;
  whole.m = tw_min(all.m, p->M / sizes.M0 - task->m.begin + last_ends);
  whole.n = tw_min(all.n, p->N / sizes.N0 - task->n.begin);
  whole.out_row = sizes.M0 * p->out_stride * size;
  whole.out_col = sizes.N0 * size;
  whole.out = (char*)p->out + task->m.begin * whole.out_row +
              task->n.begin * whole.out_col;
  tw_multiply_inside(plan, &whole, tw_tile_params(task, p->out_stride));
  for (tw_index_t n = 0; n < all.n; ++n)
    for (tw_index_t m = n < whole.n ? whole.m : 0; m < all.m; ++m)
      tw_multiply_edge(task, &all, m, n);
}

// By way of a block of accumulators, with the last chunk of K into out.
static void tw_multiply_into_block(const tw_matmul_task_t* task) {
  const tw_matmul_run_t* run = task->run;
  const tw_matmul_plan_t* plan = &run->plan;
  const tw_tile_sizes_t sizes = plan->tile.sizes;
  const tw_index_t size = tw_element_bits(plan->tile.types.out) / 8;
  tw_blocks_t b = tw_blocks_of(task);
  const tw_out_t out = {run->params,
                        plan->tile.types.out,
                        task->m.begin * sizes.M0,
                        task->n.begin * sizes.N0,
                        b.m * sizes.M0,
                        b.n * sizes.N0};
  if (task->k.begin == 0 && tw_adds(task)) tw_load_out(&out, task->out);
  b.out = task->out;
  b.out_row = sizes.M0 * out.cols * size;
  b.out_col = sizes.N0 * size;
  tw_multiply_inside(plan, &b, tw_tile_params(task, out.cols));
  if (task->k.end == plan->k_steps) tw_store_out(&out, task->out);
}

// Of the block that has just been multiplied, if that was the last chunk of K.
static void tw_finish_block(const tw_matmul_task_t* task) {
  const tw_matmul_plan_t* plan = &task->run->plan;
  const tw_matmul_params_t* p = task->run->params;
  const tw_tile_sizes_t sizes = plan->tile.sizes;
  if (task->k.end < plan->k_steps) return;
  tw_run_epilogue(task->run->epilogue, task->m.begin * sizes.M0,
                  tw_min(task->m.end * sizes.M0, p->M),
                  task->n.begin * sizes.N0,
                  tw_min(task->n.end * sizes.N0, p->N));
}

// ---- Loops ------------------------------------------------------------------

enum { TW_LOOP_M, TW_LOOP_N, TW_LOOP_K };

// The loops of a task, outermost first. A block is packed when one of its loops
// has moved on, so of two blocks the one that costs more stays longer.
//   into out: a chunk of the rhs serves all blocks of M;
//   into a block of accumulators: which are one block's until K has ended;
//   prepacked: the lhs is packed once;
//   one block of the lhs: so it is, for each chunk.
static const unsigned char kLoops[4][3] = {
    {TW_LOOP_N, TW_LOOP_K, TW_LOOP_M},
    {TW_LOOP_N, TW_LOOP_M, TW_LOOP_K},
    {TW_LOOP_M, TW_LOOP_K, TW_LOOP_N},
    {TW_LOOP_K, TW_LOOP_N, TW_LOOP_M},
};

static void tw_run_loop(tw_matmul_task_t* task, const tw_range_t* all,
                        const unsigned char* loops, int depth) {
  const tw_matmul_plan_t* plan = &task->run->plan;
  if (depth == 3) {
    tw_pack_rhs(task);
    tw_pack_lhs(task);
    if (plan->direct)
      tw_multiply_into_out(task);
    else
      tw_multiply_into_block(task);
    tw_finish_block(task);
    return;
  }
  const int loop = loops[depth];
  const tw_index_t sizes[] = {plan->lhs.block, plan->rhs.block, plan->chunk};
  tw_range_t* const ranges[] = {&task->m, &task->n, &task->k};
  tw_index_t at = all[loop].begin;
  do {  // once for K of 0
    *ranges[loop] = tw_part_of(all[loop], at, sizes[loop]);
    tw_run_loop(task, all, loops, depth + 1);
    at += sizes[loop];
  } while (at < all[loop].end);
}

void tw_run_matmul_task(void* context, tw_index_t i) {
  const tw_matmul_run_t* run = (const tw_matmul_run_t*)context;
  const tw_matmul_plan_t* plan = &run->plan;
  char* slice = run->workspace + i * plan->slice;
  const tw_range_t none = {-1, -1};
  tw_matmul_task_t task = {run,
                           slice,
                           slice + plan->rhs_at,
                           slice + plan->out_at,
                           slice + plan->tile_at,
                           slice + plan->wide_at,
                           (int32_t*)(slice + plan->sums_at),
                           none,
                           none,
                           none,
                           tw_begin_tile_calls(plan->tile.isa),
                           none,
                           none,
                           none,
                           none};
  const tw_range_t m = {0, plan->lhs.tiles}, n = {0, plan->rhs.tiles};
  const tw_range_t all[] = {
      tw_part_of(m, i % plan->lhs.parts * plan->lhs.part, plan->lhs.part),
      tw_part_of(n, i / plan->lhs.parts * plan->rhs.part, plan->rhs.part),
      {0, plan->k_steps}};
  const int order = !plan->direct    ? 1
                    : run->panels    ? 2
                    : plan->lhs_once ? 3
                                     : 0;
  tw_run_loop(&task, all, kLoops[order], 0);
  tw_end_tile_calls(task.begun);
}
