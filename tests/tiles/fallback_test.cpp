// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The portable C tile, as tw_find_tile hands it out on a CPU without features,
// for every type triple and rounding.

#include <gtest/gtest.h>

#include "tests/tiles/check_tile.h"
#include "tests/tiles/random_keys.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

// No feature at all: nothing but the fallback can run.
const uint64_t kNoFeatures[TW_CPU_DATA_WORDS] = {};

tw_tile_info_t findFallback(const TileKey& key) {
  tw_mmt4d_params_t params = {};
  params.M0 = key.m0;
  params.N0 = key.n0;
  params.K0 = key.k0;
  params.flags =
      static_cast<uint32_t>(key.types) | TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
  if (key.rounding == Rounding::kOnce)
    params.flags |= TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
  params.cpu_data = kNoFeatures;
  tw_tile_info_t found = {};
  EXPECT_EQ(tw_find_tile(&params, &found), TW_STATUS_OK) << found.reason;
  return found;
}

class FallbackTest : public ::testing::TestWithParam<Variant> {};

TEST_P(FallbackTest, KeepsTheContract) {
  const Variant& variant = GetParam();
  const uint64_t seed =
      seedOf("FallbackTest." + std::string(info(variant.types).name));
  Random random(seed);
  for (int i = 0; i < (kRunsSlowly ? 2 : 8); ++i) {
    const TileKey key = randomKey(variant, TW_ISA_GENERIC, random);
    const tw_tile_info_t found = findFallback(key);
    ASSERT_EQ(found.origin, TW_TILE_ORIGIN_GENERIC);
    ASSERT_NE(found.fn, nullptr);
    CheckOptions options;
    options.seed = seed + i;
    options.shapeInParams = true;
    options.budget = kUnderEmulation ? 500'000 : 2'000'000;
    const CheckReport report =
        checkTiles(key, {{"fallback", found.fn}}, options);
    EXPECT_TRUE(report.ok()) << report.text();
  }
}

std::string nameOf(const ::testing::TestParamInfo<Variant>& test) {
  const std::string name(info(test.param.types).name);
  return test.param.rounding == Rounding::kPerStep ? name + "_steprnd" : name;
}

INSTANTIATE_TEST_SUITE_P(Variants, FallbackTest,
                         ::testing::ValuesIn(variants()), nameOf);

}  // namespace
}  // namespace tilewright::testing
