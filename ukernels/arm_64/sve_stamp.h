// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stamp_tiles.h for families of vector-length-agnostic tiles: they take the `2`
// of a size `2vl`.

#include "ukernels/arm_64/scalable.h"
#include "ukernels/stamp.h"

#undef TW_STAMP_1
#define TW_STAMP_1(name, family, M0, N0)                          \
  TW_TILE_FUNCTION(name) {                                        \
    if (tw_keeps_out(params)) return;                             \
    family(out_tile, lhs_panel, rhs_panel, params, TW_COUNT_##M0, \
           TW_COUNT_##N0);                                        \
  }

#include "ukernels/stamp_tiles.h"
