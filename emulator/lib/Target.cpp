// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPUs that the emulator knows.

#include "tilewright/Emulator/Target.h"
#include "llvm/ADT/ArrayRef.h"

using namespace llvm;

namespace tilewright::emulator {

// Neighbours with the same instructions run as the one they stand for.
static constexpr Target kTargets[] = {
    {"gfx90a", Gfx90a, 64, 64 << 10, false},
    {"gfx942", Gfx942, 64, 64 << 10, true},
    {"gfx950", Gfx950, 64, 160 << 10, false},
    {"gfx1100", Gfx1100, 32, 64 << 10, false},
    {"gfx1101", Gfx1100, 32, 64 << 10, false},
    {"gfx1102", Gfx1100, 32, 64 << 10, false},
    {"gfx1103", Gfx1100, 32, 64 << 10, false},
    {"gfx1150", Gfx1100, 32, 64 << 10, false},
    {"gfx1151", Gfx1100, 32, 64 << 10, false},
    {"gfx1200", Gfx1201, 32, 64 << 10, false},
    {"gfx1201", Gfx1201, 32, 64 << 10, false},
    {"gfx1250", Gfx1250, 32, 320 << 10, false},
};

std::optional<Target> findTarget(StringRef gfx) {
  for (const Target &target : kTargets)
    if (target.name == gfx)
      return target;
  return std::nullopt;
}

std::string targetNames() {
  std::string names;
  for (const Target &target : kTargets)
    names += (names.empty() ? "" : ", ") + target.name.str();
  return names;
}

} // namespace tilewright::emulator
