// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles by AMX and what is called around them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tiles/amx_tiles.h"
#include "tests/tiles/operands.h"

namespace tilewright::testing {
namespace {

TEST_P(AmxTest, KeepsTheContract) {
  SKIP_WITHOUT_AVX512();
  CheckOptions options;
  options.seed = seedOf(GetParam().name);
  const CheckReport report = checkTiles(
      key(), {{"model", GetParam().fn, Denormals::kFlushed}}, options);
  EXPECT_TRUE(report.ok()) << report.text();
  const tw_model_counts_t counts = tw_model_counts();
  EXPECT_GT(counts.multiplies, 0);
  EXPECT_EQ(counts.loadconfigs, counts.releases);
}

// With and without the calls around it a tile computes the same.
TEST_P(AmxTest, TakesTileRegistersAsTheyAre) {
  SKIP_WITHOUT_AVX512();
  const TileKey key = this->key();
  Random random(seedOf(GetParam().name));
  for (int64_t K : {0, 1, 2, 7}) {
    const Operands operands =
        makeOperands(key, K, DataKind::kSmallIntegers, true, random);
    std::vector<uint8_t> alone = operands.out, between = operands.out;
    tw_mmt4d_params_t params = {};
    params.K = K;
    params.flags = key.types | TW_MMT4D_FLAG_ACCUMULATE;
    GetParam().fn(alone.data(), operands.lhs.data(), operands.rhs.data(),
                  &params);
    EXPECT_FALSE(tw_model_counts().configured);

    const uint32_t begun = tw_begin_tile_calls(key.isa);
    EXPECT_EQ(begun, uint32_t{TW_MMT4D_FLAG_CALLS_BEGUN});
    const tw_model_counts_t before = tw_model_counts();
    EXPECT_TRUE(before.configured);
    params.flags |= begun;
    GetParam().fn(between.data(), operands.lhs.data(), operands.rhs.data(),
                  &params);
    const tw_model_counts_t after = tw_model_counts();
    EXPECT_TRUE(after.configured);
    EXPECT_EQ(after.loadconfigs, before.loadconfigs);
    tw_end_tile_calls(begun);
    EXPECT_FALSE(tw_model_counts().configured);
    EXPECT_EQ(alone, between) << "K=" << K;
  }
}

// Four loads are for four multiplies, and no more of these than there are.
TEST_P(AmxTest, MultipliesOncePerSquareAndStep) {
  SKIP_WITHOUT_AVX512();
  const TileKey key = this->key();
  Random random(1);
  const int64_t K = 5;
  Operands operands =
      makeOperands(key, K, DataKind::kSmallIntegers, false, random);
  tw_mmt4d_params_t params = {};
  params.K = K;
  params.flags = key.types;
  const long before = tw_model_counts().multiplies;
  GetParam().fn(operands.out.data(), operands.lhs.data(), operands.rhs.data(),
                &params);
  EXPECT_EQ(tw_model_counts().multiplies - before,
            K * ((key.m0 + 15) / 16) * ((key.n0 + 15) / 16));
}

INSTANTIATE_TEST_SUITE_P(Rows, AmxTest, ::testing::ValuesIn(amxRows()),
                         nameOfRow);

// ---- Any sizes --------------------------------------------------------------

class AmxTemplateTest : public ::testing::TestWithParam<Template> {};

TEST_P(AmxTemplateTest, KeepsTheContractForAnySizes) {
  SKIP_WITHOUT_AVX512();
  const uint64_t seed =
      seedOf("AmxTemplateTest." + std::string(info(GetParam().types).name));
  SCOPED_TRACE(seedText(seed));
  Random random(seed);
  struct Sizes {
    int m0, n0;
  };
  std::vector<Sizes> all = {{1, 1},   {1, 31},  {31, 1},  {15, 17}, {16, 16},
                            {17, 15}, {33, 33}, {48, 16}, {16, 48}, {65, 7}};
  for (int i = 0; i < 10; ++i)
    all.push_back({static_cast<int>(random.between(1, 70)),
                   static_cast<int>(random.between(1, 70))});
  for (const Sizes& sizes : all) {
    TileKey key{GetParam().types, sizes.m0,        sizes.n0,
                GetParam().k0,    Rounding::kOnce, TW_ISA_X86_64_AMX_BF16};
    key.vnni = true;
    ASSERT_EQ(validateTileKey(key), "");
    CheckOptions options;
    options.seed = seed;
    options.budget = 5'000'000;
    options.shapeInParams = true;
    const CheckReport report = checkTiles(
        key, {{"model", GetParam().fn, Denormals::kFlushed}}, options);
    EXPECT_TRUE(report.ok()) << report.text();
  }
}

std::string typesOf(const ::testing::TestParamInfo<Template>& test) {
  return std::string(info(test.param.types).name);
}

INSTANTIATE_TEST_SUITE_P(Types, AmxTemplateTest,
                         ::testing::ValuesIn(kTemplates), typesOf);

// ---- Calls in a row ---------------------------------------------------------

TEST(TileCallsTest, AreNothingForOtherIsas) {
  for (const IsaInfo& isa : isas()) {
    const bool hasAmx = isa.has("amx-tile");
    if (hasAmx && !canRunTheModel()) continue;
    const uint32_t begun = tw_begin_tile_calls(isa.isa);
    EXPECT_EQ(begun, hasAmx ? uint32_t{TW_MMT4D_FLAG_CALLS_BEGUN} : 0)
        << isa.name;
    EXPECT_EQ(tw_model_counts().configured, hasAmx) << isa.name;
    tw_end_tile_calls(begun);
    EXPECT_FALSE(tw_model_counts().configured) << isa.name;
  }
}

}  // namespace
}  // namespace tilewright::testing
