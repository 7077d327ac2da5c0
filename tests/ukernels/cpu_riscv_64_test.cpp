// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Linux's answers on RISC-V mean, with answers that are made up: on every
// host alike.

#include "ukernels/cpu_riscv_64.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tilewright::testing {
namespace {

using Names = std::set<std::string>;

// Bits of RISCV_HWPROBE_KEY_IMA_EXT_0, as the kernel's documentation has them.
constexpr uint64_t kC = 1ull << 1, kV = 1ull << 2, kZfh = 1ull << 27,
                   kZfhmin = 1ull << 28, kZvfh = 1ull << 30,
                   kZvfhmin = 1ull << 31, kZvfbfmin = 1ull << 53,
                   kZvfbfwma = 1ull << 54;
constexpr uint64_t kHwcapV = 1ull << 21;

Names featuresOf(const tw_riscv_64_answers_t& answers, int vectorBits) {
  uint64_t words[TW_CPU_DATA_WORDS] = {};
  tw_riscv_64_set_features(&answers, vectorBits / 8, words);
  Names names;
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name)            \
  if (std::string(#ARCH) == "RISCV_64" && (words[word] >> bit & 1)) \
    names.insert(#llvm_name);
#include "tilewright/cpu_features.def"
  return names;
}

tw_riscv_64_answers_t hwprobe(uint64_t extensions) {
  return {1, {4, extensions}, 0};
}

TEST(CpuRiscv64Test, Extensions) {
  EXPECT_EQ(featuresOf(hwprobe(kC | kV), 128), Names{"v"});
  EXPECT_EQ(featuresOf(hwprobe(kV | kZvfhmin | kZfhmin), 128),
            (Names{"v", "zfhmin", "zvfhmin"}));
  // The one says what it contains, the other does not list it.
  EXPECT_EQ(featuresOf(hwprobe(kV | kZvfhmin | kZfh), 128),
            (Names{"v", "zfhmin", "zvfhmin"}));
  EXPECT_EQ(featuresOf(hwprobe(kV | kZvfh), 128),
            (Names{"v", "zfhmin", "zvfhmin", "zvfh"}));
  EXPECT_EQ(featuresOf(hwprobe(kV | kZvfh | kZvfbfmin | kZvfbfwma), 128),
            (Names{"v", "zfhmin", "zvfhmin", "zvfh", "zvfbfwma"}));
}

TEST(CpuRiscv64Test, NothingWithoutVectors) {
  EXPECT_EQ(featuresOf(hwprobe(0), 512), Names{});
  EXPECT_EQ(featuresOf(hwprobe(kC | kZvfh | kZfh | kZvfbfmin | kZvfbfwma), 512),
            Names{});
  const tw_riscv_64_answers_t none = hwprobe(kC), some = hwprobe(kV);
  EXPECT_FALSE(tw_riscv_64_has_vectors(&none));
  EXPECT_TRUE(tw_riscv_64_has_vectors(&some));
}

TEST(CpuRiscv64Test, Bf16TakesBothAnswers) {
  EXPECT_EQ(featuresOf(hwprobe(kV | kZvfbfwma), 128), Names{"v"});
  EXPECT_EQ(featuresOf(hwprobe(kV | kZvfbfmin), 128), Names{"v"});
}

TEST(CpuRiscv64Test, Lengths) {
  EXPECT_EQ(featuresOf(hwprobe(kV), 256), (Names{"v", "zvl256b"}));
  EXPECT_EQ(featuresOf(hwprobe(kV), 512), (Names{"v", "zvl256b", "zvl512b"}));
  EXPECT_EQ(featuresOf(hwprobe(kV), 65536), (Names{"v", "zvl256b", "zvl512b"}));
}

// The hardware capability counts where the kernel has no answer, and only then.
TEST(CpuRiscv64Test, OlderKernels) {
  const tw_riscv_64_answers_t noCall = {0, {4, kZvfh}, kHwcapV},
                              noKey = {1, {-1, kZvfh}, kHwcapV},
                              nothing = {0, {4, 0}, ~kHwcapV},
                              denied = {1, {4, kC}, kHwcapV};
  EXPECT_EQ(featuresOf(noCall, 256), (Names{"v", "zvl256b"}));
  EXPECT_EQ(featuresOf(noKey, 128), Names{"v"});
  EXPECT_EQ(featuresOf(nothing, 512), Names{});
  EXPECT_EQ(featuresOf(denied, 512), Names{});
}

}  // namespace
}  // namespace tilewright::testing
