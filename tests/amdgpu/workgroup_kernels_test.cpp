// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workgroup kernels under the wave emulator: every form and plan attribute, on
// every target, three schedules; and each barrier is needed.

#include "gtest/gtest.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/LLVMContext.h"
#include "tests/amdgpu/emulated_kernel.h"
#include "tests/amdgpu/wave_keys.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/KernelGenerator.h"

namespace tilewright::testing {
namespace {

struct Kernel {
  TileKey key;
  GeneratedKernel generated;
};

// `tile`: a tile's name without its prefix.
llvm::Expected<Kernel> generate(const std::string& tile,
                                const std::string& plan,
                                llvm::LLVMContext& context) {
  const ParsedTileKey parsed = parseTileKey("tw_mmt4d_tile_" + tile);
  if (!parsed.key) return llvm::createStringError(parsed.error);
  KernelOptions options;
  options.plan = plan;
  KernelGenerator generator;
  llvm::Expected<GeneratedKernel> kernel =
      generator.generate(*parsed.key, options, context);
  if (!kernel) return kernel.takeError();
  auto backend = DeviceBackend::create(parsed.key->isa);
  if (!backend) return backend.takeError();
  (*backend)->optimize(*kernel->module);
  return Kernel{*parsed.key, std::move(*kernel)};
}

struct Case {
  const char* tile;
  const char* plan;
  int64_t depth = 64;  // the largest K
};

class WorkgroupKernels : public ::testing::TestWithParam<Case> {};

TEST_P(WorkgroupKernels, ComputeMmt4d) {
  llvm::LLVMContext context;
  auto kernel = generate(GetParam().tile, GetParam().plan, context);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  const GeneratedKernel& generated = kernel->generated;
  auto emulator = emulator::Emulator::create(*generated.module);
  ASSERT_TRUE(bool(emulator)) << llvm::toString(emulator.takeError());
  const uint64_t seed = seedOf(generated.name + GetParam().plan);
  for (const KernelCase& c :
       kernelCasesFor(kernel->key, generated.launch, GetParam().depth, seed))
    EXPECT_EQ(checkKernel(**emulator, generated.name, kernel->key,
                          generated.launch, c),
              "")
        << generated.name << " " << printKernelPlan(generated.plan) << " "
        << describe(c);
}

// Small workgroups: the emulator's time goes with the lanes.
constexpr Case kCases[] = {
    // Stages and buffers.
    {"f16f16f32_16x16x16_amdgpu_gfx942", "waves=2x2 tiles=4x4 ksteps=2"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=2 buffers=2"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x2 ksteps=2 stages=3"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=1x2 tiles=2x4 ksteps=1 stages=3 buffers=2"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=2 buffers=3"},
    // Straight into LDS, by 4 bytes and by 16.
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=2 reads=direct"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=2 reads=direct stages=3"},
    {"bf16bf16f32_16x16x32_amdgpu_gfx950",
     "waves=2x2 tiles=4x4 ksteps=1 reads=direct"},
    {"s8s8s32_32x32x32_amdgpu_gfx950",
     "waves=2x2 tiles=2x2 ksteps=1 reads=direct stages=3"},
    {"s8s8s32_16x16x16_amdgpu_gfx90a",
     "waves=1x2 tiles=2x4 ksteps=2 reads=direct"},
    // Control of the schedule.
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=2 skew=on priority=1"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=2 skew=on stages=3 buffers=2"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=2 skew=on reads=direct stages=3"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=2 interleave=1"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=2 boundaries=none"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=2 padding=select stages=3"},
    // Types and targets.
    {"f16f16f16_16x16x8_amdgpu_gfx90a", "waves=2x2 tiles=4x4 ksteps=2"},
    {"bf16bf16f32_32x32x8_amdgpu_gfx90a", "waves=2x2 tiles=2x2 ksteps=2"},
    {"s8s8s32_16x16x4_amdgpu_gfx90a", "waves=2x2 tiles=4x4"},
    {"f64f64f64_16x16x4_amdgpu_gfx90a", "waves=2x2 tiles=2x2"},
    {"f32f32f32_16x16x4_amdgpu_gfx942", "waves=2x2 tiles=4x4"},
    {"bf16bf16bf16_64x64x16_amdgpu_gfx942", "waves=2x2 tiles=1x1"},
    {"s8s8s32_16x16x32_amdgpu_gfx942", "waves=2x2 tiles=4x4 ksteps=1"},
    {"f8e4m3fnuzf8e5m2fnuzf32_16x16x32_amdgpu_gfx942",
     "waves=2x2 tiles=4x4 ksteps=1"},
    {"f16f16f32_16x16x32_amdgpu_gfx950", "waves=2x2 tiles=4x4 ksteps=1"},
    {"f8e5m2f8e4m3fnf32_16x16x32_amdgpu_gfx950", "waves=2x2 tiles=4x4"},
    {"f8e4m3fnf8e4m3fnf32_32x32x128_amdgpu_gfx950", "waves=2x2 tiles=2x2"},
    {"f4e2m1fnf4e2m1fnf32_32x32x64_amdgpu_gfx950", "waves=2x2 tiles=2x2"},
    {"f16f16f32_16x16x16_amdgpu_gfx1100", "waves=2x2 tiles=2x2"},
    {"bf16bf16f32_16x16x16_amdgpu_gfx1100",
     "waves=2x2 tiles=4x2 buffers=2 stages=3"},
    {"s8u8s32_16x16x16_amdgpu_gfx1100", "waves=2x2 tiles=2x2"},
    {"s4s4s32_16x16x16_amdgpu_gfx1100", "waves=2x2 tiles=2x2"},
    {"f16f16f16_16x16x16_amdgpu_gfx1201", "waves=2x2 tiles=2x2"},
    {"u8s8s32_16x16x16_amdgpu_gfx1201", "waves=2x2 tiles=4x4 ksteps=2"},
    {"f8e4m3fnf8e5m2f32_16x16x16_amdgpu_gfx1201",
     "waves=2x2 tiles=2x2 stages=3"},
    {"f16f16f32_16x16x32_amdgpu_gfx1250", "waves=2x2 tiles=2x2"},
    // Tiles that are no multiples of an instruction's.
    {"f16f16f32_8x24x16_amdgpu_gfx942", "waves=2x2 tiles=8x8 ksteps=2"},
    {"f16f16f32_4x4x4_amdgpu_gfx942", "waves=1x2 tiles=8x16 ksteps=4"},
    {"f16f16f32_2x1x8_amdgpu_gfx942", "waves=1x2 tiles=16x64 ksteps=2"},
    // What the planner chooses.
    {"bf16bf16f32_16x16x16_amdgpu_gfx90a", "", 9},
    {"f16f16f32_16x16x16_amdgpu_gfx942", "", 9},
    {"f8e4m3fnuzf8e4m3fnuzf32_16x16x32_amdgpu_gfx942", "", 9},
    {"s8s8s32_16x16x64_amdgpu_gfx950", "", 9},
    {"f8e4m3fnf8e5m2f32_16x16x128_amdgpu_gfx950", "", 5},
    // The simple form.
    {"f16f16f32_16x16x16_amdgpu_gfx942", "form=simple"},
    {"s8s8s32_7x5x3_amdgpu_gfx942", "form=simple waves=2x2"},
    {"bf16bf16bf16_16x16x16_steprnd_amdgpu_gfx950", ""},
    {"s16u4s32_12x8x2_amdgpu_gfx1100", ""},
    {"f32f32f32_16x16x4_amdgpu_gfx1201", ""},
    {"f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950", "", 5},
    {"f4e2m1fnf4e2m1fnf32_16x16x32_mx_amdgpu_gfx942", "", 5},
};

std::string caseName(const ::testing::TestParamInfo<Case>& info) {
  std::string name = std::string(info.param.tile) + "_" + info.param.plan;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(, WorkgroupKernels, ::testing::ValuesIn(kCases),
                         caseName);

// Any valid key of any target, variants and block scales included, as planned.
class RandomKernels : public ::testing::TestWithParam<int> {};

TEST_P(RandomKernels, ComputeMmt4d) {
  constexpr int kKeys = 10;
  std::vector<const IsaInfo*> targets;
  for (const IsaInfo& isa : isas())
    if (isa.isGpu()) targets.push_back(&isa);
  ASSERT_LT(GetParam(), static_cast<int>(targets.size()));
  const IsaInfo& isa = *targets[GetParam()];
  const uint64_t seed = seedOf("RandomKernels." + std::string(isa.name));
  SCOPED_TRACE(seedText(seed));
  for (const TileKey& key : randomWaveKeys(isa.isa, kKeys, seed)) {
    llvm::LLVMContext context;
    const std::string name = printTileKey(key);
    auto kernel = generate(name.substr(name.find("tile_") + 5), "", context);
    ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
    const GeneratedKernel& generated = kernel->generated;
    auto emulator = emulator::Emulator::create(*generated.module);
    ASSERT_TRUE(bool(emulator)) << llvm::toString(emulator.takeError());
    for (const KernelCase& c :
         kernelCasesFor(key, generated.launch, 5, seedOf(name)))
      EXPECT_EQ(
          checkKernel(**emulator, generated.name, key, generated.launch, c), "")
          << generated.name << " " << printKernelPlan(generated.plan) << " "
          << describe(c);
  }
}

std::string targetName(const ::testing::TestParamInfo<int>& info) {
  std::vector<std::string> names;
  for (const IsaInfo& isa : isas())
    if (isa.isGpu()) names.emplace_back(isa.name);
  return info.param < static_cast<int>(names.size()) ? names[info.param]
                                                     : "none";
}

INSTANTIATE_TEST_SUITE_P(, RandomKernels, ::testing::Range(0, 6), targetName);

// The barriers of a kernel's module, in order.
std::vector<llvm::CallInst*> barriers(llvm::Module& module) {
  std::vector<llvm::CallInst*> found;
  for (llvm::Function& function : module)
    for (llvm::Instruction& i : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i))
        if (call->getIntrinsicID() == llvm::Intrinsic::amdgcn_s_barrier)
          found.push_back(call);
  return found;
}

class Barriers : public ::testing::TestWithParam<Case> {};

TEST_P(Barriers, EachRemovedIsCaught) {
  llvm::LLVMContext context;
  size_t count = 1;
  for (size_t removed = 0; removed < count; ++removed) {
    auto kernel = generate(GetParam().tile, GetParam().plan, context);
    ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
    const GeneratedKernel& generated = kernel->generated;
    const std::vector<llvm::CallInst*> all = barriers(*generated.module);
    count = all.size();
    ASSERT_GT(count, 0u);
    all[removed]->eraseFromParent();
    auto emulator = emulator::Emulator::create(*generated.module);
    ASSERT_TRUE(bool(emulator)) << llvm::toString(emulator.takeError());
    // Enough iterations for every barrier's both sides, and once exactly two
    // for what only a short loop does.
    std::string caught;
    for (int64_t iterations : {5, 2, 3})
      for (unsigned schedule : {0u, 1u, 2u}) {
        KernelCase c = {generated.launch.tiles_m,
                        generated.launch.tiles_n,
                        iterations * generated.plan.kSteps,
                        DataKind::kSmallIntegers,
                        false,
                        -1,
                        schedule,
                        1};
        caught += checkKernel(**emulator, generated.name, kernel->key,
                              generated.launch, c);
      }
    EXPECT_NE(caught, "") << "without barrier " << removed << " of " << count
                          << " nothing was wrong: "
                          << printKernelPlan(generated.plan);
  }
}

constexpr Case kBarrierCases[] = {
    {"f16f16f32_16x16x16_amdgpu_gfx942", "waves=2x1 tiles=4x2 ksteps=1"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x2 ksteps=1 buffers=2"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x2 ksteps=1 stages=3"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x2 ksteps=1 stages=3 buffers=2"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x2 ksteps=1 reads=direct"},
    {"f16f16f32_16x16x16_amdgpu_gfx1100", "waves=2x1 tiles=2x1 ksteps=1"},
};

INSTANTIATE_TEST_SUITE_P(, Barriers, ::testing::ValuesIn(kBarrierCases),
                         caseName);

}  // namespace
}  // namespace tilewright::testing
