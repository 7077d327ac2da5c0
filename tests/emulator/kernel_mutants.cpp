// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutants of generated kernels' waits, fences, barriers and indices
// (ir_mutations.h), of all pipelined families: the emulator reports each, or
// the result is wrong; the kernels themselves are right, without a report, in
// every schedule.
//
//   kernel_mutants [--sample=<n>] [--at-least=<n>] [--only=<operators>]
//
// Without --sample, all of them. A mutant counts if an execution that its waits
// allow differs from the right one. Those of which LLVM makes the machine code
// of the right kernel do not, nor those of which whyEquivalent says why: they
// are printed by reason.

#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "tests/amdgpu/emulated_kernel.h"
#include "tests/common/seed.h"
#include "tests/emulator/ir_mutations.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/KernelGenerator.h"

namespace {

using namespace tilewright;
using namespace tilewright::testing;

llvm::cl::opt<unsigned> sampleSize(
    "sample", llvm::cl::desc("how many mutants to try; 0: all"));
llvm::cl::opt<unsigned> atLeast("at-least",
                                llvm::cl::desc("how many of them must count"));
llvm::cl::opt<std::string> only(
    "only", llvm::cl::desc("operators whose names contain this"));
llvm::cl::opt<bool> verbose(
    "verbose", llvm::cl::desc("print what is said of each mutant"));

struct Family {
  const char* tile;
  const char* plan;
};

// Two waves, and tiles so small that an iteration has a few loads; but each
// wave loads a part of what the other needs, and nothing is loaded beyond that.
constexpr Family kFamilies[] = {
    // Through registers.
    {"f16f16f32_16x16x16_amdgpu_gfx942", "waves=2x1 tiles=4x4 ksteps=1"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x4 ksteps=2 buffers=2"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x4 ksteps=1 stages=3"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x4 ksteps=1 stages=3 buffers=2"},
    {"bf16bf16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x4 ksteps=1 buffers=3 padding=select"},
    {"s8s8s32_16x16x32_amdgpu_gfx942",
     "waves=2x1 tiles=4x4 ksteps=1 boundaries=none"},
    {"f8e4m3fnuzf8e4m3fnuzf32_16x16x32_amdgpu_gfx942",
     "waves=1x2 tiles=4x4 ksteps=1 buffers=2"},
    {"bf16bf16f32_16x16x8_amdgpu_gfx90a", "waves=2x1 tiles=4x4 ksteps=2"},
    {"s8s8s32_16x16x16_amdgpu_gfx90a",
     "waves=1x2 tiles=4x4 ksteps=2 buffers=2 stages=3"},
    {"f16f16f32_16x16x32_amdgpu_gfx950", "waves=2x1 tiles=4x4 ksteps=1"},
    {"f8e5m2f8e4m3fnf32_16x16x32_amdgpu_gfx950",
     "waves=2x1 tiles=4x4 ksteps=1 buffers=2"},
    {"f16f16f32_16x16x16_amdgpu_gfx1100", "waves=2x1 tiles=2x2 ksteps=1"},
    {"bf16bf16f32_16x16x16_amdgpu_gfx1100",
     "waves=2x1 tiles=2x2 ksteps=1 buffers=2 stages=3"},
    {"f16f16f32_16x16x16_amdgpu_gfx1201", "waves=2x1 tiles=2x2 ksteps=1"},
    {"bf16bf16f32_16x16x16_amdgpu_gfx1201",
     "waves=2x1 tiles=2x2 ksteps=1 buffers=2"},
    {"s8s8s32_16x16x16_amdgpu_gfx1201",
     "waves=1x2 tiles=2x2 ksteps=2 stages=3"},
    {"f8e4m3fnf8e5m2f32_16x16x16_amdgpu_gfx1201",
     "waves=2x1 tiles=2x2 ksteps=2 stages=3 buffers=2"},
    {"f16f16f32_16x16x32_amdgpu_gfx1250", "waves=2x1 tiles=2x2 ksteps=1"},
    {"bf16bf16f32_16x16x32_amdgpu_gfx1250",
     "waves=1x2 tiles=2x2 ksteps=1 buffers=2 stages=3"},
    // Straight into LDS.
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x4 ksteps=1 reads=direct"},
    {"bf16bf16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x4 ksteps=1 reads=direct stages=3"},
    {"s8s8s32_16x16x32_amdgpu_gfx942",
     "waves=2x1 tiles=4x4 ksteps=1 reads=direct boundaries=none"},
    {"f8e4m3fnuzf8e5m2fnuzf32_16x16x32_amdgpu_gfx942",
     "waves=1x2 tiles=4x4 ksteps=1 reads=direct stages=3"},
    {"f16f16f32_16x16x16_amdgpu_gfx90a",
     "waves=2x1 tiles=4x4 ksteps=1 reads=direct stages=3"},
    {"s8s8s32_16x16x16_amdgpu_gfx90a",
     "waves=1x2 tiles=4x4 ksteps=2 reads=direct"},
    {"f16f16f32_16x16x32_amdgpu_gfx950",
     "waves=2x1 tiles=4x4 ksteps=1 reads=direct"},
    {"bf16bf16f32_16x16x32_amdgpu_gfx950",
     "waves=2x1 tiles=4x4 ksteps=1 reads=direct stages=3"},
    {"s8s8s32_32x32x32_amdgpu_gfx950",
     "waves=2x1 tiles=2x2 ksteps=1 reads=direct stages=3 buffers=4"},
    {"f8e4m3fnf8e4m3fnf32_16x16x32_amdgpu_gfx950",
     "waves=2x1 tiles=4x4 ksteps=1 reads=direct"},
    // Half of the waves behind the other.
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x4 ksteps=1 skew=on priority=1"},
    {"bf16bf16f32_16x16x16_amdgpu_gfx942",
     "waves=2x1 tiles=4x4 ksteps=1 skew=on stages=3 buffers=2"},
    {"f16f16f32_16x16x16_amdgpu_gfx90a",
     "waves=2x1 tiles=4x4 ksteps=1 skew=on reads=direct stages=3"},
    {"s8s8s32_16x16x64_amdgpu_gfx950",
     "waves=2x1 tiles=2x2 ksteps=1 skew=on reads=direct"},
    {"f16f16f32_16x16x16_amdgpu_gfx1201",
     "waves=2x1 tiles=2x2 ksteps=1 skew=on"},
};

struct Kernel {
  std::unique_ptr<llvm::LLVMContext> context;
  TileKey key;
  GeneratedKernel generated;
  std::unique_ptr<DeviceBackend> backend;
  std::string code;
};

llvm::Expected<Kernel> generate(const Family& family) {
  Kernel kernel;
  kernel.context = std::make_unique<llvm::LLVMContext>();
  const ParsedTileKey parsed =
      parseTileKey(std::string("tw_mmt4d_tile_") + family.tile);
  if (!parsed.key) return llvm::createStringError(parsed.error);
  kernel.key = *parsed.key;
  KernelOptions options;
  options.plan = family.plan;
  KernelGenerator generator;
  auto generated = generator.generate(kernel.key, options, *kernel.context);
  if (!generated) return generated.takeError();
  kernel.generated = std::move(*generated);
  auto backend = DeviceBackend::create(kernel.key.isa);
  if (!backend) return backend.takeError();
  kernel.backend = std::move(*backend);
  kernel.backend->optimize(*kernel.generated.module);
  return kernel;
}

// As LLVM prints it.
std::string machineCode(Kernel& kernel, const llvm::Module& module) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  llvm::TargetMachine& machine = kernel.backend->targetMachine();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile))
    return {};
  passes.run(*copy);
  return std::string(text);
}

// What is wrong with the module, in any schedule, with loops of several
// lengths:
// "" if nothing is.
std::string run(const Kernel& kernel, const llvm::Module& module) {
  auto emulator = emulator::Emulator::create(module);
  if (!emulator) return llvm::toString(emulator.takeError());
  const tw_mmt4d_launch_t& launch = kernel.generated.launch;
  for (int64_t iterations : {5, 2, 3, 4, 6, 1})
    for (unsigned schedule : {0u, 1u, 2u}) {
      const KernelCase c = {launch.tiles_m,
                            launch.tiles_n,
                            iterations * kernel.generated.plan.kSteps,
                            DataKind::kSmallIntegers,
                            /*accumulate=*/iterations == 3,
                            -1,
                            schedule,
                            1};
      std::string wrong =
          checkKernel(**emulator, kernel.generated.name, kernel.key, launch, c);
      if (!wrong.empty()) return wrong;
    }
  return {};
}

struct Mutant {
  unsigned family;
  IrMutation mutation;
};

struct Tally {
  unsigned counted = 0, caught = 0, excluded = 0;
};

}  // namespace

int main(int argc, char** argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv);
  std::vector<Kernel> kernels;
  std::vector<Mutant> mutants;
  unsigned wrong = 0;
  for (const Family& family : kFamilies) {
    auto kernel = generate(family);
    if (!kernel) {
      std::fprintf(stderr, "%s\n", llvm::toString(kernel.takeError()).c_str());
      return 1;
    }
    const std::string why = run(*kernel, *kernel->generated.module);
    if (!why.empty()) {
      ++wrong;
      std::fprintf(stderr, "not a mutant, and wrong: %s %s\n%s\n", family.tile,
                   family.plan, why.c_str());
    }
    for (const IrMutation& mutation : mutationsOf(*kernel->generated.module))
      if (llvm::StringRef(mutation.name).contains(only))
        mutants.push_back({static_cast<unsigned>(kernels.size()), mutation});
    kernels.push_back(std::move(*kernel));
  }
  const size_t all = mutants.size();
  if (sampleSize && sampleSize < all) {
    // As many of each operator, as far as there are.
    const uint64_t seed = seedOf("kernel_mutants");
    std::printf("%s\n", seedText(seed).c_str());
    Random random(seed);
    for (size_t i = all; i > 1; --i)
      std::swap(mutants[i - 1], mutants[random.below(i)]);
    std::map<std::string, unsigned> turn;
    std::vector<std::pair<unsigned, size_t>> order;
    for (size_t i = 0; i < all; ++i)
      order.push_back({turn[mutants[i].mutation.name]++, i});
    llvm::sort(order);
    std::vector<Mutant> sample;
    for (size_t i = 0; i < sampleSize; ++i)
      sample.push_back(mutants[order[i].second]);
    mutants = std::move(sample);
  }

  std::map<std::string, Tally> tallies;
  std::map<std::string, unsigned> reasons;
  Tally total;
  std::vector<std::string> survivors;
  for (const Mutant& mutant : mutants) {
    Kernel& kernel = kernels[mutant.family];
    const Family& family = kFamilies[mutant.family];
    std::unique_ptr<llvm::Module> module =
        llvm::CloneModule(*kernel.generated.module);
    std::string name =
        llvm::formatv("{0}, place {1}: {2} {3}\n    ", mutant.mutation.name,
                      mutant.mutation.site, family.tile, family.plan);
    llvm::raw_string_ostream(name) << siteOf(*module, mutant.mutation);
    Tally& tally = tallies[mutant.mutation.name];
    std::string reason = whyEquivalent(*module, mutant.mutation);
    applyMutation(*module, mutant.mutation);
    if (llvm::verifyModule(*module, &llvm::errs())) return 1;
    if (reason.empty() && mutant.mutation.kind < MutationKind::kIndex) {
      if (kernel.code.empty())
        kernel.code = machineCode(kernel, *kernel.generated.module);
      if (machineCode(kernel, *module) == kernel.code)
        reason = "LLVM makes the right kernel's machine code of it";
    }
    if (!reason.empty()) {
      ++tally.excluded, ++total.excluded, ++reasons[reason];
      continue;
    }
    ++tally.counted, ++total.counted;
    const std::string why = run(kernel, *module);
    if (!why.empty()) {
      ++tally.caught, ++total.caught;
      if (verbose)
        std::printf("%s\n    %s\n", name.c_str(),
                    llvm::StringRef(why).split('\n').first.str().c_str());
    } else {
      survivors.push_back(name);
    }
  }
  auto print = [](const std::string& name, const Tally& tally) {
    std::printf("%-36s %5u counted, %5u caught, %5u equivalent\n", name.c_str(),
                tally.counted, tally.caught, tally.excluded);
  };
  for (const auto& [name, tally] : tallies) print(name, tally);
  print("all", total);
  std::printf("%zu of %zu mutants of %zu kernels; %u kernels wrong\n",
              mutants.size(), all, kernels.size(), wrong);
  for (const auto& [reason, count] : reasons)
    std::printf("%5u equivalent: %s\n", count, reason.c_str());
  for (const std::string& name : survivors)
    std::printf("survives: %s\n", name.c_str());
  if (total.counted < atLeast) {
    std::fprintf(stderr, "%u mutants count, and %u are asked for\n",
                 total.counted, static_cast<unsigned>(atLeast));
    return 1;
  }
  return wrong || !survivors.empty() ? 1 : 0;
}
