// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles whose plans are made for a core: random keys on each; and what no
// core's plans have in all shapes: bf16 by multiply-adds of f32, and 4-bit
// elements that shifts and masks tell apart.

#include <gtest/gtest.h>

#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "tests/tiles/check_tile.h"
#include "tests/tiles/random_keys.h"
#include "tests/tiles/tile_source.h"

namespace tilewright::testing {
namespace {

void checkTile(const TileKey& key, const std::string& plan,
               const std::string& core, Denormals denormals, uint64_t seed,
               TileSource& source) {
  const std::string what =
      printTileKey(key) + " by '" + plan + "' for '" + core + "'";
  auto fn = source.generatedBy(key, plan, core);
  if (!fn) {
    ADD_FAILURE() << llvm::toString(fn.takeError()) << ": " << what;
    return;
  }
  CheckOptions options;
  options.seed = seed;
  options.budget = 1'000'000;
  const CheckReport report =
      checkTiles(key, {{"generated", *fn, denormals}}, options);
  EXPECT_TRUE(report.ok()) << report.text() << "\n  " << what;
  if (llvm::Error error = source.unload())
    ADD_FAILURE() << llvm::toString(std::move(error));
}

struct CoreAndIsa {
  const char* core;
  tw_isa_t isa;
};

class CorePlansTest : public ::testing::TestWithParam<CoreAndIsa> {};

TEST_P(CorePlansTest, KeepTheContract) {
  const IsaInfo& isa = info(GetParam().isa);
  const std::string reason = reasonToSkip(isa, hostHas(isa));
  if (!reason.empty()) GTEST_SKIP() << reason;
  auto source = TileSource::create();
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  const uint64_t seed = seedOf(std::string("CorePlans.") + GetParam().core);
  SCOPED_TRACE(seedText(seed));
  for (const TileKey& key : randomKeys(isa.isa, 24, seed))
    checkTile(key, "", GetParam().core, Denormals::kEither, seed, *source);
}

INSTANTIATE_TEST_SUITE_P(
    Cores, CorePlansTest,
    ::testing::Values(CoreAndIsa{"skylake-avx512", TW_ISA_X86_64_AVX512_BASE},
                      CoreAndIsa{"icelake-server", TW_ISA_X86_64_AVX512_VNNI},
                      CoreAndIsa{"sapphirerapids", TW_ISA_X86_64_AVX512_BF16},
                      CoreAndIsa{"gracemont", TW_ISA_X86_64_AVX_VNNI},
                      CoreAndIsa{"znver3", TW_ISA_X86_64_AVX2_FMA},
                      CoreAndIsa{"znver5", TW_ISA_X86_64_AVX512_BF16}),
    [](const ::testing::TestParamInfo<CoreAndIsa>& test) {
      std::string name = test.param.core;
      for (char& c : name)
        if (c == '-') c = '_';
      return name;
    });

struct Shape {
  int m0, n0;
};

// Whole vectors and parts of them; blocks that fit the tile and that overlap.
constexpr Shape kShapes[] = {{1, 1},  {1, 17},  {3, 5},   {5, 3},  {7, 31},
                             {8, 16}, {12, 32}, {13, 16}, {16, 48}};
// One pair, several, a number of them that is padded, more than a vector has.
constexpr int kDepths[] = {2, 4, 6, 8, 26, 34};

class FmaBF16Test : public ::testing::TestWithParam<tw_isa_t> {};

// Denormals are kept on all ISAs, those with dot products that flush them
// included: in operands and in out elements.
TEST_P(FmaBF16Test, KeepsTheContractInAllShapes) {
  const IsaInfo& isa = info(GetParam());
  const std::string reason = reasonToSkip(isa, hostHas(isa));
  if (!reason.empty()) GTEST_SKIP() << reason;
  auto source = TileSource::create();
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  const uint64_t seed = seedOf("FmaBF16Test");
  SCOPED_TRACE(seedText(seed));
  int count = 0;
  for (const Shape& shape : kShapes)
    for (int k0 : kDepths) {
      const TileKey key{
          count % 3 == 0 ? TW_TYPES_BF16BF16F32 : TW_TYPES_BF16BF16BF16,
          shape.m0,
          shape.n0,
          k0,
          count % 3 == 2 ? Rounding::kPerStep : Rounding::kOnce,
          isa.isa};
      checkTile(key, "idiom=fmabf16", "", Denormals::kKept, seed + count,
                *source);
      ++count;
    }
}

// What planners may choose otherwise: operands staged or not, blocks that
// overlap, sets, either operand as the broadcast one.
TEST_P(FmaBF16Test, KeepsTheContractByAnyPlan) {
  const IsaInfo& isa = info(GetParam());
  const std::string reason = reasonToSkip(isa, hostHas(isa));
  if (!reason.empty()) GTEST_SKIP() << reason;
  auto source = TileSource::create();
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  const uint64_t seed = seedOf("FmaBF16Test.Plans");
  SCOPED_TRACE(seedText(seed));
  for (const char* plan :
       {"stage=none", "stage=broadcast", "stage=both", "broadcast=rhs",
        "broadcast=rhs stage=none", "block=3x1 stage=broadcast",
        "block=2x1 sets=2 unroll=4", "stage=broadcast stagesteps=1",
        "stage=broadcast stagesteps=3 unroll=2", "lanes=4"})
    for (int k0 : {2, 8})
      checkTile({TW_TYPES_BF16BF16F32, 7, 31, k0, Rounding::kOnce, isa.isa},
                std::string("idiom=fmabf16 ") + plan, "", Denormals::kKept,
                seed, *source);
}

INSTANTIATE_TEST_SUITE_P(Isas, FmaBF16Test,
                         ::testing::Values(TW_ISA_X86_64_AVX2_FMA,
                                           TW_ISA_X86_64_AVX512_BASE,
                                           TW_ISA_X86_64_AVX512_BF16),
                         [](const ::testing::TestParamInfo<tw_isa_t>& test) {
                           return std::string(
                               ::tilewright::info(test.param).name);
                         });

// Rows of one lane of accumulators, and of all numbers that fill some.
constexpr int kNibbleDepths[] = {8, 16, 32, 64};

class NibblesTest : public ::testing::TestWithParam<tw_isa_t> {
 protected:
  void SetUp() override {
    const IsaInfo& isa = info(GetParam());
    const std::string reason = reasonToSkip(isa, hostHas(isa));
    if (!reason.empty()) GTEST_SKIP() << reason;
    auto made = TileSource::create();
    ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
    source.emplace(std::move(*made));
  }

  std::optional<TileSource> source;
};

// Either operand's elements in the lanes of vectors, the other one's of each
// width and sign.
TEST_P(NibblesTest, KeepTheContractInAllShapes) {
  const uint64_t seed = seedOf("NibblesTest");
  SCOPED_TRACE(seedText(seed));
  size_t count = 0;
  for (const TypeTripleInfo& types : typeTriples())
    for (const bool rhs : {false, true}) {
      const ElementTypeInfo& type = info(rhs ? types.rhs : types.lhs);
      if (type.bits != 4 || type.kind == TW_ELEMENT_KIND_FLOAT) continue;
      for (int k0 : kNibbleDepths) {
        const Shape& shape = kShapes[count % std::size(kShapes)];
        checkTile(
            {types.value, shape.m0, shape.n0, k0, Rounding::kOnce, GetParam()},
            rhs ? "broadcast=lhs stage=nibbles" : "broadcast=rhs stage=nibbles",
            "", Denormals::kKept, seed + count, *source);
        ++count;
      }
    }
  EXPECT_GE(count, 18 * std::size(kNibbleDepths));
}

// Blocks that overlap, sets that take the parts of a step in turn, steps that
// are staged one at a time, vectors of one row, several for each.
TEST_P(NibblesTest, KeepTheContractByAnyPlan) {
  const uint64_t seed = seedOf("NibblesTest.Plans");
  SCOPED_TRACE(seedText(seed));
  for (const char* plan :
       {"block=3x1", "block=2x1 sets=2", "block=1x1 sets=4 unroll=4",
        "stagesteps=1", "block=2x2 stagesteps=3 unroll=2", "lanes=4 klanes=4",
        "block=4x2", "idiom=maddwd"})
    for (tw_type_triple_t types : {TW_TYPES_S8S4S32, TW_TYPES_S16U4S32,
                                   TW_TYPES_S4S4S32, TW_TYPES_U8S4S32})
      for (int k0 : {32, 64})
        checkTile({types, 7, 31, k0, Rounding::kOnce, GetParam()},
                  std::string("broadcast=lhs stage=nibbles ") + plan, "",
                  Denormals::kKept, seed, *source);
}

INSTANTIATE_TEST_SUITE_P(
    Isas, NibblesTest,
    ::testing::Values(TW_ISA_X86_64_AVX2_FMA, TW_ISA_X86_64_AVX_VNNI,
                      TW_ISA_X86_64_AVX_VNNI_INT8, TW_ISA_X86_64_AVX512_BASE,
                      TW_ISA_X86_64_AVX512_VNNI),
    [](const ::testing::TestParamInfo<tw_isa_t>& test) {
      return std::string(::tilewright::info(test.param).name);
    });

}  // namespace
}  // namespace tilewright::testing
