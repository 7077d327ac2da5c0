// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What models reserve for a multiplication against what tw_contract plans.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/compile/planned_workspace.h"
#include "tilewright/Encoding/MatmulWorkspace.h"
#include "tilewright/Registry/Registry.h"

namespace tilewright::testing {
namespace {

tw_index_t plannedBytes(const TileKey& key, const MatmulSizes& sizes,
                        bool rhsPacked, bool outTransposed, int32_t threads,
                        const tw_known_core_t& core) {
  tw_contraction_t contraction = {};
  tw_matmul_params_t& params = contraction.matmul;
  params.M = sizes.m;
  params.N = sizes.n;
  params.K = sizes.k;
  params.threads = threads;
  params.flags = uint32_t(key.types);
  if (rhsPacked) params.flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
  if (outTransposed) params.flags |= TW_MATMUL_FLAG_OUT_TRANSPOSED;
  contraction.tile_types = key.types;
  contraction.M0 = key.m0;
  contraction.N0 = key.n0;
  contraction.K0 = key.k0;
  contraction.core = core;
  return tw_planned_workspace(&contraction);
}

TEST(ContractionWorkspaceTest, HoldsWhatIsPlanned) {
  std::mt19937_64 random(7);
  auto size = [&](int64_t most) {
    const int64_t small = 1 + int64_t(random() % 40);
    return random() % 2 ? small : 1 + int64_t(random() % uint64_t(most));
  };
  for (const HandWrittenTile& tile : handWrittenTiles()) {
    if (info(tile.key.isa).isGpu() || tile.key.isScalable()) continue;
    for (int i = 0; i < 40; ++i) {
      const MatmulSizes sizes = {size(9000), size(9000), size(9000)};
      const bool rhsPacked = random() % 2, outTransposed = random() % 2;
      MatmulSizes known = sizes;
      for (int64_t* extent : {&known.m, &known.n, &known.k})
        if (random() % 4 == 0) *extent = -1;
      const auto bytes =
          matmulWorkspace(tile.key, known, rhsPacked, outTransposed);
      if (!bytes) {
        EXPECT_TRUE(known.k < 0 || known.k > 8192) << tile.name;
        continue;
      }
      // Of whatever core.
      const tw_known_core_t core = {32,
                                    1 << random() % 12,
                                    random() % 2 ? 4 : 1,
                                    int32_t(random() % 3),
                                    int32_t(random() % 4),
                                    1 << random() % 6,
                                    int32_t(random() % 2),
                                    0};
      for (int32_t threads : {1, 2, 3, 8, 64})
        EXPECT_GE(*bytes, plannedBytes(tile.key, sizes, rhsPacked,
                                       outTransposed, threads, core))
            << tile.name << " of " << sizes.m << " x " << sizes.n << " x "
            << sizes.k << ", rhs packed " << rhsPacked << ", out transposed "
            << outTransposed << ", threads " << threads << ", L2 of "
            << core.l2_kib << " KiB, streams " << core.streams;
    }
  }
}

TEST(ContractionWorkspaceTest, UnknownSizes) {
  const TileKey key =
      *parseTileKey("tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base").key;
  const int64_t huge = int64_t{1} << 40;
  // A block of the lhs, in the place of one of the rhs as well, tiles of out
  // whose panels are read side by side, and a scratch.
  EXPECT_EQ(matmulWorkspace(key, {-1, 100, 100}, true, false),
            TW_MATMUL_MOST_LHS_BLOCK + TW_MATMUL_MOST_RHS_BLOCK +
                TW_MATMUL_MOST_STREAMED_TILES * 8 * 32 * 4 + 100 * 8 * 4);
  for (bool rhsPacked : {false, true})
    for (bool outTransposed : {false, true}) {
      const int64_t bytes =
          *matmulWorkspace(key, {-1, -1, -1}, rhsPacked, outTransposed);
      EXPECT_LE(bytes, TW_MATMUL_MOST_WORKSPACE);
      EXPECT_EQ(
          matmulWorkspace(key, {huge, huge, huge}, rhsPacked, outTransposed),
          bytes);
    }
  EXPECT_LT(*matmulWorkspace(key, {0, 1, 0}, true, false), 10000);
}

TEST(ContractionWorkspaceTest, TilesThatRoundWantAllOfK) {
  const ParsedTileKey parsed =
      parseTileKey("tw_mmt4d_tile_f16f16f16_8x8x1_x86_64_avx2_fma");
  ASSERT_TRUE(parsed.key) << parsed.error;
  EXPECT_EQ(matmulWorkspace(*parsed.key, {8, 8, -1}, false, false),
            std::nullopt);
  EXPECT_EQ(matmulWorkspace(*parsed.key, {8, 8, 10000}, false, false),
            std::nullopt);
  EXPECT_NE(matmulWorkspace(*parsed.key, {8, 8, 8192}, false, false),
            std::nullopt);
}

}  // namespace
}  // namespace tilewright::testing
