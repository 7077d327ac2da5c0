// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of a hand-written tile, whatever runs it.

#ifndef TESTS_TILES_CHECK_ROW_H_
#define TESTS_TILES_CHECK_ROW_H_

#include "tests/common/seed.h"
#include "tests/tiles/check_tile.h"

namespace tilewright::testing {

// `tile` must implement `key`.
inline CheckReport checkRow(const TileKey& key, const TileUnderTest& tile) {
  CheckOptions options;
  options.seed = seedOf(printTileKey(key));
  // Sampled, so that a large K is reached as well: there the full effort would
  // spend the budget of a wide tile on the first three.
  options.effort = kRunsSlowly ? Effort::kSampled : Effort::kFull;
  options.budget = kRunsSlowly ? 1'000'000 : 30'000'000;
  options.longSumArea = INT64_MAX;
  return checkTiles(key, {tile}, options);
}

}  // namespace tilewright::testing

#endif  // TESTS_TILES_CHECK_ROW_H_
