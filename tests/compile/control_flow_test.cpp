// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, branches and assertions of models, and what is computed of sizes.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/compile/model_test.h"

namespace tilewright::testing {
namespace {

class ControlFlowTest : public ModelTest {
 protected:
  void TearDown() override { EXPECT_EQ(JitModel::liveAllocations(), 0); }

  static std::string message(const JitModel& model, int32_t status) {
    return reinterpret_cast<const char* (*)(int32_t)>(model.find("f_message"))(
        status);
  }
};

// Threads of scf.forall one after the other, and one of several branches.
TEST_P(ControlFlowTest, FormsOfFrontEnds) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>, %n: index) -> tensor<6x4xf32> {
      %r = scf.forall (%i, %j) in (3, 2) shared_outs(%o = %y) -> tensor<6x4xf32> {
        %k = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
        %l = affine.apply affine_map<(d0) -> (d0 * 2)>(%j)
        %s = tensor.extract_slice %x[%k, %l] [2, 2] [1, 1] : tensor<6x4xf32> to tensor<2x2xf32>
        %d = tensor.extract_slice %o[%k, %l] [2, 2] [1, 1] : tensor<6x4xf32> to tensor<2x2xf32>
        %e = linalg.elementwise kind=#linalg.elementwise_kind<mul> ins(%s, %d : tensor<2x2xf32>, tensor<2x2xf32>)
          outs(%d : tensor<2x2xf32>) -> tensor<2x2xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %e into %o[%k, %l] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<6x4xf32>
        }
      }
      %chosen = scf.index_switch %n -> tensor<6x4xf32>
      case 1 { scf.yield %x : tensor<6x4xf32> }
      case 2 { scf.yield %y : tensor<6x4xf32> }
      default { scf.yield %r : tensor<6x4xf32> }
      %e = tensor.empty() : tensor<6x4xf32>
      %m = linalg.map ins(%chosen : tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) (%a: f32, %b: f32) {
        %one = arith.constant 1.0 : f32
        %s = arith.addf %a, %one : f32
        linalg.yield %s : f32
      }
      return %m : tensor<6x4xf32>
    })");
  ASSERT_TRUE(model);
  std::vector<float> x(24), y(24), r(24);
  for (size_t i = 0; i < 24; ++i) {
    x[i] = static_cast<float>(i);
    y[i] = static_cast<float>(i % 5);
  }
  for (int64_t n : {0, 1, 2, 3}) {
    ASSERT_EQ(model->call("f", x.data(), y.data(), n, r.data()), 0);
    for (size_t i = 0; i < 24; ++i)
      EXPECT_EQ(r[i], 1 + (n == 1 ? x[i] : n == 2 ? y[i] : x[i] * y[i])) << n;
  }
}

// What a loop carries is computed from what it was before: x <- w x.
TEST_P(ControlFlowTest, LoopsCarryTensors) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?x2xf32>, %w: tensor<2x2xf32>, %n: index) -> tensor<?x2xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %rows = tensor.dim %x, %c0 : tensor<?x2xf32>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x2xf32> {
        %e = tensor.empty(%rows) : tensor<?x2xf32>
        %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
        %m = linalg.matmul ins(%a, %w : tensor<?x2xf32>, tensor<2x2xf32>) outs(%z : tensor<?x2xf32>) -> tensor<?x2xf32>
        scf.yield %m : tensor<?x2xf32>
      }
      return %r : tensor<?x2xf32>
    })");
  ASSERT_TRUE(model);
  const float x[4] = {1, 2, 3, 4}, w[4] = {1, 1, 0, 1};
  float r[4] = {};
  for (int64_t n : {0, 1, 5}) {
    ASSERT_EQ(model->call("f", &x[0], int64_t{2}, &w[0], n, &r[0]), 0);
    EXPECT_EQ(r[2], 3);
    EXPECT_EQ(r[3], 4 + 3 * static_cast<float>(n));
  }
}

// Until a condition on data: halves until all are below a bound.
TEST_P(ControlFlowTest, WhileLoopsLookAtData) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<3xf32>, %bound: tensor<f32>) -> (tensor<3xf32>, tensor<i32>) {
      %half = arith.constant dense<0.5> : tensor<3xf32>
      %low = arith.constant 0xFF800000 : f32
      %one = arith.constant 1 : i32
      %none = arith.constant dense<0> : tensor<i32>
      %b = tensor.extract %bound[] : tensor<f32>
      %r:2 = scf.while (%a = %x, %n = %none) : (tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
        %e = tensor.empty() : tensor<f32>
        %l = linalg.fill ins(%low : f32) outs(%e : tensor<f32>) -> tensor<f32>
        %m = linalg.reduce ins(%a : tensor<3xf32>) outs(%l : tensor<f32>) dimensions = [0]
          (%in: f32, %out: f32) { %s = arith.maximumf %in, %out : f32 linalg.yield %s : f32 }
        %v = tensor.extract %m[] : tensor<f32>
        %c = arith.cmpf oge, %v, %b : f32
        scf.condition(%c) %a, %n : tensor<3xf32>, tensor<i32>
      } do {
      ^bb0(%a: tensor<3xf32>, %n: tensor<i32>):
        %h = arith.mulf %a, %half : tensor<3xf32>
        %v = tensor.extract %n[] : tensor<i32>
        %w = arith.addi %v, %one : i32
        %k = tensor.from_elements %w : tensor<i32>
        scf.yield %h, %k : tensor<3xf32>, tensor<i32>
      }
      return %r#0, %r#1 : tensor<3xf32>, tensor<i32>
    })");
  ASSERT_TRUE(model);
  const float x[3] = {16, 3, -40}, bound = 2;
  float r[3] = {};
  int32_t steps = -1;
  ASSERT_EQ(model->call("f", &x[0], &bound, &r[0], &steps), 0);
  EXPECT_EQ(steps, 4);
  EXPECT_EQ(r[0], 1);
  EXPECT_EQ(r[2], -2.5F);
}

// A branch asks of sizes what it needs, only when it is taken.
TEST_P(ControlFlowTest, BranchesHaveRequirementsOfTheirOwn) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>, %flag: tensor<i32>) -> tensor<4xf32> {
      %zero = arith.constant 0 : i32
      %v = tensor.extract %flag[] : tensor<i32>
      %p = arith.cmpi ne, %v, %zero : i32
      %r = scf.if %p -> tensor<4xf32> {
        %a = tensor.extract_slice %x[1] [4] [1] : tensor<?xf32> to tensor<4xf32>
        %s = arith.addf %a, %a : tensor<4xf32>
        scf.yield %s : tensor<4xf32>
      } else {
        %b = tensor.extract_slice %x[9] [4] [1] : tensor<?xf32> to tensor<4xf32>
        scf.yield %b : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    })");
  ASSERT_TRUE(model);
  std::array<float, 13> x = {};
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  float r[4] = {-1, -1, -1, -1};
  int32_t flag = 0;
  auto call = [&](int64_t size) {
    return model->call("f", x.data(), size, &flag, &r[0]);
  };
  EXPECT_EQ(call(12), 1);
  EXPECT_EQ(r[0], -1);
  ASSERT_EQ(call(13), 0);
  EXPECT_EQ(r[3], 12);
  flag = 1;
  EXPECT_EQ(call(4), 1);
  EXPECT_EQ(r[3], 12);
  ASSERT_EQ(call(5), 0);
  EXPECT_EQ(r[3], 8);
}

TEST_P(ControlFlowTest, AssertionsOfSizesAreAStatusWithAMessage) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>, %n: i64) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %seven = arith.constant 7 : i64
      %d = tensor.dim %x, %c0 : tensor<?xf32>
      %left = arith.remsi %d, %c2 : index
      %even = arith.cmpi eq, %left, %c0 : index
      cf.assert %even, "x must be of even length"
      %few = arith.cmpi slt, %n, %seven : i64
      cf.assert %few, "n must be less than \22seven\22"
      %r = arith.addf %x, %x : tensor<?xf32>
      return %r : tensor<?xf32>
    })");
  ASSERT_TRUE(model);
  const float x[4] = {1, 2, 3, 4};
  float r[4] = {};
  EXPECT_EQ(model->call("f", &x[0], int64_t{3}, int64_t{1}, &r[0]), 1024);
  EXPECT_EQ(model->call("f", &x[0], int64_t{4}, int64_t{7}, &r[0]), 1025);
  EXPECT_EQ(model->call("f", &x[0], int64_t{-1}, int64_t{7}, &r[0]), 1);
  EXPECT_EQ(r[0], 0);
  ASSERT_EQ(model->call("f", &x[0], int64_t{4}, int64_t{6}, &r[0]), 0);
  EXPECT_EQ(r[3], 8);
  EXPECT_EQ(message(*model, 1024), "x must be of even length");
  EXPECT_EQ(message(*model, 1025), "n must be less than \"seven\"");
  EXPECT_NE(message(*model, 1), message(*model, 1026));
  EXPECT_NE(model->header().find("const char *f_message(int32_t status);"),
            std::string::npos);
  EXPECT_NE(model->header().find("returns 1024: x must be of even length"),
            std::string::npos);
}

// In bodies of operations and between them. Nothing is written, and what was
// allocated is given back (see TearDown); a GPU may have written.
TEST_P(ControlFlowTest, AssertionsOfDataAreAStatus) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%table: tensor<5x2xf32>, %at: tensor<?x3xi64>) -> tensor<?x3x2xf32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i64
      %five = arith.constant 5 : i64
      %d = tensor.dim %at, %c0 : tensor<?x3xi64>
      %e = tensor.empty(%d) : tensor<?x3x2xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
          iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%at : tensor<?x3xi64>) outs(%e : tensor<?x3x2xf32>) {
      ^bb0(%in: i64, %out: f32):
        %k = linalg.index 2 : index
        %low = arith.cmpi sge, %in, %zero : i64
        cf.assert %low, "an index is negative"
        %high = arith.cmpi slt, %in, %five : i64
        cf.assert %high, "an index is too large"
        %i = arith.index_cast %in : i64 to index
        %v = tensor.extract %table[%i, %k] : tensor<5x2xf32>
        linalg.yield %v : f32
      } -> tensor<?x3x2xf32>
      %s = arith.addf %r, %r : tensor<?x3x2xf32>
      return %s : tensor<?x3x2xf32>
    })");
  ASSERT_TRUE(model);
  const float table[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  int64_t at[6] = {4, 3, 2, 1, 0, 4};
  float r[12];
  std::fill(std::begin(r), std::end(r), -1.0F);
  auto call = [&] {
    return model->call("f", &table[0], &at[0], int64_t{2}, &r[0]);
  };
  at[5] = 5;
  EXPECT_EQ(call(), 1025);
  at[5] = -1;
  EXPECT_EQ(call(), 1024);
  EXPECT_EQ(message(*model, 1024), "an index is negative");
  if (GetParam() != "amdgpu_gfx942") {
    EXPECT_EQ(r[0], -1);
  }
  at[5] = 2;
  ASSERT_EQ(call(), 0);
  EXPECT_EQ(r[0], 16);
  EXPECT_EQ(r[11], 10);
}

// In the middle of a loop, which has allocated what the next turn would free.
TEST_P(ControlFlowTest, AssertionsInLoopsGiveBackMemory) {
  if (GetParam() == "amdgpu_gfx942")
    GTEST_SKIP() << "the status of the first that fails is returned at the end";
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bound = arith.constant 100.0 : f32
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
        %b = arith.addf %a, %a : tensor<?xf32>
        %v = tensor.extract %b[%c0] : tensor<?xf32>
        %ok = arith.cmpf olt, %v, %bound : f32
        cf.assert %ok, "grown out of bounds"
        scf.yield %b : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    })");
  ASSERT_TRUE(model);
  const float x[2] = {1, 2};
  float r[2] = {-1, -1};
  EXPECT_EQ(model->call("f", &x[0], int64_t{2}, int64_t{9}, &r[0]), 1024);
  EXPECT_EQ(r[0], -1);
  EXPECT_EQ(JitModel::liveAllocations(), 0);
  // The element that is looked at must be there.
  EXPECT_EQ(model->call("f", &x[0], int64_t{0}, int64_t{9}, &r[0]), 1);
  ASSERT_EQ(model->call("f", &x[0], int64_t{2}, int64_t{6}, &r[0]), 0);
  EXPECT_EQ(r[1], 128);
}

// Reshaped to sizes that are computed; minima, choices and quotients of sizes.
TEST_P(ControlFlowTest, SizesAreComputed) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?x6xf32>, %n: i64) -> (tensor<?x?xf32>, tensor<?xf32>) {
      %c0 = arith.constant 0 : index
      %c6 = arith.constant 6 : index
      %most = arith.constant 4 : i64
      %zero = arith.constant 0 : i64
      %d = tensor.dim %x, %c0 : tensor<?x6xf32>
      %all = arith.muli %d, %c6 : index
      %word = arith.index_cast %all : index to i64
      %q = arith.divsi %word, %n : i64
      %shape = tensor.from_elements %n, %q : tensor<2xi64>
      %r = tensor.reshape %x(%shape) : (tensor<?x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
      %large = arith.cmpi sgt, %q, %most : i64
      %s = arith.select %large, %most, %q : i64
      %size = arith.index_cast %s : i64 to index
      %first = tensor.extract_slice %r[0, 0] [1, %size] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
      return %r, %first : tensor<?x?xf32>, tensor<?xf32>
    })");
  ASSERT_TRUE(model);
  std::vector<float> x(12), r(12), s(12);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  auto call = [&](int64_t n) {
    return model->call("f", x.data(), int64_t{2}, n, r.data(), s.data());
  };
  for (int64_t n : {0, -1, 5, 13}) EXPECT_EQ(call(n), 1) << n;
  ASSERT_EQ(call(4), 0);
  EXPECT_EQ(r, x);
  EXPECT_EQ(s[2], 2);
  EXPECT_EQ(s[3], 0);
  ASSERT_EQ(call(1), 0);
  EXPECT_EQ(s[3], 3);
  EXPECT_EQ(s[4], 0);
  EXPECT_NE(model->header().find("[n][x_d0 * 6 / n]"), std::string::npos)
      << model->header();
}

// Read backwards, as reflected paddings are.
TEST_P(ControlFlowTest, IndicesMayCountDown) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(i) -> (-i + 5)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}
          ins(%x : tensor<?xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    })");
  ASSERT_TRUE(model);
  const float x[6] = {0, 1, 2, 3, 4, 5};
  float r[4] = {};
  EXPECT_EQ(model->call("f", &x[0], int64_t{5}, &r[0]), 1);
  ASSERT_EQ(model->call("f", &x[0], int64_t{6}, &r[0]), 0);
  EXPECT_EQ(r[0], 5);
  EXPECT_EQ(r[3], 2);
}

INSTANTIATE_TEST_SUITE_P(Targets, ControlFlowTest,
                         ::testing::Values(runnableIsas().front(), "generic",
                                           "amdgpu_gfx942"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tilewright::testing
