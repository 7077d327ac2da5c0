// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stamp_tiles.h for the SME families. They take M0 and N0 as two numbers each:
// how many, and whether of vectors.

#include "ukernels/arm_64/sme_body.h"
#include "ukernels/stamp.h"

#undef TW_STAMP_1
#define TW_STAMP_1(name, family, M0, N0)                                   \
  static __attribute__((noinline)) void name##_streaming(                  \
      void* out_tile, const void* lhs_panel, const void* rhs_panel,        \
      const tw_mmt4d_params_t* params) TW_SME_STATE {                      \
    family(out_tile, lhs_panel, rhs_panel, params, TW_COUNT_##M0,          \
           TW_IS_VECTORS_##M0, TW_COUNT_##N0, TW_IS_VECTORS_##N0);         \
  }                                                                        \
  TW_TILE_FUNCTION(name) {                                                 \
    if (tw_keeps_out(params)) return;                                      \
    TW_SME_CALL(name##_streaming, out_tile, lhs_panel, rhs_panel, params); \
  }

#include "ukernels/stamp_tiles.h"
