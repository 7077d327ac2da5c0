// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile a matmul has, and its sides.

#include "ukernels/matmul_plan.h"

#include "ukernels/index.h"

tw_matmul_side_t tw_rhs_side(const tw_matmul_params_t* params,
                             const tw_triple_t* types,
                             const tw_matmul_tile_t* tile) {
  tw_matmul_side_t rhs = {0};
  rhs.from = types->rhs;
  // Before its top bits are flipped it has the sign of the lhs.
  rhs.type = tile->resign ? tile->types.lhs : tile->types.rhs;
  rhs.resign = tile->resign;
  rhs.zip_groups = tile->zip_groups;
  rhs.transpose = !(params->flags & TW_MATMUL_FLAG_RHS_TRANSPOSED);
  rhs.rows = params->N;
  rhs.stride = params->rhs_stride;
  tw_set_side_tile(&rhs, tile->sizes.N0, tile->sizes.K0);
  if (tile->vnni) rhs.group = tw_vnni_group(&tile->types);
  return rhs;
}

static tw_matmul_side_t tw_lhs_side(const tw_matmul_params_t* params,
                                    const tw_triple_t* types,
                                    const tw_gather_t* gather,
                                    const tw_matmul_tile_t* tile) {
  tw_matmul_side_t lhs = {0};
  lhs.gather = gather;
  lhs.from = types->lhs;
  lhs.type = tile->types.lhs;
  lhs.zip_groups = tile->zip_groups;
  lhs.transpose = !!(params->flags & TW_MATMUL_FLAG_LHS_TRANSPOSED);
  lhs.rows = params->M;
  lhs.stride = params->lhs_stride;
  tw_set_side_tile(&lhs, tile->sizes.M0, tile->sizes.K0);
  // A row of 64 bytes has as many lines, which no vectors zip at once: first
  // those of a group, then groups as units of 4 bytes.
  if (tile->vnni && lhs.transpose) {
    lhs.group = tw_vnni_group(&tile->types);
    lhs.regroups = 1;
  }
  return lhs;
}

// Whether each of these rows is as quick to read where it lies as in a panel. A
// step of AMX takes a line of each, and nothing of it again; other steps take
// parts of lines, which should stay in L1. There rows a multiple of a page
// apart are in one set, which has as many lines as L1 has pages.
static int tw_reads_rows(const void* rows, tw_index_t row,
                         const tw_matmul_tile_t* tile,
                         const tw_caches_t* caches) {
  const tw_index_t kWayBytes = 4096;
  if (tile->vnni)
    return (uintptr_t)rows % TW_IN_PLACE_LINE == 0 &&
           row % TW_IN_PLACE_LINE == 0;
  return !tw_is_aliased(row) || tile->sizes.M0 * kWayBytes <= caches->l1;
}

// So few columns that packing the lhs counts. By AMX rows that do not stay in
// L1 come from L2 for each tile anew, where packed ones are asked for: bf16
// 1024x512x1024 takes 0.86 of the time in place, 1024x768x1024 1.03, 1024 cubed
// 1.1; s8 2048 cubed 1.09 (Granite Rapids).
static tw_index_t tw_most_columns_in_place(const tw_matmul_params_t* params,
                                           const tw_matmul_side_t* lhs,
                                           const tw_matmul_tile_t* tile,
                                           const tw_caches_t* caches) {
  const tw_index_t row = params->K * tw_element_bits(lhs->from) / 8;
  return tile->vnni && row > caches->l1 / tile->sizes.M0 ? 512 : 2048;
}

// Whether the lhs is multiplied where it lies: as much of each row as a step
// takes, by a tile that does that.
static int tw_is_in_place(const tw_matmul_params_t* params,
                          const tw_matmul_side_t* lhs,
                          const tw_matmul_tile_t* tile,
                          const tw_caches_t* caches) {
  const tw_index_t row = lhs->stride * tw_element_bits(lhs->from) / 8;
  return tile->body.in_place && lhs->from == lhs->type && !lhs->transpose &&
         params->K > 0 && params->K % tile->sizes.K0 == 0 &&
         params->M >= tile->sizes.M0 &&
         params->N <= tw_most_columns_in_place(params, lhs, tile, caches) &&
         tw_reads_rows(params->lhs, row, tile, caches);
}

// The last row of tiles, where it is of another tile. Tiles whose first row may
// lie within a byte do not begin anew.
static void tw_plan_last(tw_matmul_plan_t* plan) {
  const tw_matmul_body_t* last = &plan->tile.last;
  const int within_bytes = tw_element_bits(plan->lhs.from) < 8;
  const int is_whole = plan->lhs.rows % plan->lhs.tile_rows == 0;
  plan->last = plan->lhs;
  plan->last_at = -1;
  if (last->M0 == plan->tile.body.M0 || within_bytes)
    plan->tile.last = plan->tile.body;
  if (last->M0 == plan->tile.body.M0 && (is_whole || !plan->in_place)) return;
  plan->last_at = plan->lhs.tiles - 1;
  plan->last.first = plan->last_at * plan->lhs.tile_rows;
  tw_set_side_tile(&plan->last, last->M0, plan->tile.sizes.K0);
}

void tw_plan_with_tile(const tw_matmul_params_t* params,
                       const tw_triple_t* types, const tw_gather_t* gather,
                       const tw_caches_t* caches, tw_matmul_plan_t* plan) {
  plan->out = types->out;
  plan->lhs = tw_lhs_side(params, types, gather, &plan->tile);
  plan->rhs = tw_rhs_side(params, types, &plan->tile);
  plan->in_place = tw_is_in_place(params, &plan->lhs, &plan->tile, caches);
  tw_plan_last(plan);
  plan->K = params->K;
  plan->direct = plan->tile.types.out == types->out &&
                 !(params->flags & TW_MATMUL_FLAG_OUT_TRANSPOSED);
  tw_plan_blocks(plan, params->threads,
                 !!(params->flags & TW_MATMUL_FLAG_RHS_PREPACKED), caches);
}

// Whether a prepacked rhs is for this matmul.
static tw_status_t tw_check_panels(const tw_matmul_params_t* params,
                                   const tw_prepacked_t* panels,
                                   tw_fault_t* fault) {
  const tw_index_t types = params->flags & TW_MMT4D_FLAG_TYPE_MASK;
  if ((tw_index_t)panels->types != types)
    return tw_fault_limit(fault, TW_STATUS_FOREIGN, "rhs's descriptor: types",
                          (tw_index_t)panels->types,
                          "the type triple of the flags,", types);
  if (panels->N != params->N)
    return tw_fault_limit(fault, TW_STATUS_FOREIGN, "rhs's descriptor: N",
                          (tw_index_t)panels->N, "the N of the call,",
                          params->N);
  if (panels->K != params->K)
    return tw_fault_limit(fault, TW_STATUS_FOREIGN, "rhs's descriptor: K",
                          (tw_index_t)panels->K, "the K of the call,",
                          params->K);
  return TW_STATUS_OK;
}

tw_status_t tw_plan_matmul(const tw_matmul_params_t* params,
                           const tw_triple_t* types, const uint64_t* cpu_data,
                           tw_matmul_plan_t* plan, tw_fault_t* fault) {
  const tw_type_triple_t value =
      (tw_type_triple_t)(params->flags & TW_MMT4D_FLAG_TYPE_MASK);
  const int fallback = !!(params->flags & TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK);
  const int prepacked = !!(params->flags & TW_MATMUL_FLAG_RHS_PREPACKED);
  const tw_prepacked_t* panels =
      prepacked ? (const tw_prepacked_t*)params->rhs : 0;
  if (prepacked) {
    const tw_status_t status = tw_check_panels(params, panels, fault);
    if (status != TW_STATUS_OK) return status;
  }
  plan->has_epilogue = 0;
  const tw_caches_t caches = tw_caches_of(cpu_data);
  const tw_matmul_question_t question = {params->M, params->N, params->K,
                                         cpu_data,  &caches,   panels};
  if (!tw_choose_matmul_tile(value, &question, fallback, &plan->tile))
    return prepacked
               ? tw_fault(
                     fault, TW_STATUS_FOREIGN, "rhs's descriptor: N0",
                     panels->N0,
                     "one of a tile for these panels that is linked in and "
                     "that cpu_data can run; prepack the rhs on this CPU")
               : tw_no_matmul_tile(fault, value);
  tw_plan_with_tile(params, types, /*gather=*/0, &caches, plan);
  return TW_STATUS_OK;
}
