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
#define TW_ROW(variant, lhs, rhs, out, M0, N0, K0, isa, instruction, rounding, \
               scales)                                                         \
  TW_CONCAT(TW_ROW_, TW_IS_STAMPED(isa))                                       \
  (TW_TILE_NAME(amdgpu, lhs, rhs, out, M0, N0, K0, variant, isa), instruction, \
   lhs, rhs, out, M0, N0, K0, rounding, scales)

#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, instruction) \
  TW_ROW(_, lhs, rhs, out, M0, N0, K0, isa, instruction, kOnce, kNone)
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, instruction)   \
  TW_ROW(_steprnd_, lhs, rhs, out, M0, N0, K0, isa, instruction, kEveryStep, \
         kNone)
#define TW_MMT4D_TILE_MX(lhs, rhs, out, M0, N0, K0, isa, instruction) \
  TW_ROW(_mx_, lhs, rhs, out, M0, N0, K0, isa, instruction, kOnce, kBlocks)
#include "ukernels/amdgpu/mmt4d_tiles.def"
