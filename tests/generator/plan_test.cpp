// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner: every valid key has a plan that fits, printed plans read back,
// and overrides hold or are refused with the reason.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "tests/generator/key_of.h"
#include "tests/tiles/random_keys.h"
#include "tilewright/Planning/PlanCost.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Planning/TileShape.h"

namespace tilewright {
namespace {

using testing::keyOf;
using testing::randomKeys;
using testing::seedOf;

constexpr int kKeysPerIsa = 400;

std::string planText(const std::string& name, const char* overrides = "") {
  llvm::Expected<TilePlan> plan = planTile(keyOf(name), overrides);
  if (!plan) return "error: " + llvm::toString(plan.takeError());
  return printTilePlan(*plan);
}

class PlanTest : public ::testing::TestWithParam<tw_isa_t> {
 protected:
  std::vector<TileKey> keys() const {
    return randomKeys(GetParam(), kKeysPerIsa,
                      seedOf("PlanTest." + std::string(info(GetParam()).name)));
  }
};

TEST_P(PlanTest, EveryKeyHasAPlanThatFits) {
  for (const TileKey& key : keys()) {
    llvm::Expected<TilePlan> plan = planTile(key);
    ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
    EXPECT_EQ(whyPlanUnfit(*plan, key), "") << printTileKey(key);
    // The accumulators leave at least two registers for the operands, or one
    // where the other is a scalar. (Blocks of several rows that have to start
    // at whole bytes may spill.)
    TileShape shape(key, *plan);
    if (shape.broadcast.rowPeriod > 1 || shape.vector.rowPeriod > 1) continue;
    const IsaInfo& isa = info(key.isa);
    const int operands = machineOf(isa).takesScalars ? 1 : 2;
    EXPECT_LE(shape.accumulators(*plan), isa.vectorRegisters - operands)
        << printTileKey(key) << ": " << printTilePlan(*plan);
  }
}

TEST_P(PlanTest, BlocksCoverTheTile) {
  for (const TileKey& key : keys()) {
    TileShape shape(key, llvm::cantFail(planTile(key)));
    auto covers = [](const Blocking& blocks, int rows) {
      return blocks.size <= rows && blocks.size * blocks.count >= rows &&
             blocks.size * (blocks.count - 1) < rows &&
             blocks.overlaps == (rows % blocks.size != 0);
    };
    EXPECT_TRUE(covers(shape.broadcastBlocks, shape.broadcast.rows))
        << printTileKey(key);
    EXPECT_TRUE(covers(shape.vectorBlocks, shape.vector.rows))
        << printTileKey(key);
  }
}

TEST_P(PlanTest, PrintedPlansReadBack) {
  for (const TileKey& key : keys()) {
    TilePlan plan = llvm::cantFail(planTile(key));
    llvm::Expected<TilePlan> again = planTile(key, printTilePlan(plan));
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(printTilePlan(*again), printTilePlan(plan)) << printTileKey(key);
    EXPECT_TRUE(*again == plan) << printTileKey(key);
  }
}

TEST_P(PlanTest, CandidatesFitAndReadBack) {
  std::vector<TileKey> some = keys();
  some.resize(60);
  size_t most = 0;
  for (const TileKey& key : some) {
    llvm::Expected<std::vector<TilePlan>> plans = planCandidates(key, 6);
    ASSERT_TRUE(bool(plans)) << llvm::toString(plans.takeError());
    ASSERT_FALSE(plans->empty());
    EXPECT_LE(plans->size(), 6u);
    most = std::max(most, plans->size());
    // The first is the one that is chosen without asking for others.
    EXPECT_TRUE(plans->front() == llvm::cantFail(planTile(key)))
        << printTileKey(key) << ": " << printTilePlan(plans->front());
    std::set<std::string> texts;
    for (const TilePlan& plan : *plans) {
      EXPECT_EQ(whyPlanUnfit(plan, key), "") << printTileKey(key);
      EXPECT_TRUE(texts.insert(printTilePlan(plan)).second)
          << printTileKey(key) << ": twice " << printTilePlan(plan);
      llvm::Expected<TilePlan> again = planTile(key, printTilePlan(plan));
      ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
      EXPECT_TRUE(*again == plan)
          << printTileKey(key) << ": " << printTilePlan(plan)
          << " reads back as " << printTilePlan(*again);
    }
  }
  EXPECT_EQ(most, 6u);
}

TEST(PlanCandidates, AreTheCheapest) {
  const TileKey key = keyOf("f32f32f32_7x48x1_x86_64_avx512_base");
  std::vector<TilePlan> few = llvm::cantFail(planCandidates(key, 4)),
                        many = llvm::cantFail(planCandidates(key, 200));
  ASSERT_EQ(few.size(), 4u);
  EXPECT_GT(many.size(), 20u);
  for (size_t i = 0; i < few.size(); ++i)
    EXPECT_TRUE(few[i] == many[i]) << printTilePlan(many[i]);
  EXPECT_EQ(llvm::cantFail(planCandidates(key, 1)).size(), 1u);
  EXPECT_LT(estimateCost(many[0], key).cycles,
            estimateCost(many.back(), key).cycles);
  EXPECT_EQ(many[1].unroll, 2 * many[0].unroll);
  // Also of an idiom that is not looked at while the first one will do.
  EXPECT_TRUE(llvm::any_of(many, [](const TilePlan& plan) {
    return plan.idiom == IdiomKind::Generic;
  }));
}

std::vector<tw_isa_t> cpuIsas() {
  std::vector<tw_isa_t> result;
  for (const IsaInfo& isa : isas())
    if (!isa.isGpu()) result.push_back(isa.isa);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Isas, PlanTest, ::testing::ValuesIn(cpuIsas()),
                         [](const ::testing::TestParamInfo<tw_isa_t>& isa) {
                           return std::string(
                               ::tilewright::info(isa.param).name);
                         });

TEST(PlanOverrideTest, FixesOnePartAndAdaptsTheOthers) {
  std::string text =
      planText("f32f32f32_16x16x1_x86_64_avx512_base", "block=4x1");
  EXPECT_NE(text.find("block=4x1"), std::string::npos) << text;
  text = planText("f32f32f32_16x16x1_x86_64_avx512_base", "idiom=generic");
  EXPECT_NE(text.find("idiom=generic"), std::string::npos) << text;
}

struct Refusal {
  const char* name;
  const char* overrides;
  const char* reason;
};

TEST(PlanOverrideTest, RefusesWithTheReason) {
  const char* f32 = "f32f32f32_16x32x1_x86_64_avx512_base";
  const Refusal refusals[] = {
      {f32, "colour=red", "no part 'colour'"},
      {f32, "idiom=fastest",
       "no idiom 'fastest' for x86_64_avx512_base; expected one of"},
      {f32, "lanes=x", "'x' is not a number in 1..1024"},
      {f32, "lanes=12", "lanes=12 is not a power of two"},
      {f32, "lanes=32", "lanes=32 is not a power of two in 1..16"},
      {f32, "block=16x2 broadcast=lhs", "vector registers of 32"},
      {f32, "idiom=dpbusd", "'dpbusd' does not take f32f32f32"},
      {f32, "broadcast=both", "expected lhs or rhs"},
      {f32, "ahead=65537", "'65537' is not a number in 0..65536"},
      {f32, "ahead=-1", "'-1' is not a number in 0..65536"},
      {f32, "stage=some", "expected none, broadcast, vector, both or nibbles"},
      {f32, "stage=nibbles",
       "needs a vector operand of 4-bit elements, not of 32 bits"},
      {"s8s4s32_4x16x4_x86_64_avx512_vnni", "stage=nibbles",
       "whole lanes of 8 elements that fill klanes: K0=4 is not a multiple of "
       "8"},
      {"s8s4s32_4x16x24_x86_64_avx512_vnni", "stage=nibbles broadcast=lhs",
       "K0=24 is not a multiple of 32"},
      {"s8s4s32_4x16x8_x86_64_avx512_vnni",
       "stage=nibbles klanes=2 broadcast=lhs", "K0=8 is not a multiple of 16"},
      {"s8s4s32_4x16x8_x86_64_avx512_vnni", "stage=nibbles broadcast=rhs",
       "needs a vector operand of 4-bit elements, not of 8 bits"},
      {"s8s4s32_4x16x8_x86_64_avx512_vnni", "stage=nibbles idiom=generic",
       "needs an idiom of bytes or words of x86_64, not 'generic'"},
      {"s8s4s32_4x16x8_arm_64_dotprod", "stage=nibbles broadcast=lhs",
       "needs an idiom of bytes or words of x86_64, not"},
      {f32, "order=mk", "expected mn or nm"},
      {f32, "by=lane", "by=lane needs multiplies that name lanes"},
      {f32, "by=shuffle", "by=shuffle needs one row"},
      {f32, "by=loadalone,lanes=8", "by=loadalone needs AVX-512"},
      {f32, "extra=4 sets=2",
       "accumulators of 128 bits or more in one register, sets=1"},
      {f32, "extra=4 sets=1 unroll=3", "extra=4 needs an even unroll, not 3"},
      {f32, "stageloop=vectors", "stageloop=vectors needs an operand that is"},
      {f32, "stageahead=yes", "stageahead needs the broadcast operand staged"},
      {f32, "split=yes", "split=yes needs by=lane"},
      {f32, "decodeahead=1", "decodeahead=1 needs by=lane"},
      {f32, "loads=2x1", "loads=2 needs by=shuffle and 32 bytes of it"},
      {f32, "loads=1x2", "loads=1x1 early=no is all there is without by=lane"},
      {"f32f32f32_1x16x1_x86_64_avx512_base", "loads=4x1",
       "loads=2 needs by=shuffle and 32 bytes of it"},
      {"f32f32f32_1x16x1_x86_64_avx512_base", "loads=2x1 sets=4 unroll=4",
       "loads=2 needs by=shuffle and 32 bytes of it"},
      {f32, "loads=5x1", "'5' is not a number in 1..4"},
      {f32, "loads=2", "expected two numbers, <first>x<second>"},
      {"s8s8s32_8x8x8_arm_64_i8mm", "idiom=smmla by=load",
       "idiom 'smmla' needs by=lane"},
      {"s8s4s32_8x8x16_arm_64_i8mm", "idiom=sdot klanes=1 split=no stage=none",
       "split=no cannot tell the 4-bit elements of a row apart"},
      {"f32f32f32_8x2vlx1_arm_64_sve", "idiom=sve-fmla by=load",
       "needs by=lane split=no"},
      {"f16f16f32_8x2vlx1_arm_64_sve", "idiom=sve-fmla unroll=4 decodeahead=3",
       "decodeahead=3 is not a divisor of unroll=4"},
      // A plan in full is refused as parts of one are.
      {f32,
       "idiom=fma lanes=32 klanes=1 block=4x1 sets=1 unroll=1 broadcast=lhs "
       "by=load stage=none stagesteps=1 split=no decodeahead=0 loads=1x1 "
       "early=no order=mn ahead=0 sums=steps",
       "does not fit: lanes=32 is not a power of two in 1..16"},
      {f32, "unroll=0", "'0' is not a number in 1..1024"},
      {"s8s8s32_16x16x4_x86_64_avx2_fma", "idiom=dpbusd",
       "needs x86_64_avx_vnni or x86_64_avx512_vnni, which x86_64_avx2_fma "
       "does "
       "not imply"},
      {"bf16bf16f32_16x16x3_x86_64_avx512_base", "idiom=fmabf16",
       "takes pairs of k0: K0=3 must be even"},
      {"bf16bf16f32_16x16x2_arm_64_base", "idiom=fmabf16",
       "no idiom 'fmabf16' for arm_64_base; expected one of smmla"},
      {f32, "idiom=fmabf16", "'fmabf16' does not take f32f32f32"},
      {f32, "core=saphirerapids",
       "no core 'saphirerapids' is known; did you mean 'sapphirerapids'?"},
      {f32, "core=vax", "no core 'vax' is known; expected one of cortex-a53"},
      {f32, "core=neoverse-v1",
       "core 'neoverse-v1' is of another architecture"},
      {"s8s8s32_8x8x4_arm_64_base", "idiom=sdot",
       "needs arm_64_dotprod, which arm_64_base does not imply"},
      {"f16f16f16_8x8x2_steprnd_arm_64_fullfp16", "idiom=fmah",
       "for steprnd with K0=1 only"},
      {"s8s8s32_8x8x16_arm_64_i8mm", "idiom=smmla klanes=2", "needs klanes=1"},
      {"f32f32f32_8x8x16_arm_64_base", "klanes=1",
       "cannot tell the 16 groups of a row apart"},
      {"f32f32f32_8x16x1_arm_64_base", "block=8x4 broadcast=lhs",
       "vector registers of 32"},
      {"bf16bf16bf16_16x16x2_steprnd_x86_64_avx512_bf16", "sets=2",
       "steprnd needs sets=1"},
  };
  for (const Refusal& refusal : refusals) {
    std::string text = planText(refusal.name, refusal.overrides);
    EXPECT_EQ(text.rfind("error: ", 0), 0u) << text;
    EXPECT_NE(text.find(refusal.reason), std::string::npos) << text;
  }
}

// A choice between idioms, by what core_rates.def says of them.
TEST(PlanOfCoreTest, TakesTheIdiomThatIsQuickThere) {
  const char* bf16 = "bf16bf16f32_12x32x2_x86_64_avx512_bf16";
  for (const char* core : {"sapphirerapids", "emeraldrapids", "graniterapids"})
    EXPECT_EQ(planText(bf16, (std::string("core=") + core).c_str())
                  .rfind("idiom=fmabf16 ", 0),
              0u)
        << core;
  for (const char* core : {"", "core=znver4", "core=znver5"})
    EXPECT_EQ(planText(bf16, core).rfind("idiom=dpbf16 ", 0), 0u) << core;
}

TEST(PlanOfCoreTest, FixedPartsStay) {
  const char* bf16 = "bf16bf16f32_12x32x2_x86_64_avx512_bf16";
  EXPECT_EQ(planText(bf16, "core=sapphirerapids idiom=dpbf16 block=6x2")
                .rfind("idiom=dpbf16 lanes=16 klanes=1 block=6x2 ", 0),
            0u);
}

// Whatever a plan is made for, its text alone says what it is.
TEST(PlanOfCoreTest, PrintedPlansReadBackWithoutTheCore) {
  for (tw_isa_t isa :
       {TW_ISA_X86_64_AVX512_BF16, TW_ISA_X86_64_AVX2_FMA, TW_ISA_ARM_64_BASE})
    for (const char* core :
         {"sapphirerapids", "alderlake", "gracemont", "znver5", "neoverse-n1"})
      for (const TileKey& key : randomKeys(isa, 40, seedOf(core))) {
        const std::string part = std::string("core=") + core;
        llvm::Expected<const CoreModel*> model = plannedCore(key, part);
        if (!model) {
          llvm::consumeError(model.takeError());
          continue;
        }
        const TilePlan plan = llvm::cantFail(planTile(key, part));
        EXPECT_EQ(whyPlanUnfit(plan, key), "") << printTileKey(key);
        const TilePlan again =
            llvm::cantFail(planTile(key, printTilePlan(plan)));
        EXPECT_TRUE(again == plan) << core << ": " << printTileKey(key);
      }
}

// Arm's cores that issue out of order have one model: plans are the usual ones.
TEST(PlanOfCoreTest, IsTheUsualOneOnArm) {
  for (const TileKey& key :
       randomKeys(TW_ISA_ARM_64_I8MM, 100, seedOf("PlanOfCoreTest.Arm")))
    EXPECT_TRUE(llvm::cantFail(planTile(key, "core=neoverse-v2")) ==
                llvm::cantFail(planTile(key)))
        << printTileKey(key);
}

TEST(CoreModelTest, KnowsEachCoreAndAlias) {
  int count = 0;
  auto expectKnown = [&](const char* arch, const char* name) {
    llvm::Expected<const CoreModel*> core = findCore(name);
    ASSERT_TRUE(bool(core)) << llvm::toString(core.takeError());
    EXPECT_EQ((*core)->arch.str(), arch) << name;
    EXPECT_EQ((*core)->name.str(), name);
    EXPECT_EQ((*core)->bytes == usualCore(info(TW_ISA_ARM_64_BASE)).bytes &&
                  std::string(arch) == "X86_64",
              std::string(name) == "gracemont")
        << name << " has no model of its own";
    ++count;
  };
#define TW_CORE(ARCH, ENUM, llvm_cpu) expectKnown(#ARCH, llvm_cpu);
#include "tilewright/cores.def"
  EXPECT_GT(count, 30);
  EXPECT_EQ(llvm::cantFail(findCore("cascadelake"))->name.str(),
            "skylake-avx512");
}

// In multiplies of f32: what core_rates.def has.
TEST(CoreModelTest, CountsMultipliesByTheRates) {
  auto on = [](const char* core, IdiomKind kind, int bits) {
    return llvm::cantFail(findCore(core))->multiplies(idiom(kind), bits);
  };
  EXPECT_EQ(on("sapphirerapids", IdiomKind::DotBF16, 512), 4);
  EXPECT_EQ(on("znver4", IdiomKind::DotBF16, 512), 1);
  EXPECT_EQ(on("skylake-avx512", IdiomKind::MaddWords, 512), 2);
  EXPECT_NEAR(on("skylake-avx512", IdiomKind::MaddWords, 256), 1.33, 0.01);
  EXPECT_NEAR(on("znver4", IdiomKind::MaddWords, 512), 1.1, 0.01);
  EXPECT_EQ(on("znver2", IdiomKind::MaddWords, 256), 2);
  EXPECT_EQ(on("icelake-server", IdiomKind::DotBytes, 512), 1);
  EXPECT_EQ(on("icelake-server", IdiomKind::Generic, 512), 2);
}

// Both elements of pairs, staged apart: rows of the lhs as f32.
TEST(PlanTest, StagedPairsLieApart) {
  TileKey key = keyOf("bf16bf16f32_12x32x2_x86_64_avx512_base");
  TilePlan plan = llvm::cantFail(planTile(key, "stagesteps=8"));
  EXPECT_EQ(plan.idiom, IdiomKind::FmaBF16);
  EXPECT_TRUE(TileShape(key, plan).broadcast.inParts);
  EXPECT_EQ(stageBytes(plan, key), 8 * 12 * 2 * 4);
  // Rows of 6 are padded, as pairs of bf16.
  TileKey padded = keyOf("bf16bf16f32_12x32x6_x86_64_avx512_base");
  TilePlan pairs = llvm::cantFail(planTile(padded, "idiom=fmabf16"));
  EXPECT_TRUE(TileShape(padded, pairs).padded);
  EXPECT_FALSE(TileShape(padded, pairs).broadcast.inParts);
}

// Wide tiles of x86-64 ask for whole lines of their panels, once each.
TEST(PlanTest, WideTilesPrefetch) {
  auto planOf = [](const char* key, const char* parts = "") {
    return llvm::cantFail(planTile(keyOf(key), parts));
  };
  for (const char* wide : {"f32f32f32_12x32x1_x86_64_avx512_base",
                           "f32f32f32_8x32x1_x86_64_avx512_base",
                           "f64f64f64_12x16x1_x86_64_avx512_base",
                           "u8s8s32_12x32x4_x86_64_avx512_vnni"}) {
    TileKey key = keyOf(wide);
    TilePlan plan = planOf(wide);
    EXPECT_EQ(plan.ahead, 2048) << wide;
    EXPECT_GE(TileShape(key, plan).broadcast.stepBytes * plan.unroll, 64)
        << wide;
    EXPECT_EQ(planOf(wide, "ahead=0").ahead, 0) << wide;
  }
  // Of 16 registers a second step leaves none.
  TilePlan narrow = planOf("f32f32f32_6x16x1_x86_64_avx2_fma");
  EXPECT_EQ(narrow.ahead, 2048);
  EXPECT_EQ(narrow.unroll, 1);
  for (const char* without : {"f32f32f32_1x16x1_x86_64_avx512_base",
                              "f16f16f32_6x16x1_x86_64_avx2_fma",
                              "bf16bf16f32_12x32x2_x86_64_avx512_base",
                              "f32f32f32_8x8x1_arm_64_base"})
    EXPECT_EQ(planOf(without).ahead, 0) << without;
  const char* f32 = "f32f32f32_12x32x1_x86_64_avx512_base";
  EXPECT_EQ(planOf(f32, "block=6x2").ahead, 0);
  EXPECT_NE(
      llvm::toString(planTile(keyOf(f32), "block=6x2 ahead=64").takeError())
          .find("ahead needs one register block"),
      std::string::npos);
  EXPECT_NE(llvm::toString(planTile(keyOf("f16f16f32_12x32x1_x86_64_avx512_"
                                          "base"),
                                    "stage=both ahead=64")
                               .takeError())
                .find("ahead needs an operand that is not staged"),
            std::string::npos);
}

// Twice the multiply-adds wait for each accumulator.
TEST(PlanTest, PairsHaveTwiceTheAccumulatorSets) {
  TilePlan plan =
      llvm::cantFail(planTile(keyOf("bf16bf16f32_8x16x2_x86_64_avx512_base"),
                              "idiom=fmabf16 core=sapphirerapids"));
  EXPECT_GE(plan.blockRows * plan.blockVectors * plan.sets, 16)
      << printTilePlan(plan);
}

TEST(PlanTest, LatencyBoundTilesHaveSeveralAccumulatorSets) {
  llvm::Expected<TilePlan> plan =
      planTile(keyOf("f32f32f32_1x16x1_x86_64_avx512_base"));
  ASSERT_TRUE(bool(plan));
  EXPECT_GE(plan->sets * plan->blockVectors, 8) << printTilePlan(*plan);
}

// Each accumulator of 2x2 blocks takes two rows of either operand.
TEST(PlanTest, MatrixMultipliesTakeRowsInPairs) {
  for (int rows : {1, 2, 7, 8}) {
    TileKey key = keyOf("s8s8s32_" + std::to_string(rows) + "x8x8_arm_64_i8mm");
    TilePlan plan = llvm::cantFail(planTile(key, "idiom=smmla block=8x4"));
    TileShape shape(key, plan);
    EXPECT_EQ(shape.rowGroups, (rows + 1) / 2);
    EXPECT_EQ(shape.vectors, 4);
  }
}

// An idiom says of itself what the first of its instructions is.
TEST(TargetTest, InstructionsOfAnIdiomAreAlike) {
  for (const Target* target : targets())
    for (const Idiom& own : target->idioms())
      for (tw_instruction_t i : own.instructions) {
        if (i == TW_INSTRUCTION_NONE) continue;
        const tw_instruction_row_t& row = kInstructions[i];
        EXPECT_EQ(row.k * own.parts, own.group) << row.mnemonic;
        EXPECT_EQ(row.instructions, own.ops) << row.mnemonic;
        EXPECT_EQ(row.latency * own.parts, own.latency) << row.mnemonic;
        EXPECT_EQ(row.shape == TW_SHAPE_PAIRS ? 2 : 1, own.rows)
            << row.mnemonic;
        EXPECT_EQ(row.denormals == TW_DENORMALS_FLUSHED, own.flushesDenormals)
            << row.mnemonic;
        EXPECT_EQ(&targetOf(info(row.isa)), target) << row.mnemonic;
      }
  auto latency = [](const std::string& name) {
    const TileKey key = keyOf(name);
    return ScalableShape(llvm::cantFail(planTile(key)).scalable, key).latency;
  };
  EXPECT_EQ(latency("s8s8s32_8x2vlx8_arm_64_sve_i8mm"),
            kInstructions[TW_INSTRUCTION_SMMLA_SVE].latency);
  EXPECT_EQ(latency("f32f32f32_8x2vlx1_arm_64_sve"),
            kInstructions[TW_INSTRUCTION_FMLA_SVE].latency);
  EXPECT_EQ(latency("bf16bf16f32_8x2vlx4_arm_64_sve_bf16"),
            kInstructions[TW_INSTRUCTION_BFMMLA].latency);
}

// What a kind is called and does is the same on all targets that have it.
TEST(TargetTest, IdiomsOfAKindAreAlike) {
  for (const Target* target : targets()) {
    ASSERT_FALSE(target->idioms().empty());
    EXPECT_EQ(target->idioms().back().kind, IdiomKind::Generic);
    for (const Idiom& own : target->idioms()) {
      const Idiom& first = idiom(own.kind);
      EXPECT_EQ(own.name.str(), first.name.str());
      EXPECT_EQ(own.operands, first.operands) << own.name.str();
      EXPECT_EQ(own.group, first.group) << own.name.str();
      EXPECT_EQ(own.ops, first.ops) << own.name.str();
      EXPECT_EQ(own.rows, first.rows) << own.name.str();
      EXPECT_EQ(own.halves, first.halves) << own.name.str();
      EXPECT_EQ(own.parts, first.parts) << own.name.str();
      EXPECT_EQ(own.flushesDenormals, first.flushesDenormals) << own.name.str();
    }
  }
}

// Whatever features it would need there.
TEST(TargetTest, IdiomsOfOtherTargetsAreRefusedAsSuch) {
  for (const char* isa :
       {"x86_64_avx512_bf16", "arm_64_i8mm", "riscv_64_zvfbfwma", "generic"}) {
    const TileKey key = keyOf("f32f32f32_8x8x1_" + std::string(isa));
    const Target& own = targetOf(info(key.isa));
    for (const Target* target : targets())
      for (const Idiom& i : target->idioms()) {
        const bool isOwn = llvm::any_of(
            own.idioms(), [&](const Idiom& o) { return o.kind == i.kind; });
        const std::string why = whyIdiomUnfit(i.kind, key);
        EXPECT_EQ(why == "idiom '" + i.name.str() + "' is not one of " + isa,
                  !isOwn)
            << why;
      }
  }
}

// Sums of scaled elements must not wrap before they are divided.
TEST(PlanTest, ScaledSumsFitTheAccumulators) {
  for (int k0 : {8, 16, 24, 64}) {
    TileKey key = keyOf("u8s4s32_8x8x" + std::to_string(k0) + "_arm_64_i8mm");
    TilePlan plan = llvm::cantFail(planTile(key));
    TileShape shape(key, plan);
    if (shape.scaleBits == 0) continue;
    EXPECT_GT(shape.scaledSteps, 0);
    EXPECT_EQ(shape.scaledSteps % plan.unroll, 0);
    EXPECT_LE(int64_t{shape.scaledSteps} * k0 * 255 * (8 << shape.scaleBits),
              INT32_MAX);
  }
}

}  // namespace
}  // namespace tilewright
