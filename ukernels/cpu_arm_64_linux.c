// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/cpu_arm_64.h"

#if defined(__aarch64__) && defined(__linux__)

#include <sys/auxv.h>

// Where the kernel lets programs read MIDR_EL1, by trapping the instruction; on
// a machine of several kinds of cores it is that of the core the thread is on.
#define TW_HWCAP_CPUID 11

static uint64_t tw_midr(void) {
  uint64_t midr;
  __asm__("mrs %0, MIDR_EL1" : "=r"(midr));
  return midr;
}

void tw_cpu_detect_arm_64(uint64_t* cpu_data) {
  tw_arm_64_answers_t answers = {{getauxval(AT_HWCAP), getauxval(AT_HWCAP2)},
                                 0};
  if (answers.bits[0] >> TW_HWCAP_CPUID & 1) answers.core = tw_midr();
  tw_arm_64_set_cpu_data(TW_ARM_64_LINUX, &answers, cpu_data);
}

#endif  // arm_64 Linux
