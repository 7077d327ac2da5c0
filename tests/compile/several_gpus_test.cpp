// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several GPUs in one model, emulated: of two targets and twice the same. Each
// has memory of its own, which the others' kernels and copies are refused.

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include "tests/compile/jit_model.h"
#include "tilewright/status.h"

namespace tilewright::testing {
namespace {

// The GPU that says nothing is gfx942.
std::unique_ptr<JitModel> compile(const std::string& text,
                                  const std::vector<std::string>& others,
                                  JitTiling tiling = JitTiling::kLate) {
  JitOptions options{"amdgpu_gfx942"};
  options.others = others;
  options.tiling = tiling;
  std::string error;
  std::unique_ptr<JitModel> model = JitModel::compile(text, options, &error);
  EXPECT_TRUE(model) << error;
  return model;
}

std::vector<float> integers(int64_t count, int64_t step) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((i * i + step * i + 2) % 5) - 2;
  return values;
}

// x times y, exactly.
std::vector<float> product(const std::vector<float>& x,
                           const std::vector<float>& y, int64_t k) {
  int64_t m = static_cast<int64_t>(x.size()) / k,
          n = static_cast<int64_t>(y.size()) / k;
  std::vector<float> out(m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l)
        out[i * n + j] += x[i * k + l] * y[l * n + j];
  return out;
}

JitCopies operator-(const JitCopies& x, const JitCopies& y) {
  return {x.uploads - y.uploads, x.downloads - y.downloads,
          x.transfers - y.transfers};
}

// By one GPU, by the other, and by the host.
const char kChain[] = R"(
  func.func @f(%a: tensor<?x20xf32>, %b: tensor<20x35xf32>,
               %c: tensor<35x18xf32>, %d: tensor<18x9xf32>)
      -> tensor<?x9xf32> {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %m = tensor.dim %a, %c0 : tensor<?x20xf32>
    %e = tensor.empty(%m) : tensor<?x35xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x35xf32>)
        -> tensor<?x35xf32>
    %p = linalg.matmul ins(%a, %b : tensor<?x20xf32>, tensor<20x35xf32>)
        outs(%f : tensor<?x35xf32>) -> tensor<?x35xf32>
    %e1 = tensor.empty(%m) : tensor<?x18xf32>
    %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<?x18xf32>)
        -> tensor<?x18xf32>
    %q = linalg.matmul {tw.device = "g1"}
        ins(%p, %c : tensor<?x35xf32>, tensor<35x18xf32>)
        outs(%f1 : tensor<?x18xf32>) -> tensor<?x18xf32>
    %e2 = tensor.empty(%m) : tensor<?x9xf32>
    %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x9xf32>)
        -> tensor<?x9xf32>
    %r = linalg.matmul {tw.device = "host"}
        ins(%q, %d : tensor<?x18xf32>, tensor<18x9xf32>)
        outs(%f2 : tensor<?x9xf32>) -> tensor<?x9xf32>
    return %r : tensor<?x9xf32>
  })";

struct Chain {
  std::vector<float> b = integers(20 * 35, 1), c = integers(35 * 18, 2),
                     d = integers(18 * 9, 3);

  // The status, after a comparison if it is 0.
  int32_t call(const JitModel& model, int64_t m) const {
    std::vector<float> a = integers(m * 20, 4), r(m * 9);
    int32_t status =
        model.call("f", a.data(), m, b.data(), c.data(), d.data(), r.data());
    if (!status) {
      EXPECT_EQ(r, product(product(product(a, b, 20), c, 35), d, 18))
          << "of " << m;
    }
    return status;
  }
};

struct Case {
  const char* name;
  const char* other;
  size_t codeObjects;
};

class SeveralGpusTest : public ::testing::TestWithParam<Case> {};

TEST_P(SeveralGpusTest, EachCrossingIsOneCopyAndOneRelayout) {
  std::unique_ptr<JitModel> model = compile(kChain, {GetParam().other});
  ASSERT_TRUE(model);
  // From GPU to GPU; the host gets it row-major.
  EXPECT_EQ(model->relayouts(), 1);
  ASSERT_EQ(model->codeObjects().size(), GetParam().codeObjects);
  for (const std::vector<std::string>& kernels : model->codeObjects())
    EXPECT_EQ(std::set<std::string>(kernels.begin(), kernels.end()).size(),
              kernels.size());
  Chain chain;
  for (int64_t m : {1, 29, 70}) {
    JitCopies before = JitModel::copies();
    ASSERT_EQ(chain.call(*model, m), 0) << JitModel::deviceMessage();
    JitCopies copies = JitModel::copies() - before;
    EXPECT_EQ(copies.uploads, 3);
    EXPECT_EQ(copies.transfers, 1);
    EXPECT_EQ(copies.downloads, 1);
  }
}

TEST_P(SeveralGpusTest, WithoutTilesAndEarly) {
  for (JitTiling tiling : {JitTiling::kEarly, JitTiling::kNone}) {
    std::unique_ptr<JitModel> model =
        compile(kChain, {GetParam().other}, tiling);
    ASSERT_TRUE(model);
    JitCopies before = JitModel::copies();
    ASSERT_EQ(Chain().call(*model, 29), 0) << JitModel::deviceMessage();
    EXPECT_EQ((JitModel::copies() - before).transfers, 1);
  }
}

// Values go to and fro, each once for all that read them there.
TEST_P(SeveralGpusTest, OneCopyForAllReaders) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %e = tensor.empty(%n) : tensor<?xf32>
      %a = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>)
          outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %b = linalg.mul {tw.device = "g1"}
          ins(%a, %a : tensor<?xf32>, tensor<?xf32>)
          outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %c = linalg.sub {tw.device = "g1"}
          ins(%x, %a : tensor<?xf32>, tensor<?xf32>)
          outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %d = linalg.add ins(%b, %a : tensor<?xf32>, tensor<?xf32>)
          outs(%e : tensor<?xf32>) -> tensor<?xf32>
      return %c, %d : tensor<?xf32>, tensor<?xf32>
    })",
                                            {GetParam().other});
  ASSERT_TRUE(model);
  for (int64_t n : {0, 1, 1000}) {
    std::vector<float> x = integers(n, 1), c(n), d(n);
    JitCopies before = JitModel::copies();
    ASSERT_EQ(model->call("f", x.data(), n, c.data(), d.data()), 0)
        << JitModel::deviceMessage();
    JitCopies copies = JitModel::copies() - before;
    EXPECT_EQ(copies.uploads, 2);
    EXPECT_EQ(copies.transfers, 2);
    EXPECT_EQ(copies.downloads, 2);
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(c[i], -x[i]);
      EXPECT_EQ(d[i], 4 * x[i] * x[i] + 2 * x[i]);
    }
  }
}

// Functions of which each uses one GPU only, and one that uses none.
TEST_P(SeveralGpusTest, FunctionsOfOneGpuEach) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @on_first(%x: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>)
          outs(%x : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    func.func @on_other(%x: tensor<?xf32>) -> tensor<?xf32>
        attributes {tw.device = "g1"} {
      %r = linalg.mul ins(%x, %x : tensor<?xf32>, tensor<?xf32>)
          outs(%x : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    func.func @on_host(%x: tensor<?xf32>) -> tensor<?xf32>
        attributes {tw.device = "host"} {
      %r = linalg.abs ins(%x : tensor<?xf32>)
          outs(%x : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    })",
                                            {GetParam().other});
  ASSERT_TRUE(model);
  std::vector<float> x = {-3, 2, 5}, y(3);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(model->call("on_other", x.data(), int64_t{3}, y.data()), 0)
        << JitModel::deviceMessage();
    EXPECT_EQ(y, (std::vector<float>{9, 4, 25}));
    ASSERT_EQ(model->call("on_first", x.data(), int64_t{3}, y.data()), 0);
    EXPECT_EQ(y, (std::vector<float>{-6, 4, 10}));
    ASSERT_EQ(model->call("on_host", x.data(), int64_t{3}, y.data()), 0);
    EXPECT_EQ(y, (std::vector<float>{3, 2, 5}));
  }
}

// A weight that both multiply by is packed for each, and uploaded to each.
TEST_P(SeveralGpusTest, WeightsOfBoth) {
  std::string weights;
  for (float w : integers(20 * 35, 3))
    weights += (weights.empty() ? "" : ", ") + std::to_string(w);
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%a: tensor<?x20xf32>)
        -> (tensor<?x35xf32>, tensor<?x35xf32>) {
      %c0 = arith.constant 0 : index
      %z = arith.constant 0.0 : f32
      %flat = arith.constant dense<[)" + weights +
                                                R"(]> : tensor<700xf32>
      %b = tensor.expand_shape %flat [[0, 1]] output_shape [20, 35]
          : tensor<700xf32> into tensor<20x35xf32>
      %m = tensor.dim %a, %c0 : tensor<?x20xf32>
      %e = tensor.empty(%m) : tensor<?x35xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x35xf32>)
          -> tensor<?x35xf32>
      %p = linalg.matmul ins(%a, %b : tensor<?x20xf32>, tensor<20x35xf32>)
          outs(%f : tensor<?x35xf32>) -> tensor<?x35xf32>
      %q = linalg.matmul {tw.device = "g1"}
          ins(%a, %b : tensor<?x20xf32>, tensor<20x35xf32>)
          outs(%f : tensor<?x35xf32>) -> tensor<?x35xf32>
      return %p, %q : tensor<?x35xf32>, tensor<?x35xf32>
    })",
                                            {GetParam().other});
  ASSERT_TRUE(model);
  EXPECT_EQ(model->relayouts(), 0);
  for (int64_t m : {1, 29}) {
    std::vector<float> a = integers(m * 20, 4), p(m * 35), q(m * 35);
    JitCopies before = JitModel::copies();
    ASSERT_EQ(model->call("f", a.data(), m, p.data(), q.data()), 0)
        << JitModel::deviceMessage();
    JitCopies copies = JitModel::copies() - before;
    EXPECT_EQ(copies.uploads, 2);  // the argument, to each
    EXPECT_EQ(copies.transfers, 0);
    EXPECT_EQ(p, product(a, integers(20 * 35, 3), 20));
    EXPECT_EQ(q, p);
  }
}

TEST_P(SeveralGpusTest, CallsOfSeveralThreadsWaitForEachOther) {
  std::unique_ptr<JitModel> model = compile(kChain, {GetParam().other});
  ASSERT_TRUE(model);
  Chain chain;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int64_t m : {5, 6, 7, 8})
    threads.emplace_back([&, m] {
      for (int i = 0; i < 3; ++i) EXPECT_EQ(chain.call(*model, m), 0);
    });
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(
    Devices, SeveralGpusTest,
    ::testing::Values(Case{"two_targets", "g1=amdgpu:gfx950", 2},
                      Case{"one_target", "g1=amdgpu:gfx942", 1}),
    [](const auto& info) { return info.param.name; });

// What lies as the other wants it is copied, and not laid out anew.
TEST(SeveralGpusOfOneTargetTest, EqualLayoutsAreOnlyCopied) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%a: tensor<?x20xf32>, %b: tensor<20x35xf32>,
                 %c: tensor<?x35xf32>) -> tensor<?x35xf32> {
      %p = linalg.matmul ins(%a, %b : tensor<?x20xf32>, tensor<20x35xf32>)
          outs(%c : tensor<?x35xf32>) -> tensor<?x35xf32>
      %q = linalg.matmul {tw.device = "g1"}
          ins(%a, %b : tensor<?x20xf32>, tensor<20x35xf32>)
          outs(%p : tensor<?x35xf32>) -> tensor<?x35xf32>
      return %q : tensor<?x35xf32>
    })",
                                            {"g1=amdgpu:gfx942"});
  ASSERT_TRUE(model);
  EXPECT_EQ(model->relayouts(), 0);
  for (const std::string& kernel : model->kernels())
    EXPECT_EQ(kernel.find("relayout"), std::string::npos) << kernel;
  std::vector<float> a = integers(29 * 20, 4), b = integers(20 * 35, 1),
                     c = integers(29 * 35, 2), q(29 * 35);
  JitCopies before = JitModel::copies();
  ASSERT_EQ(model->call("f", a.data(), int64_t{29}, b.data(), c.data(),
                        int64_t{29}, q.data()),
            0)
      << JitModel::deviceMessage();
  EXPECT_EQ((JitModel::copies() - before).transfers, 1);
  std::vector<float> expected = product(a, b, 20);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(q[i], c[i] + 2 * expected[i]);
}

// Equal work on two GPUs of one target is one kernel.
TEST(SeveralGpusOfOneTargetTest, KernelsAreShared) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %a = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>)
          -> tensor<?xf32>
      %b = linalg.exp {tw.device = "g1"} ins(%a : tensor<?xf32>)
          outs(%x : tensor<?xf32>) -> tensor<?xf32>
      return %b : tensor<?xf32>
    })",
                                            {"g1=amdgpu:gfx942"});
  ASSERT_TRUE(model);
  EXPECT_EQ(model->kernels().size(), 1U);
  EXPECT_EQ(model->dispatches(), 2);
  std::vector<float> x = {0, 0}, y(2);
  ASSERT_EQ(model->call("f", x.data(), int64_t{2}, y.data()), 0)
      << JitModel::deviceMessage();
  EXPECT_NEAR(y[1], 2.7182818F, 1e-5F);
}

// In a process of its own, which reads the environment anew: exits with the
// status, after the sentence.
[[noreturn]] void callOn(const char* devices, const char* memory,
                         const char* other) {
  setenv("TW_EMULATED_HIP_DEVICE", devices, 1);
  if (memory) setenv("TW_EMULATED_HIP_MEMORY", memory, 1);
  std::unique_ptr<JitModel> model = compile(kChain, {other});
  int32_t status = Chain().call(*model, 200);
  std::fprintf(stderr, "%s\n", JitModel::deviceMessage().c_str());
  // Less is enough, also after a failure.
  if (memory && Chain().call(*model, 3)) status = 77;
  std::exit(::testing::Test::HasFailure() ? 99 : status);
}

TEST(SeveralGpusDeathTest, EachTakesTheFirstThatIsLeft) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(callOn("gfx950,gfx942", nullptr, "g1=amdgpu:gfx950"),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(callOn("gfx942,gfx950,gfx942", nullptr, "g1=amdgpu:gfx942"),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      callOn("gfx942,gfx1100", nullptr, "g1=amdgpu:gfx942"),
      ::testing::ExitedWithCode(TW_STATUS_UNSUPPORTED),
      "The model's device 'g1' is a GPU of gfx942, and there is none left for "
      "it: device 0 is gfx942 \\(taken by 'gpu'\\), device 1 is gfx1100.");
  EXPECT_EXIT(callOn("none", nullptr, "g1=amdgpu:gfx942"),
              ::testing::ExitedWithCode(TW_STATUS_UNSUPPORTED),
              "The model's device 'gpu' needs a GPU of gfx942, but HIP sees no "
              "device.");
}

// A failure is one of all devices, and leaves nothing behind.
TEST(SeveralGpusDeathTest, MemoryOfEachIsItsOwn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(callOn("gfx942,gfx942", "150000", "g1=amdgpu:gfx942"),
              ::testing::ExitedWithCode(TW_STATUS_OUT_OF_MEMORY),
              "The device has no memory for a buffer of [0-9]+ bytes.");
}

}  // namespace
}  // namespace tilewright::testing
