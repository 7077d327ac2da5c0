// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/CorePreference.h"

#include "tilewright/Codegen/Backend.h"
#include "tilewright/Devices/TargetCpu.h"
#include "ukernels/multiply.h"
#include "ukernels/query.h"

namespace tilewright {
namespace {

struct Core {
  llvm::StringRef arch, cpu;
};
const Core cores[] = {
#define TW_CORE(ARCH, ENUM, llvm_cpu) {#ARCH, llvm_cpu},
#include "tilewright/cores.def"
};

/// Of the vectors that costs are counted with.
int vectorBits(const TileKey &key) { return info(key.isa).vectorBits; }

tw_instruction_t multiplyOf(const TileKey &key) {
  tw_tile_key_t row = keyInC(key);
  return tw_step_of(&row, vectorBits(key)).instruction;
}

/// Per element of the out tile and of K.
double costOn(const TargetCpu &core, const TileKey &key) {
  tw_tile_key_t row = keyInC(key);
  return tw_tile_cost(&row, vectorBits(key), -1, -1, core.cpuData.data());
}

CoreVerdict judge(const TargetCpu &core, const TileKey &key) {
  CoreVerdict verdict;
  verdict.core = core.cpu;
  double own = costOn(core, key);
  for (tw_isa_t isa : core.isas)
    for (int k0 : {1, 2, 4, 8}) {
      TileKey other = key;
      other.isa = isa;
      other.k0 = k0;
      if (!validateTileKey(other).empty() ||
          (key.isScalable() && info(isa).scaling != info(key.isa).scaling))
        continue;
      tw_instruction_t instruction = multiplyOf(other);
      if (instruction == TW_INSTRUCTION_NONE || instruction == multiplyOf(key))
        continue;
      double gain = costOn(core, other) / own;
      if (!verdict.instead.empty() && gain >= verdict.gain)
        continue;
      verdict.gain = gain;
      verdict.instead = tw_instruction_row(instruction)->mnemonic;
      verdict.other = other;
    }
  return verdict;
}

} // namespace

std::string multiplyName(const TileKey &key) {
  const char *name = tw_instruction_row(multiplyOf(key))->mnemonic;
  return name ? name : "";
}

std::vector<CoreVerdict> judgeOnCores(const TileKey &key) {
  std::vector<CoreVerdict> verdicts;
  if (multiplyOf(key) == TW_INSTRUCTION_NONE)
    return verdicts;
  for (auto [arch, name] : cores) {
    if (arch != llvm::StringRef(info(key.isa).arch))
      continue;
    // Cores that LLVM does not know are not in the table.
    llvm::Expected<TargetCpu> core =
        parseTargetCpu((arch.lower() + ":" + name).str());
    if (!core)
      llvm::consumeError(core.takeError());
    else if (core->has(key.isa))
      verdicts.push_back(judge(*core, key));
  }
  return verdicts;
}

} // namespace tilewright
