// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/cpu_arm_64.h"

#if (defined(__aarch64__) || defined(_M_ARM64)) && defined(_WIN32)

// As in <processthreadsapi.h>, without all of <windows.h>.
__declspec(dllimport) int __stdcall IsProcessorFeaturePresent(
    unsigned long feature);

void tw_cpu_detect_arm_64(uint64_t* cpu_data) {
  static const uint8_t kNumbers[] = {
#define TW_WINDOWS_NEEDS(FEATURE, only_with, number) number,
#include "ukernels/cpu_arm_64_sources.def"
  };
  // Windows does not say which core this is.
  tw_arm_64_answers_t answers = {{0, 0}, 0};
  for (size_t i = 0; i < sizeof kNumbers; ++i)
    if (IsProcessorFeaturePresent(kNumbers[i]))
      answers.bits[kNumbers[i] / 64] |= (uint64_t)1 << kNumbers[i] % 64;
  tw_arm_64_set_cpu_data(TW_ARM_64_WINDOWS, &answers, cpu_data);
}

#endif  // arm_64 Windows
