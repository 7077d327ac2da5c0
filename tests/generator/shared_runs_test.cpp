// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that take runs of K steps in turn: where the planner has them do so,
// and what it takes.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "tests/generator/key_of.h"
#include "tests/generator/plan_refusal.h"
#include "tilewright/Planning/PlanCost.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Planning/TileShape.h"

namespace tilewright {
namespace {

using testing::expectRefused;
using testing::keyOf;
using testing::planOf;
using testing::PlanRefusal;

constexpr char kF16[] = "f16f16f32_16x8x1_x86_64_avx2_fma";
constexpr char kF32[] = "f32f32f32_16x8x1_x86_64_avx2_fma";

TEST(SharedRunsTest, AreThoseOfConvertedTilesBeyondTheRegisters) {
  for (const char* name : {"f8e4m3fnf8e4m3fnf32_16x8x1_x86_64_avx2_fma",
                           "f8e4m3fnf8e4m3fnf32_16x16x1_x86_64_avx2_fma"}) {
    const TilePlan plan = planOf(name);
    const TileShape shape(keyOf(name), plan);
    EXPECT_TRUE(plan.sharesRuns) << name;
    EXPECT_EQ(shape.broadcastBlocks.count, 2) << name;
    EXPECT_TRUE(shape.passesVectors(plan)) << name;
    EXPECT_LT(estimateCost(plan, keyOf(name)).cycles,
              estimateCost(planOf(name, "runs=block"), keyOf(name)).cycles)
        << name;
  }
  // An instruction converts a vector; nothing is converted, and one block is
  // enough.
  EXPECT_FALSE(planOf(kF16).sharesRuns);
  EXPECT_FALSE(planOf(kF32).sharesRuns);
  EXPECT_FALSE(planOf("f16f16f32_8x8x1_x86_64_avx2_fma").sharesRuns);
  // A single row has little to share.
  EXPECT_FALSE(planOf("f16f16f32_1x24x8_x86_64_avx2_fma").sharesRuns);
}

TEST(SharedRunsTest, AreCandidatesWhereRegistersAreMany) {
  const TileKey key = keyOf("f16f16f32_49x32x2_x86_64_avx512_base");
  EXPECT_FALSE(llvm::cantFail(planTile(key)).sharesRuns);
  EXPECT_TRUE(
      llvm::any_of(llvm::cantFail(planCandidates(key, 40)),
                   [](const TilePlan& plan) { return plan.sharesRuns; }));
}

TEST(SharedRunsTest, AreNotInTheTextOfOtherPlans) {
  const std::string shared = printTilePlan(planOf(kF16, "runs=tile"));
  const std::string alone = printTilePlan(planOf(kF16, "runs=block"));
  EXPECT_NE(shared.find(" runs=tile"), std::string::npos) << shared;
  EXPECT_EQ(alone.find("runs="), std::string::npos) << alone;
  EXPECT_FALSE(llvm::cantFail(readTilePlan(keyOf(kF16), alone)).sharesRuns);
  EXPECT_TRUE(llvm::cantFail(readTilePlan(keyOf(kF16), shared)).sharesRuns);
}

// All rows are on the stack then, of the lhs what the first block stores.
TEST(SharedRunsTest, StagesAreOfAllRows) {
  const std::string parts = "broadcast=rhs block=4x2 stagesteps=16 ";
  const TilePlan alone = planOf(kF16, parts + "stage=broadcast runs=block");
  const TilePlan shared = planOf(kF16, parts + "stage=broadcast runs=tile");
  const TilePlan both = planOf(kF16, parts + "stage=both runs=tile");
  const TilePlan ahead = planOf(kF16, printTilePlan(alone) + " stageahead=yes");
  EXPECT_EQ(stageBytes(alone, keyOf(kF16)), 16 * 4 * 4);
  EXPECT_EQ(stageBytes(ahead, keyOf(kF16)), 2 * 16 * 4 * 4);
  EXPECT_EQ(stageBytes(shared, keyOf(kF16)), 16 * (8 + 16) * 4);
  EXPECT_EQ(stageBytes(both, keyOf(kF16)), 16 * (8 + 16) * 4);
  EXPECT_FALSE(TileShape(keyOf(kF16), both).passesVectors(both));
}

TEST(SharedRunsTest, AreRefusedWithTheReason) {
  const PlanRefusal refusals[] = {
      {kF32, "runs=tile stage=none", "runs=tile needs an operand that is st"},
      {kF32, "runs=rows", "expected block or tile"},
      {"f16f16f32_16x8x1_x86_64_avx2_fma", "runs=tile stageahead=yes",
       "stageahead needs runs of one block"},
      {"f16f16f32_8x8x1_x86_64_avx2_fma",
       "runs=tile broadcast=lhs lanes=8 stage=broadcast block=8x1",
       "runs=tile needs several register blocks; block=8x1 is the whole tile"},
      {"u8u8s32_8x64x4_x86_64_avx512_vnni",
       "runs=tile idiom=dpbusd broadcast=lhs stage=broadcast block=8x2 "
       "sums=stage",
       "runs=tile needs sums=steps or sums=pass"},
      {"bf16bf16f32_16x16x1_arm_64_base",
       "runs=tile stage=broadcast by=lane block=8x2 klanes=1", "not by=lane"},
      {"f16f16f32_512x64x1_x86_64_avx2_fma",
       "runs=tile stage=broadcast broadcast=rhs block=4x2",
       "the stages and sums take "},
      {"f16f16f32_8x2vlx1_arm_64_sve", "runs=tile idiom=fma stage=broadcast",
       "operands of a known number of rows"},
  };
  for (const PlanRefusal& refusal : refusals) expectRefused(refusal);
}

}  // namespace
}  // namespace tilewright
