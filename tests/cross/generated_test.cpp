// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random keys of every ISA of an architecture: generated and inspected here,
// checked under qemu on a CPU that has the ISA and little more. Scalable keys
// run at every vector length of the ISA's models, those of riscv_64 at two. A
// sample is compared with the plain-loops lowering of the same key.

#include <gtest/gtest.h>

#include <map>

#include "tests/cross/emulated_tiles.h"
#include "tests/tiles/random_keys.h"
#include "tests/tiles/random_plans.h"
#include "tests/tiles/shards.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Planning/TilePlan.h"

namespace tilewright::testing {
namespace {

constexpr int kShards = 8;
// Enough for every variant.
constexpr int kDefaultKeys = 64;
// One key in so many is compared with the loops' lowering.
constexpr int kLoopsEvery = 8;
// Scalar loops take their time, under emulation more so.
constexpr int64_t kLoopsVolume = 1 << 13;
// One in so many as it is planned for a core that issues in order, too.
constexpr int kCoresEvery = 2;
// Multiply-adds of the reference per key, and with the loops beside it.
constexpr int64_t kBudget = 200'000, kLoopsBudget = 100'000;
// Of keys by random plans.
constexpr int64_t kPlansVolume = 1 << 12;

int keysPerIsa() {
  const char* given = std::getenv("TILEWRIGHT_TEST_KEYS");
  return given ? std::max(1, std::atoi(given)) : kDefaultKeys;
}

std::vector<tw_isa_t> ownIsas() {
  std::vector<tw_isa_t> result;
  for (const IsaInfo& isa : isas())
    if (isa.arch == TW_TEST_ARCH) result.push_back(isa.isa);
  return result;
}

// Those of the architecture whose plans leave an order to LLVM.
std::vector<std::string> coresInOrder() {
  std::vector<std::string> result;
  for (const char* name : {
#define TW_CORE(ARCH, ENUM, llvm_cpu) llvm_cpu,
#include "tilewright/cores.def"
       }) {
    const CoreModel* core = llvm::cantFail(findCore(name));
    if (core->arch == std::string(TW_TEST_ARCH) &&
        core->schedule != Schedule::Planned)
      result.push_back(name);
  }
  return result;
}

std::string repeatIt(const TileKey& key) {
  return "\n  to see it: tilewright gen --emit=plan " + printTileKey(key);
}

class CrossGeneratedTest : public ::testing::TestWithParam<Shard> {};

TEST_P(CrossGeneratedTest, KeepTheContract) {
  const IsaInfo& isa = info(GetParam().isa);
  const uint64_t seed = seedOf("GeneratedTest." + std::string(isa.name));
  SCOPED_TRACE(seedText(seed));
  const std::vector<TileKey> keys =
      randomKeys(isa.isa, keysPerIsa(), seed, Sizes::kAlsoScalable);
  const std::vector<std::string> cores = coresInOrder();
  TileGenerator generator;
  EmulatedTiles tiles;
  int generated = 0;
  for (size_t i = GetParam().number; i < keys.size(); i += kShards) {
    const TileKey& key = keys[i];
    auto plan = inspectedObject(generator, key, Lowering::Plan);
    if (!plan) {
      ADD_FAILURE() << llvm::toString(plan.takeError()) << repeatIt(key);
      continue;
    }
    ++generated;
    std::vector<EmulatedSource> sources;
    sources.push_back({"generated", std::move(*plan)});
    if (i / kShards % kLoopsEvery == 0 && !key.isScalable() &&
        int64_t{key.m0} * key.n0 * key.k0 <= kLoopsVolume) {
      auto loops = inspectedObject(generator, key, Lowering::Loops);
      if (loops)
        sources.push_back({"loops", std::move(*loops)});
      else
        ADD_FAILURE() << "--lowering=loops: "
                      << llvm::toString(loops.takeError());
    }
    if (const size_t turn = i / kShards;
        !cores.empty() && turn % kCoresEvery != 0) {
      const std::string core = cores[turn / kCoresEvery % cores.size()];
      auto own =
          inspectedObject(generator, key, Lowering::Plan, "core=" + core);
      if (own)
        sources.push_back({core, std::move(*own)});
      else
        ADD_FAILURE() << core << ": " << llvm::toString(own.takeError());
    }
    const int64_t budget = sources.size() == 1 ? kBudget : kLoopsBudget;
    tiles.add(key, seed + i, budget, std::move(sources));
  }
  ASSERT_GT(generated, 0) << "no key was generated";
  auto outcome = tiles.checkOnModels(
      isa, std::string(TW_TEST_SCRATCH) + "/" + std::string(isa.name) + "_" +
               std::to_string(GetParam().number));
  ASSERT_TRUE(bool(outcome)) << llvm::toString(outcome.takeError());
  for (const std::string& failure : outcome->failures) ADD_FAILURE() << failure;
  EXPECT_EQ(outcome->checked, generated);
}

// Whatever plan fits a key computes it, whether or not anybody would choose it.
class CrossRandomPlansTest : public ::testing::TestWithParam<tw_isa_t> {};

TEST_P(CrossRandomPlansTest, KeepTheContract) {
  const IsaInfo& isa = info(GetParam());
  const uint64_t seed = seedOf("RandomPlans." + std::string(isa.name));
  SCOPED_TRACE(seedText(seed));
  Random random(seed);
  TileGenerator generator;
  EmulatedTiles tiles;
  std::map<std::string, std::string> plans;
  int generated = 0;
  for (const TileKey& key :
       randomKeys(isa.isa, keysPerIsa() / 2, seed, Sizes::kAlsoScalable)) {
    if (!isSmall(key, kPlansVolume)) continue;
    const std::string plan = randomPlan(key, random);
    auto object = inspectedObject(generator, key, Lowering::Plan, plan);
    if (!object) {
      ADD_FAILURE() << llvm::toString(object.takeError()) << " by '" << plan
                    << "'";
      continue;
    }
    std::vector<EmulatedSource> sources;
    sources.push_back({"generated", std::move(*object)});
    tiles.add(key, seed + generated, kBudget, std::move(sources));
    plans[printTileKey(key)] = plan;
    ++generated;
  }
  ASSERT_GT(generated, keysPerIsa() / 8);
  auto outcome = tiles.checkOnModels(
      isa, std::string(TW_TEST_SCRATCH) + "/plans_" + std::string(isa.name));
  ASSERT_TRUE(bool(outcome)) << llvm::toString(outcome.takeError());
  for (const std::string& failure : outcome->failures) {
    ADD_FAILURE() << failure;
    for (const auto& [name, plan] : plans)
      if (failure.find(name) != std::string::npos)
        ADD_FAILURE() << "to see it: tilewright gen --emit=asm '--plan=" << plan
                      << "' " << name;
  }
  EXPECT_EQ(outcome->checked, generated);
}

// Long sums of the extremes, as the plan of choice has them and as each idiom
// does that adds up in 16 bits: of all operands of 4 and at most 8 bits.
TEST(CrossNarrowSumsTest, AreExact) {
  const IsaInfo& isa = info(ownIsas().back());
  TileGenerator generator;
  EmulatedTiles tiles;
  int keys = 0;
  for (const TypeTripleInfo& types : typeTriples()) {
    if (operandsOf(types) != TW_OPERANDS_S4) continue;
    for (int k0 : {1, 2, 4, 8, 16}) {
      const TileKey key =
          *parseTileKey("tw_mmt4d_tile_" + std::string(types.name) + "_4x8x" +
                        std::to_string(k0) + "_" + std::string(isa.name))
               .key;
      std::vector<std::string> plans = {""};
      for (const Idiom& idiom : targetOf(isa).idioms()) {
        const std::string plan = "idiom=" + idiom.name.str();
        if (!idiom.sumsInWords) continue;
        llvm::Expected<TilePlan> fitting = planTile(key, plan);
        if (fitting)
          plans.push_back(plan);
        else
          llvm::consumeError(fitting.takeError());
      }
      std::vector<EmulatedSource> sources;
      for (const std::string& plan : plans) {
        auto object = inspectedObject(generator, key, Lowering::Plan, plan);
        ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
        sources.push_back(
            {plan.empty() ? "generated" : plan.substr(6), std::move(*object)});
      }
      tiles.add(key, seedOf(printTileKey(key)), kBudget, std::move(sources));
      ++keys;
    }
  }
  EXPECT_EQ(keys, 60);
  auto outcome = tiles.checkOnModels(
      isa, std::string(TW_TEST_SCRATCH) + "/narrow_" + std::string(isa.name));
  ASSERT_TRUE(bool(outcome)) << llvm::toString(outcome.takeError());
  for (const std::string& failure : outcome->failures) ADD_FAILURE() << failure;
  EXPECT_EQ(outcome->checked, keys);
}

INSTANTIATE_TEST_SUITE_P(Isas, CrossRandomPlansTest,
                         ::testing::ValuesIn(ownIsas()),
                         [](const ::testing::TestParamInfo<tw_isa_t>& test) {
                           return std::string(
                               ::tilewright::info(test.param).name);
                         });

INSTANTIATE_TEST_SUITE_P(Shards, CrossGeneratedTest,
                         ::testing::ValuesIn(shardsOf(kShards,
                                                      [](const IsaInfo& isa) {
                                                        return isa.arch ==
                                                               TW_TEST_ARCH;
                                                      })),
                         shardName);

}  // namespace
}  // namespace tilewright::testing
