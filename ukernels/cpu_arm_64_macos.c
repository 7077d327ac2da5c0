// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/cpu_arm_64.h"

#if defined(__aarch64__) && defined(__APPLE__)

// As in <sys/sysctl.h>, which drags in more than it is worth.
int sysctlbyname(const char* name, void* value, size_t* size, void* new_value,
                 size_t new_size);

// 0 for a name that this version of macOS does not know.
static uint64_t tw_sysctl(const char* name) {
  uint64_t value = 0;  // little-endian, so that 4 bytes are read as well as 8
  size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, 0, 0) == 0 ? value : 0;
}

void tw_cpu_detect_arm_64(uint64_t* cpu_data) {
  static const char* const kNames[] = {
#define TW_MACOS_NEEDS(FEATURE, only_with, question, name) name,
#include "ukernels/cpu_arm_64_sources.def"
  };
  tw_arm_64_answers_t answers = {{0, 0}, 0};
  for (int i = 0; i < TW_MACOS_QUESTION_COUNT; ++i)
    answers.bits[i / 64] |= (uint64_t)(tw_sysctl(kNames[i]) == 1) << i % 64;
  answers.core = tw_sysctl("hw.cpufamily");
  tw_arm_64_set_cpu_data(TW_ARM_64_MACOS, &answers, cpu_data);
}

#endif  // arm_64 macOS
