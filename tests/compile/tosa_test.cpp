// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs in TOSA, by upstream's conversion, against what the specification of
// TOSA says of each operation.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/compile/model_test.h"

namespace tilewright::testing {
namespace {

class TosaTest : public ModelTest {
 protected:
  // Small whole numbers.
  template <typename T>
  static std::vector<T> some(size_t count, int range, int seed = 0) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i) {
      auto at = static_cast<int>(i);
      values[i] =
          static_cast<T>((at * 7 + at * at + seed) % (2 * range + 1) - range);
    }
    return values;
  }
};

// A value that stays inside of an image, or nothing.
template <typename T>
T padded(const std::vector<T>& x, int h, int w, int c, int height, int width,
         int channels, T outside) {
  if (h < 0 || h >= height || w < 0 || w >= width) return outside;
  return x[static_cast<size_t>((h * width + w) * channels + c)];
}

// apply_scale_32 with SINGLE_ROUND.
int32_t scaled(int64_t value, int64_t multiplier, int shift) {
  return static_cast<int32_t>(
      (value * multiplier + (int64_t{1} << (shift - 1))) >> shift);
}

// A sum divided by `count`, by way of reciprocal_scale.
int32_t average(int64_t sum, int count) {
  int bits = 0;
  while ((1 << bits) < count) ++bits;
  int64_t multiplier = (((int64_t{1} << 30) + 1) << bits) / count;
  return scaled(sum, multiplier, 30 + bits);
}

TEST_P(TosaTest, Convolution) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<1x6x7x3xf32>, %w: tensor<5x3x2x3xf32>, %b: tensor<5xf32>) -> tensor<1x3x7x5xf32> {
      %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
      %r = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 1, 0, 0, 1>,
        stride = array<i64: 2, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xf32>, tensor<5x3x2x3xf32>,
        tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x7x5xf32>
      %c = tosa.clamp %r {min_val = -20.0 : f32, max_val = 30.0 : f32} : (tensor<1x3x7x5xf32>) -> tensor<1x3x7x5xf32>
      return %c : tensor<1x3x7x5xf32>
    })");
  ASSERT_TRUE(model);
  auto x = some<float>(6 * 7 * 3, 3), w = some<float>(5 * 3 * 2 * 3, 2, 1),
       b = some<float>(5, 4, 2);
  std::vector<float> got(3 * 7 * 5);
  ASSERT_EQ(model->call("f", x.data(), w.data(), b.data(), got.data()), 0)
      << JitModel::deviceMessage();
  for (int i = 0; i < 3 * 7 * 5; ++i) {
    int f = i % 5, ow = i / 5 % 7, oh = i / 35;
    float sum = b[static_cast<size_t>(f)];
    for (int k = 0; k < 18; ++k) {
      int c = k % 3, kw = k / 3 % 2, kh = k / 6;
      sum += padded(x, oh * 2 - 1 + kh, ow + kw, c, 6, 7, 3, 0.0f) *
             w[static_cast<size_t>(f * 18 + k)];
    }
    EXPECT_EQ(got[static_cast<size_t>(i)],
              std::min(std::max(sum, -20.0f), 30.0f))
        << i;
  }
}

// As a quantized network has it: zero points, scales, an s8 result.
TEST_P(TosaTest, QuantizedConvolution) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<1x5x5x4xi8>, %w: tensor<6x3x3x4xi8>, %b: tensor<6xi32>) -> tensor<1x5x5x6xi8> {
      %xz = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
      %wz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
      %s = tosa.conv2d %x, %w, %b, %xz, %wz {acc_type = i32, pad = array<i64: 1, 1, 1, 1>,
        stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x5x5x4xi8>, tensor<6x3x3x4xi8>,
        tensor<6xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x5x5x6xi32>
      %m = "tosa.const"() <{values = dense<[1073741824, 1610612736, 1073741824, 2000000000, 1073741824, 1200000000]> : tensor<6xi32>}> : () -> tensor<6xi32>
      %h = "tosa.const"() <{values = dense<[32, 33, 31, 33, 34, 32]> : tensor<6xi8>}> : () -> tensor<6xi8>
      %iz = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
      %oz = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
      %r = tosa.rescale %s, %m, %h, %iz, %oz {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = true,
        input_unsigned = false, output_unsigned = false} : (tensor<1x5x5x6xi32>, tensor<6xi32>, tensor<6xi8>,
        tensor<1xi32>, tensor<1xi8>) -> tensor<1x5x5x6xi8>
      return %r : tensor<1x5x5x6xi8>
    })");
  ASSERT_TRUE(model);
  const int64_t multipliers[6] = {1073741824, 1610612736, 1073741824,
                                  2000000000, 1073741824, 1200000000};
  const int shifts[6] = {32, 33, 31, 33, 34, 32};
  auto x = some<int8_t>(5 * 5 * 4, 60), w = some<int8_t>(6 * 3 * 3 * 4, 20, 1);
  auto b = some<int32_t>(6, 500, 2);
  std::vector<int8_t> got(5 * 5 * 6);
  ASSERT_EQ(model->call("f", x.data(), w.data(), b.data(), got.data()), 0)
      << JitModel::deviceMessage();
  int unclamped = 0;
  for (int i = 0; i < 5 * 5 * 6; ++i) {
    int f = i % 6, ow = i / 6 % 5, oh = i / 30;
    int32_t sum = b[static_cast<size_t>(f)];
    for (int k = 0; k < 36; ++k) {
      int c = k % 4, kw = k / 4 % 3, kh = k / 12;
      // What is padded is the zero point.
      sum += (padded<int8_t>(x, oh - 1 + kh, ow - 1 + kw, c, 5, 5, 4, -3) + 3) *
             w[static_cast<size_t>(f * 36 + k)];
    }
    int value = 5 + scaled(sum, multipliers[f], shifts[f]);
    unclamped += value > -128 && value < 127;
    EXPECT_EQ(got[static_cast<size_t>(i)], std::min(std::max(value, -128), 127))
        << i;
  }
  EXPECT_GT(unclamped, 30);
}

TEST_P(TosaTest, DepthwiseConvolution) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<1x5x5x3xi8>, %w: tensor<3x3x3x2xi8>, %b: tensor<6xi32>) -> tensor<1x5x5x6xi32> {
      %xz = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
      %wz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
      %r = tosa.depthwise_conv2d %x, %w, %b, %xz, %wz {acc_type = i32, pad = array<i64: 1, 1, 1, 1>,
        stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x5x5x3xi8>, tensor<3x3x3x2xi8>,
        tensor<6xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x5x5x6xi32>
      return %r : tensor<1x5x5x6xi32>
    })");
  ASSERT_TRUE(model);
  auto x = some<int8_t>(5 * 5 * 3, 60), w = some<int8_t>(3 * 3 * 3 * 2, 60, 1);
  auto b = some<int32_t>(6, 50, 2);
  std::vector<int32_t> got(5 * 5 * 6);
  ASSERT_EQ(model->call("f", x.data(), w.data(), b.data(), got.data()), 0)
      << JitModel::deviceMessage();
  for (int i = 0; i < 5 * 5 * 6; ++i) {
    int m = i % 2, c = i / 2 % 3, ow = i / 6 % 5, oh = i / 30;
    int32_t sum = b[static_cast<size_t>(i % 6)];
    for (int k = 0; k < 9; ++k) {
      int kw = k % 3, kh = k / 3;
      sum += (padded<int8_t>(x, oh - 1 + kh, ow - 1 + kw, c, 5, 5, 3, 2) - 2) *
             w[static_cast<size_t>((k * 3 + c) * 2 + m)];
    }
    EXPECT_EQ(got[static_cast<size_t>(i)], sum) << i;
  }
}

// Of any number of rows, with what is done to the products.
TEST_P(TosaTest, Matmul) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<2x?x5xf32>, %w: tensor<2x5x4xf32>) -> tensor<2x?x4xf32> {
      %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
      %m = tosa.matmul %x, %w, %z, %z : (tensor<2x?x5xf32>, tensor<2x5x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x?x4xf32>
      %one = "tosa.const"() <{values = dense<1.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
      %s = tosa.add %m, %one : (tensor<2x?x4xf32>, tensor<1x1x1xf32>) -> tensor<2x?x4xf32>
      %t = tosa.tanh %s : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
      return %t : tensor<2x?x4xf32>
    })");
  ASSERT_TRUE(model);
  for (int64_t rows : {0, 1, 7}) {
    auto n = static_cast<size_t>(rows);
    auto x = some<float>(2 * n * 5, 1), w = some<float>(2 * 5 * 4, 1, 1);
    std::vector<float> got(2 * n * 4);
    ASSERT_EQ(model->call("f", x.data(), rows, w.data(), got.data()), 0)
        << JitModel::deviceMessage();
    for (size_t i = 0; i < got.size(); ++i) {
      size_t column = i % 4, row = i / 4, batch = row / n;
      float sum = 1;
      for (size_t k = 0; k < 5; ++k)
        sum += x[row * 5 + k] * w[(batch * 5 + k) * 4 + column];
      EXPECT_NEAR(got[i], std::tanh(sum), 1e-6) << i;
    }
  }
}

// Averages are of what lies inside, and rounded.
TEST_P(TosaTest, Pooling) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<1x5x6x3xf32>, %y: tensor<1x5x6x3xi8>)
        -> (tensor<1x3x3x3xf32>, tensor<1x3x3x3xi8>, tensor<1x3x3x3xi8>) {
      %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
      %a = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 0>,
        stride = array<i64: 2, 2>} : (tensor<1x5x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x3x3xf32>
      %i = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
      %b = tosa.avg_pool2d %y, %i, %i {acc_type = i32, kernel = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 0>,
        stride = array<i64: 2, 2>} : (tensor<1x5x6x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x3xi8>
      %c = tosa.max_pool2d %y {kernel = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 0>,
        stride = array<i64: 2, 2>} : (tensor<1x5x6x3xi8>) -> tensor<1x3x3x3xi8>
      return %a, %b, %c : tensor<1x3x3x3xf32>, tensor<1x3x3x3xi8>, tensor<1x3x3x3xi8>
    })");
  ASSERT_TRUE(model);
  auto x = some<float>(5 * 6 * 3, 5);
  auto y = some<int8_t>(5 * 6 * 3, 100, 3);
  std::vector<float> mean(27);
  std::vector<int8_t> rounded(27), most(27);
  ASSERT_EQ(model->call("f", x.data(), y.data(), mean.data(), rounded.data(),
                        most.data()),
            0)
      << JitModel::deviceMessage();
  for (int i = 0; i < 27; ++i) {
    int c = i % 3, ow = i / 3 % 3, oh = i / 9, count = 0, whole = 0;
    int8_t largest = -128;
    float sum = 0;
    for (int k = 0; k < 6; ++k) {
      int h = oh * 2 - 1 + k / 2, w = ow * 2 + k % 2;
      if (h < 0 || h >= 5) continue;
      ++count;
      sum += padded(x, h, w, c, 5, 6, 3, 0.0f);
      int8_t value = padded<int8_t>(y, h, w, c, 5, 6, 3, 0);
      whole += value;
      largest = std::max(largest, value);
    }
    auto at = static_cast<size_t>(i);
    EXPECT_FLOAT_EQ(mean[at], sum / static_cast<float>(count)) << i;
    EXPECT_EQ(rounded[at], average(whole, count)) << i;
    EXPECT_EQ(most[at], largest) << i;
  }
}

TEST_P(TosaTest, Tables) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<300xi8>, %t: tensor<256xi8>, %y: tensor<40xi16>, %u: tensor<513xi16>)
        -> (tensor<300xi8>, tensor<40xi32>) {
      %r = tosa.table %x, %t : (tensor<300xi8>, tensor<256xi8>) -> tensor<300xi8>
      %s = tosa.table %y, %u : (tensor<40xi16>, tensor<513xi16>) -> tensor<40xi32>
      return %r, %s : tensor<300xi8>, tensor<40xi32>
    })");
  ASSERT_TRUE(model);
  std::vector<int8_t> x(300), table(256), got(300);
  for (size_t i = 0; i < 300; ++i) x[i] = static_cast<int8_t>(i);
  for (size_t i = 0; i < 256; ++i) table[i] = static_cast<int8_t>(i * i + 3);
  std::vector<int16_t> y(40), steps(513);
  for (size_t i = 0; i < 40; ++i) y[i] = static_cast<int16_t>(i * 1637 - 32768);
  for (size_t i = 0; i < 513; ++i) steps[i] = static_cast<int16_t>(i * 60 - 9);
  std::vector<int32_t> between(40);
  ASSERT_EQ(model->call("f", x.data(), table.data(), y.data(), steps.data(),
                        got.data(), between.data()),
            0)
      << JitModel::deviceMessage();
  for (size_t i = 0; i < 300; ++i)
    EXPECT_EQ(got[i], table[static_cast<size_t>(x[i] + 128)]) << i;
  for (size_t i = 0; i < 40; ++i) {
    int at = (y[i] + 32768) >> 7, part = (y[i] + 32768) & 127;
    int low = steps[static_cast<size_t>(at)],
        high = steps[static_cast<size_t>(at) + 1];
    EXPECT_EQ(between[i], low * 128 + (high - low) * part) << i;
  }
}

// What moves elements, compares and reduces.
TEST_P(TosaTest, ShapesAndReductions) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<4x6xf32>) -> (tensor<5x3xf32>, tensor<4x1xf32>, tensor<4xi32>) {
      %t = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
      %start = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
      %size = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
      %s = tosa.slice %t, %start, %size : (tensor<6x4xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x2xf32>
      %around = tosa.const_shape {values = dense<[1, 1, 0, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
      %nine = "tosa.const"() <{values = dense<9.0> : tensor<1xf32>}> : () -> tensor<1xf32>
      %p = tosa.pad %s, %around, %nine : (tensor<3x2xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<5x3xf32>
      %r = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<4x6xf32>) -> tensor<4x1xf32>
      %a = tosa.argmax %x {axis = 1 : i32} : (tensor<4x6xf32>) -> tensor<4xi32>
      return %p, %r, %a : tensor<5x3xf32>, tensor<4x1xf32>, tensor<4xi32>
    })");
  ASSERT_TRUE(model);
  auto x = some<float>(24, 9);
  std::vector<float> moved(15), sums(4);
  std::vector<int32_t> largest(4);
  ASSERT_EQ(
      model->call("f", x.data(), moved.data(), sums.data(), largest.data()), 0)
      << JitModel::deviceMessage();
  for (size_t i = 0; i < 15; ++i) {
    size_t row = i / 3, column = i % 3;
    bool isInside = row >= 1 && row <= 3 && column < 2;
    EXPECT_EQ(moved[i], isInside ? x[(column + 1) * 6 + row] : 9) << i;
  }
  for (size_t i = 0; i < 4; ++i) {
    auto first = x.begin() + static_cast<std::ptrdiff_t>(i * 6);
    float sum = 0;
    for (size_t k = 0; k < 6; ++k) sum += x[i * 6 + k];
    EXPECT_EQ(sums[i], sum);
    EXPECT_EQ(largest[i], std::max_element(first, first + 6) - first);
  }
}

// Unsigned elements travel as signless ones.
TEST_P(TosaTest, UnsignedElements) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<256xui8>) -> tensor<256xi8> {
      %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
      %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
      %xz = "tosa.const"() <{values = dense<100> : tensor<1xui8>}> : () -> tensor<1xui8>
      %yz = "tosa.const"() <{values = dense<-28> : tensor<1xi8>}> : () -> tensor<1xi8>
      %r = tosa.rescale %x, %m, %s, %xz, %yz {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false,
        input_unsigned = true, output_unsigned = false} : (tensor<256xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xui8>,
        tensor<1xi8>) -> tensor<256xi8>
      return %r : tensor<256xi8>
    })");
  ASSERT_TRUE(model);
  std::vector<uint8_t> x(256);
  for (size_t i = 0; i < 256; ++i) x[i] = static_cast<uint8_t>(i);
  std::vector<int8_t> got(256);
  ASSERT_EQ(model->call("f", x.data(), got.data()), 0)
      << JitModel::deviceMessage();
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(got[static_cast<size_t>(i)], i - 128) << i;
}

INSTANTIATE_TEST_SUITE_P(Targets, TosaTest,
                         ::testing::Values(runnableIsas().front(),
                                           "amdgpu_gfx942"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tilewright::testing
