// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the hand-written x86-64 tile functions: one per row.

#ifndef UKERNELS_X86_64_MMT4D_TILES_H_
#define UKERNELS_X86_64_MMT4D_TILES_H_

#include "ukernels/tile_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_TILE_FUNCTION(TW_TILE_NAME(x86_64, lhs, rhs, out, M0, N0, K0, _, isa));
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_TILE_FUNCTION(                                                   \
      TW_TILE_NAME(x86_64, lhs, rhs, out, M0, N0, K0, _steprnd_, isa));
#define TW_MMT4D_TILE_VNNI(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_TILE_FUNCTION(                                                \
      TW_TILE_NAME(x86_64, lhs, rhs, out, M0, N0, K0, _vnni_, isa));
#include "ukernels/x86_64/mmt4d_tiles.def"

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_X86_64_MMT4D_TILES_H_
