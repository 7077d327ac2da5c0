// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No plan that the planners choose spills, and a kernel that does is named with
// what to change: as the metadata of its code object says.

#include <gtest/gtest.h>

#include <cstdlib>

#include "llvm/IR/LLVMContext.h"
#include "tests/amdgpu/wave_keys.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Target/Amdgpu/KernelGenerator.h"
#include "tilewright/Target/Amdgpu/SpillWarnings.h"
#include "tilewright/Target/Amdgpu/WaveTile.h"

namespace tilewright::testing {
namespace {

using CodeObject = llvm::SmallVector<char, 0>;

// Keys of each target: of hand-written tiles and random ones, as many each.
size_t keysPerTarget() {
  const char* given = std::getenv("TILEWRIGHT_TEST_KEYS");
  return given ? std::max(1, std::atoi(given)) : 2;
}

llvm::Expected<CodeObject> kernelCode(const TileKey& key,
                                      const std::string& plan,
                                      DeviceBackend& backend) {
  llvm::LLVMContext context;
  KernelOptions options;
  options.plan = plan;
  KernelGenerator generator;
  auto kernel = generator.generate(key, options, context);
  if (!kernel) return kernel.takeError();
  return backend.emit(*kernel->module, DeviceFile::CodeObject);
}

llvm::Expected<CodeObject> tileCode(const TileKey& key, const std::string& plan,
                                    DeviceBackend& backend) {
  llvm::LLVMContext context;
  auto module = generateWaveTile(key, "tw", plan, backend, context);
  if (!module) return module.takeError();
  return emitWaveKernel(**module, *(*module)->getFunction(printTileKey(key)),
                        key.isa, backend, DeviceFile::CodeObject);
}

// One line for each kernel that spills, or what went wrong.
std::string warnings(const TileKey& key, const std::string& plan,
                     llvm::Expected<CodeObject> code) {
  if (!code) return llvm::toString(code.takeError());
  auto found = spillWarnings(*code, key, "tw", plan);
  if (!found) return llvm::toString(found.takeError());
  std::string text;
  for (const std::string& warning : *found) text += warning + "\n";
  return text;
}

class DefaultPlans : public ::testing::TestWithParam<tw_isa_t> {};

TEST_P(DefaultPlans, DoNotSpill) {
  const tw_isa_t isa = GetParam();
  const uint64_t seed = seedOf("DefaultPlans." + std::string(info(isa).name));
  SCOPED_TRACE(seedText(seed));
  auto backend = DeviceBackend::create(isa);
  ASSERT_TRUE(bool(backend)) << llvm::toString(backend.takeError());
  const size_t count = keysPerTarget();
  std::vector<TileKey> keys = randomWaveKeys(isa, count, seed);
  std::vector<TileKey> rows;
  for (const HandWrittenTile& row : handWrittenTiles())
    if (row.key.isa == isa) rows.push_back(row.key);
  ASSERT_FALSE(rows.empty());
  Random random(seed);
  for (size_t i = 0; i < rows.size(); ++i)
    std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
  rows.resize(std::min(rows.size(), count));
  keys.insert(keys.end(), rows.begin(), rows.end());
  for (const TileKey& key : keys) {
    EXPECT_EQ(warnings(key, "", kernelCode(key, "", **backend)), "");
    EXPECT_EQ(warnings(key, "", tileCode(key, "", **backend)), "");
  }
}

// Where plans take all the registers that the estimate allows: the sizes that a
// compiler asks for, each way that rows are read from LDS (K0 of 4 to 16).
TEST_P(DefaultPlans, OfCommonKernelsDoNotSpill) {
  const tw_isa_t isa = GetParam();
  auto backend = DeviceBackend::create(isa);
  ASSERT_TRUE(bool(backend)) << llvm::toString(backend.takeError());
  const std::string suffix = "_" + std::string(info(isa).name);
  for (const char* types :
       {"f64f64f64", "f32f32f32", "f16f16f32", "s8s8s32", "s4s4s32"})
    for (const char* sizes : {"16x16x4", "16x16x8", "16x16x16"}) {
      const std::string name =
          std::string("tw_mmt4d_tile_") + types + "_" + sizes + suffix;
      auto parsed = parseTileKey(name);
      ASSERT_TRUE(parsed.key) << name;
      EXPECT_EQ(
          warnings(*parsed.key, "", kernelCode(*parsed.key, "", **backend)),
          "");
    }
}

// Three stages through registers, which the planner does not take.
TEST(Spills, AreNamedWithWhatToChange) {
  const TileKey key =
      parseTileKey("tw_mmt4d_tile_f16f16f32_16x16x16_amdgpu_gfx942")
          .key.value();
  auto backend = DeviceBackend::create(key.isa);
  ASSERT_TRUE(bool(backend)) << llvm::toString(backend.takeError());
  const std::string text =
      warnings(key, "stages=3", kernelCode(key, "stages=3", **backend));
  EXPECT_NE(text.find("_gfx942 spills: "), std::string::npos) << text;
  EXPECT_NE(text.find("take 'stages=2', or 'reads=direct'"), std::string::npos)
      << text;
}

std::vector<tw_isa_t> targets() {
  std::vector<tw_isa_t> result;
  for (const IsaInfo& isa : isas())
    if (isa.isGpu()) result.push_back(isa.isa);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Targets, DefaultPlans, ::testing::ValuesIn(targets()),
                         [](const ::testing::TestParamInfo<tw_isa_t>& test) {
                           return std::string(
                               ::tilewright::info(test.param).name);
                         });

}  // namespace
}  // namespace tilewright::testing
