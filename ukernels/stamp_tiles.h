// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the tile functions of one ISA of a CPU. <isa>.c includes the families
// it has, defines TW_STAMP_ISA_<isa> as `~, 1`, and includes this file last.
// Every row of mmt4d_tiles.def for that ISA becomes a function.

#include "ukernels/mmt4d_tiles.h"
#include "ukernels/stamp.h"
#include "ukernels/tile_body.h"

#define TW_TILES_OF_THIS_CPU
#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa, family) \
  TW_STAMP(TW_TILE_NAME(arch, lhs, rhs, out, M0, N0, K0, variant, isa), isa, \
           family, M0, N0)
#include "ukernels/mmt4d_tiles.def"
