// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles by AMX whose lhs is rows of a matrix (in_place.h): registers load rows
// from wherever they lie. M0 is whole registers, so that none reads another
// row.

#ifndef UKERNELS_X86_64_IN_PLACE_AMX_H_
#define UKERNELS_X86_64_IN_PLACE_AMX_H_

#include "ukernels/in_place.h"
#include "ukernels/x86_64/amx.h"

// Nobody adds sums to what AMX has added up.
#define TW_IN_PLACE_AMX(types, out_type, M0, N0)                   \
  static void types##_##M0##x##N0(                                 \
      void* out, const void* lhs, tw_index_t row, const void* rhs, \
      const tw_mmt4d_params_t* params, const int32_t* sums) {      \
    (void)sums;                                                    \
    tw_amx_tile_of(types, TW_ELEMENT_##out_type, out, lhs, row,    \
                   TW_AMX_ROW_BYTES, rhs, params, M0, N0);         \
  }

#define TW_IN_PLACE_AMX_TILES(types, out_type) \
  TW_IN_PLACE_AMX(types, out_type, 16, 32)     \
  TW_IN_PLACE_AMX(types, out_type, 32, 32)

// That of `types` among those of M0 = 16 and 32 and N0 = 32.
#define TW_IN_PLACE_AMX_CHOOSE(types, m, n) \
  ((n) != 32   ? (tw_in_place_fn_t)0        \
   : (m) == 16 ? types##_16x32              \
   : (m) == 32 ? types##_32x32              \
               : (tw_in_place_fn_t)0)

#endif  // UKERNELS_X86_64_IN_PLACE_AMX_H_
