// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests of the CPUs that qemu plays have in common.

#ifndef TESTS_CROSS_CPU_MODEL_FIXTURE_H_
#define TESTS_CROSS_CPU_MODEL_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "tests/cross/cpu_models.h"
#include "tilewright/key.h"

namespace tilewright::testing {

inline std::set<std::string> wordsOf(const char* text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

class CpuModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* cpu = std::getenv("QEMU_CPU");
    for (const CpuModel& model : kCpuModels)
      if (cpu && std::string(cpu) == model.qemu) model_ = &model;
    ASSERT_NE(model_, nullptr) << "QEMU_CPU is in no row of CpuModels.cmake";
  }

  // Of the ISAs whose tiles are tested on the model, what it does not have of
  // their features. `implied`: no row names it.
  void expectFeaturesOfIsas(const std::string& implied = "") {
    const std::set<std::string> has = wordsOf(model_->features);
    for (const std::string& name : wordsOf(model_->isas)) {
      const IsaInfo* isa = findIsa(name);
      ASSERT_NE(isa, nullptr) << name;
      for (const CpuFeatureInfo* feature : isa->features) {
        const std::string needed(feature->llvmName);
        EXPECT_TRUE(needed == implied || has.count(needed))
            << name << " needs " << needed;
      }
    }
  }

  // The model that this test runs on.
  const CpuModel* model_ = nullptr;
};

}  // namespace tilewright::testing

#endif  // TESTS_CROSS_CPU_MODEL_FIXTURE_H_
