// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole mmt4d: validation, cache blocking, the parallel-for.
//
// Order of the loops, outermost first:
//
//   block of the out matrix (mb x nb tiles)    one task of the parallel-for
//     K block (kc steps)
//       row of tiles in the block              its lhs slice: from L3, once
//         tile of the row                      its rhs slice: from L2
//           tile function with K = kc
//
// so that the rhs block [nb][kc][N0][K0] is read from L2 by the mb rows, and a
// lhs slice [kc][M0][K0] by the nb tiles of its row, but for the first from L2
// as well. Hence
//
//   kc = kRowBytes of K                  at most 1/8 L2 / rhs step bytes
//   nb = 1/2 L2 / (kc * rhs step bytes)  the rhs being larger 3/8 where L3 is
//                                        slow, so that what passes through L2
//                                        pushes less of it out, or 1/4, beside
//                                        the next 1/4, which many rows ask for
//   mb = what L3 has for it / (kc * lhs step bytes)
//
// Neither slice need stay in L1: tiles ask for what they read ahead of time,
// and a long slice saves what reading and writing each tile of out costs, once
// a K block. With a lhs block of L2 / 4 or L2 / 2 instead, and rhs slices from
// L3, f32 of 1024 cubed was at 0.89 to 0.93 of this speed (Skylake-SP).
//
// Per task, a K block reads its lhs and rhs blocks from memory once and the out
// block twice (read, written): bytes per multiply-add fall as 1/mb + 1/nb, and
// with kc. K is cut evenly. Each tile is stored once per K block; outputs
// narrower than their accumulator would round there, so for them kc is all of
// K. One row of tiles that passes over a rhs from memory has another order on
// some cores, streams.h, and a few rows have on all, few_rows.h.

#include "tilewright/tilewright.h"
#include "ukernels/core.h"
#include "ukernels/far.h"
#include "ukernels/few_rows.h"
#include "ukernels/generic_tile.h"
#include "ukernels/index.h"
#include "ukernels/mmt4d_check.h"
#include "ukernels/pages.h"
#include "ukernels/resign.h"
#include "ukernels/select.h"
#include "ukernels/streams.h"

// Of K, in a row of an operand.
static const tw_index_t kRowBytes = 4 << 10;

// So many rows of tiles ask for the next block's panels.
static const tw_index_t kManyRows = 32;

// With a parallel-for, blocks shrink until there are this many, so that up to a
// dozen threads get even shares of work, unless a block falls below
// kLeastBlockTiles tiles, where handing out a task would cost more than it
// gains.
static const tw_index_t kManyBlocks = 64;
static const tw_index_t kLeastBlockTiles = 8;

typedef struct tw_run_t {
  const tw_mmt4d_params_t* params;
  tw_mmt4d_tile_fn_t fn;
  tw_isa_t isa;  // of fn
  // Not null: of bytes of one sign, `resign_fn` instead of fn, with what this
  // adds up of each row of the lhs.
  const tw_resign_t* resign;
  tw_resign_tile_fn_t resign_fn;
  const char *lhs, *rhs;
  char* out;
  // Bytes from one tile to the next, and of one K step.
  tw_index_t lhs_row, rhs_row, out_row, out_col;
  tw_index_t lhs_step, rhs_step;
  tw_index_t mb, nb, kc;
  tw_index_t blocks_m, blocks_n;
  // Tiles of the rhs that a row of tiles of a block passes over before the next
  // row does.
  tw_index_t group;
  int streams;       // whether a block's panels are read side by side
  uint32_t rhs_far;  // tw_far_flag
  int lhs_far;       // whether calls ask for slices of the lhs
  int singly;        // or of the rhs, whose panels are taken singly
  int out_far;       // whether tiles of out that are read are asked for
  int asks_panels;   // and the next block's panels: tw_ask_for_panels
} tw_run_t;

static tw_index_t tw_clamp(tw_index_t x, tw_index_t lo, tw_index_t hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

static void tw_choose_blocks(tw_run_t* run, const tw_caches_t* caches,
                             tw_index_t l3, int cut_k, int rhs_bits,
                             int parallel) {
  const tw_mmt4d_params_t* p = run->params;
  // Of the rhs. Tiles of out and lhs slices pass through the rest.
  const tw_index_t half = caches->l2 / 2;
  run->group = p->N;
  run->singly = run->asks_panels = 0;
  run->rhs_far = tw_far_flag(caches, p->N, p->K, run->rhs_step);
  run->streams = cut_k && tw_reads_streams(caches, p->M0, p->M, p->N, p->K,
                                           run->rhs_step, rhs_bits);
  if (run->streams) {
    run->kc = p->K;
    run->mb = p->M;
    run->blocks_m = run->group = 1;
    run->nb = caches->streams;
    run->blocks_n = tw_panels_of(p->N, run->nb);
    return;
  }
  const tw_index_t step =
      tw_max(tw_max(run->lhs_step / p->M0, run->rhs_step / p->N0), 1);
  const tw_index_t steps =
      tw_max(tw_min(kRowBytes / step, caches->l2 / 8 / run->rhs_step), 64);
  // What follows would not cut a small problem; its dozen divisions would take
  // longer than the tiles. No product here overflows: tw_check_mmt4d has seen
  // larger ones.
  if (p->K <= steps && p->M * p->K * run->lhs_step <= l3 &&
      p->N * p->K * run->rhs_step <= half &&
      (!parallel || p->M * p->N <= kLeastBlockTiles)) {
    run->kc = p->K;
    run->mb = p->M;
    run->nb = p->N;
    run->blocks_m = run->blocks_n = 1;
    return;
  }
  run->kc = cut_k && p->K > steps ? tw_even_part(p->K, steps, 1) : p->K;
  const tw_index_t kc = run->kc > 0 ? run->kc : 1;
  // kc * step is at most the bytes of a panel, which tw_check_mmt4d bounded.
  run->mb = tw_clamp(l3 / (kc * run->lhs_step), 1, p->M);
  const int vnni = !!(p->flags & TW_MMT4D_FLAG_RHS_VNNI);
  run->nb = p->N;
  if (p->N * kc * run->rhs_step > half) {
    run->asks_panels = caches->slow_l3 && !vnni && run->mb >= kManyRows;
    const tw_index_t share = run->asks_panels  ? half / 2
                             : caches->slow_l3 ? half / 4 * 3
                                               : half;
    run->nb = tw_max(share / (kc * run->rhs_step), 1);
  }
  if (run->mb == p->M &&
      tw_takes_panels_singly(caches, p->M, kc * run->lhs_step, p->N,
                             kc * run->rhs_step)) {
    run->nb = p->N;
    run->group = 1;
    run->singly = 1;
    run->asks_panels = 0;
  }
  while (parallel &&
         tw_panels_of(p->M, run->mb) <
             tw_panels_of(kManyBlocks, tw_panels_of(p->N, run->nb)) &&
         run->mb * run->nb > kLeastBlockTiles) {
    if (run->nb >= run->mb)
      run->nb = tw_panels_of(run->nb, 2);
    else
      run->mb = tw_panels_of(run->mb, 2);
  }
  run->mb = tw_even_part(p->M, run->mb, 1);
  run->nb = tw_even_part(p->N, run->nb, 1);
  run->blocks_m = tw_panels_of(p->M, run->mb);
  run->blocks_n = tw_panels_of(p->N, run->nb);
}

// From the slice of the rhs of tile *n in a block's K block at *k to the one
// that is read after it; 0 if there is none.
static int tw_go_on(const tw_run_t* run, tw_index_t n_begin, tw_index_t n_end,
                    tw_index_t* n, tw_index_t* k) {
  if (++*n == n_end && *k + run->kc < run->params->K) {
    *n = n_begin;
    *k += run->kc;
  } else if (*n == n_end) {
    *k = 0;
  }
  return *n < run->params->N;
}

static const char* tw_slice_at(const tw_run_t* run, tw_index_t n,
                               tw_index_t k) {
  return run->rhs + n * run->rhs_row + k * run->rhs_step;
}

// The slice after that of tile `n`, or 0.
static const char* tw_next_slice(const tw_run_t* run, tw_index_t n_begin,
                                 tw_index_t n_end, tw_index_t n, tw_index_t k) {
  return tw_go_on(run, n_begin, n_end, &n, &k) ? tw_slice_at(run, n, k) : 0;
}

// Has a row's last call ask for a part of the panels behind those that a block
// has at `k`.
static void tw_ask_behind_block(const tw_run_t* run, tw_index_t n_begin,
                                tw_index_t n_end, tw_index_t k, tw_index_t rows,
                                tw_index_t m, tw_mmt4d_params_t* tile) {
  tw_index_t n = n_end - 1;
  if (!tw_go_on(run, n_begin, n_end, &n, &k)) return;
  const tw_index_t panels = tw_min(n_end - n_begin, run->params->N - n);
  tw_ask_for_panels(tile, tw_slice_at(run, n, k), run->rhs_row, panels,
                    run->rhs_step, rows, m);
}

// Asks for the pages of what follows `rhs`, `bytes` of it: of a block's K block
// at `k` the slice of tile `n`.
static void tw_ask_ahead(const tw_run_t* run, tw_index_t n_begin,
                         tw_index_t n_end, tw_index_t n, tw_index_t k,
                         const char* rhs, tw_index_t bytes) {
  if (run->streams) {
    if (n + run->nb < run->params->N)
      tw_ask_beside(rhs, rhs + run->nb * run->rhs_row);
    return;
  }
  const char* next = tw_next_slice(run, n_begin, n_end, n, k);
  if (next) tw_ask_for_pages(next, bytes);
}

// Asks for what the call after that of tile (m, n) of out reads of out, if that
// tile is in the block, whose rows of tiles pass over [first, end).
static void tw_ask_for_next_tile(const tw_run_t* run, tw_index_t m,
                                 tw_index_t m_end, tw_index_t n,
                                 tw_index_t first, tw_index_t end) {
  if (++n == end) {
    n = first;
    if (++m == m_end) return;
  }
  const tw_mmt4d_params_t* p = run->params;
  const char* out = run->out + m * run->out_row + n * run->out_col;
  if (p->flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE)
    tw_ask_for_tile(out, p->M0, run->out_col, run->out_row / p->M0);
  else
    tw_ask_for_tile(out, 1, run->out_col, 0);
}

// Of a block's K block at `k`, of tile.K steps: all rows of tiles, each over
// the tiles of the group that begins at `first`. The first row has the rhs from
// further away than L2, and leaves it there. Calls ask for what comes from
// there next: those of a row for the next row's lhs, or, of a few rows that
// take panels of the rhs singly, those of a panel for the next one.
static void tw_run_rows(const tw_run_t* run, tw_index_t m_begin,
                        tw_index_t n_begin, tw_index_t n_end, tw_index_t first,
                        tw_index_t k, tw_mmt4d_params_t tile) {
  const uint32_t flags = tile.flags;
  const tw_index_t m_end = tw_min(run->params->M, m_begin + run->mb);
  const tw_index_t end = tw_min(n_end, first + run->group);
  const char* next_slice = run->singly && m_end - m_begin >= TW_ROWS_THAT_ASK
                               ? tw_next_slice(run, n_begin, n_end, first, k)
                               : 0;
  const tw_index_t share =
      next_slice     ? tw_panels_of(run->rhs_step, m_end - m_begin)
      : run->lhs_far ? tw_panels_of(run->lhs_step,
                                    tw_max(end - first - run->asks_panels, 1))
                     : 0;
  for (tw_index_t m = m_begin; m < m_end; ++m) {
    const char* lhs = run->lhs + m * run->lhs_row + k * run->lhs_step;
    int32_t sums[TW_RESIGN_MOST_LANES];
    if (run->resign) run->resign->sum(lhs, tile.K, tile.M0, 1, sums);
    for (tw_index_t n = first; n < end; ++n) {
      char* out = run->out + m * run->out_row + n * run->out_col;
      const char* rhs = tw_slice_at(run, n, k);
      if (m == m_begin)
        tw_ask_ahead(run, n_begin, n_end, n, k, rhs, tile.K * run->rhs_step);
      if (run->out_far && (flags & TW_MMT4D_FLAG_ACCUMULATE))
        tw_ask_for_next_tile(run, m, m_end, n, first, end);
      tile.flags = flags | (m == m_begin ? run->rhs_far : 0);
      if (next_slice)
        tw_ask_for_part(&tile, next_slice, share, m - m_begin);
      else if (run->asks_panels && n + 1 == end)
        tw_ask_behind_block(run, n_begin, n_end, k, m_end - m_begin,
                            m - m_begin, &tile);
      else if (run->lhs_far && m + 1 < m_end)
        tw_ask_for_part(&tile, lhs + run->lhs_row, share, n - first);
      if (run->resign)
        run->resign_fn(out, lhs, rhs, &tile, sums);
      else
        run->fn(out, lhs, rhs, &tile);
    }
  }
}

static void tw_run_block(void* context, tw_index_t block) {
  const tw_run_t* run = (const tw_run_t*)context;
  const tw_index_t m_begin = block / run->blocks_n * run->mb;
  const tw_index_t n_begin = block % run->blocks_n * run->nb;
  const tw_index_t n_end = tw_min(run->params->N, n_begin + run->nb);
  const tw_index_t K = run->params->K;
  tw_mmt4d_params_t tile = *run->params;
  const uint32_t begun = tw_begin_tile_calls(run->isa);
  tile.flags |= begun;
  tw_index_t k = 0;
  do {  // once for K of 0, which writes zeros
    tile.K = run->streams
                 ? tw_slice_of_stream(
                       run->rhs + n_begin * run->rhs_row + k * run->rhs_step,
                       run->rhs_step, K - k)
                 : tw_min(run->kc, K - k);
    for (tw_index_t n = n_begin; n < n_end; n += run->group)
      tw_run_rows(run, m_begin, n_begin, n_end, n, k, tile);
    tile.flags |= TW_MMT4D_FLAG_ACCUMULATE;
    k += tile.K;
  } while (k < K);
  tw_end_tile_calls(begun);
}

// For s8 x s8 by a hand-written tile that corrects its products: the rows of
// each panel of the lhs are added up once instead of by every tile, if these
// are a few, and of a rhs that stays in L2. With a larger one the lhs comes
// from further away, and while it is added up nothing is multiplied (1024 and
// 2048 cubed 2 % slower, 256 cubed 4 % faster; Zen 5).
static void tw_choose_resigned(tw_run_t* run, const tw_candidate_t* tile,
                               const tw_caches_t* caches) {
  const tw_mmt4d_params_t* p = run->params;
  const tw_index_t kFewTiles = 4;
  run->resign = 0;
  if (!tile || tile->linked.origin != TW_TILE_ORIGIN_HAND_WRITTEN ||
      tile->linked.key.types != TW_TYPES_S8S8S32 || p->K0 != TW_RESIGN_K0 ||
      p->K == 0 || p->N < kFewTiles ||
      p->K > caches->l2 / 2 / (p->N * run->rhs_step))
    return;
  const tw_resign_t* resign = tw_resign_for(run->isa);
  if (!resign || p->M0 > resign->lanes) return;
  run->resign_fn = resign->flipping_tile(p->M0, p->N0);
  if (run->resign_fn) run->resign = resign;
}

static const char* tw_first_panel(const void* buffer, tw_index_t offset,
                                  int bits) {
  return buffer ? (const char*)buffer + offset * bits / 8 : 0;
}

tw_status_t tw_mmt4d(const tw_mmt4d_params_t* params,
                     const tw_parallel_for_t* parallel_for) {
  tw_triple_t types;
  const tw_status_t status =
      tw_check_mmt4d(params, parallel_for, &types, /*fault=*/0);
  if (status != TW_STATUS_OK) return status;
  tw_search_t search;
  tw_search_tiles(params, &types, &search);
  if (!search.best && !(params->flags & TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK))
    return TW_STATUS_UNSUPPORTED;

  const int accumulate = !!(params->flags & TW_MMT4D_FLAG_ACCUMULATE);
  if (params->M == 0 || params->N == 0 || (params->K == 0 && accumulate))
    return TW_STATUS_OK;

  const int lhs_bits = tw_element_bits(types.lhs);
  const int rhs_bits = tw_element_bits(types.rhs);
  const int out_bytes = tw_element_bits(types.out) / 8;
  const int plain_out = !!(params->flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE);
  tw_run_t run;
  run.params = params;
  run.fn = search.best ? search.best->linked.fn : tw_mmt4d_generic_tile;
  run.isa = search.best ? search.best->linked.key.isa : TW_ISA_GENERIC;
  // Without K the operands are not read and may be null.
  run.lhs = tw_first_panel(params->lhs_buffer, params->lhs_offset, lhs_bits);
  run.rhs = tw_first_panel(params->rhs_buffer, params->rhs_offset, rhs_bits);
  run.out = (char*)params->out_buffer + params->out_offset * out_bytes;
  run.lhs_step = (tw_index_t)params->M0 * params->K0 * lhs_bits / 8;
  run.rhs_step = (tw_index_t)params->N0 * params->K0 * rhs_bits / 8;
  // A stride is read only where there is a second panel.
  run.lhs_row =
      params->M > 1 && params->K > 0 ? params->lhs_stride0 * lhs_bits / 8 : 0;
  run.rhs_row =
      params->N > 1 && params->K > 0 ? params->rhs_stride0 * rhs_bits / 8 : 0;
  run.out_row = params->M <= 1 ? 0
                : plain_out    ? params->out_row_stride * params->M0 * out_bytes
                               : params->out_stride0 * out_bytes;
  run.out_col = (plain_out ? params->N0 : (tw_index_t)params->M0 * params->N0) *
                (tw_index_t)out_bytes;
  const int steps_round =
      !(params->flags & TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS);
  const tw_caches_t caches = tw_caches_of(search.cpu_data);
  tw_choose_resigned(&run, search.best, &caches);
  tw_choose_blocks(&run, &caches, tw_core_l3(search.cpu_data),
                   !tw_triple_rounds(&types) || steps_round, rhs_bits,
                   parallel_for != 0);
  run.lhs_far =
      !run.streams && tw_is_far(&caches, run.mb, run.kc, run.lhs_step);
  run.out_far = !(params->flags & TW_MMT4D_FLAG_RHS_VNNI) && !run.streams &&
                tw_is_far(&caches, run.mb, run.nb,
                          (tw_index_t)params->M0 * params->N0 * out_bytes);

  const tw_index_t blocks = run.blocks_m * run.blocks_n;
  if (parallel_for && blocks > 1) {
    parallel_for->run(parallel_for->self, blocks, tw_run_block, &run);
  } else {
    for (tw_index_t block = 0; block < blocks; ++block)
      tw_run_block(&run, block);
  }
  return TW_STATUS_OK;
}
