// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the tile functions of one ISA. <isa>.c includes the families it has,
// defines TW_STAMP_ISA_<isa> as `~, 1`, and includes this file last. Every row
// of mmt4d_tiles.def for that ISA becomes a function.

#include "ukernels/stamp.h"
#include "ukernels/tile_body.h"
#include "ukernels/x86_64/mmt4d_tiles.h"

#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, family)            \
  TW_STAMP(TW_TILE_NAME(x86_64, lhs, rhs, out, M0, N0, K0, _, isa), isa, \
           family, M0, N0)
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, family)       \
  TW_STAMP(TW_TILE_NAME(x86_64, lhs, rhs, out, M0, N0, K0, _steprnd_, isa), \
           isa, family, M0, N0)
#define TW_MMT4D_TILE_VNNI(lhs, rhs, out, M0, N0, K0, isa, family)            \
  TW_STAMP(TW_TILE_NAME(x86_64, lhs, rhs, out, M0, N0, K0, _vnni_, isa), isa, \
           family, M0, N0)
#include "ukernels/x86_64/mmt4d_tiles.def"
