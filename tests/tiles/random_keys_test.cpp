// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/random_keys.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace tilewright::testing {
namespace {

// What ./dev soak takes per ISA, and the sample of ./dev test.
constexpr int kCount = 320, kSample = 80;

TEST(RandomKeysTest, CoverEveryVariantAndKindOfShape) {
  for (const IsaInfo& isa : isas()) {
    const uint64_t seed = seedOf(isa.name);
    SCOPED_TRACE(std::string(isa.name) + " " + seedText(seed));
    const std::vector<TileKey> keys =
        randomKeys(isa.isa, kCount, seed, Sizes::kAlsoScalable);
    ASSERT_EQ(keys.size(), static_cast<size_t>(kCount));
    EXPECT_EQ(std::set<TileKey>(keys.begin(), keys.end()).size(), keys.size());
    std::map<std::pair<tw_type_triple_t, Rounding>, int> perVariant;
    int ones = 0, odd = 0, large = 0, deep = 0, scalable = 0;
    for (const TileKey& key : keys) {
      EXPECT_EQ(key.isa, isa.isa);
      EXPECT_EQ(validateTileKey(key), "") << printTileKey(key);
      ++perVariant[{key.types, key.rounding}];
      ones += key.m0 == 1 || key.n0 == 1;
      odd += key.m0 % 2 == 1 && key.n0 % 2 == 1;
      large += key.m0 > 64 || key.n0 > 64;
      deep += key.k0 > 8;
      scalable += key.isScalable();
    }
    EXPECT_EQ(perVariant.size(), variants().size());
    for (const auto& [variant, count] : perVariant)
      EXPECT_GE(count, 4) << info(variant.first).name;
    std::set<std::pair<tw_type_triple_t, Rounding>> sampled;
    for (int i = 0; i < kSample; ++i)
      sampled.insert({keys[i].types, keys[i].rounding});
    EXPECT_EQ(sampled.size(), variants().size());
    EXPECT_GE(ones, 30);
    EXPECT_GE(odd, 30);
    EXPECT_GE(large, 10);
    EXPECT_GE(deep, 25);
    if (isa.scaling == TW_SCALING_NONE)
      EXPECT_EQ(scalable, 0);
    else
      EXPECT_GE(scalable, 90);
  }
}

TEST(RandomKeysTest, ALongerListBeginsWithTheShorter) {
  const std::vector<TileKey> few = randomKeys(TW_ISA_GENERIC, 50, 7);
  const std::vector<TileKey> many = randomKeys(TW_ISA_GENERIC, 100, 7);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

}  // namespace
}  // namespace tilewright::testing
