// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls with memory of the caller, and what they refuse.

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "tests/compile/models_test.h"

namespace tilewright::testing {
namespace {

// Statuses of tilewright/status.h.
constexpr int kInvalidArgument = 1, kOverflow = 3, kOutOfRange = 4,
              kOutOfMemory = 5;

class ArenaTest : public ModelsTest {};

// tanh(x * w) * w2, which needs memory in between.
const char kTwoLayers[] = R"(
#ij = affine_map<(i, j) -> (i, j)>
func.func @f(%x: tensor<?x24xf32>, %w: tensor<24x40xf32>, %w2: tensor<40x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x24xf32>
  %e = tensor.empty(%n) : tensor<?x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x24xf32>, tensor<24x40xf32>) outs(%z : tensor<?x40xf32>) -> tensor<?x40xf32>
  %t = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<?x40xf32>) outs(%e : tensor<?x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<?x40xf32>
  %e2 = tensor.empty(%n) : tensor<?x8xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.matmul ins(%t, %w2 : tensor<?x40xf32>, tensor<40x8xf32>) outs(%z2 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
})";

struct TwoLayers {
  std::unique_ptr<JitModel> model = compile(kTwoLayers);
  GuardedBuffer w = someFloats(24 * 40), w2 = someFloats(40 * 8);

  int64_t bytes(int64_t n) const {
    return model->callSize("f_workspace_bytes", n);
  }
  int32_t call(const GuardedBuffer& x, int64_t n, GuardedBuffer& y,
               void* workspace, int64_t bytes) const {
    return model->call("f_with_workspace", x.data(), n, w.data(), w2.data(),
                       y.data(), workspace, bytes);
  }
  int32_t call(const GuardedBuffer& x, int64_t n, GuardedBuffer& y) const {
    return model->call("f", x.data(), n, w.data(), w2.data(), y.data());
  }
};

TEST_P(ArenaTest, NoAllocationWithAWorkspace) {
  TwoLayers layers;
  ASSERT_TRUE(layers.model);
  for (int64_t n : {0, 1, 5, 64, 100}) {
    GuardedBuffer x = someFloats(n * 24), y = someFloats(n * 8),
                  expected = someFloats(n * 8);
    int64_t before = JitModel::allocations();
    ASSERT_EQ(layers.call(x, n, expected), 0);
    EXPECT_EQ(JitModel::allocations(), before + 1);
    int64_t bytes = layers.bytes(n);
    ASSERT_GE(bytes, 0);
    GuardedBuffer workspace(static_cast<size_t>(bytes));
    before = JitModel::allocations();
    ASSERT_EQ(layers.call(x, n, y, workspace.data(), bytes), 0);
    EXPECT_EQ(JitModel::allocations(), before);
    EXPECT_TRUE(workspace.slackIntact());
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size()), 0);
  }
}

TEST_P(ArenaTest, RefusesWorkspaces) {
  TwoLayers layers;
  ASSERT_TRUE(layers.model);
  const int64_t n = 5, bytes = layers.bytes(n);
  ASSERT_GT(bytes, 0);
  GuardedBuffer x = someFloats(n * 24), y(n * 8 * sizeof(float));
  GuardedBuffer workspace(static_cast<size_t>(bytes) + 64);
  auto* memory = workspace.as<char>();
  EXPECT_EQ(layers.call(x, n, y, memory, bytes - 1), kOutOfRange);
  EXPECT_EQ(layers.call(x, n, y, memory, 0), kOutOfRange);
  EXPECT_EQ(layers.call(x, n, y, memory, -1), kOutOfRange);
  for (int64_t offset : {1, 8, 32, 63})
    EXPECT_EQ(layers.call(x, n, y, memory + offset, bytes), kInvalidArgument);
  EXPECT_EQ(layers.call(x, n, y, nullptr, bytes), kInvalidArgument);
  EXPECT_EQ(layers.call(x, -1, y, memory, bytes), kInvalidArgument);
  for (uint8_t* p = y.as<uint8_t>(); p != y.as<uint8_t>() + y.size(); ++p)
    ASSERT_EQ(*p, GuardedBuffer::kFill);
  EXPECT_EQ(layers.call(x, n, y, memory, bytes + 64), 0);
}

TEST_P(ArenaTest, RefusesSizes) {
  TwoLayers layers;
  ASSERT_TRUE(layers.model);
  GuardedBuffer x = someFloats(24), y = someFloats(8);
  EXPECT_EQ(layers.bytes(-1), -kInvalidArgument);
  EXPECT_EQ(layers.call(x, -1, y), kInvalidArgument);
  // Their products wrap to small numbers, positive ones among them.
  for (int64_t n :
       {int64_t{1} << 62, int64_t{1} << 58, std::numeric_limits<int64_t>::max(),
        (int64_t{1} << 60) + 1, int64_t{0x0666666666666667}}) {
    EXPECT_EQ(layers.bytes(n), -kOverflow) << n;
    EXPECT_EQ(layers.call(x, n, y), kOverflow) << n;
    EXPECT_EQ(layers.call(x, n, y, nullptr, 0), kOverflow) << n;
  }
}

TEST_P(ArenaTest, SurvivesMallocFailing) {
  TwoLayers layers;
  ASSERT_TRUE(layers.model);
  const int64_t n = 3;
  GuardedBuffer x = someFloats(n * 24), y(n * 8 * sizeof(float));
  JitModel::failAllocations(true);
  int32_t status = layers.call(x, n, y);
  JitModel::failAllocations(false);
  EXPECT_EQ(status, kOutOfMemory);
  for (uint8_t* p = y.as<uint8_t>(); p != y.as<uint8_t>() + y.size(); ++p)
    ASSERT_EQ(*p, GuardedBuffer::kFill);
  EXPECT_EQ(layers.call(x, n, y), 0);
}

TEST_P(ArenaTest, ManyThreads) {
  TwoLayers layers;
  ASSERT_TRUE(layers.model);
  const int64_t n = 17;
  GuardedBuffer x = someFloats(n * 24), expected = someFloats(n * 8);
  ASSERT_EQ(layers.call(x, n, expected), 0);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      GuardedBuffer y = someFloats(n * 8);
      GuardedBuffer workspace(static_cast<size_t>(layers.bytes(n)));
      for (int round = 0; round < 50; ++round) {
        std::memset(y.data(), 0, y.size());
        int32_t status =
            (round + thread) % 2
                ? layers.call(x, n, y)
                : layers.call(x, n, y, workspace.data(), layers.bytes(n));
        if (status != 0 ||
            std::memcmp(y.data(), expected.data(), y.size()) != 0)
          ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(ArenaTest, NamesThatTheHeaderNeeds) {
  std::string error;
  EXPECT_FALSE(JitModel::compile(R"(
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
    func.func @f_workspace_bytes(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> })",
                                 JitOptions{isa()}, &error));
  EXPECT_NE(error.find("the model has a function 'f_workspace_bytes', which "
                       "the header needs beside 'f'"),
            std::string::npos)
      << error;
}

TEST_P(ArenaTest, HeaderAndParameterNames) {
  std::unique_ptr<JitModel> model = compile(
      "func.func @g(%workspace: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  return %workspace : tensor<4xf32> }");
  ASSERT_TRUE(model);
  EXPECT_NE(model->header().find("const float *workspace_,"), std::string::npos)
      << model->header();
  EXPECT_NE(model->header().find("int64_t g_workspace_bytes(void);"),
            std::string::npos)
      << model->header();
  EXPECT_NE(model->header().find("//   workspace: 0 bytes\n"),
            std::string::npos);
  GuardedBuffer x = someFloats(4), y = someFloats(4);
  EXPECT_EQ(model->callSize("g_workspace_bytes"), 0);
  EXPECT_EQ(
      model->call("g_with_workspace", x.data(), y.data(), nullptr, int64_t{0}),
      0);
}

// The GPU has its memory elsewhere.
INSTANTIATE_TEST_SUITE_P(Targets, ArenaTest,
                         ::testing::Values(runnableIsas().front(), "generic"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tilewright::testing
