// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice between tiles, of keys that are made up: on every host alike.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/ukernels/rows.h"
#include "ukernels/core.h"
#include "ukernels/query.h"

namespace tilewright::testing {
namespace {

class ChooseTileTest : public ::testing::Test {
 protected:
  void offer(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      tw_tile_key_t key;
      ASSERT_TRUE(tw_parse_tile_name(name, &key)) << name;
      names_.push_back(name);
      keys_.push_back(key);
    }
  }
  // A CPU with the features of some ISAs.
  void cpu(std::initializer_list<tw_isa_t> isas, uint64_t sveBits = 0,
           uint64_t smeBits = 0) {
    data_ = CpuData();
    for (tw_isa_t isa : isas)
      for (int w = 0; w < TW_CPU_DATA_WORDS; ++w)
        data_.words[w] |= CpuData::of(isa).words[w];
    data_.setLengths(sveBits, smeBits);
  }
  void core(const char* name) {
    ASSERT_TRUE(tw_set_core(name, data_.words)) << name;
  }

  // That of `rows` rows the first tile takes so much of the time of the second.
  void measured(tw_rows_t rows, const char* tile, const char* beside,
                int32_t perMille) {
    tw_measured_tile_t it = {rows, {}, {}, perMille};
    ASSERT_TRUE(tw_parse_tile_name(tile, &it.tile)) << tile;
    ASSERT_TRUE(tw_parse_tile_name(beside, &it.beside)) << beside;
    measured_.push_back(it);
  }

  struct Choice {
    std::string name, withoutCore, sizes, last;
  };
  Choice choose(tw_index_t m, tw_index_t n, bool mixesRows = false,
                bool isNear = false) const {
    tw_tile_question_t question = {
        static_cast<tw_type_triple_t>(keys_.at(0).types),
        m,
        n,
        data_.words,
        0,
        mixesRows,
        isNear,
        {measured_.data(), measured_.size()}};
    tw_tile_choice_t choice, withoutCore;
    if (!tw_choose_tile(&question, keys_.data(), keys_.size(), &choice))
      return {"none", "none", "", ""};
    CpuData noCore = data_;
    noCore.words[TW_CPU_WORD_CORE] = 0;
    question.cpu_data = noCore.words;
    question.measured.count = 0;
    EXPECT_TRUE(
        tw_choose_tile(&question, keys_.data(), keys_.size(), &withoutCore));
    return {names_[choice.index], names_[withoutCore.index],
            std::to_string(choice.sizes.M0) + "x" +
                std::to_string(choice.sizes.N0) + "x" +
                std::to_string(choice.sizes.K0),
            choice.last == choice.index ? "" : names_[choice.last]};
  }

 private:
  std::vector<std::string> names_;
  std::vector<tw_tile_key_t> keys_;
  std::vector<tw_measured_tile_t> measured_;
  CpuData data_;
};

TEST_F(ChooseTileTest, ScalableTilesNeedALength) {
  offer({"tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve",
         "tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_base",
         "tw_mmt4d_tile_f32f32f32_8x4x1_arm_64_base"});
  cpu({TW_ISA_ARM_64_SVE});
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x1");
  cpu({TW_ISA_ARM_64_SVE}, 256);
  EXPECT_EQ(choose(-1, -1).name, "tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve");
  EXPECT_EQ(choose(-1, -1).sizes, "8x16x1");
  cpu({TW_ISA_ARM_64_SVE}, 512);
  EXPECT_EQ(choose(-1, -1).sizes, "8x32x1");
  // Too narrow for all of it.
  EXPECT_EQ(choose(-1, 4).sizes, "8x4x1");
  // Vectors of no CPU.
  cpu({TW_ISA_ARM_64_SVE}, 200);
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x1");
  cpu({TW_ISA_ARM_64_SVE}, 4096);
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x1");
}

TEST_F(ChooseTileTest, StreamingVectorsHaveALengthOfTheirOwn) {
  offer({"tw_mmt4d_tile_f32f32f32_1vlx1vlx1_arm_64_sme",
         "tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve"});
  cpu({TW_ISA_ARM_64_SME, TW_ISA_ARM_64_SVE}, 128, 512);
  EXPECT_EQ(choose(-1, -1).sizes, "16x16x1");
  cpu({TW_ISA_ARM_64_SME, TW_ISA_ARM_64_SVE}, 256, 0);
  EXPECT_EQ(choose(-1, -1).sizes, "8x16x1");
}

TEST_F(ChooseTileTest, OuterProductsAreCountedInSquares) {
  offer({"tw_mmt4d_tile_f32f32f32_1vlx1vlx1_arm_64_sme",
         "tw_mmt4d_tile_f32f32f32_2vlx2vlx1_arm_64_sme",
         "tw_mmt4d_tile_f32f32f32_1x4vlx1_arm_64_sme"});
  cpu({TW_ISA_ARM_64_SME}, 0, 512);
  EXPECT_EQ(choose(-1, -1).sizes, "32x32x1");
  EXPECT_EQ(choose(16, 16).sizes, "16x16x1");
  EXPECT_EQ(choose(1, -1).sizes, "1x64x1");
}

// What is left over of M goes to a tile of the same panels, where both together
// are cheaper than tiles of one kind, and where asked for.
TEST_F(ChooseTileTest, LastRowsMayHaveATileOfTheirOwn) {
  const std::string f32 = "tw_mmt4d_tile_f32f32f32_", isa = "x1_x86_64_";
  const std::string of4 = f32 + "4x32" + isa + "avx512_base",
                    of8 = f32 + "8x32" + isa + "avx512_base",
                    of1 = f32 + "1x32" + isa + "avx512_base";
  offer({of1.c_str(), of4.c_str(), of8.c_str(),
         "tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base",
         // Other panels, another instruction set.
         "tw_mmt4d_tile_f32f32f32_2x16x1_x86_64_avx512_base",
         "tw_mmt4d_tile_f32f32f32_2x32x1_x86_64_avx2_fma"});
  cpu({TW_ISA_X86_64_AVX512_BASE});
  const struct {
    tw_index_t M;
    const char* sizes;
    std::string last;
  } cases[] = {
      {1, "1x32x1", ""},
      // One pass over the rhs is better than two.
      {3, "4x32x1", ""},
      {5, "4x32x1", of1},
      {8, "8x32x1", ""},
      {9, "8x32x1", of1},
      {11, "12x32x1", ""},
      {12, "12x32x1", ""},
      {13, "12x32x1", of1},
      // As cheap as two of 8, and more in the first pass.
      {16, "12x32x1", of4},
      {20, "12x32x1", of8},
      {128, "12x32x1", of8},
      {132, "12x32x1", ""},
      {-1, "12x32x1", ""},
  };
  for (const auto& each : cases) {
    const Choice mixed = choose(each.M, 64, true);
    EXPECT_EQ(mixed.sizes, each.sizes) << each.M;
    EXPECT_EQ(mixed.last, each.last) << each.M;
    EXPECT_EQ(choose(each.M, 64).last, "") << each.M;
  }
}

// Tiles of few rows pass over the rhs more often: they are not taken for being
// a little cheaper.
TEST_F(ChooseTileTest, FewRowsAreForFewRows) {
  offer({"tw_mmt4d_tile_f32f32f32_4x16x1_x86_64_avx2_fma",
         "tw_mmt4d_tile_f32f32f32_6x16x1_x86_64_avx2_fma"});
  cpu({TW_ISA_X86_64_AVX2_FMA});
  EXPECT_EQ(choose(4, 64).sizes, "4x16x1");
  EXPECT_EQ(choose(8, 64).sizes, "4x16x1");
  EXPECT_EQ(choose(64, 64).sizes, "6x16x1");
  EXPECT_EQ(choose(128, 64).sizes, "6x16x1");
}

TEST_F(ChooseTileTest, FewerInstructionsWinByTheirProducts) {
  offer({"tw_mmt4d_tile_s8s8s32_8x8x2_arm_64_base",
         "tw_mmt4d_tile_s8s8s32_8x8x4_arm_64_dotprod",
         "tw_mmt4d_tile_s8s8s32_8x8x8_arm_64_i8mm",
         "tw_mmt4d_tile_s8s8s32_1x8x4_arm_64_dotprod"});
  cpu({TW_ISA_ARM_64_BASE});
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x2");
  cpu({TW_ISA_ARM_64_DOTPROD});
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x4");
  EXPECT_EQ(choose(1, -1).sizes, "1x8x4");
  cpu({TW_ISA_ARM_64_I8MM});
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x8");
}

// sdot of s16 adds four products to half as many accumulators as smlal adds one
// to.
TEST_F(ChooseTileTest, WideAccumulatorsAreHalfAsMany) {
  offer({"tw_mmt4d_tile_s16s16s32_8x2vlx2_arm_64_sve2",
         "tw_mmt4d_tile_s16s16s32_8x1vlx4_arm_64_sve"});
  cpu({TW_ISA_ARM_64_SVE2}, 128);
  EXPECT_EQ(choose(-1, -1).sizes, "8x4x4");
  core("neoverse-n2");
  EXPECT_EQ(choose(-1, -1).sizes, "8x4x4");
}

// A K0 of several of the instruction's is not cheaper for that.
TEST_F(ChooseTileTest, AnInstructionCoversItsOwnK) {
  offer({"tw_mmt4d_tile_f32f32f32_4x4x16_arm_64_base",
         "tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_base"});
  cpu({TW_ISA_ARM_64_BASE});
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x1");
}

// bfmmla takes 3.6 times as long as fmla on a Cortex-A510.
TEST_F(ChooseTileTest, BfmmlaIsSlowOnTheCortexA510) {
  offer({"tw_mmt4d_tile_bf16bf16f32_8x8x4_arm_64_bf16",
         "tw_mmt4d_tile_bf16bf16f32_8x8x2_arm_64_bf16"});
  cpu({TW_ISA_ARM_64_BF16});
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x4");
  core("neoverse-n2");
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x4");
  core("cortex-a510");
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x2");
  EXPECT_EQ(choose(-1, -1).withoutCore,
            "tw_mmt4d_tile_bf16bf16f32_8x8x4_arm_64_bf16");
}

// smmla has twice the products of sdot and half its rate there: what reuses its
// operands better wins, though it does not need i8mm.
TEST_F(ChooseTileTest, I8mmGainsNothingOnAppleCores) {
  offer({"tw_mmt4d_tile_s8s8s32_8x8x8_arm_64_i8mm",
         "tw_mmt4d_tile_s8s8s32_12x8x4_arm_64_dotprod"});
  cpu({TW_ISA_ARM_64_I8MM});
  EXPECT_EQ(choose(-1, -1).sizes, "8x8x8");
  for (const char* name : {"apple-m2", "apple-m3", "apple-m4"}) {
    core(name);
    EXPECT_EQ(choose(-1, -1).sizes, "12x8x4") << name;
    EXPECT_EQ(choose(-1, -1).withoutCore,
              "tw_mmt4d_tile_s8s8s32_8x8x8_arm_64_i8mm");
  }
}

// vdpbf16ps has twice the products of a multiply-add of f32, and a quarter of
// its rate on Golden Cove; on Zen both are as quick.
TEST_F(ChooseTileTest, Vdpbf16psIsSlowOnGoldenCove) {
  offer({"tw_mmt4d_tile_bf16bf16f32_12x32x2_x86_64_avx512_bf16",
         "tw_mmt4d_tile_bf16bf16f32_12x32x2_x86_64_avx512_base"});
  cpu({TW_ISA_X86_64_AVX512_BF16});
  for (const char* name : {"znver4", "znver5"}) {
    core(name);
    EXPECT_EQ(choose(-1, -1).name,
              "tw_mmt4d_tile_bf16bf16f32_12x32x2_x86_64_avx512_bf16")
        << name;
  }
  for (const char* name :
       {"sapphirerapids", "emeraldrapids", "graniterapids"}) {
    core(name);
    EXPECT_EQ(choose(-1, -1).name,
              "tw_mmt4d_tile_bf16bf16f32_12x32x2_x86_64_avx512_base")
        << name;
    EXPECT_EQ(choose(-1, -1).withoutCore,
              "tw_mmt4d_tile_bf16bf16f32_12x32x2_x86_64_avx512_bf16")
        << name;
  }
}

// Five rows of tiles pass over the rhs five times, which only L2 makes up for.
TEST_F(ChooseTileTest, FewRowsOfTilesPassOverARhsFromASlowL3) {
  offer({"tw_mmt4d_tile_f32f32f32_4x32x1_x86_64_avx512_base",
         "tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base",
         "tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"});
  cpu({TW_ISA_X86_64_AVX512_BASE});
  core("graniterapids");
  EXPECT_EQ(choose(20, 4096).sizes, "12x32x1");
  EXPECT_EQ(choose(28, 4096).sizes, "8x32x1");
  EXPECT_EQ(choose(20, 512, false, /*isNear=*/true).sizes, "4x32x1");
  core("znver5");
  EXPECT_EQ(choose(20, 4096).sizes, "4x32x1");
}

TEST_F(ChooseTileTest, OfEqualCostTheBestIsaWins) {
  offer({"tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_base",
         "tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_dotprod"});
  cpu({TW_ISA_ARM_64_DOTPROD});
  EXPECT_EQ(choose(-1, -1).name,
            "tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_dotprod");
}

// Counted in vectors of no CPU, those with a large K0 would seem the cheapest
// of all, the more where nothing is known of the core.
TEST_F(ChooseTileTest, GenericIsForWhereNothingElseRuns) {
  offer({"tw_mmt4d_tile_s8s8s32_16x16x4_generic",
         "tw_mmt4d_tile_s8s8s32_8x8x2_arm_64_base",
         "tw_mmt4d_tile_s8s8s32_8x8x2_generic",
         "tw_mmt4d_tile_s8s8s32_16x16x4_x86_64_avx512_vnni",
         "tw_mmt4d_tile_s8s8s32_8x8x64_generic",
         "tw_mmt4d_tile_s8s8s32_64x64x64_generic"});
  cpu({TW_ISA_ARM_64_BASE});
  EXPECT_EQ(choose(-1, -1).name, "tw_mmt4d_tile_s8s8s32_8x8x2_arm_64_base");
  EXPECT_EQ(choose(1, 1).name, "tw_mmt4d_tile_s8s8s32_8x8x2_arm_64_base");
  for (const char* name : {"cortex-a53", "neoverse-v2"}) {
    core(name);
    EXPECT_EQ(choose(-1, -1).name, "tw_mmt4d_tile_s8s8s32_8x8x2_arm_64_base")
        << name;
    EXPECT_EQ(choose(-1, -1).withoutCore,
              "tw_mmt4d_tile_s8s8s32_8x8x2_arm_64_base")
        << name;
  }
  cpu({TW_ISA_X86_64_AVX512_VNNI});
  EXPECT_EQ(choose(-1, -1).name,
            "tw_mmt4d_tile_s8s8s32_16x16x4_x86_64_avx512_vnni");
  cpu({});
  EXPECT_EQ(choose(-1, -1).name, "tw_mmt4d_tile_s8s8s32_64x64x64_generic");
  EXPECT_EQ(choose(8, 8).name, "tw_mmt4d_tile_s8s8s32_8x8x64_generic");
}

TEST_F(ChooseTileTest, NothingThatCanRunIsNothing) {
  offer({"tw_mmt4d_tile_bf16bf16bf16_8x8x4_steprnd_arm_64_bf16",
         "tw_mmt4d_tile_bf16bf16bf16_8x8x4_arm_64_bf16"});
  cpu({TW_ISA_ARM_64_BASE});
  EXPECT_EQ(choose(-1, -1).name, "none");
  cpu({TW_ISA_ARM_64_BF16});
  EXPECT_EQ(choose(-1, -1).name,
            "tw_mmt4d_tile_bf16bf16bf16_8x8x4_arm_64_bf16");
}

constexpr char k12x32[] = "tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base";
constexpr char k16x16[] = "tw_mmt4d_tile_f32f32f32_16x16x1_x86_64_avx512_base";
constexpr char k8x32[] = "tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base";
constexpr char k4x32[] = "tw_mmt4d_tile_f32f32f32_4x32x1_x86_64_avx512_base";
constexpr char k4x16[] = "tw_mmt4d_tile_f32f32f32_4x16x1_x86_64_avx512_base";

TEST_F(ChooseTileTest, RowsAreOneAFewAndMany) {
  EXPECT_EQ(tw_rows_of(0), TW_ROWS_ONE);
  EXPECT_EQ(tw_rows_of(1), TW_ROWS_ONE);
  EXPECT_EQ(tw_rows_of(2), TW_ROWS_FEW);
  EXPECT_EQ(tw_rows_of(4), TW_ROWS_FEW);
  EXPECT_EQ(tw_rows_of(5), TW_ROWS_NARROW);
  EXPECT_EQ(tw_rows_of(16), TW_ROWS_NARROW);
  EXPECT_EQ(tw_rows_of(17), TW_ROWS_MANY);
  EXPECT_EQ(tw_rows_of(-1), TW_ROWS_MANY);
}

TEST_F(ChooseTileTest, WhatWasMeasuredIsPreferredWithSoManyRows) {
  offer({k12x32, k16x16, k8x32, k4x32, k4x16});
  cpu({TW_ISA_X86_64_AVX512_BASE});
  core("znver4");
  EXPECT_EQ(choose(-1, -1).name, k12x32);
  EXPECT_EQ(choose(4, -1).name, k4x32);
  measured(TW_ROWS_MANY, k16x16, k12x32, 900);
  EXPECT_EQ(choose(-1, -1).name, k16x16);
  EXPECT_EQ(choose(-1, -1).withoutCore, k12x32);
  EXPECT_EQ(choose(4, -1).name, k4x32);
  measured(TW_ROWS_FEW, k4x16, k4x32, 950);
  EXPECT_EQ(choose(-1, -1).name, k16x16);
  EXPECT_EQ(choose(4, -1).name, k4x16);
  EXPECT_EQ(choose(3, -1).name, k4x16);
  EXPECT_EQ(choose(1, -1).name, k4x32);
  EXPECT_EQ(choose(5, -1).name, k8x32);
}

// Quicker is not quicker by more than it pads.
TEST_F(ChooseTileTest, PaddingOfWhatWasMeasuredCosts) {
  offer({k12x32, k16x16});
  cpu({TW_ISA_X86_64_AVX512_BASE});
  core("znver4");
  measured(TW_ROWS_MANY, k16x16, k12x32, 900);
  EXPECT_EQ(choose(32, -1).name, k16x16);
  EXPECT_EQ(choose(24, -1).name, k12x32);  // 24 rows, and not 0.9 * 32
  EXPECT_EQ(choose(1200, -1).name, k16x16);
  EXPECT_EQ(choose(24, 16).name, k16x16);  // half of the columns
}

// A slower one is not chosen for having been measured, and what cannot run is
// not chosen at all.
TEST_F(ChooseTileTest, OfWhatWasMeasuredOnlyWhatIsQuickerAndRuns) {
  offer({k12x32, k16x16});
  cpu({TW_ISA_X86_64_AVX512_BASE});
  core("znver4");
  measured(TW_ROWS_MANY, k16x16, k12x32, 1001);
  EXPECT_EQ(choose(-1, -1).name, k12x32);

  offer({"tw_mmt4d_tile_f32f32f32_6x16x1_x86_64_avx2_fma"});
  cpu({TW_ISA_X86_64_AVX2_FMA});
  core("znver4");
  measured(TW_ROWS_FEW, k16x16, k12x32, 100);
  EXPECT_EQ(choose(4, -1).name,
            "tw_mmt4d_tile_f32f32f32_6x16x1_x86_64_avx2_fma");
}

// Panels that are given have tiles that differ in M0 alone: one of other panels
// does not take their place.
TEST_F(ChooseTileTest, WhatWasMeasuredIsNotOfferedForOtherPanels) {
  offer({k4x32, k12x32, k8x32});
  cpu({TW_ISA_X86_64_AVX512_BASE});
  core("znver4");
  measured(TW_ROWS_MANY, k16x16, k12x32, 500);
  EXPECT_EQ(choose(-1, -1).name, k12x32);
}

TEST(MeasuredTilesTest, AreOfTheirCoreAndQuickerThanOthersOfTheSameTypes) {
  size_t cores = 0;
  const char* const names[] = {
#define TW_CORE(ARCH, ENUM, llvm_cpu) llvm_cpu,
#include "tilewright/cores.def"
  };
  for (const char* name : names) {
    CpuData data;
    ASSERT_TRUE(tw_set_core(name, data.words));
    tw_measured_tile_t it, found;
    for (size_t i = 0; tw_measured_tile_on(data.words, i, &it); ++i) {
      cores += i == 0;
      EXPECT_LT(it.rows, TW_ROWS_COUNT) << name << ", row " << i;
      EXPECT_EQ(it.tile.types, it.beside.types) << name << ", row " << i;
      EXPECT_GT(it.per_mille, 0) << name << ", row " << i;
      ASSERT_TRUE(tw_measured_tile_for(
          data.words, static_cast<tw_type_triple_t>(it.tile.types),
          it.rows == TW_ROWS_ONE      ? 1
          : it.rows == TW_ROWS_FEW    ? 4
          : it.rows == TW_ROWS_NARROW ? 16
                                      : -1,
          &found))
          << name << ", row " << i;
      EXPECT_EQ(keyOfC(found.tile), keyOfC(it.tile)) << name << ", row " << i;
      EXPECT_EQ(validateTileKey(keyOfC(it.tile)), "") << name << ", row " << i;
      EXPECT_EQ(validateTileKey(keyOfC(it.beside)), "")
          << name << ", row " << i;
    }
  }
  tw_measured_tile_t it;
  EXPECT_FALSE(tw_measured_tile_on(CpuData().words, 0, &it));
  ::testing::Test::RecordProperty("cores", static_cast<int>(cores));
}

}  // namespace
}  // namespace tilewright::testing
