// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU that qemu-riscv64 plays is the one that TilewrightCpuModels.cmake
// describes, and detection finds that: a model with more would hide a tile that
// uses more than its ISA, one with less would run nothing.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "tests/cross/cpu_models.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

std::set<std::string> wordsOf(const char* text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

class CpuModelTest : public ::testing::Test {
 protected:
  // The model that this test runs on.
  void SetUp() override {
    const char* cpu = std::getenv("QEMU_CPU");
    for (const CpuModel& model : kCpuModels)
      if (cpu && std::string(cpu) == model.qemu) model_ = &model;
    ASSERT_NE(model_, nullptr) << "QEMU_CPU is in no row of CpuModels.cmake";
  }
  const CpuModel* model_ = nullptr;
};

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
  EXPECT_EQ(8 * bytes, static_cast<uint64_t>(model_->sveBits));
}

// And has what they need.
TEST_F(CpuModelTest, RunsItsIsas) {
  const std::set<std::string> has = wordsOf(model_->features),
                              tested = wordsOf(model_->isas);
  for (const IsaInfo& isa : isas()) {
    if (!tested.count(std::string(isa.name))) continue;
    for (const CpuFeatureInfo* feature : isa.features)
      EXPECT_TRUE(has.count(std::string(feature->llvmName)))
          << isa.name << " needs " << feature->llvmName;
  }
}

}  // namespace
}  // namespace tilewright::testing
