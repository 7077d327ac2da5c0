// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of CPUs that qemu plays, from
// cmake/TilewrightCpuModels.cmake.

#ifndef TESTS_CROSS_CPU_MODELS_H_
#define TESTS_CROSS_CPU_MODELS_H_

namespace tilewright::testing {

struct CpuModel {
  const char* name;
  const char* qemu;      // the value of QEMU_CPU
  const char* features;  // of cpu_features.def, beyond neon; spaces between
  int vectorBits;        // of scalable vectors: SVE, RVV; 0 without
  int smeBits;           // of streaming ones
  const char* isas;      // whose tiles are tested on it; spaces between
};

inline constexpr CpuModel kCpuModels[] = {
#include "cpu_models.inc"
};

}  // namespace tilewright::testing

#endif  // TESTS_CROSS_CPU_MODELS_H_
