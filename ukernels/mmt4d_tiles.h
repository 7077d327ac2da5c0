// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the hand-written tile functions of the CPU that is compiled
// for: one per row.

#ifndef UKERNELS_MMT4D_TILES_H_
#define UKERNELS_MMT4D_TILES_H_

#include "ukernels/tile_function.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TW_TILES_OF_THIS_CPU
#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa, family) \
  TW_TILE_FUNCTION(TW_TILE_NAME(arch, lhs, rhs, out, M0, N0, K0, variant, isa));
#include "ukernels/mmt4d_tiles.def"

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_MMT4D_TILES_H_
