// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Planning/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <utility>
#include <vector>

namespace tilewright {

#define TW_TARGET(ARCH, name) const Target &name##Target();
#include "targets.def"

namespace {

struct Row {
  llvm::StringLiteral arch;
  const Target &(*target)();
};
constexpr Row kRows[] = {
#define TW_TARGET(ARCH, name) {#ARCH, name##Target},
#include "targets.def"
};

} // namespace

Target::~Target() = default;

/// "-mavx2 -mfma"
std::string Target::compilerFlags(llvm::ArrayRef<std::string> features) const {
  std::string flags;
  for (const std::string &feature : features)
    flags += (flags.empty() ? "-m" : " -m") + feature;
  return flags;
}

llvm::ArrayRef<const Target *> targets() {
  static const std::vector<const Target *> all = [] {
    std::vector<const Target *> result;
    for (const Row &row : kRows)
      result.push_back(&row.target());
    return result;
  }();
  return all;
}

const Target *findTarget(llvm::StringRef arch) {
  const Row *row =
      llvm::find_if(kRows, [&](const Row &r) { return r.arch == arch; });
  return row == std::end(kRows) ? nullptr : &row->target();
}

const Target &targetOf(const IsaInfo &isa) {
  const Target *target = findTarget(llvm::StringRef(isa.arch));
  if (!target)
    llvm::reportFatalInternalError("no tile plans are made for " +
                                   llvm::Twine(isa.name.data()));
  return *target;
}

const Machine &machineOf(const IsaInfo &isa) {
  static const std::vector<Machine> machines = [] {
    std::vector<Machine> all(TW_ISA_COUNT);
    for (const IsaInfo &i : isas())
      if (const Target *target = findTarget(llvm::StringRef(i.arch)))
        all[i.isa] = target->machine(i);
    return all;
  }();
  return machines[isa.isa];
}

int widestVectorBits(const IsaInfo &isa) {
  return isa.vectorBits * machineOf(isa).registerGroup;
}

int vectorsInRegisters(const IsaInfo &isa, int bytes) {
  return isa.vectorRegisters / std::max(1, 8 * bytes / isa.vectorBits);
}

} // namespace tilewright
