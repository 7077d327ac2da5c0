// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random keys of every AMDGPU target: generated, and run under the wave
// emulator against the reference. Sharded, so that ctest can run the shards
// side by side.

#include <gtest/gtest.h>

#include <cstdlib>

#include "llvm/IR/LLVMContext.h"
#include "tests/amdgpu/emulated_tile.h"
#include "tests/amdgpu/wave_keys.h"
#include "tests/tiles/shards.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Target/Amdgpu/WaveTile.h"

namespace tilewright::testing {
namespace {

constexpr int kShards = 4;
constexpr int kDefaultKeys = 100;
// Multiply-adds of the reference for one key: of 200 keys per target enough for
// K = 64 in more than 200 of each family, MFMA, WMMA and vector unit.
constexpr int64_t kBudget = 1'000'000;

int keysPerTarget() {
  const char* given = std::getenv("TILEWRIGHT_TEST_KEYS");
  return given ? std::max(1, std::atoi(given)) : kDefaultKeys;
}

// Empty if all cases of `key` are right.
std::string checkKey(const TileKey& key, const std::string& overrides,
                     uint64_t seed, DeviceBackend& backend) {
  llvm::LLVMContext context;
  auto module = generateWaveTile(key, "tw", overrides, backend, context);
  if (!module) return llvm::toString(module.takeError());
  emulator::EmulatorOptions options;
  options.gfx = processorOf(key.isa).str();
  auto emulator = emulator::Emulator::create(**module, options);
  if (!emulator) return llvm::toString(emulator.takeError());
  for (const WaveCase& c : waveCasesFor(key, seed, kBudget))
    if (std::string why = checkWaveTile(**emulator, printTileKey(key), key, c);
        !why.empty())
      return describe(c) + ": " + why;
  return {};
}

std::string planText(const TileKey& key) {
  llvm::Expected<WavePlan> plan = planWave(key);
  return plan ? printWavePlan(*plan) : llvm::toString(plan.takeError());
}

// The hand-written tiles' keys, generated: on the operands of the same cases.
struct Target {
  tw_isa_t isa;
};

std::ostream& operator<<(std::ostream& out, const Target& target) {
  return out << info(target.isa).name;
}

class GeneratedRowsTest : public ::testing::TestWithParam<Target> {};

TEST_P(GeneratedRowsTest, KeepTheContract) {
  const IsaInfo& isa = info(GetParam().isa);
  const uint64_t seed = seedOf("GeneratedRowsTest." + std::string(isa.name));
  SCOPED_TRACE(seedText(seed));
  auto backend = DeviceBackend::create(isa.isa);
  ASSERT_TRUE(bool(backend)) << llvm::toString(backend.takeError());
  int checked = 0;
  for (const HandWrittenTile& row : handWrittenTiles()) {
    if (row.key.isa != isa.isa) continue;
    const std::string why = checkKey(row.key, "", seed + checked, **backend);
    EXPECT_EQ(why, "") << row.name << " " << planText(row.key);
    ++checked;
  }
  EXPECT_GT(checked, 0) << "no row was checked";
}

std::vector<Target> targets() {
  std::vector<Target> result;
  for (const IsaInfo& isa : isas())
    if (isa.isGpu()) result.push_back({isa.isa});
  return result;
}

INSTANTIATE_TEST_SUITE_P(Targets, GeneratedRowsTest,
                         ::testing::ValuesIn(targets()),
                         [](const ::testing::TestParamInfo<Target>& test) {
                           return std::string(
                               ::tilewright::info(test.param.isa).name);
                         });

class GeneratedWaveTest : public ::testing::TestWithParam<Shard> {};

TEST_P(GeneratedWaveTest, KeepTheContract) {
  const IsaInfo& isa = info(GetParam().isa);
  const uint64_t seed = seedOf("GeneratedWaveTest." + std::string(isa.name));
  SCOPED_TRACE(seedText(seed));
  auto backend = DeviceBackend::create(isa.isa);
  ASSERT_TRUE(bool(backend)) << llvm::toString(backend.takeError());
  const std::vector<TileKey> keys =
      randomWaveKeys(isa.isa, keysPerTarget(), seed);
  int checked = 0;
  for (size_t i = GetParam().number; i < keys.size(); i += kShards) {
    const std::string why = checkKey(keys[i], "", seed + i, **backend);
    EXPECT_EQ(why, "") << printTileKey(keys[i]) << " " << planText(keys[i]);
    ++checked;
  }
  EXPECT_GT(checked, 0) << "no key was checked";
}

INSTANTIATE_TEST_SUITE_P(Shards, GeneratedWaveTest,
                         ::testing::ValuesIn(shardsOf(kShards,
                                                      [](const IsaInfo& isa) {
                                                        return isa.isGpu();
                                                      })),
                         shardName);

}  // namespace
}  // namespace tilewright::testing
