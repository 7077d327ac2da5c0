// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/matmul_panels.h"

#include "ukernels/pack.h"

// Rows of tiles that are packed at a time: as much of a line of the matrix as
// makes reading it worth while.
enum { kRows = 8 };

tw_index_t tw_panel_tasks(const tw_panels_run_t* run) {
  return tw_panels_of(run->rhs.tiles, kRows);
}

void tw_pack_panels(void* context, tw_index_t i) {
  // Room for a widened step of any tile (matmul_tile.c).
  enum { kWideBytes = 16 << 10 };
  const tw_panels_run_t* run = (const tw_panels_run_t*)context;
  const tw_matmul_side_t* rhs = &run->rhs;
  const tw_index_t begin = i * kRows;
  const tw_index_t tiles = tw_inside(rhs->tiles, begin, kRows);
  const tw_index_t k_steps = tw_panels_of(run->K, rhs->tile_cols);
  const tw_index_t panel = k_steps * rhs->step;
  char* panels = run->panels + begin * panel;
  char wide[kWideBytes];
  // Whole tiles as they are need no scratch.
  tw_index_t whole = 0;
  if (rhs->from == rhs->type) {
    whole = tw_inside(rhs->rows / rhs->tile_rows, begin, tiles);
    if (whole > 0)
      tw_pack_side(rhs, run->K, run->matrix, begin, whole, 0, k_steps, wide,
                   panels);
  }
  const tw_index_t fit = kWideBytes / rhs->step;
  for (tw_index_t t = whole; t < tiles; ++t)
    for (tw_index_t k = 0; k < k_steps; k += fit)
      tw_pack_side(rhs, run->K, run->matrix, begin + t, 1, k,
                   tw_inside(k_steps, k, fit), wide,
                   panels + t * panel + k * rhs->step);
}
