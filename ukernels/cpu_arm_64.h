// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what operating systems say of an arm_64 CPU, and what that means.
// The readers (cpu_arm_64_<system>.c) only collect answers; their meaning is a
// table (cpu_arm_64_sources.def) and two functions of plain data, which exist
// on every host.

#ifndef UKERNELS_CPU_ARM_64_H_
#define UKERNELS_CPU_ARM_64_H_

#include "ukernels/cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_arm_64_system_t {
  TW_ARM_64_LINUX,
  TW_ARM_64_MACOS,
  TW_ARM_64_WINDOWS,
} tw_arm_64_system_t;

// The names that macOS is asked about, in the order of cpu_arm_64_sources.def.
enum {
#define TW_MACOS_NEEDS(FEATURE, only_with, question, name) \
  TW_MACOS_QUESTION_##question,
#include "ukernels/cpu_arm_64_sources.def"
  TW_MACOS_QUESTION_COUNT
};

typedef struct tw_arm_64_answers_t {
  // 128 bits. Linux: AT_HWCAP, AT_HWCAP2. Windows: bit n is processor feature
  // n. macOS: bit n is the n-th question.
  uint64_t bits[2];
  // Linux: MIDR_EL1. macOS: hw.cpufamily. 0: unknown.
  uint64_t core;
} tw_arm_64_answers_t;

// Sets the feature bits and the word of the core. A feature is set when all
// that it stands for is usable. `cpu_data` is zero before.
void tw_arm_64_set_features(tw_arm_64_system_t system,
                            const tw_arm_64_answers_t* answers,
                            uint64_t* cpu_data);

// Sets the word of vector lengths, given in bits and 0 for unknown. A length of
// vectors that cpu_data does not have, or that no CPU can have (a multiple of
// 128 up to 2048 bits), becomes 0.
void tw_arm_64_set_vector_lengths(uint64_t sve_bits, uint64_t sme_bits,
                                  uint64_t* cpu_data);

// For the readers: both, with the vector lengths that this CPU answers.
void tw_arm_64_set_cpu_data(tw_arm_64_system_t system,
                            const tw_arm_64_answers_t* answers,
                            uint64_t* cpu_data);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_CPU_ARM_64_H_
