// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// LLVM has an instruction for each of what plans of riscv_64 consist of.

#include "tilewright/Emit/Emission.h"

namespace tilewright {

const Emission &riscvEmission() {
  static const Emission emission;
  return emission;
}

} // namespace tilewright
