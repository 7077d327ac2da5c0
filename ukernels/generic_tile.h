// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef UKERNELS_GENERIC_TILE_H_
#define UKERNELS_GENERIC_TILE_H_

#include "tilewright/tile.h"

// Internal: the portable tile function for every type triple, tile size and
// rounding. Unlike a tile function with a name it reads what a name says from
// `params`: M0, N0, K0, the type triple and SKIP_INTERMEDIATE_ROUNDINGS, which
// must be valid (tw_find_tile has checked them).
void tw_mmt4d_generic_tile(void* out_tile, const void* lhs_panel,
                           const void* rhs_panel,
                           const tw_mmt4d_params_t* params);

#endif  // UKERNELS_GENERIC_TILE_H_
