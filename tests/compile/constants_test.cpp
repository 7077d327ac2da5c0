// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of 4 KiB or more, whose bytes do not go through LLVM.

#include <gtest/gtest.h>

#include "tests/compile/models_test.h"

namespace tilewright::testing {
namespace {

using ConstantsTest = ModelsTest;

// As MLIR writes the bytes of constants.
std::string hexOf(const void* bytes, size_t size) {
  static const char digits[] = "0123456789ABCDEF";
  std::string hex = "\"0x";
  for (size_t i = 0; i < size; ++i) {
    auto byte = static_cast<const unsigned char*>(bytes)[i];
    hex += digits[byte / 16];
    hex += digits[byte % 16];
  }
  return hex + "\"";
}

std::vector<float> weights(int64_t count) {
  std::vector<float> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(static_cast<float>(i % 61 - 30));
  return result;
}

std::string denseOf(const std::vector<float>& values) {
  return "dense<" + hexOf(values.data(), values.size() * sizeof(float)) + ">";
}

// Packed, with padding; used as it is; transposed, then packed.
TEST_P(ConstantsTest, LargeConstants) {
  const int64_t k = 37, n = 41;
  std::vector<float> w = weights(k * n);
  std::string dense = denseOf(w);
  for (const std::string& value : {dense, std::string("dense_resource<w>")}) {
    SCOPED_TRACE(value.substr(0, 20));
    std::string resources =
        "{-# dialect_resources: { builtin: { w: \"0x04000000" +
        hexOf(w.data(), w.size() * sizeof(float)).substr(3) + " } } #-}";
    std::unique_ptr<JitModel> model = compile(
        R"(func.func @f(%x: tensor<?x37xf32>, %z: tensor<?x41xf32>)
            -> (tensor<?x41xf32>, tensor<37x41xf32>, tensor<?x37xf32>) {
          %w = arith.constant )" +
        value + R"( : tensor<37x41xf32>
          %zero = arith.constant 0.0 : f32
          %c0 = arith.constant 0 : index
          %m = tensor.dim %x, %c0 : tensor<?x37xf32>
          %e = tensor.empty(%m) : tensor<?x41xf32>
          %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x41xf32>) -> tensor<?x41xf32>
          %y = linalg.matmul ins(%x, %w : tensor<?x37xf32>, tensor<37x41xf32>)
              outs(%init : tensor<?x41xf32>) -> tensor<?x41xf32>
          %u = tensor.empty() : tensor<37x41xf32>
          %s = linalg.add ins(%w, %w : tensor<37x41xf32>, tensor<37x41xf32>)
              outs(%u : tensor<37x41xf32>) -> tensor<37x41xf32>
          %v = tensor.empty() : tensor<41x37xf32>
          %t = linalg.transpose ins(%w : tensor<37x41xf32>) outs(%v : tensor<41x37xf32>) permutation = [1, 0]
          %m2 = tensor.dim %z, %c0 : tensor<?x41xf32>
          %e2 = tensor.empty(%m2) : tensor<?x37xf32>
          %init2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x37xf32>) -> tensor<?x37xf32>
          %y2 = linalg.matmul ins(%z, %t : tensor<?x41xf32>, tensor<41x37xf32>)
              outs(%init2 : tensor<?x37xf32>) -> tensor<?x37xf32>
          return %y, %s, %y2 : tensor<?x41xf32>, tensor<37x41xf32>, tensor<?x37xf32>
        })" +
        resources);
    ASSERT_TRUE(model);
    EXPECT_EQ(model->packedConstants().size(), 2u);
    const int64_t m = 5;
    GuardedBuffer x = someFloats(m * k), z = someFloats(m * n),
                  y = someFloats(m * n), s = someFloats(k * n),
                  y2 = someFloats(m * k);
    for (int call = 0; call < 2; ++call)
      ASSERT_EQ(model->call("f", x.data(), m, z.data(), m, y.data(), s.data(),
                            y2.data()),
                0);
    EXPECT_EQ(JitModel::liveAllocations(), 0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;  // of quarters: exact in every order
        for (int64_t l = 0; l < k; ++l)
          sum += x.as<float>()[i * k + l] * w[l * n + j];
        ASSERT_EQ(y.as<float>()[i * n + j], sum);
      }
    for (int64_t i = 0; i < k * n; ++i) ASSERT_EQ(s.as<float>()[i], 2 * w[i]);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < k; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < n; ++l)
          sum += z.as<float>()[i * n + l] * w[j * n + l];
        ASSERT_EQ(y2.as<float>()[i * k + j], sum);
      }
  }
}

// Equal elements, booleans, elements of other sizes, and a vector whose product
// has its shape changed first.
TEST_P(ConstantsTest, LargeConstantsOfOtherKinds) {
  std::vector<int16_t> shorts;
  for (int i = 0; i < 4500; ++i) {
    shorts.push_back(static_cast<int16_t>(i * 17 - 30000));
  }
  std::string bools = "dense<[";
  for (int i = 0; i < 4500; ++i)
    bools += std::string(i ? "," : "") + (i % 7 < 3 ? "true" : "false");
  std::vector<float> w = weights(4500);
  std::unique_ptr<JitModel> model = compile(
      R"(#i = affine_map<(i) -> (i)>
      func.func @f(%x: tensor<4500xi16>, %v: tensor<4500xf32>)
          -> (tensor<4500xi16>, tensor<4500xf32>, tensor<f32>) {
        %s = arith.constant dense<)" +
      hexOf(shorts.data(), shorts.size() * sizeof(int16_t)) +
      R"(> : tensor<4500xi16>
        %b = arith.constant )" +
      bools + R"(]> : tensor<4500xi1>
        %half = arith.constant dense<0.5> : tensor<4500xf32>
        %w = arith.constant )" +
      denseOf(w) + R"( : tensor<4500xf32>
        %zero = arith.constant 0 : i16
        %e = tensor.empty() : tensor<4500xi16>
        %r = linalg.generic {indexing_maps = [#i, #i, #i, #i], iterator_types = ["parallel"]}
            ins(%x, %s, %b : tensor<4500xi16>, tensor<4500xi16>, tensor<4500xi1>) outs(%e : tensor<4500xi16>) {
        ^bb0(%a: i16, %c: i16, %p: i1, %o: i16):
          %d = arith.select %p, %c, %zero : i16
          %t = arith.addi %a, %d : i16
          linalg.yield %t : i16
        } -> tensor<4500xi16>
        %f0 = arith.constant 0.0 : f32
        %ed = tensor.empty() : tensor<f32>
        %fd = linalg.fill ins(%f0 : f32) outs(%ed : tensor<f32>) -> tensor<f32>
        %dot = linalg.dot ins(%w, %v : tensor<4500xf32>, tensor<4500xf32>) outs(%fd : tensor<f32>) -> tensor<f32>
        return %r, %half, %dot : tensor<4500xi16>, tensor<4500xf32>, tensor<f32>
      })");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->packedConstants().size(), 1u);
  GuardedBuffer x(4500 * sizeof(int16_t)), r(4500 * sizeof(int16_t));
  GuardedBuffer v = someFloats(4500), half = someFloats(4500),
                dot = someFloats(1);
  for (int i = 0; i < 4500; ++i) x.as<int16_t>()[i] = static_cast<int16_t>(i);
  ASSERT_EQ(
      model->call("f", x.data(), v.data(), r.data(), half.data(), dot.data()),
      0);
  float sum = 0;
  for (int i = 0; i < 4500; ++i) {
    ASSERT_EQ(r.as<int16_t>()[i],
              static_cast<int16_t>(i + (i % 7 < 3 ? shorts[i] : 0)));
    ASSERT_EQ(half.as<float>()[i], 0.5f);
    sum += v.as<float>()[i] * w[i];
  }
  EXPECT_EQ(dot.as<float>()[0], sum);
}

INSTANTIATE_TEST_SUITE_P(Targets, ConstantsTest,
                         ::testing::ValuesIn(modelTargets()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tilewright::testing
