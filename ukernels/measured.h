// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what was measured of tiles of several shapes beside each other
// (measured_tiles.def).

#ifndef UKERNELS_MEASURED_H_
#define UKERNELS_MEASURED_H_

#include "tilewright/index.h"
#include "ukernels/name.h"

#ifdef __cplusplus
extern "C" {
#endif

// How many rows a matmul has, as measurements tell them apart: up to `most`;
// MANY: more than that of all others, or an unknown number.
typedef enum tw_rows_t {
#define TW_ROWS(ENUM, name, most) TW_ROWS_##ENUM,
#include "ukernels/measured_rows.def"
  TW_ROWS_COUNT
} tw_rows_t;

tw_rows_t tw_rows_of(tw_index_t M);

// "5-16"; null for COUNT.
const char* tw_rows_name(tw_rows_t rows);

// Of matmuls of so many rows one tile is quicker than another, the one that
// would be chosen of them otherwise.
typedef struct tw_measured_tile_t {
  tw_rows_t rows;
  tw_tile_key_t tile, beside;
  // The time that `tile` takes for a multiply-add that it computes, by that of
  // `beside`. Rows of padding count: what they cost depends on M.
  int32_t per_mille;
} tw_measured_tile_t;

// Of each type triple and number of rows at most one.
typedef struct tw_measured_tiles_t {
  const tw_measured_tile_t* tiles;
  size_t count;
} tw_measured_tiles_t;

// The `i`th of what measured_tiles.def says of the core of cpu_data; 0, with
// *tile untouched, if it says less.
int tw_measured_tile_on(const uint64_t* cpu_data, size_t i,
                        tw_measured_tile_t* tile);

// That for matmuls of `types` and M rows; 0 if there is none.
int tw_measured_tile_for(const uint64_t* cpu_data, tw_type_triple_t types,
                         tw_index_t M, tw_measured_tile_t* tile);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_MEASURED_H_
