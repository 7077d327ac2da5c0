// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models compiled for AMD GPUs, run by the emulated HIP.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/compile/jit_model.h"
#include "tilewright/status.h"

namespace tilewright::testing {
namespace {

std::unique_ptr<JitModel> compile(const std::string& text,
                                  const std::string& device = "amdgpu_gfx942",
                                  bool reference = false) {
  std::string error;
  std::unique_ptr<JitModel> model =
      JitModel::compile(text, JitOptions{device, reference}, &error);
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

const char kTwice[] = R"(
  #map = affine_map<(i) -> (i)>
  func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %v = arith.addf %a, %a : f32
      linalg.yield %v : f32
    } -> tensor<?xf32>
    return %y : tensor<?xf32>
  })";

int32_t callTwice(const JitModel& model, int64_t n) {
  std::vector<float> x(n), y(n);
  for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i);
  int32_t status = model.call("f", x.data(), n, y.data());
  for (int64_t i = 0; !status && i < n; ++i)
    EXPECT_EQ(y[i], 2 * static_cast<float>(i));
  return status;
}

// In a process of its own, which reads the environment anew: exits with the
// status, after the sentence.
[[noreturn]] void callWith(const char* variable, const char* value) {
  setenv(variable, value, 1);
  int32_t status = callTwice(*compile(kTwice), 1000);
  std::fprintf(stderr, "%s\n", JitModel::deviceMessage().c_str());
  std::exit(status);
}

TEST(DeviceDeathTest, WhatIsMissingIsSaid) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(callWith("TW_HIP_LIBRARY", "/nowhere/libamdhip64.so"),
              ::testing::ExitedWithCode(TW_STATUS_UNSUPPORTED),
              "HIP cannot be loaded from TW_HIP_LIBRARY: /nowhere");
  EXPECT_EXIT(callWith("TW_HIP_LIBRARY", "libm.so.6"),
              ::testing::ExitedWithCode(TW_STATUS_UNSUPPORTED),
              "The HIP library that was loaded has no function hip");
  EXPECT_EXIT(callWith("TW_EMULATED_HIP_DEVICE", "none"),
              ::testing::ExitedWithCode(TW_STATUS_UNSUPPORTED),
              "This needs a GPU of gfx942, but HIP sees no device.");
  EXPECT_EXIT(callWith("TW_EMULATED_HIP_DEVICE", "gfx1100,gfx90a"),
              ::testing::ExitedWithCode(TW_STATUS_UNSUPPORTED),
              "The code object is for gfx942, but device 0 is gfx1100, device "
              "1 is gfx90a; compile it for that.");
  EXPECT_EXIT(callWith("TW_EMULATED_HIP_MEMORY", "5000"),
              ::testing::ExitedWithCode(TW_STATUS_OUT_OF_MEMORY),
              "The device has no memory for a buffer of 4096 bytes.");
}

// Calls that fail leave nothing behind, and memory is used again: what one call
// needs is enough for a hundred, of the largest size after smaller ones.
[[noreturn]] void callOften() {
  setenv("TW_EMULATED_HIP_MEMORY", "10000", 1);
  std::unique_ptr<JitModel> model = compile(kTwice);
  for (int64_t n : {0, 1, 60, 300, 1000})
    for (int i = 0; i < 20; ++i) {
      if (callTwice(*model, n)) std::exit(1);
      if (callTwice(*model, 10000) != TW_STATUS_OUT_OF_MEMORY) std::exit(2);
    }
  std::exit(::testing::Test::HasFailure() ? 3 : 0);
}

TEST(DeviceDeathTest, MemoryIsUsedAgain) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(callOften(), ::testing::ExitedWithCode(0), "");
}

TEST(DeviceTest, CallsOfSeveralThreadsWaitForEachOther) {
  std::unique_ptr<JitModel> model = compile(kTwice);
  ASSERT_TRUE(model);
  std::vector<std::thread> threads;
  for (int64_t n : {100, 200, 300, 400})
    threads.emplace_back([&, n] {
      for (int i = 0; i < 10; ++i) EXPECT_EQ(callTwice(*model, n), 0);
    });
  for (std::thread& thread : threads) thread.join();
}

// The product of three matrices, of which the host computes the first.
std::string productText(int64_t k, int64_t r, int64_t n, bool onHost) {
  auto tensor = [](const std::string& rows, int64_t columns) {
    return "tensor<" + rows + "x" + std::to_string(columns) + "xf32>";
  };
  std::string u = tensor(std::to_string(k), r),
              v = tensor(std::to_string(r), n),
              w = tensor(std::to_string(k), n), x = tensor("?", k),
              y = tensor("?", n);
  return "func.func private @weights(%u: " + u + ", %v: " + v + ") -> " + w +
         (onHost ? " attributes {tw.device = \"host\"}" : "") + R"( {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : )" +
         w + R"(
      %z = linalg.fill ins(%zero : f32) outs(%e : )" +
         w + ") -> " + w + R"(
      %w = linalg.matmul ins(%u, %v : )" +
         u + ", " + v + ") outs(%z : " + w + ") -> " + w + R"(
      return %w : )" +
         w + R"(
    }
    func.func @f(%x: )" +
         x + ", %u: " + u + ", %v: " + v + ") -> " + y + R"( {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %w = func.call @weights(%u, %v) : ()" +
         u + ", " + v + ") -> " + w + R"(
      %n = tensor.dim %x, %c0 : )" +
         x + R"(
      %e = tensor.empty(%n) : )" +
         y + R"(
      %z = linalg.fill ins(%zero : f32) outs(%e : )" +
         y + ") -> " + y + R"(
      %y = linalg.matmul ins(%x, %w : )" +
         x + ", " + w + ") outs(%z : " + y + ") -> " + y + R"(
      return %y : )" +
         y + R"(
    })";
}

// Weights prepared by the CPU in its layout, relaid to the GPU's by one
// dispatch, whether tile sizes divide or not; and the same all on the GPU.
TEST(DeviceTest, HostAndDeviceShareAModel) {
  struct Sizes {
    int64_t k, r, n;
  };
  for (Sizes s : {Sizes{64, 24, 96}, Sizes{37, 5, 43}, Sizes{1, 1, 1}})
    for (const char* device : {"amdgpu_gfx942", "amdgpu_gfx1100"})
      for (bool onHost : {true, false}) {
        SCOPED_TRACE(std::string(device) + " " + std::to_string(s.k) + "x" +
                     std::to_string(s.r) + "x" + std::to_string(s.n));
        std::unique_ptr<JitModel> model =
            compile(productText(s.k, s.r, s.n, onHost), device);
        ASSERT_TRUE(model);
        auto kernels = [&](const std::string& kind) {
          return std::count_if(
              model->kernels().begin(), model->kernels().end(),
              [&](const std::string& name) { return !name.find(kind); });
        };
        // Of the GPU's weights nothing is unpacked, and then packed again; the
        // host's multiplication stores them row-major.
        EXPECT_EQ(kernels("relayout"), onHost ? 0 : 1);
        // What the caller gets is unpacked by the tile's kernel.
        EXPECT_EQ(kernels("unpack"), 0);
        EXPECT_EQ(kernels("mmt4d"), 2);  // for few rows, and for many
        EXPECT_EQ(kernels("tw_mmt4d_kernel"), onHost ? 0 : 1);
        // Those two tiles, and that of the weights, which may be one of them.
        EXPECT_LE(model->tiles().size(), 3u);
        if (onHost) EXPECT_EQ(model->tiles().size(), 3u);
        for (int64_t m : {1, 33}) {
          std::vector<float> x(m * s.k), u(s.k * s.r), v(s.r * s.n),
              y(m * s.n, -1), w(s.k * s.n);
          auto fill = [](std::vector<float>& a, int step) {
            for (size_t i = 0; i < a.size(); ++i)
              a[i] = static_cast<float>(static_cast<int>(i) * step % 7 - 3);
          };
          fill(x, 3), fill(u, 5), fill(v, 2);
          for (int64_t i = 0; i < s.k; ++i)
            for (int64_t j = 0; j < s.n; ++j)
              for (int64_t p = 0; p < s.r; ++p)
                w[i * s.n + j] += u[i * s.r + p] * v[p * s.n + j];
          ASSERT_EQ(model->call("f", x.data(), m, u.data(), v.data(), y.data()),
                    0)
              << JitModel::deviceMessage();
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < s.n; ++j) {
              float expected = 0;
              for (int64_t p = 0; p < s.k; ++p)
                expected += x[i * s.k + p] * w[p * s.n + j];
              ASSERT_EQ(y[i * s.n + j], expected) << i << ", " << j;
            }
        }
      }
}

// Means of rows, of two shapes and onto two values: the same kernel, launched
// twice, which sums an element and divides it. So it is with nothing to add up.
TEST(DeviceTest, EqualBodiesOfOtherSizesShareAKernel) {
  auto mean = [](const std::string& name, const std::string& type,
                 const std::string& from) {
    return R"(
      %f)" +
           name + R"( = linalg.fill ins(%)" + from +
           R"( : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %s)" +
           name +
           R"( = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
          ins(%)" +
           name + " : " + type + ") outs(%f" + name + R"( : tensor<?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %v = arith.addf %a, %o : f32
        linalg.yield %v : f32
      } -> tensor<?xf32>
      %m)" +
           name +
           R"( = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
          ins(%s)" +
           name + R"( : tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %v = arith.mulf %a, %half : f32
        linalg.yield %v : f32
      } -> tensor<?xf32>)";
  };
  std::string text = R"(
    #ij = affine_map<(i, j) -> (i, j)>
    #i = affine_map<(i, j) -> (i)>
    #v = affine_map<(i) -> (i)>
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %half = arith.constant 0.5 : f32
      %n = tensor.dim %x, %c0 : tensor<?x8xf32>
      %e = tensor.empty(%n) : tensor<?xf32>)" +
                     mean("x", "tensor<?x8xf32>", "zero") +
                     mean("y", "tensor<?x?xf32>", "one") + R"(
      return %mx, %my : tensor<?xf32>, tensor<?xf32>
    })";
  for (const char* device : {"amdgpu_gfx942", "amdgpu_gfx1100"})
    for (bool reference : {false, true}) {
      std::unique_ptr<JitModel> model = compile(text, device, reference);
      ASSERT_TRUE(model);
      EXPECT_EQ(model->kernels(), std::vector<std::string>{"reduction_0"});
      EXPECT_EQ(model->dispatches(), 2);
      for (int64_t rows : {0, 1, 300})
        for (int64_t columns : {0, 1, 70}) {
          std::vector<float> x(rows * 8), y(rows * columns), mx(rows), my(rows);
          for (size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<float>(i % 11);
          for (size_t i = 0; i < y.size(); ++i)
            y[i] = static_cast<float>(i % 13) - 5;
          ASSERT_EQ(model->call("f", x.data(), rows, y.data(), rows, columns,
                                mx.data(), my.data()),
                    0)
              << JitModel::deviceMessage();
          for (int64_t i = 0; i < rows; ++i) {
            float ofX = 0, ofY = 1;
            for (int64_t j = 0; j < 8; ++j) ofX += x[i * 8 + j];
            for (int64_t j = 0; j < columns; ++j) ofY += y[i * columns + j];
            ASSERT_EQ(mx[i], ofX / 2) << i;
            ASSERT_EQ(my[i], ofY / 2) << i;
          }
        }
    }
}

// Two layers: what is done with the first product is done where it is packed
// for the second.
TEST(DeviceTest, WhatFollowsAProductIsPackedAtOnce) {
  auto layer = [](const std::string& x, const std::string& n,
                  const std::string& k, const std::string& m) {
    std::string type = "tensor<?x" + m + "xf32>";
    return R"(
      %e)" +
           n + " = tensor.empty(%rows) : " + type + R"(
      %z)" +
           n + " = linalg.fill ins(%zero : f32) outs(%e" + n + " : " + type +
           ") -> " + type + R"(
      %p)" +
           n + " = linalg.matmul ins(" + x + ", %w" + n + " : tensor<?x" + k +
           "xf32>, tensor<" + k + "x" + m + "xf32>) outs(%z" + n + " : " +
           type + ") -> " + type + R"(
      %r)" +
           n +
           R"( = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
          ins(%p)" +
           n + ", %b" + n + " : " + type + ", tensor<" + m + "xf32>) outs(%e" +
           n + " : " + type + R"() {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s = arith.addf %a, %b : f32
        %v = arith.maximumf %s, %zero : f32
        linalg.yield %v : f32
      } -> )" +
           type;
  };
  std::string text = R"(
    #ij = affine_map<(i, j) -> (i, j)>
    #j = affine_map<(i, j) -> (j)>
    func.func @f(%x: tensor<?x37xf32>, %w1: tensor<37x43xf32>, %b1: tensor<43xf32>,
                 %w2: tensor<43x10xf32>, %b2: tensor<10xf32>) -> tensor<?x10xf32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %rows = tensor.dim %x, %c0 : tensor<?x37xf32>)" +
                     layer("%x", "1", "37", "43") +
                     layer("%r1", "2", "43", "10") + R"(
      return %r2 : tensor<?x10xf32>
    })";
  const int64_t k = 37, m = 43, n = 10;
  auto fill = [](std::vector<float>& a, int step) {
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<float>(static_cast<int>(i) * step % 7 - 3);
  };
  std::vector<float> w1(k * m), b1(m), w2(m * n), b2(n);
  fill(w1, 3), fill(b1, 2), fill(w2, 5), fill(b2, 4);
  auto product = [](const std::vector<float>& x, const std::vector<float>& w,
                    const std::vector<float>& b, int64_t depth) {
    int64_t columns = static_cast<int64_t>(b.size());
    std::vector<float> out(x.size() / depth * columns);
    for (size_t i = 0; i < out.size(); ++i) {
      float sum = b[i % columns];
      for (int64_t p = 0; p < depth; ++p)
        sum += x[i / columns * depth + p] * w[p * columns + i % columns];
      out[i] = std::max(sum, 0.0f);
    }
    return out;
  };
  for (const char* device : {"amdgpu_gfx942", "amdgpu_gfx1100"}) {
    std::unique_ptr<JitModel> model = compile(text, device);
    ASSERT_TRUE(model);
    // Three packs of what comes with the call and two products, with what
    // follows them: the first is packed by its own workgroups, with zeros where
    // it has no rows or columns.
    EXPECT_EQ(model->dispatches(), 5);
    for (int64_t rows : {0, 1, 33, 70}) {
      std::vector<float> x(rows * k), y(rows * n, -1);
      fill(x, 6);
      ASSERT_EQ(model->call("f", x.data(), rows, w1.data(), b1.data(),
                            w2.data(), b2.data(), y.data()),
                0)
          << JitModel::deviceMessage();
      EXPECT_EQ(y, product(product(x, w1, b1, k), w2, b2, m)) << rows;
    }
  }
}

constexpr int64_t kDeep = 2048, kColumns = 16;

// Rows of the caller's times a weight.
std::string rowsTimesWeight() {
  std::string weight = "dense<[";
  for (int64_t k = 0; k < kDeep; ++k) {
    weight += k ? ", [" : "[";
    for (int64_t n = 0; n < kColumns; ++n)
      weight += (n ? ", " : "") + std::to_string((k + 3 * n) % 5 - 2) + ".0";
    weight += "]";
  }
  return R"(
    func.func @f(%x: tensor<?x2048xf32>) -> tensor<?x16xf32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %w = arith.constant )" +
         weight + R"(]> : tensor<2048x16xf32>
      %m = tensor.dim %x, %c0 : tensor<?x2048xf32>
      %e = tensor.empty(%m) : tensor<?x16xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
      %r = linalg.matmul ins(%x, %w : tensor<?x2048xf32>, tensor<2048x16xf32>)
          outs(%z : tensor<?x16xf32>) -> tensor<?x16xf32>
      return %r : tensor<?x16xf32>
    })";
}

int32_t callRowsTimesWeight(const JitModel& model, int64_t rows) {
  std::vector<float> x(rows * kDeep), y(rows * kColumns, -1);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
  int32_t status = model.call("f", x.data(), rows, y.data());
  for (int64_t i = 0; !status && i < rows * kColumns; ++i) {
    float sum = 0;
    for (int64_t k = 0; k < kDeep; ++k)
      sum += x[i / kColumns * kDeep + k] *
             static_cast<float>((k + 3 * (i % kColumns)) % 5 - 2);
    EXPECT_EQ(y[i], sum) << rows << " rows, at " << i;
  }
  return status;
}

// M that the call says picks a tile, on the panels of one weight.
TEST(DeviceTest, FewRowsHaveATileOfTheirOwn) {
  struct Case {
    const char* device;
    JitTiling tiling;
    std::string many;
    int64_t dispatches;
  };
  for (const Case& each :
       {Case{"amdgpu_gfx942", JitTiling::kLate, "64x16x", 2},
        Case{"amdgpu_gfx942", JitTiling::kEarly, "64x16x", 3},
        Case{"amdgpu_gfx1100", JitTiling::kLate, "32x16x", 2}}) {
    SCOPED_TRACE(each.device);
    JitOptions options{each.device};
    options.tiling = each.tiling;
    std::string error;
    std::unique_ptr<JitModel> model =
        JitModel::compile(rowsTimesWeight(), options, &error);
    ASSERT_TRUE(model) << error;
    ASSERT_EQ(model->tiles().size(), 2u);
    auto hasTile = [&](const std::string& sizes) {
      return std::any_of(model->tiles().begin(), model->tiles().end(),
                         [&](const std::string& tile) {
                           return tile.find("f32f32f32_" + sizes) !=
                                  std::string::npos;
                         });
    };
    EXPECT_TRUE(hasTile("8x16x")) << model->tiles()[0];
    EXPECT_TRUE(hasTile(each.many)) << model->tiles()[1];
    EXPECT_EQ(model->packedConstants().size(), 1u);
    // x is packed; where it is late, the product's kernel unpacks.
    EXPECT_EQ(model->dispatches(), each.dispatches);
    for (int64_t rows : {0, 1, 8, 9, 65})
      EXPECT_EQ(callRowsTimesWeight(*model, rows), 0)
          << rows << ": " << JitModel::deviceMessage();
  }
}

// 64 rows in panels are 512 KiB, 8 are 64 KiB.
[[noreturn]] void callWithLittleMemory(int64_t rows) {
  setenv("TW_EMULATED_HIP_MEMORY", "450000", 1);
  int32_t status = callRowsTimesWeight(*compile(rowsTimesWeight()), rows);
  std::exit(::testing::Test::HasFailure() ? 3 : status);
}

TEST(DeviceDeathTest, EightRowsAreFew) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(callWithLittleMemory(8), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(callWithLittleMemory(9),
              ::testing::ExitedWithCode(TW_STATUS_OUT_OF_MEMORY), "");
}

}  // namespace
}  // namespace tilewright::testing
