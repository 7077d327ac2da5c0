// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the answers of operating systems mean, with answers that are made up:
// on every host alike.

#include "ukernels/cpu_arm_64.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <iterator>
#include <set>
#include <string>

namespace tilewright::testing {
namespace {

using Names = std::set<std::string>;

struct Detected {
  uint64_t words[TW_CPU_DATA_WORDS] = {};

  Names features() const {
    Names names;
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name)          \
  if (std::string(#ARCH) == "ARM_64" && (words[word] >> bit & 1)) \
    names.insert(#llvm_name);
#include "tilewright/cpu_features.def"
    return names;
  }
};

Detected detect(tw_arm_64_system_t system, const tw_arm_64_answers_t& answers) {
  Detected detected;
  tw_arm_64_set_features(system, &answers, detected.words);
  return detected;
}

// Yes to questions numbered so.
tw_arm_64_answers_t yes(std::initializer_list<int> bits, uint64_t core = 0) {
  tw_arm_64_answers_t answers = {{0, 0}, core};
  for (int bit : bits) answers.bits[bit / 64] |= uint64_t{1} << bit % 64;
  return answers;
}

// Bits of AT_HWCAP, and of AT_HWCAP2.
constexpr int kAsimd = 1, kFphp = 9, kAsimdHp = 10, kAsimdDp = 20, kSve = 22,
              kAsimdFhm = 23;
constexpr int kSve2 = 64 + 1, kSveI8mm = 64 + 9, kSveBf16 = 64 + 12,
              kI8mm = 64 + 13, kBf16 = 64 + 14, kSme = 64 + 23,
              kSmeI8I32 = 64 + 26, kSmeF16F32 = 64 + 27, kSmeB16F32 = 64 + 28,
              kSmeF32F32 = 64 + 29, kSme2 = 64 + 37;

Names linuxFeatures(std::initializer_list<int> bits) {
  return detect(TW_ARM_64_LINUX, yes(bits)).features();
}

TEST(CpuArm64Test, LinuxCores) {
  EXPECT_EQ(linuxFeatures({kAsimd}), Names{"neon"});
  EXPECT_EQ(linuxFeatures({kAsimd, kFphp, kAsimdHp, kAsimdDp}),
            (Names{"neon", "fullfp16", "dotprod"}));
  EXPECT_EQ(linuxFeatures({kAsimd, kFphp, kAsimdHp, kSve}),
            (Names{"neon", "fullfp16", "sve"}));
  EXPECT_EQ(linuxFeatures(
                {kAsimd, kFphp, kAsimdHp, kAsimdDp, kAsimdFhm, kI8mm, kBf16}),
            (Names{"neon", "fullfp16", "dotprod", "fp16fml", "i8mm", "bf16"}));
  EXPECT_EQ(linuxFeatures({kAsimd, kFphp, kAsimdHp, kAsimdDp, kAsimdFhm, kI8mm,
                           kBf16, kSve, kSve2, kSveI8mm, kSveBf16}),
            (Names{"neon", "fullfp16", "dotprod", "fp16fml", "i8mm", "bf16",
                   "sve", "sve2"}));
  EXPECT_EQ(linuxFeatures({kAsimd, kSme, kSmeI8I32, kSmeF16F32, kSmeB16F32,
                           kSmeF32F32, kSme2}),
            (Names{"neon", "sme", "sme2"}));
  EXPECT_EQ(linuxFeatures({}), Names{});
}

// No feature with one of its answers missing, whatever else is there.
TEST(CpuArm64Test, EveryAnswerCounts) {
  const struct {
    int bit;
    Names lost;
  } cases[] = {
      {kAsimd, {"neon"}},       {kFphp, {"fullfp16"}},
      {kAsimdHp, {"fullfp16"}}, {kAsimdDp, {"dotprod"}},
      {kAsimdFhm, {"fp16fml"}}, {kI8mm, {"i8mm"}},
      {kSveI8mm, {"i8mm"}},     {kBf16, {"bf16"}},
      {kSveBf16, {"bf16"}},     {kSve, {"sve", "sve2"}},
      {kSve2, {"sve2"}},        {kSme, {"sme", "sme2"}},
      {kSmeI8I32, {"sme"}},     {kSmeF16F32, {"sme"}},
      {kSmeB16F32, {"sme"}},    {kSmeF32F32, {"sme"}},
      {kSme2, {"sme2"}},
  };
  tw_arm_64_answers_t all = {{~uint64_t{0}, ~uint64_t{0}}, 0};
  const Names everything = detect(TW_ARM_64_LINUX, all).features();
  EXPECT_EQ(everything.size(), 10u);
  for (const auto& c : cases) {
    tw_arm_64_answers_t answers = all;
    answers.bits[c.bit / 64] &= ~(uint64_t{1} << c.bit % 64);
    Names expected = everything;
    for (const std::string& name : c.lost) expected.erase(name);
    EXPECT_EQ(detect(TW_ARM_64_LINUX, answers).features(), expected)
        << "without bit " << c.bit;
  }
}

// Without SVE its forms of other features are not asked for.
TEST(CpuArm64Test, SvesFormsCountOnlyWithSve) {
  EXPECT_EQ(linuxFeatures({kAsimd, kI8mm, kBf16, kSve}),
            (Names{"neon", "sve"}));
  EXPECT_EQ(linuxFeatures({kAsimd, kI8mm, kBf16}),
            (Names{"neon", "i8mm", "bf16"}));
  EXPECT_EQ(linuxFeatures({kAsimd, kSveI8mm, kSveBf16, kSve}),
            (Names{"neon", "sve"}));
}

TEST(CpuArm64Test, LinuxCoreIsImplementerAndPart) {
  // Variant, architecture and revision, of a Neoverse N1 r3p1.
  const Detected n1 = detect(TW_ARM_64_LINUX, yes({kAsimd}, 0x413FD0C1));
  EXPECT_EQ(n1.words[TW_CPU_WORD_CORE], 0x4100D0C0u);
  const Detected unknown = detect(TW_ARM_64_LINUX, yes({kAsimd}));
  EXPECT_EQ(unknown.words[TW_CPU_WORD_CORE], 0u);
}

TEST(CpuArm64Test, MacOs) {
  const Detected m1 = detect(
      TW_ARM_64_MACOS, yes({TW_MACOS_QUESTION_ADVSIMD, TW_MACOS_QUESTION_FP16,
                            TW_MACOS_QUESTION_FHM, TW_MACOS_QUESTION_DOTPROD},
                           0x1b588bb3));
  EXPECT_EQ(m1.features(), (Names{"neon", "fullfp16", "fp16fml", "dotprod"}));
  EXPECT_EQ(m1.words[TW_CPU_WORD_CORE], 0x61000230u);

  tw_arm_64_answers_t all = {{~uint64_t{0}, 0}, 0x6f5129ac};
  const Detected m4 = detect(TW_ARM_64_MACOS, all);
  EXPECT_EQ(m4.features(), (Names{"neon", "fullfp16", "fp16fml", "dotprod",
                                  "i8mm", "bf16", "sme", "sme2"}));
  EXPECT_EQ(m4.words[TW_CPU_WORD_CORE], 0x61000530u);
  all.bits[0] &= ~(uint64_t{1} << TW_MACOS_QUESTION_SME_B16F32);
  EXPECT_EQ(detect(TW_ARM_64_MACOS, all).features().count("sme"), 0u);
  all.core = 0x12345678;
  EXPECT_EQ(detect(TW_ARM_64_MACOS, all).words[TW_CPU_WORD_CORE], 0u);
}

TEST(CpuArm64Test, Windows) {
  EXPECT_EQ(detect(TW_ARM_64_WINDOWS, yes({19, 43})).features(),
            (Names{"neon", "dotprod"}));
  // NEON's and SVE's forms have numbers of their own.
  EXPECT_EQ(detect(TW_ARM_64_WINDOWS, yes({19, 43, 66, 67, 68})).features(),
            (Names{"neon", "dotprod", "fullfp16", "i8mm", "bf16"}));
  EXPECT_EQ(detect(TW_ARM_64_WINDOWS, yes({19, 46, 47, 66, 68})).features(),
            (Names{"neon", "sve", "sve2"}));
  EXPECT_EQ(detect(TW_ARM_64_WINDOWS, yes({19, 46, 52, 57, 66, 68})).features(),
            (Names{"neon", "sve", "i8mm", "bf16"}));
  EXPECT_EQ(detect(TW_ARM_64_WINDOWS, yes({19, 70, 71})).features(),
            (Names{"neon", "sme", "sme2"}));
  EXPECT_EQ(
      detect(TW_ARM_64_WINDOWS, yes({19}, 0x413FD0C1)).words[TW_CPU_WORD_CORE],
      0u);
}

uint64_t lengths(std::initializer_list<int> bits, uint64_t sve, uint64_t sme) {
  Detected detected = detect(TW_ARM_64_LINUX, yes(bits));
  tw_arm_64_set_vector_lengths(sve, sme, detected.words);
  return detected.words[TW_CPU_WORD_VECTOR_LENGTHS];
}

TEST(CpuArm64Test, VectorLengths) {
  const auto sve = {kAsimd, kSve};
  const auto sme = {kAsimd,     kSme,       kSmeI8I32,
                    kSmeF16F32, kSmeB16F32, kSmeF32F32};
  EXPECT_EQ(lengths(sve, 256, 512), 256u);
  EXPECT_EQ(lengths(sme, 256, 512), uint64_t{512} << 16);
  EXPECT_EQ(lengths({kAsimd}, 256, 512), 0u);
  EXPECT_EQ(lengths(sve, 2048, 0), 2048u);
  for (uint64_t none :
       {uint64_t{0}, uint64_t{64}, uint64_t{200}, uint64_t{4096}, ~uint64_t{0}})
    EXPECT_EQ(lengths(sve, none, 0), 0u) << none;
  EXPECT_EQ(lengths(sme, 0, 4096), 0u);
}

}  // namespace
}  // namespace tilewright::testing
