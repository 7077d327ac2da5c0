// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random keys of every ISA: generated, inspected, loaded into this process and
// checked. Sharded, so that ctest can run the shards side by side. A sample is
// checked against the plain-loops lowering of the same key as well.

#include <gtest/gtest.h>

#include "tests/tiles/check_tile.h"
#include "tests/tiles/random_keys.h"
#include "tests/tiles/shards.h"
#include "tests/tiles/tile_source.h"
#include "tilewright/Planning/TilePlan.h"

namespace tilewright::testing {
namespace {

constexpr int kShards = 8;
// Enough for every variant.
constexpr int kDefaultKeys = 80;
// One key in so many is compared with the loops' lowering.
constexpr int kLoopsEvery = 8;
// Plans of one key, as `tilewright tune` has them.
constexpr unsigned kCandidates = 12;
// Scalar loops take their time; bigger tiles than this are left out.
constexpr int64_t kLoopsVolume = 1 << 16;

// Keys per ISA; more of them can be asked for to search longer.
int keysPerIsa() {
  const char* given = std::getenv("TILEWRIGHT_TEST_KEYS");
  return given ? std::max(1, std::atoi(given)) : kDefaultKeys;
}

std::string repeatIt(const TileKey& key) {
  return "\n  to see it: tilewright gen --emit=plan " + printTileKey(key);
}

// Checks the keys numbered `first`, first + step, ... of `keys`.
void checkKeys(const std::vector<TileKey>& keys, size_t first, size_t step,
               uint64_t seed, TileSource& source) {
  int checked = 0;
  for (size_t i = first; i < keys.size(); i += step) {
    const TileKey& key = keys[i];
    auto plan = source.generated(key, Lowering::Plan);
    if (!plan) {
      ADD_FAILURE() << llvm::toString(plan.takeError()) << repeatIt(key);
      continue;
    }
    std::vector<TileUnderTest> tiles = {{"generated", *plan}};
    const int64_t volume = int64_t{key.m0} * key.n0 * key.k0;
    if (i / step % kLoopsEvery == 0 && volume <= kLoopsVolume && !key.vnni) {
      auto loops = source.generated(key, Lowering::Loops);
      if (loops)
        tiles.push_back({"loops", *loops, Denormals::kKept});
      else
        ADD_FAILURE() << "--lowering=loops: "
                      << llvm::toString(loops.takeError());
    }
    CheckOptions options;
    options.seed = seed + i;
    options.budget = tiles.size() == 1 ? 10'000'000 : 3'000'000;
    const CheckReport report = checkTiles(key, tiles, options);
    EXPECT_TRUE(report.ok()) << report.text() << repeatIt(key);
    ++checked;
    if (llvm::Error error = source.unload())
      ADD_FAILURE() << llvm::toString(std::move(error));
  }
  EXPECT_GT(checked, 0) << "no key was checked";
}

class GeneratedTest : public ::testing::TestWithParam<Shard> {};

TEST_P(GeneratedTest, KeepTheContract) {
  const IsaInfo& isa = info(GetParam().isa);
  const std::string reason = reasonToSkip(isa, hostHas(isa));
  if (!reason.empty()) GTEST_SKIP() << reason;
  const uint64_t seed = seedOf("GeneratedTest." + std::string(isa.name));
  SCOPED_TRACE(seedText(seed));
  auto source = TileSource::create();
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  RecordProperty("emulated", hostHas(isa) ? "no" : "yes");
  checkKeys(randomKeys(isa.isa, keysPerIsa(), seed), GetParam().number, kShards,
            seed, *source);
}

INSTANTIATE_TEST_SUITE_P(Shards, GeneratedTest,
                         ::testing::ValuesIn(shardsOf(kShards,
                                                      isHostArchitecture)),
                         shardName);

// What tuning may choose: the plans that the planner ranks behind its choice.
class CandidatesTest : public ::testing::TestWithParam<Shard> {};

TEST_P(CandidatesTest, KeepTheContract) {
  const IsaInfo& isa = info(GetParam().isa);
  const std::string reason = reasonToSkip(isa, hostHas(isa));
  if (!reason.empty()) GTEST_SKIP() << reason;
  const uint64_t seed = seedOf("CandidatesTest." + std::string(isa.name));
  SCOPED_TRACE(seedText(seed));
  auto source = TileSource::create();
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  const std::vector<TileKey> keys =
      randomKeys(isa.isa, std::max(kShards, keysPerIsa() / 8), seed);
  size_t checked = 0;
  for (size_t i = GetParam().number; i < keys.size(); i += kShards) {
    const TileKey& key = keys[i];
    const auto plans = llvm::cantFail(planCandidates(key, kCandidates));
    for (size_t rank = 1; rank < plans.size(); ++rank) {
      const std::string plan = printTilePlan(plans[rank]);
      const std::string repeat = repeatIt(key) + " --plan='" + plan + "'";
      auto body = source->generatedBy(key, plan, "");
      if (!body) {
        ADD_FAILURE() << llvm::toString(body.takeError()) << repeat;
        continue;
      }
      CheckOptions options;
      options.seed = seed + i;
      options.budget = 2'000'000;
      const CheckReport report = checkTiles(key, {{"tuned", *body}}, options);
      EXPECT_TRUE(report.ok()) << report.text() << repeat;
      ++checked;
    }
    if (llvm::Error error = source->unload())
      ADD_FAILURE() << llvm::toString(std::move(error));
  }
  EXPECT_GT(checked, 0u) << "no plan was checked";
}

INSTANTIATE_TEST_SUITE_P(Shards, CandidatesTest,
                         ::testing::ValuesIn(shardsOf(kShards,
                                                      isHostArchitecture)),
                         shardName);

TEST(ReasonToSkipTest, NamesTheIsaThatNothingCanRun) {
  const IsaInfo& sve2 = info(TW_ISA_ARM_64_SVE2);
  EXPECT_EQ(reasonToSkip(sve2, true), "");
  EXPECT_NE(reasonToSkip(sve2, false).find("no arm_64_sve2,"),
            std::string::npos);
  EXPECT_EQ(reasonToSkip(info(TW_ISA_X86_64_AVX512_FP16), false), "");
}

// Keys that a generator once got wrong, or could.
constexpr const char* kRegressions[] = {
    // Stores of one narrowed element wrote four bytes.
    "tw_mmt4d_tile_bf16bf16bf16_43x1x11_steprnd_x86_64_avx512_bf16",
    // Six-bit elements in chunks of 12 bytes.
    "tw_mmt4d_tile_f6e3m2fnf6e3m2fnf32_33x19x4_x86_64_avx512_bf16",
    "tw_mmt4d_tile_f6e2m3fnf6e2m3fnf32_839x1x28_x86_64_avx512_vnni",
    // Code that grew beyond its limit.
    "tw_mmt4d_tile_f16f16f16_47x5x1_steprnd_generic",
    "tw_mmt4d_tile_u8u8s32_1x47x7_x86_64_avx2_fma",
    "tw_mmt4d_tile_s8s8s32_1x33x7_x86_64_avx512_base",
    // Pairs of rows by loads, and long iterations, which random keys seldom
    // have.
    "tw_mmt4d_tile_f32f32f32_16x16x1_x86_64_avx512_base",
    "tw_mmt4d_tile_f32f32f32_4x16x1_x86_64_avx512_base",
    "tw_mmt4d_tile_f64f64f64_8x8x1_x86_64_avx512_base",
    "tw_mmt4d_tile_s16s16s32_8x16x2_x86_64_avx512_vnni",
    "tw_mmt4d_tile_u8s8s32_10x16x4_x86_64_avx512_vnni",
    "tw_mmt4d_tile_s8s8s32_8x16x4_x86_64_avx512_vnni",
    "tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma",
};

TEST(GeneratedRegressionTest, KeepTheContract) {
  const uint64_t seed = seedOf("GeneratedRegressionTest");
  SCOPED_TRACE(seedText(seed));
  auto source = TileSource::create();
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  std::vector<TileKey> keys;
  for (const char* name : kRegressions) {
    const ParsedTileKey parsed = parseTileKey(name);
    ASSERT_TRUE(parsed.key.has_value()) << parsed.error;
    if (isHostArchitecture(info(parsed.key->isa))) keys.push_back(*parsed.key);
  }
  checkKeys(keys, 0, 1, seed, *source);
}

#ifdef __x86_64__

// What machines without AVX-512 do, pinned here: the ISAs with the most
// intrinsics, emulated on a CPU that has AVX2 only.
class EmulatedTest : public ::testing::TestWithParam<tw_isa_t> {};

TEST_P(EmulatedTest, KeepTheContractOnALesserCpu) {
  const IsaInfo& isa = info(GetParam());
  if (!hostHas(info(TW_ISA_X86_64_AVX2_FMA)))
    GTEST_SKIP() << "this CPU has no " << info(TW_ISA_X86_64_AVX2_FMA).name;
  const uint64_t seed = seedOf("EmulatedTest." + std::string(isa.name));
  SCOPED_TRACE(seedText(seed));
  auto source = TileSource::create("x86-64-v3");
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  const std::vector<TileKey> keys =
      randomKeys(isa.isa, static_cast<int>(variants().size()), seed);
  ASSERT_TRUE(source->emulates(keys.front()));
  checkKeys(keys, 0, 1, seed, *source);
}

// Tiles of the variant `vnni`, which are made from the hand-written ones' body.
TEST(GeneratedVnniTest, KeepTheContract) {
  const uint64_t seed = seedOf("GeneratedVnniTest");
  SCOPED_TRACE(seedText(seed));
  Random random(seed);
  auto source = TileSource::create();
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  std::vector<TileKey> keys;
  for (tw_type_triple_t types :
       {TW_TYPES_S8S8S32, TW_TYPES_S8U8S32, TW_TYPES_U8S8S32, TW_TYPES_U8U8S32,
        TW_TYPES_BF16BF16F32, TW_TYPES_BF16BF16BF16})
    for (int i = 0; i < 3; ++i) {
      TileKey key{types, 0, 0, 64, Rounding::kOnce, TW_ISA_X86_64_AMX_BF16};
      key.m0 = static_cast<int>(random.between(1, i == 0 ? 16 : 70));
      key.n0 = static_cast<int>(random.between(1, i == 0 ? 16 : 70));
      key.k0 = 512 / info(info(types).rhs).bits;
      key.vnni = true;
      ASSERT_EQ(validateTileKey(key), "");
      keys.push_back(key);
    }
  checkKeys(keys, 0, 1, seed, *source);
}

std::string nameOfIsa(const ::testing::TestParamInfo<tw_isa_t>& test) {
  return std::string(info(test.param).name);
}

INSTANTIATE_TEST_SUITE_P(Isas, EmulatedTest,
                         ::testing::Values(TW_ISA_X86_64_AVX512_FP16,
                                           TW_ISA_X86_64_AVX_VNNI_INT8),
                         nameOfIsa);

#endif

}  // namespace
}  // namespace tilewright::testing
