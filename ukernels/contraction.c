// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/contraction.h"

#include "ukernels/epilogue.h"
#include "ukernels/matmul_run.h"
#include "ukernels/matmul_thin.h"
#include "ukernels/tile_calls.h"

_Static_assert(TW_CONTRACTION_THIN_ROWS == TW_THIN_MOST_ROWS,
               "models know how many rows are few");

static void tw_run_tasks(const tw_contraction_t* c, tw_index_t count,
                         void (*task)(void* run, tw_index_t i), void* run) {
  if (c->parallel_for && count > 1) {
    c->parallel_for->run(c->parallel_for->self, count, task, run);
    return;
  }
  for (tw_index_t i = 0; i < count; ++i) task(run, i);
}

// The tile of fewest rows that has those of the call; null if `tile` is it.
static const tw_few_rows_t* tw_few_rows(const tw_contraction_t* c) {
  for (int i = 0; i < TW_CONTRACTION_FEW && c->few[i].tile; ++i)
    if (c->matmul.M <= c->few[i].M0) return &c->few[i];
  return 0;
}

void TW_CONTRACT(const tw_contraction_t* c) {
  const tw_matmul_params_t* p = &c->matmul;
  if (p->M == 0 || p->N == 0) return;
  if (p->K == 0 && p->flags & TW_MMT4D_FLAG_ACCUMULATE) {
    tw_run_epilogue(&c->epilogue, 0, p->M, 0, p->N);
    return;
  }
  if (c->thin && p->M <= TW_THIN_MOST_ROWS &&
      !(p->flags & TW_MATMUL_FLAG_RHS_PREPACKED)) {
    tw_thin_run_t thin;
    tw_plan_thin(p, c->thin, c->core.asks_pages, &thin);
    thin.epilogue = &c->epilogue;
    tw_run_tasks(c, thin.tasks, tw_run_thin_task, &thin);
    return;
  }
  tw_matmul_run_t run;
  tw_matmul_tile_t* tile = &run.plan.tile;
  tw_triple_t types;
  // The compiler has both from the same table.
  if (!tw_triple_of(p->flags & TW_MMT4D_FLAG_TYPE_MASK, &types) ||
      !tw_triple_of((unsigned)c->tile_types, &tile->types))
    return;
  tile->value = (tw_type_triple_t)c->tile_types;
  tile->sizes.M0 = c->M0;
  tile->sizes.N0 = c->N0;
  tile->sizes.K0 = c->K0;
  tile->body = (tw_matmul_body_t){c->tile, 0, 0, c->M0, ""};
  tile->resign = 0;
  tile->zip_groups = 0;
  // Of the instruction set it matters only whether that is AMX, which all tiles
  // of the variant `vnni` are by, and no others.
  tile->vnni = !!(p->flags & TW_MMT4D_FLAG_RHS_VNNI);
  tile->isa = tile->vnni ? tw_isa_of_vnni() : TW_ISA_GENERIC;
  tw_matmul_params_t prepacked;
  if (c->keep && p->K > 0) {
    const void* panels = c->keep(c);
    if (panels) {
      prepacked = *p;
      prepacked.rhs = panels;
      prepacked.flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
      p = &prepacked;
    }
  }
  const tw_few_rows_t* few =
      p->flags & TW_MATMUL_FLAG_RHS_PREPACKED ? tw_few_rows(c) : 0;
  if (few) {
    tile->sizes.M0 = (int32_t)few->M0;
    tile->body = (tw_matmul_body_t){few->tile, 0, 0, few->M0, ""};
  }
  tile->last = tile->body;
  const tw_caches_t caches = tw_caches_of_model(&c->core);
  run.plan.has_epilogue = c->epilogue.run != 0;
  tw_plan_with_tile(p, &types, c->gather.row_loops > 0 ? &c->gather : 0,
                    &caches, &run.plan);
  run.plan.lhs.pack = few ? 0 : c->pack_lhs;
  run.plan.rhs.pack = c->pack_rhs;
  run.params = p;
  run.panels =
      p->flags & TW_MATMUL_FLAG_RHS_PREPACKED ? (const char*)p->rhs : 0;
  run.workspace = (char*)p->workspace;
  run.epilogue = &c->epilogue;
  tw_run_tasks(c, run.plan.lhs.parts * run.plan.rhs.parts, tw_run_matmul_task,
               &run);
}
