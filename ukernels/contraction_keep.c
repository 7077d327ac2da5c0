// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Panels that compiled models keep, for tiles of scalable sizes.

#include <stdlib.h>

#include "tilewright/contraction.h"
#include "ukernels/matmul_panels.h"

// Panels of a matrix, behind which they lie.
typedef struct tw_kept_panels_t {
  const struct tw_kept_panels_t* next;
  const void* matrix;
  tw_index_t N, K, stride, N0, K0;
  int32_t tile_types, transposed;
} tw_kept_panels_t;

// Panels begin so far behind it.
enum { kKeptHeader = 128 };
_Static_assert(sizeof(tw_kept_panels_t) <= kKeptHeader, "panels follow");

static const tw_kept_panels_t* tw_find_kept(const tw_kept_panels_t* list,
                                            const tw_kept_panels_t* wanted) {
  while (list && !(list->matrix == wanted->matrix && list->N == wanted->N &&
                   list->K == wanted->K && list->stride == wanted->stride &&
                   list->N0 == wanted->N0 && list->K0 == wanted->K0 &&
                   list->tile_types == wanted->tile_types &&
                   list->transposed == wanted->transposed))
    list = list->next;
  return list;
}

// Packs c's rhs; null if there is no memory for it.
static tw_kept_panels_t* tw_pack_kept(const tw_contraction_t* c,
                                      const tw_kept_panels_t* header) {
  tw_triple_t types;
  tw_matmul_tile_t tile = {0};
  if (!tw_triple_of(c->matmul.flags & TW_MMT4D_FLAG_TYPE_MASK, &types) ||
      !tw_triple_of((unsigned)c->tile_types, &tile.types))
    return 0;
  tile.sizes = (tw_tile_sizes_t){c->M0, c->N0, c->K0};
  tw_panels_run_t run;
  run.rhs = tw_rhs_side(&c->matmul, &types, &tile);
  run.rhs.pack = c->pack_rhs;
  run.matrix = header->matrix;
  run.K = header->K;
  const tw_index_t bytes =
      run.rhs.tiles * run.rhs.step * tw_panels_of(run.K, run.rhs.tile_cols);
  tw_kept_panels_t* kept = (tw_kept_panels_t*)aligned_alloc(
      64, ((size_t)bytes + kKeptHeader + 63) / 64 * 64);
  if (!kept) return 0;
  *kept = *header;
  run.panels = (char*)kept + kKeptHeader;
  const tw_index_t tasks = tw_panel_tasks(&run);
  if (c->parallel_for && tasks > 1) {
    c->parallel_for->run(c->parallel_for->self, tasks, tw_pack_panels, &run);
  } else {
    for (tw_index_t i = 0; i < tasks; ++i) tw_pack_panels(&run, i);
  }
  return kept;
}

const void* TW_KEEP(const tw_contraction_t* c) {
  const tw_matmul_params_t* p = &c->matmul;
  const tw_kept_panels_t wanted = {
      0,     p->rhs,        p->N,
      p->K,  p->rhs_stride, c->N0,
      c->K0, c->tile_types, !!(p->flags & TW_MATMUL_FLAG_RHS_TRANSPOSED)};
  void** list =
      &c->kept->lists[(uintptr_t)p->rhs / kKeptHeader % TW_KEPT_LISTS];
  void* first = __atomic_load_n(list, __ATOMIC_ACQUIRE);
  const tw_kept_panels_t* found =
      tw_find_kept((const tw_kept_panels_t*)first, &wanted);
  if (found) return (const char*)found + kKeptHeader;
  tw_kept_panels_t* made = tw_pack_kept(c, &wanted);
  if (!made) return 0;
  do {
    // Another call may have been quicker.
    found = tw_find_kept((const tw_kept_panels_t*)first, &wanted);
    if (found) {
      free(made);
      return (const char*)found + kKeptHeader;
    }
    made->next = (const tw_kept_panels_t*)first;
  } while (!__atomic_compare_exchange_n(list, &first, (void*)made, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return (const char*)made + kKeptHeader;
}
