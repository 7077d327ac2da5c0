// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPUs that the emulator knows.

#ifndef TILEWRIGHT_EMULATOR_TARGET_H
#define TILEWRIGHT_EMULATOR_TARGET_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::emulator {

/// Bits: a set of them says where a matrix instruction exists.
enum Gfx : unsigned {
  Gfx90a = 1,
  Gfx942 = 2,
  Gfx950 = 4,
  Gfx1100 = 8,
  Gfx1201 = 16,
  Gfx1250 = 32,
};

struct Target {
  llvm::StringRef name;
  Gfx gfx;
  unsigned waveSize; ///< unless a function asks for another
  uint32_t ldsBytes; ///< that a workgroup may have
  bool fnuz;         ///< whether fp8 is FNUZ, and not OCP
};

std::optional<Target> findTarget(llvm::StringRef gfx);
/// "gfx90a, gfx942, ...".
std::string targetNames();

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_TARGET_H
