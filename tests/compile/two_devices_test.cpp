// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two CPUs in one model that multiply the same operands, whose encodings are
// the same and whose layouts are not.

#include <gtest/gtest.h>

#include <vector>

#include "tests/compile/jit_model.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kN = 35, kK = 9;

struct Case {
  const char* name;
  JitTiling tiling;
};

class TwoDevicesTest : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<JitModel> compile(const std::string& text) {
    JitOptions options{runnableIsas().front()};
    options.others = {"other=generic"};
    options.tiling = GetParam().tiling;
    std::string error;
    std::unique_ptr<JitModel> model = JitModel::compile(text, options, &error);
    EXPECT_TRUE(model) << error;
    return model;
  }

  static std::vector<float> integers(int64_t count) {
    std::vector<float> values(count);
    for (int64_t i = 0; i < count; ++i)
      values[i] = static_cast<float>((i * i + 5 * i + 2) % 11) - 5;
    return values;
  }

  // init + times * a * b, exactly.
  std::vector<float> expected(const std::vector<float>& a,
                              const std::vector<float>& init, float times) {
    std::vector<float> out = init;
    for (size_t i = 0; i < out.size(); ++i)
      for (int64_t k = 0; k < kK; ++k)
        out[i] += times * a[i / kN * kK + k] * b[k * kN + i % kN];
    return out;
  }

  const std::vector<float> b = integers(kK * kN);
};

TEST_P(TwoDevicesTest, EachPacksForItself) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%a: tensor<?x9xf32>, %b: tensor<9x35xf32>, %c: tensor<?x35xf32>)
        -> (tensor<?x35xf32>, tensor<?x35xf32>) {
      %zero = arith.constant 0.0 : f32
      %z = linalg.fill ins(%zero : f32) outs(%c : tensor<?x35xf32>)
          -> tensor<?x35xf32>
      %r = linalg.matmul
          ins(%a, %b : tensor<?x9xf32>, tensor<9x35xf32>)
          outs(%z : tensor<?x35xf32>) -> tensor<?x35xf32>
      %s = linalg.matmul {tw.device = "other"}
          ins(%a, %b : tensor<?x9xf32>, tensor<9x35xf32>)
          outs(%z : tensor<?x35xf32>) -> tensor<?x35xf32>
      return %r, %s : tensor<?x35xf32>, tensor<?x35xf32>
    })");
  ASSERT_TRUE(model);
  for (int64_t m : {1, 5, 29}) {
    std::vector<float> a = integers(m * kK), c(m * kN), r(m * kN), s(m * kN);
    ASSERT_EQ(model->call("f", a.data(), m, b.data(), c.data(), m, r.data(),
                          s.data()),
              0);
    EXPECT_EQ(r, expected(a, c, 1)) << "of " << m;
    EXPECT_EQ(s, r) << "of " << m;
  }
}

TEST_P(TwoDevicesTest, OneAddsToWhatTheOtherHasSummed) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%a: tensor<?x9xf32>, %b: tensor<9x35xf32>, %c: tensor<?x35xf32>)
        -> tensor<?x35xf32> {
      %r = linalg.matmul {tw.device = "other"}
          ins(%a, %b : tensor<?x9xf32>, tensor<9x35xf32>)
          outs(%c : tensor<?x35xf32>) -> tensor<?x35xf32>
      %s = linalg.matmul
          ins(%a, %b : tensor<?x9xf32>, tensor<9x35xf32>)
          outs(%r : tensor<?x35xf32>) -> tensor<?x35xf32>
      return %s : tensor<?x35xf32>
    })");
  ASSERT_TRUE(model);
  for (int64_t m : {1, 5, 29}) {
    std::vector<float> a = integers(m * kK), c = integers(m * kN), r(m * kN);
    ASSERT_EQ(model->call("f", a.data(), m, b.data(), c.data(), m, r.data()),
              0);
    EXPECT_EQ(r, expected(a, c, 2)) << "of " << m;
  }
}

INSTANTIATE_TEST_SUITE_P(Tiling, TwoDevicesTest,
                         ::testing::Values(Case{"late", JitTiling::kLate},
                                           Case{"early", JitTiling::kEarly},
                                           Case{"none", JitTiling::kNone}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tilewright::testing
