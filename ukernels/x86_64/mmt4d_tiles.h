// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the hand-written x86-64 tile functions: one per row.

#ifndef UKERNELS_X86_64_MMT4D_TILES_H_
#define UKERNELS_X86_64_MMT4D_TILES_H_

#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, family)             \
  void tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##_x86_64_##isa( \
      void* out_tile, const void* lhs_panel, const void* rhs_panel,       \
      const tw_mmt4d_params_t* params);
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, family)        \
  void                                                                       \
  tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##_steprnd_x86_64_##isa( \
      void* out_tile, const void* lhs_panel, const void* rhs_panel,          \
      const tw_mmt4d_params_t* params);
#include "ukernels/x86_64/mmt4d_tiles.def"

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_X86_64_MMT4D_TILES_H_
