// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the planner chooses: the plans and estimates of golden_plans.txt, block
// for block, and what must hold of the choice whatever the estimates are.
//
// A change of the planner or of the cost model shows there as the plans that
// it changes. To write the file anew, for the keys that it names:
//
//   TILEWRIGHT_WRITE_GOLDEN=1 generator_plan_test --gtest_filter=GoldenPlan*

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/tiles/random_keys.h"
#include "tilewright/Planning/PlanCost.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Planning/TileShape.h"

namespace tilewright {
namespace {

TileKey keyOf(const std::string& name) {
  ParsedTileKey parsed = parseTileKey(name);
  EXPECT_TRUE(parsed.key) << parsed.error;
  return *parsed.key;
}

// "<name>: <plan>; registers=<n> cycles=<c> size=<s>". Estimates to three
// digits: the last ones depend on how a compiler contracts sums.
std::string goldenLine(const std::string& name) {
  const TileKey key = keyOf(name);
  const TilePlan plan = llvm::cantFail(planTile(key));
  const PlanCost cost = estimateCost(plan, key);
  char text[96];
  std::snprintf(text, sizeof text, "; registers=%d cycles=%.3g size=%d",
                registersNeeded(plan, key), cost.cycles, cost.size);
  return name + ": " + printTilePlan(plan) + text;
}

TEST(GoldenPlanTest, PlansAreThoseOfTheFile) {
  std::vector<std::string> lines;
  std::ifstream in(TW_TEST_GOLDEN_PLANS);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_GT(lines.size(), 600u) << TW_TEST_GOLDEN_PLANS;
  const bool write = std::getenv("TILEWRIGHT_WRITE_GOLDEN") != nullptr;
  int different = 0;
  for (std::string& line : lines) {
    if (line.empty() || line[0] == '#') continue;
    const std::string now = goldenLine(line.substr(0, line.find(':')));
    different += now != line;
    if (different <= 20) {
      EXPECT_EQ(now, line);
    }
    line = now;
  }
  EXPECT_EQ(different, 0) << "the head of plan_choice_test.cpp says how to "
                             "write the file anew";
  if (!write || different == 0) return;
  std::ofstream out(TW_TEST_GOLDEN_PLANS);
  for (const std::string& line : lines) out << line << '\n';
}

std::vector<tw_isa_t> cpuIsas() {
  std::vector<tw_isa_t> result;
  for (const IsaInfo& isa : isas())
    if (!isa.isGpu()) result.push_back(isa.isa);
  return result;
}

class PlanChoiceTest : public ::testing::TestWithParam<tw_isa_t> {
 protected:
  // f32, of which each K step is one multiply per vector and row: what a block
  // needs is known without the planner.
  TileKey f32(int m0, int n0) const {
    return {TW_TYPES_F32F32F32, m0, n0, 1, Rounding::kOnce, GetParam()};
  }
  std::vector<TileKey> f32Keys() const {
    std::vector<TileKey> keys;
    for (int m0 : {1, 2, 3, 5, 7, 8, 12, 16, 31})
      for (int n0 : {1, 4, 8, 12, 16, 24, 32, 48, 64})
        keys.push_back(f32(m0, n0));
    return keys;
  }
};

// Of f32: more than one where a vector is a group of them.
int registersOfVector(const TilePlan& plan, const TileKey& key) {
  return std::max(1, plan.lanes * 32 / info(key.isa).vectorBits);
}

TEST_P(PlanChoiceTest, AccumulatorsAndOperandsFitTheRegisters) {
  for (const TileKey& key : f32Keys()) {
    const TilePlan plan = llvm::cantFail(planTile(key));
    const TileShape shape(key, plan);
    const int rows = shape.broadcastBlocks.size;
    // A row's vectors stay for all rows; each broadcast is there for one, and
    // in no vector register where multiplies take scalars.
    const int broadcasts = machineOf(info(key.isa)).takesScalars ? 0 : 1;
    const int operands = (rows > 1 ? shape.vectors : 1) + broadcasts;
    const int needed = rows * shape.vectors * plan.sets + operands;
    EXPECT_LE(needed * registersOfVector(plan, key),
              info(key.isa).vectorRegisters)
        << printTileKey(key) << ": " << printTilePlan(plan);
    EXPECT_GE(registersNeeded(plan, key), needed)
        << printTileKey(key) << ": " << printTilePlan(plan);
  }
}

// A multiply is ready after at most this many others: two pipes, four cycles.
constexpr int kInFlight = 8;

TEST_P(PlanChoiceTest, AccumulatorsCoverTheLatency) {
  if (GetParam() == TW_ISA_GENERIC) return;  // of cores that nobody knows
  for (const TileKey& key : f32Keys()) {
    const TilePlan plan = llvm::cantFail(planTile(key));
    const TileShape shape(key, plan);
    if (!shape.regular) continue;
    // A multiply of a group is as many multiplies of one register.
    EXPECT_GE(shape.accumulators(plan) * registersOfVector(plan, key),
              kInFlight)
        << printTileKey(key) << ": " << printTilePlan(plan);
  }
}

// No other block of the same kind of plan is estimated to be quicker by more
// than what smaller code may cost.
TEST_P(PlanChoiceTest, NoOtherBlockIsQuicker) {
  const int registers = info(GetParam()).vectorRegisters;
  for (const TileKey& key :
       {f32(12, 32), f32(8, 64), f32(16, 16), f32(1, 64)}) {
    const TilePlan plan = llvm::cantFail(planTile(key));
    const double cycles = estimateCost(plan, key).cycles;
    int compared = 0;
    for (int rows = 1; rows <= registers; ++rows)
      for (int vectors = 1; rows * vectors <= registers; ++vectors) {
        llvm::Expected<TilePlan> other =
            planTile(key, "block=" + std::to_string(rows) + "x" +
                              std::to_string(vectors));
        if (!other) {
          llvm::consumeError(other.takeError());
          continue;
        }
        ++compared;
        EXPECT_LE(cycles, 1.05 * estimateCost(*other, key).cycles)
            << printTileKey(key) << ": " << printTilePlan(plan) << " against "
            << printTilePlan(*other);
      }
    EXPECT_GT(compared, 8) << printTileKey(key);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, PlanChoiceTest, ::testing::ValuesIn(cpuIsas()),
                         [](const ::testing::TestParamInfo<tw_isa_t>& isa) {
                           return std::string(
                               ::tilewright::info(isa.param).name);
                         });

}  // namespace
}  // namespace tilewright
