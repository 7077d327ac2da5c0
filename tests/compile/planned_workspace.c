// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/planned_workspace.h"

#include "ukernels/matmul_plan.h"

tw_index_t tw_planned_workspace(const tw_contraction_t* c) {
  tw_matmul_plan_t plan = {0};
  if (!tw_triple_of((unsigned)c->tile_types, &plan.tile.types)) return -1;
  plan.tile.sizes.M0 = c->M0;
  plan.tile.sizes.N0 = c->N0;
  plan.tile.sizes.K0 = c->K0;
  const tw_caches_t caches = tw_caches_of_model(&c->core);
  plan.has_epilogue = c->epilogue.run != 0;
  tw_plan_with_tile(&c->matmul, &plan.tile.types,
                    c->gather.row_loops > 0 ? &c->gather : 0, &caches, &plan);
  return plan.slice;
}
