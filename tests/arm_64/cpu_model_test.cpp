// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU that qemu-aarch64 plays is the one that TilewrightCpuModels.cmake
// describes: a model with more than that would hide a tile that uses more than
// its ISA, one with less would run nothing.

#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

namespace {

struct CpuModel {
  const char* name;
  const char* qemu;
  const char* features;  // separated by spaces
  int sveBits, smeBits;
};

constexpr CpuModel kModels[] = {
#include "cpu_models.inc"
};

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

constexpr int kSveGetVectorLength = 51, kSmeGetVectorLength = 63 + 1;

// In bits; 0 if there are no such vectors.
int vectorBits(int option) {
  const int result = prctl(option, 0, 0, 0, 0);
  return result < 0 ? 0 : (result & 0xFFFF) * 8;
}

// The row of the model that this test runs on; null if there is none.
const CpuModel* currentModel() {
  const char* cpu = std::getenv("QEMU_CPU");
  for (const CpuModel& model : kModels)
    if (cpu && std::string(cpu) == model.qemu) return &model;
  return nullptr;
}

TEST(CpuModelTest, HasWhatTheTableSays) {
  const CpuModel* model = currentModel();
  ASSERT_NE(model, nullptr) << "QEMU_CPU is not in TilewrightCpuModels.cmake";
  std::istringstream words(model->features);
  std::set<std::string> wanted;
  for (std::string word; words >> word;) wanted.insert(word);
  std::set<std::string> found;
  for (const HwCap& cap : kHwCaps)
    if (getauxval(cap.type) >> cap.bit & 1) found.insert(cap.feature);
  EXPECT_EQ(found, wanted) << model->name;
  EXPECT_EQ(vectorBits(kSveGetVectorLength), model->sveBits) << model->name;
  EXPECT_EQ(vectorBits(kSmeGetVectorLength), model->smeBits) << model->name;
}

}  // namespace
