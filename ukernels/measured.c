// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/measured.h"

#include "ukernels/core.h"
#include "ukernels/key_word.h"

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

// The first is there so that a table without rows is one.
typedef struct tw_measured_row_t {
  tw_core_t core;
  tw_rows_t rows;
  int32_t per_mille;
  const char *tile, *beside;
} tw_measured_row_t;

static const tw_measured_row_t kTiles[] = {
    {TW_CORE_UNKNOWN, TW_ROWS_COUNT, 0, "", ""},
#define TW_MEASURED_TILE(CORE, ROWS, per_mille, tile, beside) \
  {TW_CORE_##CORE, TW_ROWS_##ROWS, per_mille, tile, beside},
#include "ukernels/measured_tiles.def"
};
enum { kTilesCount = sizeof kTiles / sizeof kTiles[0] };

static void tw_read_measured(int row, tw_measured_tile_t* tile) {
  static tw_key_word_t tiles[kTilesCount], besides[kTilesCount];
  tile->rows = kTiles[row].rows;
  tile->per_mille = kTiles[row].per_mille;
  tw_key_of_word(tw_recall_name(&tiles[row], kTiles[row].tile), &tile->tile);
  tw_key_of_word(tw_recall_name(&besides[row], kTiles[row].beside),
                 &tile->beside);
}

int tw_measured_tile_on(const uint64_t* cpu_data, size_t i,
                        tw_measured_tile_t* tile) {
  const tw_core_t core = tw_core_of(cpu_data);
  for (int row = 1; row < kTilesCount; ++row) {
    if (kTiles[row].core != core || i-- > 0) continue;
    tw_read_measured(row, tile);
    return 1;
  }
  return 0;
}

int tw_measured_tile_for(const uint64_t* cpu_data, tw_type_triple_t types,
                         tw_index_t M, tw_measured_tile_t* tile) {
  const tw_core_t core =
      kTilesCount > 1 ? tw_core_of(cpu_data) : TW_CORE_UNKNOWN;
  if (core == TW_CORE_UNKNOWN) return 0;
  const tw_rows_t rows = tw_rows_of(M);
  for (int row = 1; row < kTilesCount; ++row) {
    if (kTiles[row].core != core || kTiles[row].rows != rows) continue;
    tw_read_measured(row, tile);
    if (tile->tile.types == (unsigned)types) return 1;
  }
  return 0;
}
