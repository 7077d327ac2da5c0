// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that a row of <arch>/mmt4d_tiles.def names. Sizes are pasted,
// never evaluated: a scalable one (`2vl`) is as good as a number.

#ifndef UKERNELS_TILE_FUNCTION_H_
#define UKERNELS_TILE_FUNCTION_H_

#include "tilewright/tile.h"

// The function of a row of a table; `variant` is _, _steprnd_ or
// _vnni_.
#define TW_TILE_NAME(arch, lhs, rhs, out, M0, N0, K0, variant, isa) \
  TW_TILE_NAME_(arch, lhs, rhs, out, M0, N0, K0, variant, isa)
#define TW_TILE_NAME_(arch, lhs, rhs, out, M0, N0, K0, variant, isa) \
  tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##variant##arch##_##isa

// The same as a string.
#define TW_TILE_STRING(arch, lhs, rhs, out, M0, N0, K0, variant, isa) \
  TW_STRING_(TW_TILE_NAME(arch, lhs, rhs, out, M0, N0, K0, variant, isa))
#define TW_STRING_(text) TW_STRING__(text)
#define TW_STRING__(text) #text

#define TW_TILE_FUNCTION(name)                                            \
  void name(void* out_tile, const void* lhs_panel, const void* rhs_panel, \
            const tw_mmt4d_params_t* params)

#endif  // UKERNELS_TILE_FUNCTION_H_
