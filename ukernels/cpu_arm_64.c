// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/cpu_arm_64.h"

typedef struct tw_need_t {
  tw_arm_64_system_t system;
  uint8_t word, bit;                      // the feature's, in cpu_data
  uint8_t only_with_word, only_with_bit;  // the row counts with this feature
  uint8_t answer;                         // bit of tw_arm_64_answers_t::bits
} tw_need_t;

#define TW_NEED(system, FEATURE, only_with, answer) \
  {system,                                          \
   TW_CPU_WORD_ARM_64_##FEATURE,                    \
   TW_CPU_BIT_ARM_64_##FEATURE,                     \
   TW_CPU_WORD_ARM_64_##only_with,                  \
   TW_CPU_BIT_ARM_64_##only_with,                   \
   (answer)},
static const tw_need_t kNeeds[] = {
#define TW_LINUX_NEEDS(FEATURE, only_with, word, bit) \
  TW_NEED(TW_ARM_64_LINUX, FEATURE, only_with, 64 * (word) + (bit))
#define TW_MACOS_NEEDS(FEATURE, only_with, question, name) \
  TW_NEED(TW_ARM_64_MACOS, FEATURE, only_with, TW_MACOS_QUESTION_##question)
#define TW_WINDOWS_NEEDS(FEATURE, only_with, number) \
  TW_NEED(TW_ARM_64_WINDOWS, FEATURE, only_with, number)
#include "ukernels/cpu_arm_64_sources.def"
};
static const int kNeedCount = sizeof kNeeds / sizeof kNeeds[0];

static int tw_bit(const uint64_t* words, int word, int bit) {
  return (int)(words[word] >> bit & 1);
}

static uint64_t tw_core_word(tw_arm_64_system_t system, uint64_t core) {
  const uint64_t kApple = 0x61, kImplementerAndPart = 0xFF00FFF0;
  switch (system) {
    case TW_ARM_64_LINUX:
      return core & kImplementerAndPart;
    case TW_ARM_64_MACOS:
      switch (core) {
#define TW_MACOS_FAMILY(family, part) \
  case family:                        \
    return kApple << 24 | (uint64_t)(part) << 4;
#include "ukernels/cpu_arm_64_sources.def"
        default:
          return 0;
      }
    case TW_ARM_64_WINDOWS:
      break;
  }
  return 0;
}

void tw_arm_64_set_features(tw_arm_64_system_t system,
                            const tw_arm_64_answers_t* answers,
                            uint64_t* cpu_data) {
  for (int i = 0; i < kNeedCount; ++i)
    if (kNeeds[i].system == system)
      cpu_data[kNeeds[i].word] |= (uint64_t)1 << kNeeds[i].bit;
  // First what every row of its feature needs, then what it needs beside
  // another feature, when that one is decided.
  for (int conditional = 0; conditional <= 1; ++conditional)
    for (int i = 0; i < kNeedCount; ++i) {
      const tw_need_t* need = &kNeeds[i];
      const int has_condition =
          need->only_with_word != TW_CPU_WORD_ARM_64_NEON ||
          need->only_with_bit != TW_CPU_BIT_ARM_64_NEON;
      if (need->system != system || has_condition != conditional) continue;
      if (conditional &&
          !tw_bit(cpu_data, need->only_with_word, need->only_with_bit))
        continue;
      if (!tw_bit(answers->bits, need->answer / 64, need->answer % 64))
        cpu_data[need->word] &= ~((uint64_t)1 << need->bit);
    }
  cpu_data[TW_CPU_WORD_CORE] = tw_core_word(system, answers->core);
}

static uint64_t tw_valid_length(uint64_t bits) {
  return bits % 128 == 0 && bits <= 2048 ? bits : 0;
}

void tw_arm_64_set_vector_lengths(uint64_t sve_bits, uint64_t sme_bits,
                                  uint64_t* cpu_data) {
  if (!tw_bit(cpu_data, TW_CPU_WORD_ARM_64_SVE, TW_CPU_BIT_ARM_64_SVE))
    sve_bits = 0;
  if (!tw_bit(cpu_data, TW_CPU_WORD_ARM_64_SME, TW_CPU_BIT_ARM_64_SME))
    sme_bits = 0;
  cpu_data[TW_CPU_WORD_VECTOR_LENGTHS] =
      tw_valid_length(sve_bits) | tw_valid_length(sme_bits) << 16;
}

#if defined(__aarch64__) || defined(_M_ARM64)

// The lengths in bytes, by instructions that a compiler for the baseline does
// not know: `rdvl x0, #1` and `rdsvl x0, #1`. The latter is for either mode.
static uint64_t tw_sve_bytes(void) {
  register uint64_t x0 __asm__("x0");
  __asm__ volatile(".inst 0x04bf5020" : "=r"(x0));
  return x0;
}
static uint64_t tw_sme_bytes(void) {
  register uint64_t x0 __asm__("x0");
  __asm__ volatile(".inst 0x04bf5820" : "=r"(x0));
  return x0;
}

void tw_arm_64_set_cpu_data(tw_arm_64_system_t system,
                            const tw_arm_64_answers_t* answers,
                            uint64_t* cpu_data) {
  tw_arm_64_set_features(system, answers, cpu_data);
  uint64_t sve_bits = 0, sme_bits = 0;
  if (tw_bit(cpu_data, TW_CPU_WORD_ARM_64_SVE, TW_CPU_BIT_ARM_64_SVE))
    sve_bits = 8 * tw_sve_bytes();
  if (tw_bit(cpu_data, TW_CPU_WORD_ARM_64_SME, TW_CPU_BIT_ARM_64_SME))
    sme_bits = 8 * tw_sme_bytes();
  tw_arm_64_set_vector_lengths(sve_bits, sme_bits, cpu_data);
}

#if !defined(__linux__) && !defined(__APPLE__) && !defined(_WIN32)
// An operating system that is not asked: what every arm_64 CPU has.
void tw_cpu_detect_arm_64(uint64_t* cpu_data) {
  cpu_data[TW_CPU_WORD_ARM_64_NEON] |= (uint64_t)1 << TW_CPU_BIT_ARM_64_NEON;
}
#endif

#endif  // arm_64
