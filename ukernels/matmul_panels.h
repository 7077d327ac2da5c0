// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: packs all of a rhs, for many matmuls.

#ifndef UKERNELS_MATMUL_PANELS_H_
#define UKERNELS_MATMUL_PANELS_H_

#include "ukernels/matmul_plan.h"

typedef struct tw_panels_run_t {
  tw_matmul_side_t rhs;
  const void* matrix;
  tw_index_t K;
  char* panels;  // [rhs.tiles][K steps] tiles of rhs.step bytes
} tw_panels_run_t;

// Into how many tasks the packing is divided.
tw_index_t tw_panel_tasks(const tw_panels_run_t* run);

// Packs the i-th part of a tw_panels_run_t, as a task does.
void tw_pack_panels(void* run, tw_index_t i);

#endif  // UKERNELS_MATMUL_PANELS_H_
