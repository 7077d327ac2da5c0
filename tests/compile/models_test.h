// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests of whole models share: a target each, and data.

#ifndef TILEWRIGHT_TESTS_COMPILE_MODELS_TEST_H_
#define TILEWRIGHT_TESTS_COMPILE_MODELS_TEST_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/compile/jit_model.h"

namespace tilewright::testing {

// On this CPU and on GPUs.
class ModelsTest : public ::testing::TestWithParam<std::string> {
 public:
  static std::string isa() { return GetParam(); }
  static bool isGpu() { return isa().rfind("amdgpu", 0) == 0; }
};

inline std::unique_ptr<JitModel> compile(const std::string& text,
                                         bool reference = false) {
  std::string error;
  std::unique_ptr<JitModel> model =
      JitModel::compile(text, JitOptions{ModelsTest::isa(), reference}, &error);
  EXPECT_TRUE(model) << error << "\n" << text;
  return model;
}

// `count` floats between guard pages: 0.25, -0.5, 0.75, ...
inline GuardedBuffer someFloats(int64_t count) {
  GuardedBuffer buffer(static_cast<size_t>(count) * sizeof(float));
  for (int64_t i = 0; i < count; ++i)
    buffer.as<float>()[i] =
        0.25f * static_cast<float>(i % 29 + 1) * (i % 2 ? -1.0f : 1.0f);
  return buffer;
}

inline std::vector<std::string> modelTargets() {
  return {runnableIsas().front(), "amdgpu_gfx942", "amdgpu_gfx1100"};
}

}  // namespace tilewright::testing

#endif  // TILEWRIGHT_TESTS_COMPILE_MODELS_TEST_H_
