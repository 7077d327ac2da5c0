// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU that qemu-aarch64 plays is the one that TilewrightCpuModels.cmake
// describes: a model with more than that would hide a tile that uses more than
// its ISA, one with less would run nothing.

#include <gtest/gtest.h>
#include <sys/auxv.h>

#include <set>
#include <string>

#include "tests/cross/cpu_model_fixture.h"
#include "tests/tiles/vector_length.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"
#include "ukernels/core.h"

namespace tilewright::testing {
namespace {

// Linux's arch/arm64/include/uapi/asm/hwcap.h. Older C libraries lack the names
// of the newer bits.
struct HwCap {
  unsigned long type;
  int bit;
  const char* feature;
};
constexpr HwCap kHwCaps[] = {
    {AT_HWCAP, 10, "fullfp16"}, {AT_HWCAP, 20, "dotprod"},
    {AT_HWCAP, 22, "sve"},      {AT_HWCAP, 23, "fp16fml"},
    {AT_HWCAP2, 1, "sve2"},     {AT_HWCAP2, 13, "i8mm"},
    {AT_HWCAP2, 14, "bf16"},    {AT_HWCAP2, 23, "sme"},
    {AT_HWCAP2, 37, "sme2"},
};

TEST_F(CpuModelTest, HasWhatTheTableSays) {
  std::set<std::string> found;
  for (const HwCap& cap : kHwCaps)
    if (getauxval(cap.type) >> cap.bit & 1) found.insert(cap.feature);
  EXPECT_EQ(found, wordsOf(model_->features));
  EXPECT_EQ(vectorBitsHere(TW_SCALING_SVE), model_->vectorBits);
  EXPECT_EQ(vectorBitsHere(TW_SCALING_SME), model_->smeBits);
}

TEST_F(CpuModelTest, TheRuntimeLibraryDetectsIt) {
  uint64_t data[TW_CPU_DATA_WORDS];
  tw_cpu_detect(data);
  std::set<std::string> expected = wordsOf(model_->features), found;
  expected.insert("neon");  // which no row names
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name)         \
  if (std::string(#ARCH) == "ARM_64" && (data[word] >> bit & 1)) \
    found.insert(#llvm_name);
#include "tilewright/cpu_features.def"
  EXPECT_EQ(found, expected);
  EXPECT_EQ(data[TW_CPU_WORD_VECTOR_LENGTHS],
            uint64_t(model_->vectorBits) | uint64_t(model_->smeBits) << 16);
  // qemu's `max` is no core of any table.
  const std::string cpu(model_->qemu);
  const std::string core = cpu.substr(0, cpu.find(','));
  const char* name = tw_core_name(data);
  EXPECT_EQ(name ? std::string(name) : "max", core);
}

TEST_F(CpuModelTest, HasTheFeaturesOfItsIsas) {
  expectFeaturesOfIsas(/*implied=*/"neon");
}

}  // namespace
}  // namespace tilewright::testing
