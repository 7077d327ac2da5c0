// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESTS_COMPILE_MODEL_TEST_H_
#define TESTS_COMPILE_MODEL_TEST_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/compile/jit_model.h"

namespace tilewright::testing {

// Tests of models for the target that is their parameter.
class ModelTest : public ::testing::TestWithParam<std::string> {
 protected:
  // Null, and a failure, if `text` is refused.
  static std::unique_ptr<JitModel> compile(const std::string& text) {
    std::string error;
    std::unique_ptr<JitModel> model =
        JitModel::compile(text, JitOptions{GetParam()}, &error);
    EXPECT_TRUE(model) << error << "\n" << text;
    return model;
  }
};

}  // namespace tilewright::testing

#endif  // TESTS_COMPILE_MODEL_TEST_H_
