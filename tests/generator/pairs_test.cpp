// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two rows that share a load, and stages that are filled beside the multiplies:
// where the planner has them, what they cost and what they take.

#include <gtest/gtest.h>

#include <string>

#include "tests/generator/key_of.h"
#include "tests/generator/plan_refusal.h"
#include "tilewright/Planning/CoreModel.h"
#include "tilewright/Planning/PlanCost.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Planning/TileShape.h"

namespace tilewright {
namespace {

using testing::expectRefused;
using testing::keyOf;
using testing::planOf;
using testing::PlanRefusal;

constexpr char kF32[] = "f32f32f32_8x8x1_x86_64_avx2_fma";
constexpr char kF16[] = "f16f16f32_8x8x1_x86_64_avx2_fma";

TEST(RowPairsTest, LoadFiveTimesForEightMultiplies) {
  const PlanCost pairs = estimateCost(planOf(kF32), keyOf(kF32));
  const PlanCost rows = estimateCost(planOf(kF32, "by=load"), keyOf(kF32));
  // Half a cycle each.
  EXPECT_DOUBLE_EQ(pairs.block.loads, 2.5);
  EXPECT_DOUBLE_EQ(rows.block.loads, 4.5);
  EXPECT_LT(pairs.cycles, rows.cycles);
}

TEST(RowPairsTest, LeaveOneRowOver) {
  const TilePlan plan = planOf("f32f32f32_7x8x1_x86_64_avx2_fma");
  const TileShape shape(keyOf("f32f32f32_7x8x1_x86_64_avx2_fma"), plan);
  for (int row = 0; row < 6; ++row) EXPECT_TRUE(shape.pairsRow(plan, row));
  EXPECT_FALSE(shape.pairsRow(plan, 6));
  // Two sets would leave no register for the swapped vector.
  EXPECT_EQ(plan.sets, 1);
  EXPECT_EQ(plan.extra, 3);
}

TEST(RowPairsTest, LoadTenTimesForSixteenMultiplies) {
  constexpr char kWide[] = "f32f32f32_16x16x1_x86_64_avx512_base";
  const TilePlan plan = planOf(kWide);
  EXPECT_EQ(plan.by, BroadcastBy::PairLoads);
  // On a core that multiplies two whole vectors a cycle, where loads are half a
  // cycle each.
  llvm::Expected<const CoreModel*> core = findCore("sapphirerapids");
  ASSERT_TRUE(bool(core)) << llvm::toString(core.takeError());
  const PlanCost pairs = estimateCost(plan, keyOf(kWide), **core);
  const PlanCost rows =
      estimateCost(planOf(kWide, "by=load"), keyOf(kWide), **core);
  EXPECT_DOUBLE_EQ(pairs.block.loads, 5);
  EXPECT_DOUBLE_EQ(rows.block.loads, 8.5);
  EXPECT_LT(pairs.cycles, rows.cycles);
}

TEST(RowPairsTest, OfEightRowsHaveThreeSets) {
  for (const char* name : {"f32f32f32_8x16x1_x86_64_avx512_base",
                           "s16s16s32_8x16x2_x86_64_avx512_vnni",
                           "u8s8s32_8x16x4_x86_64_avx512_vnni"}) {
    EXPECT_EQ(planOf(name).by, BroadcastBy::PairLoads) << name;
    EXPECT_EQ(planOf(name).sets, 3) << name;
  }
}

TEST(RowPairsTest, ByLoadsAreNotTaken) {
  // Of few rows, of several vectors, of elements that are no vector as they
  // lie, of lanes of 64 bits, and where products and sums are apart.
  for (const char* name : {"f32f32f32_4x16x1_x86_64_avx512_base",
                           "f32f32f32_12x32x1_x86_64_avx512_base",
                           "f16f16f32_16x16x1_x86_64_avx512_base",
                           "s8s8s32_16x16x4_x86_64_avx512_vnni",
                           "f64f64f64_8x8x1_x86_64_avx512_base",
                           "s16s16s32_16x16x2_x86_64_avx512_base"})
    EXPECT_NE(planOf(name).by, BroadcastBy::PairLoads) << name;
}

TEST(RowPairsTest, AreRefusedWithTheReason) {
  const PlanRefusal refusals[] = {
      {"f32f32f32_1x8x1_x86_64_avx2_fma", "by=pair",
       "by=pair needs x86-64 with AVX2, two rows or more in a block"},
      {"f32f32f32_8x8x1_arm_64_base", "by=pair", "by=pair needs x86-64"},
      {kF16, "by=pair stage=none broadcast=lhs", "or are staged"},
      {"bf16bf16bf16_8x8x2_steprnd_x86_64_avx2_fma", "by=pair broadcast=lhs",
       "neither rounded each step nor of 16 bits"},
      {"bf16bf16f32_8x8x2_x86_64_avx2_fma", "by=pair idiom=fmabf16",
       "one part a multiply"},
      {"f32f32f32_8x8x1_x86_64_avx2_fma", "by=pairloads",
       "by=pairloads needs what by=pair does, AVX-512"},
      {"f32f32f32_7x16x1_x86_64_avx512_base", "by=pairloads block=7x1",
       "blocks of an even number of rows that fill the tile"},
      {"f64f64f64_8x8x1_x86_64_avx512_base", "by=pairloads",
       "groups of 4 bytes"},
      {"s8s8s32_8x16x4_x86_64_avx512_vnni", "by=pairloads broadcast=lhs",
       "no others where they are multiplied"},
  };
  for (const PlanRefusal& refusal : refusals) expectRefused(refusal);
}

TEST(StagesBesideTest, FillTheStageByWholeVectors) {
  for (const char* name :
       {kF16, "f16f16f32_1x8x1_x86_64_avx2_fma",
        "f16f16f32_3x8x1_x86_64_avx2_fma", "f16f16f32_16x8x1_x86_64_avx2_fma",
        "s8s8s32_6x16x2_x86_64_avx2_fma", "s8s8s32_16x8x2_x86_64_avx2_fma"}) {
    const TilePlan plan = planOf(name);
    const TileShape shape(keyOf(name), plan);
    EXPECT_EQ(plan.stageAhead, StageAhead::Beside) << name;
    EXPECT_FALSE(plan.sharesRuns) << name;
    EXPECT_EQ(plan.stageSteps % plan.unroll, 0) << name;
    EXPECT_EQ(plan.unroll * shape.broadcastBlocks.size * shape.rowPitch *
                  bytesOf(shape.compute) % 32,
              0)
        << name;
  }
  // More than an instruction or two decode a vector; 13 rows fill no vectors.
  for (const char* name : {"f8e4m3fnf8e4m3fnf32_6x16x1_x86_64_avx2_fma",
                           "f16f16f32_13x8x1_x86_64_avx2_fma"})
    EXPECT_NE(planOf(name).stageAhead, StageAhead::Beside) << name;
}

TEST(StagesBesideTest, AreRefusedWithTheReason) {
  const PlanRefusal refusals[] = {
      {"f16f16f32_6x16x1_x86_64_avx2_fma",
       "stage=broadcast stageahead=beside unroll=2 stagesteps=16 block=6x2 "
       "broadcast=lhs lanes=8 runs=block",
       "unroll=2 steps are whole vectors, a stagesteps=16"},
      {kF16,
       "stage=broadcast stageahead=beside unroll=2 stagesteps=7 block=8x1 "
       "broadcast=lhs lanes=8 runs=block",
       "a stagesteps=7 that is a multiple of that"},
      {kF16, "stageahead=ahead", "expected no, yes or beside"},
      {kF32, "stageahead=beside", "needs the broadcast operand staged"},
  };
  for (const PlanRefusal& refusal : refusals) expectRefused(refusal);
}

}  // namespace
}  // namespace tilewright
