// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the tile functions of one ISA. <isa>.c includes its vector header and
// the families it has, defines TW_STAMP_ISA_<isa> as `~, 1`, and includes this
// file last. Every row of mmt4d_tiles.def for that ISA becomes a function.

#include "ukernels/x86_64/mmt4d_tiles.h"

// 1 if TW_STAMP_ISA_<isa> is defined as `~, 1`, else 0: an undefined name is
// one token, which leaves the 0 in second place.
#define TW_SECOND_OF(first, second, ...) second
#define TW_SECOND(...) TW_SECOND_OF(__VA_ARGS__, 0, 0)
#define TW_IS_STAMPED(isa) TW_SECOND(TW_STAMP_ISA_##isa)

#define TW_CONCAT_(a, b) a##b
#define TW_CONCAT(a, b) TW_CONCAT_(a, b)
#define TW_STAMP_0(name, family, M0, N0)
#define TW_STAMP_1(name, family, M0, N0)                                  \
  void name(void* out_tile, const void* lhs_panel, const void* rhs_panel, \
            const tw_mmt4d_params_t* params) {                            \
    family(out_tile, lhs_panel, rhs_panel, params, M0, N0);               \
  }

#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, family)                 \
  TW_CONCAT(TW_STAMP_, TW_IS_STAMPED(isa))                                    \
  (tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##_x86_64_##isa, family, \
   M0, N0)
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, family)         \
  TW_CONCAT(TW_STAMP_, TW_IS_STAMPED(isa))                                    \
  (tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##_steprnd_x86_64_##isa, \
   family, M0, N0)
#include "ukernels/x86_64/mmt4d_tiles.def"
