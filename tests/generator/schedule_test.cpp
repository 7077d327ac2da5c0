// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which plans leave the order of their instructions to LLVM: those for cores
// that issue in order, by what each gains by.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/generator/key_of.h"
#include "tests/tiles/random_keys.h"
#include "tilewright/Planning/PlanCost.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Planning/TilePlan.h"

namespace tilewright {
namespace {

using testing::keyOf;
using testing::randomKeys;
using testing::seedOf;

TilePlan planOf(const std::string& name, const std::string& parts) {
  return llvm::cantFail(planTile(keyOf(name), parts));
}

const CoreModel& coreOf(const char* name) {
  return *llvm::cantFail(findCore(name));
}

constexpr tw_isa_t kLevels[] = {TW_ISA_ARM_64_BASE, TW_ISA_ARM_64_DOTPROD,
                                TW_ISA_ARM_64_BF16, TW_ISA_ARM_64_SVE,
                                TW_ISA_ARM_64_SVE_I8MM};

// Of cores that issue out of order plans are as they are for none.
TEST(ScheduleTest, IsForCoresThatIssueInOrder) {
  for (tw_isa_t isa : kLevels)
    for (const TileKey& key :
         randomKeys(isa, 60, seedOf("ScheduleTest.OutOfOrder")))
      for (const char* core : {"", "core=neoverse-v2", "core=a64fx"})
        EXPECT_EQ(llvm::cantFail(planTile(key, core)).schedule,
                  Schedule::Planned)
            << printTileKey(key) << " " << core;
  for (const char* core : {"cortex-a53", "cortex-a55", "cortex-a510"})
    EXPECT_NE(coreOf(core).schedule, Schedule::Planned) << core;
}

// Steps of an iteration may be twice as many, operands be loaded otherwise, and
// sums be rounded at once: nothing else of the plan is another, and the text
// alone says so.
TEST(ScheduleTest, ChangesNoOtherPart) {
  std::set<Schedule> seen;
  int longer = 0;
  for (tw_isa_t isa : kLevels)
    for (const TileKey& key : randomKeys(isa, 60, seedOf("ScheduleTest.Parts")))
      for (const char* core : {"cortex-a55", "cortex-a510"}) {
        const TilePlan usual = llvm::cantFail(planTile(key)),
                       own = llvm::cantFail(
                           planTile(key, std::string("core=") + core));
        seen.insert(own.schedule);
        EXPECT_EQ(whyPlanUnfit(own, key), "") << printTileKey(key);
        EXPECT_TRUE(llvm::cantFail(planTile(key, printTilePlan(own))) == own)
            << printTileKey(key);
        TilePlan same = own;
        if (own.unroll != usual.unroll) {
          EXPECT_EQ(own.unroll, 2 * usual.unroll) << printTileKey(key);
          EXPECT_NE(own.schedule, Schedule::Planned) << printTileKey(key);
          same.unroll = usual.unroll;
          ++longer;
        }
        same.schedule = usual.schedule;
        same.decodeAhead = usual.decodeAhead;  // all of an iteration
        EXPECT_FALSE(own.roundsInTurn()) << printTileKey(key);
        same.roundBehind = usual.roundBehind;
        same.narrowSums = usual.narrowSums;
        same.broadcastLoads = usual.broadcastLoads;
        same.vectorLoads = usual.vectorLoads;
        same.loadsEarly = usual.loadsEarly;
        EXPECT_TRUE(same == usual)
            << printTileKey(key) << ": " << printTilePlan(own);
      }
  EXPECT_EQ(seen.size(), size_t{kSchedules});
  EXPECT_GT(longer, 10);
}

TEST(ScheduleTest, IsWhatAPlanGainsBy) {
  struct Case {
    const char* name;
    Schedule a510, a55;
  };
  constexpr Schedule kPlanned = Schedule::Planned, kLate = Schedule::Late,
                     kFull = Schedule::Full;
  const Case cases[] = {
      // Registers are left, or hardly any.
      {"f32f32f32_8x8x1_arm_64_base", kFull, kLate},
      {"f32f32f32_8x12x1_arm_64_base", kLate, kLate},
      // Few operands serve many multiplies.
      {"s8s8s32_8x12x8_arm_64_i8mm", kFull, kLate},
      // Products, then their additions.
      {"s8s8s32_4x8x2_arm_64_base", kPlanned, kLate},
      {"s8s4s32_4x16x2_arm_64_base", kFull, kFull},
      // Vectors of any length whose operands are read ahead, and others.
      {"f32f32f32_1x2vlx1_arm_64_sve", kFull, kLate},
      {"bf16bf16f32_4x2vlx4_arm_64_sve_bf16", kLate, kLate},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(planOf(each.name, "core=cortex-a510").schedule, each.a510)
        << each.name;
    EXPECT_EQ(planOf(each.name, "core=cortex-a53").schedule, each.a510)
        << each.name;
    EXPECT_EQ(planOf(each.name, "core=cortex-a55").schedule, each.a55)
        << each.name;
  }
}

TEST(ScheduleTest, PartsThatAreGivenStay) {
  const char* name = "f32f32f32_8x8x1_arm_64_base";
  EXPECT_EQ(planOf(name, "core=cortex-a510 schedule=planned").schedule,
            Schedule::Planned);
  EXPECT_EQ(planOf(name, "schedule=late").schedule, Schedule::Late);
  const TilePlan given = planOf(name, "core=cortex-a510 unroll=2");
  EXPECT_EQ(given.schedule, Schedule::Full);
  EXPECT_EQ(given.unroll, 2);
  EXPECT_EQ(planOf(name, "core=cortex-a510").unroll, 4);
}

// One that waits for a load of several registers as long as for as many loads.
TEST(ScheduleTest, LoadsOneByOne) {
  const char* name = "s8s8s32_8x8x4_arm_64_dotprod";
  EXPECT_GT(planOf(name, "").vectorLoads, 1);
  EXPECT_GT(planOf(name, "core=cortex-a510").vectorLoads, 1);
  const TilePlan own = planOf(name, "core=cortex-a55");
  EXPECT_EQ(own.broadcastLoads, 1);
  EXPECT_EQ(own.vectorLoads, 1);
  EXPECT_TRUE(own.loadsEarly);
  EXPECT_EQ(planOf(name, "core=cortex-a55 loads=2x2").vectorLoads, 2);
  EXPECT_FALSE(planOf(name, "core=cortex-a55 early=no").loadsEarly);
}

// Single loads between the multiplies: of products that they do not wait for,
// floats' on one core, and of halves of bytes where registers are left.
TEST(ScheduleTest, LoadsAlone) {
  struct Case {
    const char* name;
    bool a510, a53;
  };
  const Case cases[] = {
      {"f32f32f32_8x8x1_arm_64_base", true, false},
      {"f32f32f32_1x8x1_arm_64_base", true, false},
      {"s32s32s32_8x8x1_arm_64_base", false, false},
      {"f16f16f32_8x8x1_arm_64_base", false, false},  // converted
      {"s16s16s32_1x8x1_arm_64_base", true, true},
      {"s16s16s32_8x8x1_arm_64_base", false, false},
      {"s8s8s32_1x8x4_arm_64_dotprod", false, false},
      {"s8s4s32_8x8x8_arm_64_dotprod", true, true},
      {"s8s4s32_2x8x16_arm_64_i8mm", false, false},
      {"s8s4s32_8x8x16_arm_64_i8mm", true, true},
      {"s8s4s32_12x8x16_arm_64_i8mm", false, false},
  };
  auto alone = [](const char* name, const char* core) {
    const TilePlan plan = planOf(name, core);
    return plan.loadsEarly && plan.vectorLoads == 1;
  };
  for (const Case& each : cases) {
    EXPECT_EQ(alone(each.name, "core=cortex-a510"), each.a510) << each.name;
    EXPECT_EQ(alone(each.name, "core=cortex-a53"), each.a53) << each.name;
  }
}

TEST(ScheduleTest, IsRefusedWhereNoCoreGainsByIt) {
  for (const char* name :
       {"f32f32f32_8x8x1_x86_64_avx2_fma", "f32f32f32_8x8x1_generic"})
    for (const char* part : {"schedule=late", "schedule=full"}) {
      llvm::Expected<TilePlan> plan = planTile(keyOf(name), part);
      ASSERT_FALSE(bool(plan)) << name;
      const std::string why = llvm::toString(plan.takeError());
      EXPECT_NE(
          why.find(std::string(part) + " is for cores that issue in order"),
          std::string::npos)
          << why;
    }
}

// What the tuner measures on such a core.
TEST(ScheduleTest, CandidatesComeInEachOrder) {
  for (const char* name :
       {"f32f32f32_8x8x1_arm_64_base", "f32f32f32_1x2vlx1_arm_64_sve"}) {
    const TileKey key = keyOf(name);
    const std::vector<TilePlan> plans =
        llvm::cantFail(planCandidates(key, 6, &coreOf("cortex-a510")));
    ASSERT_GE(plans.size(), size_t{kSchedules});
    EXPECT_TRUE(plans[0] == planOf(name, "core=cortex-a510"));
    std::set<Schedule> schedules;
    for (int i = 0; i < kSchedules; ++i) schedules.insert(plans[i].schedule);
    EXPECT_EQ(schedules.size(), size_t{kSchedules});
    for (const TilePlan& plan : plans)
      EXPECT_EQ(std::count(plans.begin(), plans.end(), plan), 1)
          << printTilePlan(plan);
    EXPECT_EQ(
        llvm::cantFail(planCandidates(key, 2, &coreOf("cortex-a510"))).size(),
        2u);
    for (const TilePlan& plan :
         llvm::cantFail(planCandidates(key, 6, &coreOf("neoverse-n1"))))
      EXPECT_EQ(plan.schedule, Schedule::Planned) << printTilePlan(plan);
  }
}

}  // namespace
}  // namespace tilewright
