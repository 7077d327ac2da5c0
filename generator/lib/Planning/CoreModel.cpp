// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Planning/CoreModel.h"
#include "tilewright/Support/Nearest.h"
#include "ukernels/core.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <vector>

namespace tilewright {
namespace {

// Measured (bench/), and what plans are made by where no core is asked for.
constexpr CoreModel kZen4 = {"Zen 4", "", 64, 6, 0.4, 1.0 / 3, 0, 0.45};
// Two pipes of 128 bits, as N1 and N2 have them. A load that broadcasts takes a
// multiplier's slot, too.
constexpr CoreModel kNeoverse = {
    "a Neoverse of two pipes", "", 32, 5, 0.4, 0, 1, 0};

// The cores of x86-64 by bench/static/x86_ports.py. Intel's have two ports for
// 512 bits, which multiply, convert and shuffle, and broadcasts that are loads;
// one more for 256 bits. Zen multiplies on two pipes of four.
constexpr CoreModel kX86[] = {
    {"skylake-avx512", "X86_64", 128, 4, 1, 0, 0, 0.5},
    {"icelake-server", "X86_64", 128, 5, 1, 0, 0, 0.5},
    {"sapphirerapids", "X86_64", 128, 6, 1, 0, 0, 0.5},
    {"emeraldrapids", "X86_64", 128, 6, 1, 0, 0, 0.5},
    {"graniterapids", "X86_64", 128, 6, 1, 0, 0, 0.5},
    {"alderlake", "X86_64", 64, 6, 0.6, 0, 0, 0},
    {"gracemont", "X86_64", 32, 5, 1, 0, 0, 0},
    {"znver2", "X86_64", 64, 6, 0.4, 0, 0, 0},
    {"znver3", "X86_64", 64, 6, 0.4, 0, 0, 0},
    {"znver4", "X86_64", 64, 6, 0.4, 1.0 / 3, 0, 0.45},
    {"znver5", "X86_64", 128, 8, 0.4, 0, 0, 0.05},
};

/// A model for each row of cores.def.
const std::vector<CoreModel> &coreModels() {
  static const std::vector<CoreModel> models = [] {
    std::vector<CoreModel> all;
    auto add = [&](llvm::StringLiteral arch, llvm::StringLiteral cpu) {
      const CoreModel *x86 = llvm::find_if(
          kX86, [&](const CoreModel &m) { return m.name == cpu; });
      CoreModel model = x86 != std::end(kX86) ? *x86 : kNeoverse;
      model.name = cpu;
      model.arch = arch;
      all.push_back(model);
    };
#define TW_CORE(ARCH, ENUM, llvm_cpu) add(#ARCH, llvm_cpu);
#include "tilewright/cores.def"
    return all;
  }();
  return models;
}

/// The instruction of `idiom` that core_rates.def has; none where it has the
/// plain multiply's rate, or is several.
tw_multiply_t instructionOf(IdiomKind idiom, bool wide) {
  switch (idiom) {
  case IdiomKind::DotBytesSigned:
  case IdiomKind::DotBytes:
    return wide ? TW_MULTIPLY_DPBUSD_ZMM : TW_MULTIPLY_DPBUSD_YMM;
  case IdiomKind::DotWords:
    return wide ? TW_MULTIPLY_DPWSSD_ZMM : TW_MULTIPLY_DPWSSD_YMM;
  case IdiomKind::MaddWords:
    return wide ? TW_MULTIPLY_MADDWD_ZMM : TW_MULTIPLY_MADDWD_YMM;
  case IdiomKind::DotBF16:
    return TW_MULTIPLY_DPBF16_ZMM;
  default:
    return TW_MULTIPLY_NONE;
  }
}

} // namespace

double CoreModel::multiplies(const Idiom &idiom, int bits) const {
  bool wide = bits > 256;
  tw_multiply_t instruction = instructionOf(idiom.kind, wide);
  if (instruction == TW_MULTIPLY_NONE)
    return idiom.ops;
  // vpmaddwd's additions have ports of their own, once they stand apart.
  if (arch.empty())
    return idiom.kind == IdiomKind::MaddWords ? 1.1 : idiom.ops;
  std::array<uint64_t, TW_CPU_DATA_WORDS> cpuData{};
  tw_set_core(name.str().c_str(), cpuData.data());
  return tw_core_rate(cpuData.data(),
                      wide ? TW_MULTIPLY_FMA_ZMM : TW_MULTIPLY_FMA_YMM) /
         tw_core_rate(cpuData.data(), instruction);
}

llvm::ArrayRef<const CoreModel *> usualCores(const IsaInfo &isa) {
  // Of 512-bit vectors some cores multiply one a cycle, and others two, beside
  // which little else gets in. To narrower ones they are much alike.
  static constexpr const CoreModel *kArm[] = {&kNeoverse};
  static const CoreModel *const kX86Usual[] = {
      &kZen4, cantFail(findCore("skylake-avx512"))};
  if (isa.has("neon"))
    return kArm;
  return llvm::ArrayRef(kX86Usual).take_front(isa.vectorBits > 256 ? 2 : 1);
}

llvm::Expected<const CoreModel *> findCore(llvm::StringRef cpu) {
  std::array<uint64_t, TW_CPU_DATA_WORDS> cpuData{};
  if (tw_set_core(cpu.str().c_str(), cpuData.data())) {
    llvm::StringRef name = tw_core_name(cpuData.data());
    return &*llvm::find_if(coreModels(), [&](const CoreModel &model) {
      return model.name == name;
    });
  }
  Nearest near(cpu);
  std::string names;
  auto look = [&](llvm::StringRef name) {
    near.look(name);
    names += (names.empty() ? "" : ", ") + name.str();
  };
#define TW_CORE(ARCH, ENUM, llvm_cpu) look(llvm_cpu);
#define TW_CORE_ALIAS(ENUM, llvm_cpu) look(llvm_cpu);
#include "tilewright/cores.def"
  std::string question = near.question();
  return llvm::createStringError(
      "no core '" + cpu + "' is known" +
      (question.empty() ? "; expected one of " + names : question));
}

} // namespace tilewright
