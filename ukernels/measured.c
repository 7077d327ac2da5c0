// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/measured.h"

#include "ukernels/core.h"
#include "ukernels/row_key.h"

tw_rows_t tw_rows_of(tw_index_t M) {
  static const tw_index_t kMost[] = {
#define TW_ROWS(ENUM, name, most) most,
#include "ukernels/measured_rows.def"
  };
  int rows = 0;
  while (rows < TW_ROWS_MANY && (M < 0 || M > kMost[rows])) ++rows;
  return (tw_rows_t)rows;
}

const char* tw_rows_name(tw_rows_t rows) {
  switch (rows) {
#define TW_ROWS(ENUM, name, most) \
  case TW_ROWS_##ENUM:            \
    return name;
#include "ukernels/measured_rows.def"
    case TW_ROWS_COUNT:
      break;
  }
  return 0;
}

// Those of one core stand together. The first is there so that a table without
// rows is one.
static const tw_core_t kCores[] = {
    TW_CORE_UNKNOWN,
#define TW_MEASURED_TILE(CORE, ROWS, per_mille, tile, beside) TW_CORE_##CORE,
#include "ukernels/measured_tiles.def"
};
static const tw_measured_tile_t kTiles[] = {
    {TW_ROWS_COUNT, {0}, {0}, 0},
#define TW_KEY(lhs, rhs, out, M0, N0, K0, arch, isa) \
  TW_KEY_OF_ROW(lhs, rhs, out, M0, N0, K0, _, arch, isa)
#define TW_MEASURED_TILE(CORE, ROWS, per_mille, tile, beside) \
  {TW_ROWS_##ROWS, tile, beside, per_mille},
#include "ukernels/measured_tiles.def"
};

tw_measured_tiles_t tw_measured_tiles_on(const uint64_t* cpu_data) {
  const size_t all = sizeof kCores / sizeof kCores[0];
  const tw_core_t core = tw_core_of(cpu_data);
  tw_measured_tiles_t of = {0, 0};
  if (core == TW_CORE_UNKNOWN) return of;
  for (size_t i = 1; i < all; ++i) {
    if (kCores[i] != core) continue;
    if (of.count == 0) of.tiles = &kTiles[i];
    ++of.count;
  }
  return of;
}
