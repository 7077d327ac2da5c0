// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU that qemu-riscv64 plays is the one that TilewrightCpuModels.cmake
// describes, and detection finds that: a model with more would hide a tile that
// uses more than its ISA, one with less would run nothing.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/cross/cpu_model_fixture.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

TEST_F(CpuModelTest, TheRuntimeLibraryDetectsIt) {
  uint64_t data[TW_CPU_DATA_WORDS];
  tw_cpu_detect(data);
  std::set<std::string> found;
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name)           \
  if (std::string(#ARCH) == "RISCV_64" && (data[word] >> bit & 1)) \
    found.insert(#llvm_name);
#include "tilewright/cpu_features.def"
  EXPECT_EQ(found, wordsOf(model_->features));
}

// What no feature says: of a model of 512 bits that vectors have no more.
TEST_F(CpuModelTest, VectorsAreAsLongAsTheTableSays) {
  uint64_t bytes;
  __asm__("csrr %0, 0xc22" : "=r"(bytes));
  EXPECT_EQ(8 * bytes, static_cast<uint64_t>(model_->vectorBits));
}

TEST_F(CpuModelTest, HasTheFeaturesOfItsIsas) { expectFeaturesOfIsas(); }

}  // namespace
}  // namespace tilewright::testing
