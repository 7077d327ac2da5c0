// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models compiled for AMD GPUs, run by the emulated HIP.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/compile/jit_model.h"

namespace tilewright::testing {
namespace {

std::unique_ptr<JitModel> compile(const std::string& text,
                                  const std::string& device = "amdgpu_gfx942",
                                  bool reference = false) {
  std::string error;
  std::unique_ptr<JitModel> model = JitModel::compile(
      text, JitOptions{runnableIsas().front(), reference, device}, &error);
  EXPECT_TRUE(model) << error << "\n" << text;
  return model;
}

TEST(DeviceTest, FunctionsAreThoseOfTheHost) {
  for (const char* name : {"sin", "cos", "tanh", "erf", "exp", "log", "sqrt",
                           "rsqrt", "floor", "absf"}) {
    SCOPED_TRACE(name);
    std::string text = std::string(R"(
      #map = affine_map<(i) -> (i)>
      func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
        %c0 = arith.constant 0 : index
        %n = tensor.dim %x, %c0 : tensor<?xf32>
        %e = tensor.empty(%n) : tensor<?xf32>
        %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
            ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
        ^bb0(%a: f32, %o: f32):
          %v = math.)") +
                       name + R"( %a : f32
          linalg.yield %v : f32
        } -> tensor<?xf32>
        return %y : tensor<?xf32>
      })";
    std::string error;
    std::unique_ptr<JitModel> host =
        JitModel::compile(text, JitOptions{"generic"}, &error);
    ASSERT_TRUE(host) << error;
    std::unique_ptr<JitModel> device = compile(text);
    ASSERT_TRUE(device);
    for (int64_t n : {0, 1, 255, 256, 257, 1000}) {
      std::vector<float> x(n), expected(n, -1), got(n, -2);
      for (int64_t i = 0; i < n; ++i) x[i] = 0.01f * static_cast<float>(i + 1);
      ASSERT_EQ(host->call("f", x.data(), n, expected.data()), 0);
      ASSERT_EQ(device->call("f", x.data(), n, got.data()), 0)
          << JitModel::deviceMessage();
      for (int64_t i = 0; i < n; ++i)
        ASSERT_NEAR(got[i], expected[i], 2e-6 * (1 + std::abs(expected[i])))
            << "at " << x[i];
    }
  }
}

}  // namespace
}  // namespace tilewright::testing
