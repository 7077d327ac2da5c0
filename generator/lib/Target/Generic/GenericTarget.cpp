// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C for any machine: plans of 128 bits of no instructions in particular.

#include "tilewright/Planning/Target.h"

namespace tilewright {
namespace {

constexpr Idiom kIdioms[] = {kGenericIdiom};
constexpr CoreModel kUsualCore = {"Zen 4", "", 64, 6, 0.4, 1.0 / 3, 0, 0.45};

class GenericTarget : public TargetOfOneModel {
public:
  GenericTarget() : TargetOfOneModel(kUsualCore) {}

  Machine machine(const IsaInfo &) const override {
    Machine m;
    m.partsNibbles = true;
    return m;
  }
  llvm::ArrayRef<Idiom> idioms() const override { return kIdioms; }
};

} // namespace

const Target &genericTarget() {
  static const GenericTarget target;
  return target;
}

} // namespace tilewright
