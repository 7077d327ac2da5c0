// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the tile functions of one target. <gfx>.cpp includes the instructions
// it has, defines TW_STAMP_ISA_<gfx> as `~, 1`, and includes this file last.
// Every row of mmt4d_tiles.def for that target becomes a function.

#include "ukernels/amdgpu/tile.h"
#include "ukernels/stamp.h"

#define TW_ROW_0(name, instruction, lhs, rhs, out, M0, N0, K0, rounding, scales)
#define TW_ROW_1(name, instruction, lhs, rhs, out, M0, N0, K0, rounding,       \
                 scales)                                                       \
  extern "C" TW_DEVICE __attribute__((always_inline)) void name(               \
      TW_GLOBAL void* __restrict__ out_tile,                                   \
      const TW_GLOBAL void* __restrict__ lhs_panel,                            \
      const TW_GLOBAL void* __restrict__ rhs_panel,                            \
      const tw_mmt4d_params_t* __restrict__ params) {                          \
    using namespace tilewright::amdgpu;                                        \
    Tile<instruction<rhs, lhs>, lhs, rhs, out, M0, N0, K0, Rounding::rounding, \
         Scales::scales>::compute(out_tile, lhs_panel, rhs_panel, params);     \
  }
// What a variant, as it stands in names, is in a tile.
#define TW_ROUNDING__ kOnce
#define TW_ROUNDING__steprnd_ kEveryStep
#define TW_ROUNDING__mx_ kOnce
#define TW_SCALES__ kNone
#define TW_SCALES__steprnd_ kNone
#define TW_SCALES__mx_ kBlocks

#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa,         \
                      instruction)                                           \
  TW_CONCAT(TW_ROW_, TW_IS_STAMPED(isa))                                     \
  (TW_TILE_NAME(arch, lhs, rhs, out, M0, N0, K0, variant, isa), instruction, \
   lhs, rhs, out, M0, N0, K0, TW_ROUNDING_##variant, TW_SCALES_##variant)
#include "ukernels/amdgpu/mmt4d_tiles.def"
