// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks, tasks and workspace of a matmul.
//
// A task owns a rectangle of out. K is cut into chunks; of each, a block of the
// lhs and one of the rhs are packed into the workspace and multiplied while
// they are in L2 and L3, in the order of mmt4d.c. A tile call takes a whole
// chunk.

#include "tilewright/contraction.h"
#include "ukernels/far.h"
#include "ukernels/few_rows.h"
#include "ukernels/index.h"
#include "ukernels/matmul_plan.h"
#include "ukernels/streams.h"

// A row's elements of a chunk.
static const tw_index_t kChunkBytes = 4 << 10;
// The same where both sides are packed and L3 is slow: blocks of the rhs have
// twice as many columns then, and the lhs is packed half as often (f32 1.01 to
// 1.04 times as fast from 1024 cubed on, bf16 and s8 1.03 to 1.05; AMX, which
// multiplies more quickly than it stores, 0.95; Granite Rapids).
static const tw_index_t kShortChunkBytes = 2 << 10;
// Multiply-adds in the time of packing one element.
static const double kPackWork = 32;

// Parts of odd tiles of 4-bit elements begin on a byte if they have an even
// number of them.
static tw_index_t tw_unit(const tw_matmul_side_t* side, tw_index_t size) {
  return tw_element_bits(side->from) == 4 && size % 2 != 0 ? 2 : 1;
}

void tw_set_side_tile(tw_matmul_side_t* side, tw_index_t rows,
                      tw_index_t cols) {
  side->tile_rows = rows;
  side->tile_cols = cols;
  side->group = cols;
  side->tiles = tw_panels_of(side->rows, rows);
  side->step = rows * cols * tw_element_bits(side->type) / 8;
}

// Divides out among at most `threads` tasks, so that the task with most to
// multiply and to pack has least.
static void tw_choose_tasks(tw_matmul_plan_t* plan, tw_index_t threads) {
  tw_matmul_side_t *lhs = &plan->lhs, *rhs = &plan->rhs;
  threads = tw_worthwhile_tasks(lhs->rows, rhs->rows, plan->K, threads);
  const tw_index_t unit_m = tw_unit(lhs, lhs->tile_rows);
  const tw_index_t unit_n = tw_unit(rhs, rhs->tile_rows);
  // One task, unless there is better.
  lhs->part = lhs->tiles;
  rhs->part = rhs->tiles;
  double least = 0;
  for (tw_index_t n = 1; n <= threads; ++n) {
    const tw_index_t part_n =
        tw_even_part(rhs->tiles, tw_panels_of(rhs->tiles, n), unit_n);
    const tw_index_t part_m =
        tw_even_part(lhs->tiles, tw_panels_of(lhs->tiles, threads / n), unit_m);
    // A unit may have made parts smaller, and so more of them.
    if (tw_panels_of(rhs->tiles, part_n) * tw_panels_of(lhs->tiles, part_m) >
        threads)
      continue;
    const double rows = (double)part_m * (double)lhs->tile_rows;
    const double cols = (double)part_n * (double)rhs->tile_rows;
    const double cost = rows * cols + kPackWork * (rows + cols);
    if (least > 0 && cost >= least) continue;
    least = cost;
    lhs->part = part_m;
    rhs->part = part_n;
  }
  lhs->parts = tw_panels_of(lhs->tiles, lhs->part);
  rhs->parts = tw_panels_of(rhs->tiles, rhs->part);
}

// Whether panels of a prepacked rhs are read side by side. What a tile call is
// to add to what is stored must not have been rounded, or moved by what its lhs
// adds up to. Tiles are stored for every slice, into a block of accumulators,
// where they lie close together: rows of out may share a set of L1 (f32 12, 16,
// 24 x 4096 x 4096 1.12, 1.17, 1.3 times as fast as by way of out, 24x4000x4096
// 1.05; Granite Rapids).
static void tw_choose_streams(tw_matmul_plan_t* plan, int prepacked,
                              const tw_caches_t* caches) {
  const tw_matmul_side_t *lhs = &plan->lhs, *rhs = &plan->rhs;
  plan->streams =
      prepacked && !plan->in_place && !plan->tile.resign &&
      !tw_triple_rounds(&plan->tile.types) &&
      lhs->tiles * caches->streams <= TW_MATMUL_MOST_STREAMED_TILES &&
      tw_reads_streams(caches, plan->tile.sizes.M0, lhs->tiles, rhs->tiles,
                       plan->k_steps, rhs->step, tw_element_bits(rhs->type));
  if (plan->streams) plan->direct = 0;
}

// How many cache lines of each row of a chunk a block of the rhs takes, which
// is a quarter of L2, if rows is how the rhs lies. Of one line, every row would
// be somewhere else (s8 16x4096x4096: 0.67 of the time, Zen 5). Of two, rows
// that share sets lose what was read ahead of them before the next block takes
// it: by four, few rows, whose packing is a large part, take 0.9 to 0.96 of the
// time, but those of bytes 1.06 to 1.12 (Zen 3, whose L2 is small; with a
// larger one blocks are wider anyway).
static tw_index_t tw_lines_of_block(const tw_matmul_plan_t* plan,
                                    const tw_caches_t* caches) {
  const tw_index_t kFewRows = 96, kSmallL2 = 512 << 10;
  const tw_matmul_side_t* rhs = &plan->rhs;
  const int bits = tw_element_bits(rhs->from);
  const int is_wider = caches->l2 <= kSmallL2 && plan->lhs.rows <= kFewRows &&
                       bits > 8 && tw_is_aliased(rhs->stride * bits / 8);
  return is_wider ? 4 : 2;
}

// Bytes of the workspace for packed blocks of the lhs. Panels of a rhs that
// take no place leave it to the lhs.
static tw_index_t tw_lhs_room(int prepacked) {
  return TW_MATMUL_MOST_LHS_BLOCK + (prepacked ? TW_MATMUL_MOST_RHS_BLOCK : 0);
}

static void tw_choose_chunk(tw_matmul_plan_t* plan, int prepacked,
                            const tw_caches_t* caches) {
  const tw_matmul_side_t *lhs = &plan->lhs, *rhs = &plan->rhs;
  // A tile that rounds does so once.
  if (tw_triple_rounds(&plan->tile.types)) {
    plan->chunk = tw_max(plan->k_steps, 1);
    return;
  }
  // All of it, if the lhs has room, which is packed once then.
  if (plan->streams) {
    const tw_index_t most = tw_wants_scratch(lhs)
                                ? TW_MATMUL_MOST_SCRATCH
                                : tw_lhs_room(/*prepacked=*/1) / lhs->tiles;
    plan->chunk = tw_even_part(plan->k_steps, tw_max(most / lhs->step, 1), 1);
    return;
  }
  const int bits =
      (int)tw_max(tw_element_bits(lhs->type), tw_element_bits(rhs->type));
  const tw_index_t step = tw_max(lhs->step, rhs->step);
  const int is_short = !prepacked && caches->slow_l3 && !plan->tile.vnni;
  tw_index_t chunk =
      (is_short ? kShortChunkBytes : kChunkBytes) * 8 / (lhs->tile_cols * bits);
  if (!prepacked && rhs->transpose)
    chunk =
        tw_min(chunk, caches->l2 / 4 / (tw_lines_of_block(plan, caches) * 64) /
                          rhs->tile_cols);
  chunk = tw_min(chunk, TW_MATMUL_MOST_SCRATCH / step);
  const tw_index_t unit =
      tw_max(tw_unit(lhs, lhs->tile_cols), tw_unit(rhs, rhs->tile_cols));
  plan->chunk = tw_even_part(plan->k_steps, tw_max(chunk, 1), unit);
}

// Whether the lhs is packed once: it is one block, and so much of out is
// written between two chunks that it stays in L2.
static int tw_packs_lhs_once(const tw_matmul_plan_t* plan,
                             const tw_caches_t* caches) {
  const tw_matmul_side_t *lhs = &plan->lhs, *rhs = &plan->rhs;
  if (lhs->block < lhs->part) return 0;
  const tw_index_t row =
      rhs->part * rhs->tile_rows * (tw_element_bits(plan->tile.types.out) / 8);
  return plan->chunk >= plan->k_steps ||
         lhs->part * lhs->tile_rows <= caches->l2 / 2 / row;
}

// Whether so many rows of tiles take panels of the rhs singly.
static int tw_rows_take_singly(const tw_matmul_plan_t* plan, tw_index_t rows,
                               const tw_caches_t* caches) {
  return tw_takes_panels_singly(caches, rows, plan->chunk * plan->lhs.step,
                                plan->rhs.part, plan->chunk * plan->rhs.step);
}

// Whether K is short to AMX beside a prepacked rhs from a slow L3: each tile of
// out is stored once, after so few steps that bringing panels of the rhs is
// most of the time. As many rows as there is room for pass over those that are
// in L2 then, however large a block of out they store, and their slices hardly
// leave L1 (s8 1024x4096x1024, 4096x4096x512 1.3, 1.5 times as fast as with
// blocks of out that stay in L2, bf16 1.14, 1.29; s8 1536 and 2048 cubed 1.12
// and 1.08 as with a lhs that does, bf16 1024 and 1536 cubed 1.03 and 1.01, and
// with slices of 128 KiB 0.94; Granite Rapids). Not where an epilogue reads
// out.
static int tw_is_short_k(const tw_matmul_plan_t* plan, int prepacked,
                         const tw_caches_t* caches) {
  const tw_index_t slice = plan->chunk * plan->lhs.step;
  return prepacked && caches->slow_l3 && plan->tile.vnni && !plan->in_place &&
         !plan->has_epilogue && plan->chunk >= plan->k_steps &&
         slice <= 2 * caches->l1 &&
         !(plan->lhs.part * slice <= caches->l2 / 4 &&
           tw_rows_take_singly(plan, plan->lhs.part, caches));
}

// Whether rows of tiles have their last call ask for the next block's panels of
// a prepacked rhs (tw_ask_for_panels): by AMX that gains nothing.
static int tw_asks_for_panels(const tw_matmul_plan_t* plan, int prepacked,
                              const tw_caches_t* caches) {
  const tw_index_t panel = plan->chunk * plan->rhs.step;
  return prepacked && caches->slow_l3 && !plan->tile.vnni && !plan->in_place &&
         plan->direct && plan->rhs.part > caches->l2 / 2 / panel &&
         !tw_rows_take_singly(plan, TW_ROWS_THAT_ASK, caches);
}

// Along rows, tiles of out lie side by side, on the same pages; but each reads
// another tile of the rhs, which only the L2 can hand over as quickly as it is
// multiplied: half of it, beside what streams past.
static tw_index_t tw_choose_group(const tw_matmul_plan_t* plan,
                                  const tw_caches_t* caches) {
  const tw_index_t panel = plan->chunk * plan->rhs.step, half = caches->l2 / 2;
  const int is_less = plan->short_k && plan->rhs.part > half / panel;
  const tw_index_t share = plan->asks_panels ? half / 2
                           : is_less         ? half / 4 * 3
                                             : half;
  return tw_max(share / panel, 1);
}

// How much of the lhs is packed at a time, in bytes. Where L3 is slow, beside a
// prepacked rhs no more than stays in L2 while panels pass through: f32 2048
// and 4096 cubed are 1.02 and 1.05 times as fast, and by AMX, which takes
// panels singly then, bf16 2048 and 4096 cubed 1.09 and 1.1, s8 4096 cubed 1.12
// (Granite Rapids; AMX loses by more than that, multiply-adds by less).
static tw_index_t tw_lhs_bytes(const tw_matmul_plan_t* plan, int prepacked,
                               const tw_caches_t* caches) {
  const tw_index_t room = tw_lhs_room(prepacked);
  const tw_index_t slice = plan->chunk * plan->lhs.step;
  if (!prepacked || !caches->slow_l3 || plan->in_place || plan->streams ||
      plan->short_k || tw_rows_take_singly(plan, plan->lhs.part, caches))
    return room;
  const tw_index_t share = caches->l2 / 8 * (plan->tile.vnni ? 2 : 3);
  return tw_min(tw_max(share, slice), room);
}

static void tw_choose_blocks(tw_matmul_plan_t* plan, int prepacked,
                             const tw_caches_t* caches) {
  tw_matmul_side_t *lhs = &plan->lhs, *rhs = &plan->rhs;
  const tw_index_t unit_m = tw_unit(lhs, lhs->tile_rows);
  const tw_index_t unit_n = tw_unit(rhs, rhs->tile_rows);
  plan->short_k = tw_is_short_k(plan, prepacked, caches);
  plan->asks_panels = tw_asks_for_panels(plan, prepacked, caches);
  plan->group = plan->streams ? caches->streams : tw_choose_group(plan, caches);
  const tw_index_t lhs_bytes = tw_lhs_bytes(plan, prepacked, caches);
  const tw_index_t sums_bytes =
      plan->tile.resign ? lhs->tile_rows * (tw_index_t)sizeof(int32_t) : 0;
  lhs->block = tw_even_part(
      lhs->part, lhs_bytes / (plan->chunk * lhs->step + sums_bytes), unit_m);
  // A long block of the rhs has the lhs packed fewer times.
  const tw_index_t rhs_bytes =
      TW_MATMUL_MOST_RHS_BLOCK + (plan->direct ? TW_MATMUL_MOST_OUT_BLOCK : 0);
  rhs->block =
      tw_even_part(rhs->part, rhs_bytes / (plan->chunk * rhs->step), unit_n);
  plan->lhs_once =
      plan->direct && !prepacked && tw_packs_lhs_once(plan, caches);
  if (plan->lhs_once) {
    // Blocks of the rhs are then as long as is good for themselves: so that
    // they still lie in L2 when they are multiplied, beside what they were
    // packed from (3 to 4 % of f32 and bf16 128x384x384 on Zen 4).
    const tw_index_t fit = caches->l2 / 4 / (plan->chunk * rhs->step);
    rhs->block = tw_even_part(rhs->part, tw_min(fit, rhs->block), unit_n);
    return;
  }
  // A block of out is read and written for every chunk, and by the epilogue: it
  // should stay in L2, or fit the workspace. As square as the blocks allow; but
  // where out is written itself, blocks of N stay what the lhs is packed for,
  // or are those whose panels stay in L2.
  const tw_index_t size =
      tw_element_bits(plan->tile.types.out) / 8;  // of an accumulator
  const tw_index_t most =
      TW_MATMUL_MOST_OUT_BLOCK / (lhs->tile_rows * rhs->tile_rows * size);
  if (plan->direct) {
    if (prepacked) rhs->block = tw_even_part(rhs->part, plan->group, unit_n);
    if (plan->short_k) return;
    lhs->block = tw_even_part(
        lhs->part, tw_min(tw_max(most / rhs->block, 1), lhs->block), unit_m);
    return;
  }
  if (plan->streams) rhs->block = tw_even_part(rhs->part, plan->group, unit_n);
  if (lhs->block * rhs->block <= most) return;
  tw_index_t rows = 1;
  while (4 * rows * rows * lhs->tile_rows <= most * rhs->tile_rows) rows *= 2;
  lhs->block = tw_even_part(lhs->part, tw_min(rows, lhs->block), unit_m);
  rhs->block = tw_even_part(
      rhs->part, tw_min(tw_max(most / lhs->block, 1), rhs->block), unit_n);
}

static void tw_order_few_rows(tw_matmul_plan_t* plan,
                              const tw_caches_t* caches) {
  if (!plan->streams && !plan->short_k &&
      tw_rows_take_singly(plan, plan->lhs.block, caches))
    plan->group = 1;
}

// Makes room for `bytes` in a slice and returns where.
static tw_index_t tw_reserve(tw_index_t* slice, tw_index_t bytes) {
  const tw_index_t at = *slice;
  *slice = (at + bytes + 63) / 64 * 64;
  return at;
}

static void tw_lay_out_workspace(tw_matmul_plan_t* plan, int prepacked) {
  const tw_matmul_side_t *lhs = &plan->lhs, *rhs = &plan->rhs;
  const tw_index_t size = tw_element_bits(plan->tile.types.out) / 8;
  const tw_index_t tile = lhs->tile_rows * rhs->tile_rows * size;
  const tw_index_t wide =
      tw_max(tw_wants_scratch(lhs) ? lhs->step : 0, prepacked ? 0 : rhs->step);
  tw_index_t slice = 0;
  tw_reserve(&slice, lhs->block * plan->chunk * lhs->step);
  plan->rhs_at =
      tw_reserve(&slice, prepacked ? 0 : rhs->block * plan->chunk * rhs->step);
  plan->out_at =
      tw_reserve(&slice, plan->direct ? 0 : lhs->block * rhs->block * tile);
  plan->tile_at = tw_reserve(&slice, plan->direct ? tile : 0);
  const tw_resign_t* resign = plan->tile.resign;
  plan->sums_at = tw_reserve(
      &slice,
      resign ? (lhs->block * lhs->tile_rows + resign->lanes) * size : 0);
  plan->wide_at = tw_reserve(&slice, wide * plan->chunk);
  plan->slice = slice;
}

void tw_plan_blocks(tw_matmul_plan_t* plan, tw_index_t threads, int prepacked,
                    const tw_caches_t* caches) {
  plan->k_steps = tw_panels_of(plan->K, plan->tile.sizes.K0);
  tw_choose_tasks(plan, threads);
  tw_choose_streams(plan, prepacked, caches);
  tw_choose_chunk(plan, prepacked, caches);
  tw_choose_blocks(plan, prepacked, caches);
  tw_order_few_rows(plan, caches);
  // One that was just packed is in L2.
  plan->rhs_far = prepacked ? tw_far_flag(caches, plan->rhs.tiles,
                                          plan->k_steps, plan->rhs.step)
                            : 0;
  plan->lhs_far = !plan->in_place && tw_is_far(caches, plan->lhs.block,
                                               plan->chunk, plan->lhs.step);
  tw_lay_out_workspace(plan, prepacked);
}
