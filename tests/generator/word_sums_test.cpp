// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums in 16 bits: how many products they hold, and that plans keep to it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "tests/generator/key_of.h"
#include "tests/generator/plan_refusal.h"
#include "tests/tiles/random_keys.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Planning/TileShape.h"

namespace tilewright {
namespace {

using testing::expectRefused;
using testing::keyOf;
using testing::PlanRefusal;
using testing::randomKeys;
using testing::seedOf;

std::pair<int64_t, int64_t> range(tw_element_type_t type) {
  const ElementTypeInfo& element = info(type);
  const int64_t codes = int64_t{1} << element.bits;
  return element.kind == TW_ELEMENT_KIND_SIGNED
             ? std::make_pair(-codes / 2, codes / 2 - 1)
             : std::make_pair(int64_t{0}, codes - 1);
}

// The least and the greatest product.
std::pair<int64_t, int64_t> products(const TypeTripleInfo& types) {
  const auto [a, b] = range(types.lhs);
  const auto [c, d] = range(types.rhs);
  return std::minmax({a * c, a * d, b * c, b * d});
}

bool holds(const TypeTripleInfo& types, int64_t count) {
  const auto [least, most] = products(types);
  return sumsUnsignedWords(types)
             ? least >= 0 && count * most <= UINT16_MAX
             : count * least >= INT16_MIN && count * most <= INT16_MAX;
}

TEST(WordSumsTest, HoldAsManyProductsAsTheirBitsDo) {
  int narrow = 0;
  for (const TypeTripleInfo& types : typeTriples()) {
    if (types.accumulator != TW_ELEMENT_S32 ||
        std::max(info(types.lhs).bits, info(types.rhs).bits) > 8)
      continue;
    const int count = productsInWords(types);
    EXPECT_TRUE(holds(types, count)) << types.name << ": " << count;
    EXPECT_FALSE(holds(types, count + 1)) << types.name << ": " << count;
    const bool isNarrow =
        std::min(info(types.lhs).bits, info(types.rhs).bits) == 4;
    EXPECT_EQ(count > 1, isNarrow) << types.name << ": " << count;
    EXPECT_EQ(operandsOf(types) == TW_OPERANDS_S4, isNarrow) << types.name;
    narrow += isNarrow;
  }
  EXPECT_EQ(narrow, 12);
}

TEST(WordSumsTest, EndBeforeTheyOverflow) {
  int found = 0;
  for (const TileKey& key :
       randomKeys(TW_ISA_ARM_64_BASE, 3000, seedOf("WordSumsTest"))) {
    const TypeTripleInfo& types = info(key.types);
    for (const Idiom& idiom : targetOf(info(key.isa)).idioms()) {
      if (!idiom.sumsInWords || !whyIdiomUnfit(idiom.kind, key).empty())
        continue;
      llvm::Expected<TilePlan> fitting =
          planTile(key, "idiom=" + idiom.name.str());
      if (!fitting) {  // its groups cannot be told apart
        EXPECT_GT(key.k0, 2) << printTileKey(key);
        llvm::consumeError(fitting.takeError());
        continue;
      }
      const TilePlan plan = *fitting;
      const TileShape shape(key, plan);
      ASSERT_GT(shape.wordSteps, 0) << printTileKey(key);
      EXPECT_EQ(shape.wordSteps % plan.unroll, 0) << printTileKey(key);
      EXPECT_TRUE(holds(types, int64_t{shape.wordSteps} * key.k0))
          << printTileKey(key) << ": " << printTilePlan(plan);
      EXPECT_EQ(shape.unsignedWords, sumsUnsignedWords(types));
      // Two iterations at least, or as short a one as the sets allow.
      EXPECT_TRUE(shape.wordSteps >= 2 * plan.unroll || plan.unroll % 2 != 0 ||
                  plan.unroll / 2 * shape.turns < plan.sets)
          << printTileKey(key) << ": " << printTilePlan(plan);
      ++found;
    }
  }
  EXPECT_GT(found, 40);
}

TEST(WordSumsTest, AreRefusedWithTheReason) {
  const PlanRefusal refusals[] = {
      {"s8s8s32_8x8x1_arm_64_base", "idiom=smlalh", "does not take s8s8s32"},
      {"u8s4s32_8x8x2_arm_64_base", "idiom=smlalh", "does not take u8s4s32"},
      {"s8s4s32_8x8x2_arm_64_base", "idiom=mlah", "does not take s8s4s32"},
      {"s8s4s32_8x8x32_arm_64_base", "idiom=smlalh",
       "in 16 bits, which hold the sum of 31 products of s8s4s32: K0=32 is "
       "more"},
      {"s8s4s32_8x8x2_arm_64_base", "idiom=smlalh unroll=16 klanes=1",
       "16 bits hold the sums of 15 K steps, fewer than unroll=16"},
      {"s8s4s32_8x8x2_arm_64_base", "idiom=smlalh by=load klanes=1",
       "idiom 'smlalh' needs by=lane"},
  };
  for (const PlanRefusal& refusal : refusals) expectRefused(refusal);
  // As many steps as 16 bits hold are an iteration.
  EXPECT_TRUE(bool(planTile(keyOf("s8s4s32_8x8x2_arm_64_base"),
                            "idiom=smlalh unroll=15 sets=1")));
}

}  // namespace
}  // namespace tilewright
