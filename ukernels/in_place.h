// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: tiles that read the lhs where it lies.
//
// What a K step takes of a row of the lhs follows each other in a row-major
// matrix as it does in a panel, so that an instruction which repeats 4 bytes
// over a vector takes them from either, and so does one that loads 64 bytes of
// each of 16 rows (AMX). Packing the lhs is saved, where it is multiplied by so
// few columns that it counts.

#ifndef UKERNELS_IN_PLACE_H_
#define UKERNELS_IN_PLACE_H_

#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// As a tile function whose lhs is M0 rows, `row` bytes apart. Adds sums[m] to
// each element of row m, unless `sums` is null (resign.h).
typedef void (*tw_in_place_fn_t)(void* out, const void* lhs, tw_index_t row,
                                 const void* rhs,
                                 const tw_mmt4d_params_t* params,
                                 const int32_t* sums);

// Rows must be whole lines where a step is one: tileloadd of rows that are not
// takes 6 times as long (Granite Rapids).
enum { TW_IN_PLACE_LINE = 64 };

// That of a hand-written tile; of AMX's levels all are of the variant `vnni`.
// Null if there is none.
tw_in_place_fn_t tw_in_place_tile(tw_isa_t isa, tw_type_triple_t types,
                                  tw_index_t M0, tw_index_t N0);

#define TW_IN_PLACE_LEVEL(arch_isa, ENUM)                         \
  tw_in_place_fn_t tw_in_place_##arch_isa(tw_type_triple_t types, \
                                          tw_index_t M0, tw_index_t N0);
#include "ukernels/matmul_levels.def"

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_IN_PLACE_H_
