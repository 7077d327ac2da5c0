// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the tensor dialect, where a call may be refused or reads
// outside of a tensor, and what random modules do not have: see module_fuzz.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/compile/model_test.h"

namespace tilewright::testing {
namespace {

class TensorOpsTest : public ModelTest {};

TEST_P(TensorOpsTest, SlicesThatReachOutsideAreRefused) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>, %from: index) -> tensor<3xf32> {
      %r = tensor.extract_slice %x[%from] [3] [2] : tensor<?xf32> to tensor<3xf32>
      return %r : tensor<3xf32>
    })");
  ASSERT_TRUE(model);
  const float x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  float r[3] = {-1, -1, -1};
  for (int64_t from : {int64_t{-1}, int64_t{4}, INT64_MAX})
    EXPECT_EQ(model->call("f", &x[0], int64_t{8}, from, &r[0]), 1) << from;
  EXPECT_EQ(model->call("f", &x[0], int64_t{4}, int64_t{0}, &r[0]), 1);
  EXPECT_EQ(r[0], -1);
  ASSERT_EQ(model->call("f", &x[0], int64_t{8}, int64_t{3}, &r[0]), 0);
  EXPECT_EQ(r[0], 3);
  EXPECT_EQ(r[2], 7);
}

// As long as the tensor, it could only be the tensor; folding would say so.
TEST_P(TensorOpsTest, SlicesOfAllBeginAtTheBeginning) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<4xf32>, %from: index) -> tensor<4xf32> {
      %r = tensor.extract_slice %x[%from] [4] [1] : tensor<4xf32> to tensor<4xf32>
      return %r : tensor<4xf32>
    })");
  ASSERT_TRUE(model);
  const float x[4] = {0, 1, 2, 3};
  float r[4] = {};
  EXPECT_EQ(model->call("f", &x[0], int64_t{1}, &r[0]), 1);
  ASSERT_EQ(model->call("f", &x[0], int64_t{0}, &r[0]), 0);
  EXPECT_EQ(r[3], 3);
}

TEST_P(TensorOpsTest, WindowsThatDoNotFitAreRefused) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>, %k: tensor<3xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.conv_1d ins(%x, %k : tensor<?xf32>, tensor<3xf32>)
          outs(%out : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    })");
  ASSERT_TRUE(model);
  const float x[5] = {1, 2, 3, 4, 5}, k[3] = {1, 10, 100};
  const float out[4] = {0.5f, 0.5f, 0.5f, 0.5f};
  float r[4] = {};
  auto call = [&](int64_t in, int64_t count) {
    return model->call("f", &x[0], in, &k[0], &out[0], count, &r[0]);
  };
  EXPECT_EQ(call(5, 4), 1);
  EXPECT_EQ(call(2, 1), 1);
  ASSERT_EQ(call(5, 3), 0);
  EXPECT_EQ(r[0], 321.5f);
  EXPECT_EQ(r[2], 543.5f);
}

// An index that is data may be anything.
TEST_P(TensorOpsTest, IndicesThatAreDataReadZerosOutside) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%table: tensor<?x2xf32>, %which: tensor<5xi64>) -> tensor<5x2xf32> {
      %e = tensor.empty() : tensor<5x2xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%which : tensor<5xi64>) outs(%e : tensor<5x2xf32>) {
      ^bb0(%w: i64, %o: f32):
        %i = arith.index_cast %w : i64 to index
        %j = linalg.index 1 : index
        %v = tensor.extract %table[%i, %j] : tensor<?x2xf32>
        linalg.yield %v : f32
      } -> tensor<5x2xf32>
      return %r : tensor<5x2xf32>
    })");
  ASSERT_TRUE(model);
  const float table[3][2] = {{1, 2}, {3, 4}, {5, 6}};
  const int64_t which[5] = {2, -1, 0, 3, INT64_MIN};
  float r[5][2];
  ASSERT_EQ(model->call("f", &table[0][0], int64_t{3}, &which[0], &r[0][0]), 0);
  const float expected[5][2] = {{5, 6}, {0, 0}, {1, 2}, {0, 0}, {0, 0}};
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 2; ++j) EXPECT_EQ(r[i][j], expected[i][j]) << i;
  // Of a table without rows.
  ASSERT_EQ(model->call("f", &table[0][0], int64_t{0}, &which[0], &r[0][0]), 0);
  EXPECT_EQ(r[2][0], 0);
}

TEST_P(TensorOpsTest, ElementsOutsideAreRefused) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>, %at: index) -> tensor<2xf32> {
      %c1 = arith.constant 1 : index
      %a = tensor.extract %x[%at] : tensor<?xf32>
      %b = tensor.extract %x[%c1] : tensor<?xf32>
      %r = tensor.from_elements %a, %b : tensor<2xf32>
      return %r : tensor<2xf32>
    })");
  ASSERT_TRUE(model);
  const float x[3] = {1, 2, 3};
  float r[2] = {};
  for (int64_t at : {-1, 3})
    EXPECT_EQ(model->call("f", &x[0], int64_t{3}, at, &r[0]), 1);
  EXPECT_EQ(model->call("f", &x[0], int64_t{1}, int64_t{0}, &r[0]), 1);
  ASSERT_EQ(model->call("f", &x[0], int64_t{3}, int64_t{2}, &r[0]), 0);
  EXPECT_EQ(r[0], 3);
  EXPECT_EQ(r[1], 2);
}

TEST_P(TensorOpsTest, Softmax) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?x7xf32>, %e: tensor<?x7xf32>) -> tensor<?x7xf32> {
      %r = linalg.softmax dimension(1) ins(%x : tensor<?x7xf32>) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
      return %r : tensor<?x7xf32>
    })");
  ASSERT_TRUE(model);
  constexpr int64_t kRows = 3, kColumns = 7;
  std::vector<float> x, r(kRows * kColumns);
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    x.push_back(static_cast<float>((i * 37 % 23) - 11) *
                (i < 7 ? 20.0f : 0.5f));
  EXPECT_EQ(model->call("f", x.data(), kRows, x.data(), kRows - 1, r.data()),
            1);
  ASSERT_EQ(model->call("f", x.data(), kRows, x.data(), kRows, r.data()), 0);
  for (int64_t i = 0; i < kRows; ++i) {
    const float* row = &x[static_cast<size_t>(i * kColumns)];
    double sum = 0;
    for (int64_t j = 0; j < kColumns; ++j)
      sum += std::exp(double{row[j]} - 300);
    for (int64_t j = 0; j < kColumns; ++j)
      EXPECT_NEAR(r[static_cast<size_t>(i * kColumns + j)],
                  std::exp(double{row[j]} - 300) / sum, 2e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, TensorOpsTest,
                         ::testing::Values(runnableIsas().front(), "generic",
                                           "amdgpu_gfx942"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tilewright::testing
