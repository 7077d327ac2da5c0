// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Planning/CoreModel.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Support/Nearest.h"
#include "ukernels/core.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <vector>

namespace tilewright {
namespace {

/// A model for each row of cores.def.
const std::vector<CoreModel> &coreModels() {
  static const std::vector<CoreModel> models = [] {
    std::vector<CoreModel> all;
    auto add = [&](llvm::StringLiteral arch, llvm::StringLiteral cpu) {
      CoreModel model = findTarget(arch)->core(cpu);
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

} // namespace

/// The one that `idiom` multiplies vectors of `bits` by: the first of their
/// length, or of any.
static tw_instruction_t instructionOf(const Idiom &idiom, int bits) {
  const auto *it = llvm::find_if(idiom.instructions, [&](tw_instruction_t i) {
    return tw_form_row(kInstructions[i].form).bits == bits;
  });
  return it == std::end(idiom.instructions) ? idiom.instructions[0] : *it;
}

/// tw_core_rate of each instruction on each core whose multiplies are counted
/// in plain ones.
static const llvm::StringMap<std::vector<double>> &coreRates() {
  static const llvm::StringMap<std::vector<double>> rates = [] {
    llvm::StringMap<std::vector<double>> all;
    for (const CoreModel &model : coreModels()) {
      if (!model.plain)
        continue;
      std::array<uint64_t, TW_CPU_DATA_WORDS> cpuData{};
      tw_set_core(model.name.str().c_str(), cpuData.data());
      std::vector<double> &own = all[model.name];
      for (size_t i = 0; i < std::size(kInstructions); ++i)
        own.push_back(
            tw_core_rate(cpuData.data(), static_cast<tw_instruction_t>(i)));
    }
    return all;
  }();
  return rates;
}

double CoreModel::multiplies(const Idiom &idiom, int bits) const {
  if (arch.empty())
    return idiom.addsElsewhere ? 1.1 : idiom.ops;
  bool wide = bits > 256;
  tw_instruction_t rate =
      kInstructions[instructionOf(idiom, wide ? 512 : 256)].rate;
  if (!plain || rate == TW_INSTRUCTION_NONE)
    return idiom.ops;
  const std::vector<double> &rates = coreRates().find(name)->second;
  return rates[plain[wide]] / rates[rate];
}

llvm::ArrayRef<const CoreModel *> usualCores(const IsaInfo &isa) {
  return targetOf(isa).usualCores(isa);
}

llvm::Expected<tw_known_core_t> knownCore(llvm::StringRef cpu) {
  if (cpu.empty())
    return tw_known_core_t{};
  llvm::Expected<const CoreModel *> core = findCore(cpu);
  if (!core)
    return core.takeError();
  std::array<uint64_t, TW_CPU_DATA_WORDS> cpuData{};
  tw_set_core((*core)->name.data(), cpuData.data());
  tw_caches_t caches = tw_caches_of(cpuData.data());
  return tw_known_core_t{int32_t(caches.l1 >> 10),
                         int32_t(caches.l2 >> 10),
                         int32_t(caches.streams),
                         int32_t(caches.stream_rows),
                         int32_t(caches.stream_tiles),
                         int32_t(caches.stream_caches),
                         caches.slow_l3,
                         tw_core_asks_pages(cpuData.data())};
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
