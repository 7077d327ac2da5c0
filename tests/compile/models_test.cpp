// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What surrounds the matrix multiplications of a model: elementwise operations,
// reductions, constants, entry points and the checks of their sizes.

#include "tests/compile/models_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tilewright::testing {
namespace {

const char kMaps[] = R"(
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
)";

TEST_P(ModelsTest, ElementwiseBroadcastAndReductionOfDynamicShapes) {
  // Row sums of relu(x * scale + bias).
  std::unique_ptr<JitModel> model = compile(std::string(kMaps) + R"(
    func.func @f(%x: tensor<?x?xf32>, %bias: tensor<?xf32>, %scale: f32)
        -> (tensor<?x?xf32>, tensor<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %m = tensor.dim %x, %c0 : tensor<?x?xf32>
      %n = tensor.dim %x, %c1 : tensor<?x?xf32>
      %e = tensor.empty(%m, %n) : tensor<?x?xf32>
      %y = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
          ins(%x, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %p = arith.mulf %a, %scale : f32
        %s = arith.addf %p, %b : f32
        %r = arith.maximumf %s, %zero : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %es = tensor.empty(%m) : tensor<?xf32>
      %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<?xf32>) -> tensor<?xf32>
      %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
          ins(%y : tensor<?x?xf32>) outs(%zs : tensor<?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %a, %o : f32
        linalg.yield %s : f32
      } -> tensor<?xf32>
      return %y, %sum : tensor<?x?xf32>, tensor<?xf32>
    })");
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->tiles().empty());
  auto* f =
      reinterpret_cast<int32_t (*)(const float*, int64_t, int64_t, const float*,
                                   int64_t, float, float*, float*)>(
          model->find("f"));
  const float scale = 0.5f;
  for (int64_t m : {0, 1, 2, 7, 33})
    for (int64_t n : {0, 1, 3, 16, 41}) {
      SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
      GuardedBuffer x = someFloats(m * n), bias = someFloats(n);
      GuardedBuffer y = someFloats(m * n), sum = someFloats(m);
      ASSERT_EQ(f(x.as<float>(), m, n, bias.as<float>(), n, scale,
                  y.as<float>(), sum.as<float>()),
                0);
      EXPECT_EQ(JitModel::liveAllocations(), 0);
      for (int64_t i = 0; i < m; ++i) {
        float total = 0;
        for (int64_t j = 0; j < n; ++j) {
          float expected = std::fmax(
              x.as<float>()[i * n + j] * scale + bias.as<float>()[j], 0.0f);
          ASSERT_EQ(y.as<float>()[i * n + j], expected);
          total += expected;
        }
        // Quarters of small numbers: every order of the sum is exact.
        ASSERT_EQ(sum.as<float>()[i], total);
      }
    }
}

// y = x * W + b for a constant W [5][3] and b, through `body`.
std::string constantWeights(const std::string& weights) {
  return R"(
    func.func @f(%x: tensor<?x5xf32>) -> tensor<?x3xf32> {
      %w = arith.constant )" +
         weights + R"( : tensor<5x3xf32>
      %b = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      %c0 = arith.constant 0 : index
      %m = tensor.dim %x, %c0 : tensor<?x5xf32>
      %e = tensor.empty(%m) : tensor<?x3xf32>
      %init = linalg.broadcast ins(%b : tensor<3xf32>) outs(%e : tensor<?x3xf32>) dimensions = [0]
      %y = linalg.matmul ins(%x, %w : tensor<?x5xf32>, tensor<5x3xf32>)
          outs(%init : tensor<?x3xf32>) -> tensor<?x3xf32>
      return %y : tensor<?x3xf32>
    })";
}

TEST_P(ModelsTest, ConstantsArePackedAtCompileTime) {
  std::unique_ptr<JitModel> model = compile(constantWeights(
      "dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], "
      "[10.0, 11.0, 12.0], [13.0, 14.0, 15.0]]>"));
  ASSERT_TRUE(model);
  ASSERT_EQ(model->packedConstants().size(), 1u);
  EXPECT_NE(model->packedConstants()[0].find("tensor<5x3xf32> -> "),
            std::string::npos);
  // A tile of exactly the matrix's width needs no padding; a GPU's is what its
  // lanes load. A CPU has tiles of 1 and 4 rows for the same panels beside it,
  // a GPU one for few rows.
  ASSERT_GE(model->tiles().size(), isGpu() ? 2u : 1u);
  ASSERT_LE(model->tiles().size(), isGpu() ? 2u : 3u);
  for (const std::string& tile : model->tiles())
    EXPECT_NE(tile.find(isGpu() ? "x16x" : "x3x1_"), std::string::npos) << tile;
  for (int64_t m : {0, 1, 5, 18}) {
    GuardedBuffer x = someFloats(m * 5), y = someFloats(m * 3);
    ASSERT_EQ(model->call("f", x.data(), m, y.data()), 0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < 3; ++j) {
        float expected = static_cast<float>(j + 1);
        for (int64_t k = 0; k < 5; ++k)
          expected +=
              x.as<float>()[i * 5 + k] * static_cast<float>(3 * k + j + 1);
        ASSERT_EQ(y.as<float>()[i * 3 + j], expected);
      }
  }
}

// A splat that needs padding: K is no multiple of the tile's K0.
TEST_P(ModelsTest, SplatConstantsArePadded) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?x5xi8>) -> tensor<?x3xi32> {
      %w = arith.constant dense<2> : tensor<5x3xi8>
      %zero = arith.constant 0 : i32
      %c0 = arith.constant 0 : index
      %m = tensor.dim %x, %c0 : tensor<?x5xi8>
      %e = tensor.empty(%m) : tensor<?x3xi32>
      %z = linalg.fill ins(%zero : i32) outs(%e : tensor<?x3xi32>) -> tensor<?x3xi32>
      %y = linalg.matmul ins(%x, %w : tensor<?x5xi8>, tensor<5x3xi8>)
          outs(%z : tensor<?x3xi32>) -> tensor<?x3xi32>
      return %y : tensor<?x3xi32>
    })");
  ASSERT_TRUE(model);
  int8_t x[2][5] = {{1, 2, 3, 4, 5}, {-128, 127, 0, 0, 1}};
  int32_t y[2][3];
  ASSERT_EQ(model->call("f", &x[0][0], int64_t{2}, &y[0][0]), 0);
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(y[0][j], 30);
    EXPECT_EQ(y[1][j], 0);
  }
}

TEST_P(ModelsTest, BatchMatmul) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%a: tensor<?x?x7xf32>, %b: tensor<?x7x9xf32>, %c: tensor<?x?x9xf32>) -> tensor<?x?x9xf32> {
      %r = linalg.batch_matmul ins(%a, %b : tensor<?x?x7xf32>, tensor<?x7x9xf32>)
          outs(%c : tensor<?x?x9xf32>) -> tensor<?x?x9xf32>
      return %r : tensor<?x?x9xf32>
    })");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->tiles().size(), isGpu() ? 2u : 1u);
  for (int64_t batch : {0, 1, 3})
    for (int64_t m : {0, 1, 21}) {
      GuardedBuffer a = someFloats(batch * m * 7), b = someFloats(batch * 63);
      GuardedBuffer c = someFloats(batch * m * 9),
                    r = someFloats(batch * m * 9);
      ASSERT_EQ(model->call("f", a.data(), batch, m, b.data(), batch, c.data(),
                            batch, m, r.data()),
                0);
      EXPECT_EQ(JitModel::liveAllocations(), 0);
      for (int64_t t = 0; t < batch; ++t)
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < 9; ++j) {
            float sum = c.as<float>()[(t * m + i) * 9 + j];
            for (int64_t k = 0; k < 7; ++k)
              sum += a.as<float>()[(t * m + i) * 7 + k] *
                     b.as<float>()[(t * 7 + k) * 9 + j];
            ASSERT_EQ(r.as<float>()[(t * m + i) * 9 + j], sum);
          }
    }
}

// A product whose factors are wider than any tile: stays a loop, with a remark.
TEST_P(ModelsTest, TypesWithoutATileBecomeLoops) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%a: tensor<?x?xi64>, %b: tensor<?x?xi64>, %c: tensor<?x?xi64>) -> tensor<?x?xi64> {
      %r = linalg.matmul ins(%a, %b : tensor<?x?xi64>, tensor<?x?xi64>)
          outs(%c : tensor<?x?xi64>) -> tensor<?x?xi64>
      return %r : tensor<?x?xi64>
    })");
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->tiles().empty());
  ASSERT_EQ(model->remarks().size(), 1u);
  EXPECT_EQ(
      model->remarks()[0],
      "test.mlir:3:12: lowered to plain loops: no tile function has these "
      "element types: 'i64', 'i64', 'i64'");
  int64_t a[2] = {3, -4}, b[2] = {5, 1LL << 40}, c[1] = {7}, r[1];
  ASSERT_EQ(model->call("f", a, int64_t{1}, int64_t{2}, b, int64_t{2},
                        int64_t{1}, c, int64_t{1}, int64_t{1}, r),
            0);
  EXPECT_EQ(r[0], 7 + 15 - 4 * (1LL << 40));
}

const char kMatmul[] = R"(
    func.func @product(%int: tensor<?x?xf32>, %b: tensor<?x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %r = linalg.matmul ins(%int, %b : tensor<?x?xf32>, tensor<?x8xf32>)
          outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    })";

TEST_P(ModelsTest, SizesThatDisagreeAreRefusedAndNothingIsWritten) {
  std::unique_ptr<JitModel> model = compile(kMatmul);
  ASSERT_TRUE(model);
  GuardedBuffer a = someFloats(6), b = someFloats(24), c = someFloats(16);
  GuardedBuffer r(16 * sizeof(float));
  auto call = [&](int64_t m, int64_t ka, int64_t kb, int64_t mc) {
    return model->call("product", a.data(), m, ka, b.data(), kb, c.data(), mc,
                       r.data());
  };
  EXPECT_EQ(call(2, 3, 2, 2), 1);
  EXPECT_EQ(call(2, 3, 3, 1), 1);
  EXPECT_EQ(call(-1, 3, 3, -1), 1);
  EXPECT_EQ(call(2, -3, -3, 2), 1);
  for (size_t i = 0; i < r.size(); ++i)
    ASSERT_EQ(r.as<uint8_t>()[i], GuardedBuffer::kFill);
  EXPECT_EQ(call(2, 3, 3, 2), 0);
}

// A cast to a static size asserts it.
TEST_P(ModelsTest, CastsAreChecked) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>) -> tensor<4xf32> {
      %y = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
      %e = tensor.empty() : tensor<4xf32>
      %r = linalg.add ins(%y, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    })");
  ASSERT_TRUE(model);
  GuardedBuffer x = someFloats(4), r = someFloats(4);
  EXPECT_EQ(model->call("f", x.data(), int64_t{3}, r.data()), 1);
  EXPECT_EQ(model->call("f", x.data(), int64_t{4}, r.data()), 0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(r.as<float>()[i], 2 * x.as<float>()[i]);
}

TEST_P(ModelsTest, HeaderSaysHowToCall) {
  std::unique_ptr<JitModel> model = compile(kMatmul);
  ASSERT_TRUE(model);
  // A C keyword gets an underscore.
  EXPECT_NE(model->header().find("//   int_: [int__d0][int__d1]\n"
                                 "//   b: [b_d0][8]\n"
                                 "//   c: [c_d0][8]\n"
                                 "//   result: [c_d0][8], written\n"
                                 "int32_t product(const float *int_,\n"
                                 "                int64_t int__d0,\n"),
            std::string::npos)
      << model->header();
  EXPECT_NE(model->header().find("#ifndef TEST_H_\n"), std::string::npos);
}

TEST_P(ModelsTest, SeveralEntryPointsShareAPrivateFunction) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func private @double(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
      %r = func.call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    func.func @four_times(%x: tensor<?xf32>) -> tensor<?xf32> {
      %r = func.call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
      %s = func.call @double(%r) : (tensor<?xf32>) -> tensor<?xf32>
      return %s : tensor<?xf32>
    })");
  ASSERT_TRUE(model);
  float x[3] = {1, -2, 3}, y[3];
  ASSERT_EQ(model->call("twice", x, int64_t{3}, y), 0);
  EXPECT_EQ(y[1], -4);
  ASSERT_EQ(model->call("four_times", x, int64_t{3}, y), 0);
  EXPECT_EQ(y[2], 12);
  EXPECT_EQ(model->find("double"), nullptr);
  EXPECT_EQ(JitModel::liveAllocations(), 0);
}

TEST_P(ModelsTest, SizesFromIndexArgumentsAndScalarTensors) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @fill(%n: index, %value: tensor<f32>) -> tensor<?x2xf32> {
      %e = tensor.empty(%n) : tensor<?x2xf32>
      %r = linalg.broadcast ins(%value : tensor<f32>) outs(%e : tensor<?x2xf32>) dimensions = [0, 1]
      return %r : tensor<?x2xf32>
    })");
  ASSERT_TRUE(model);
  GuardedBuffer value = someFloats(1), r = someFloats(10);
  ASSERT_EQ(model->call("fill", int64_t{5}, value.data(), r.data()), 0);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(r.as<float>()[i], 0.25f);
  EXPECT_EQ(model->call("fill", int64_t{-5}, value.data(), r.data()), 1);
}

TEST_P(ModelsTest, ArgumentsAndConstantsCanBeResults) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xi8>) -> (tensor<?xi8>, tensor<2xi16>, tensor<?xi8>) {
      %c = arith.constant dense<[300, -2]> : tensor<2xi16>
      return %x, %c, %x : tensor<?xi8>, tensor<2xi16>, tensor<?xi8>
    })");
  ASSERT_TRUE(model);
  int8_t x[3] = {1, -2, 3}, y[3], z[3];
  int16_t c[2];
  ASSERT_EQ(model->call("f", x, int64_t{3}, y, c, z), 0);
  EXPECT_EQ(std::memcmp(x, y, 3), 0);
  EXPECT_EQ(std::memcmp(x, z, 3), 0);
  EXPECT_EQ(c[0], 300);
  EXPECT_EQ(c[1], -2);
}

// f16 and bf16 arithmetic rounds after each operation, on every ISA.
TEST_P(ModelsTest, NarrowFloatArithmetic) {
  bool isHost = isa() == runnableIsas().front();
  for (const std::string& isa :
       isHost ? runnableIsas() : std::vector<std::string>{isa()}) {
    SCOPED_TRACE(isa);
    for (const char* type : {"f16", "bf16"}) {
      std::string t = type;
      std::string error;
      std::unique_ptr<JitModel> model = JitModel::compile(
          "func.func @f(%x: tensor<?x" + t + ">, %y: tensor<?x" + t +
              ">) -> tensor<?x" + t + R"(> {
          %c0 = arith.constant 0 : index
          %n = tensor.dim %x, %c0 : tensor<?x)" +
              t + R"(>
          %e = tensor.empty(%n) : tensor<?x)" +
              t + R"(>
          %s = linalg.add ins(%x, %y : tensor<?x)" +
              t + ">, tensor<?x" + t + ">) outs(%e : tensor<?x" + t +
              ">) -> tensor<?x" + t + R"(>
          %r = linalg.exp ins(%s : tensor<?x)" +
              t + ">) outs(%e : tensor<?x" + t + ">) -> tensor<?x" + t +
              R"(>
          return %r : tensor<?x)" +
              t + ">\n}",
          {isa}, &error);
      ASSERT_TRUE(model) << error;
      // 1 + tiny rounds to 1, and e rounds to the nearest of each type.
      bool half = t == "f16";
      uint16_t x[2] = {half ? uint16_t{0x3C00} : uint16_t{0x3F80}, 0};
      uint16_t y[2] = {1, 0}, r[2] = {0, 0};
      ASSERT_EQ(model->call("f", x, int64_t{2}, y, int64_t{2}, r), 0);
      EXPECT_EQ(r[0], half ? 0x4170 : 0x402E);
      EXPECT_EQ(r[1], half ? 0x3C00 : 0x3F80);
    }
  }
}

// Names of the header's own are not taken by arguments.
TEST_P(ModelsTest, ArgumentNames) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%0: tensor<?xf32>, %x_d0: tensor<?xf32>, %result1: tensor<?xf32>, %a-b: tensor<?xf32>)
        -> (tensor<?xf32>, tensor<?xf32>) {
      return %0, %x_d0 : tensor<?xf32>, tensor<?xf32>
    })");
  ASSERT_TRUE(model);
  for (const char* parameter :
       {"const float *arg0,", "int64_t arg0_d0,", "const float *x_d0_,",
        "const float *result1_,", "const float *a_b,", "float *result0,",
        "float *result1)"})
    EXPECT_NE(model->header().find(parameter), std::string::npos)
        << parameter << "\n"
        << model->header();
}

TEST_P(ModelsTest, TensorsOfBooleans) {
  std::unique_ptr<JitModel> model = compile(R"(
    #i = affine_map<(i) -> (i)>
    func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi8>) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %e1 = tensor.empty(%n) : tensor<?xi1>
      %e8 = tensor.empty(%n) : tensor<?xi8>
      %e = tensor.empty(%n) : tensor<?xf32>
      %negative = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
          ins(%x : tensor<?xf32>) outs(%e1 : tensor<?xi1>) {
      ^bb0(%v: f32, %o: i1):
        %c = arith.cmpf olt, %v, %zero : f32
        linalg.yield %c : i1
      } -> tensor<?xi1>
      %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
          ins(%negative, %x : tensor<?xi1>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%c: i1, %v: f32, %o: f32):
        %s = arith.select %c, %zero, %v : f32
        linalg.yield %s : f32
      } -> tensor<?xf32>
      %b = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
          ins(%negative : tensor<?xi1>) outs(%e8 : tensor<?xi8>) {
      ^bb0(%c: i1, %o: i8):
        %s = arith.extui %c : i1 to i8
        linalg.yield %s : i8
      } -> tensor<?xi8>
      return %r, %b : tensor<?xf32>, tensor<?xi8>
    })");
  ASSERT_TRUE(model);
  GuardedBuffer x = someFloats(37), r = someFloats(37), b(37);
  ASSERT_EQ(model->call("f", x.data(), int64_t{37}, r.data(), b.data()), 0);
  EXPECT_EQ(JitModel::liveAllocations(), 0);
  for (int i = 0; i < 37; ++i) {
    EXPECT_EQ(r.as<float>()[i], std::fmax(x.as<float>()[i], 0.0f));
    EXPECT_EQ(b.as<int8_t>()[i], x.as<float>()[i] < 0);
  }
}

TEST_P(ModelsTest, ReferenceModeCallsNoTile) {
  std::unique_ptr<JitModel> model = compile(kMatmul, /*reference=*/true);
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->tiles().empty());
  GuardedBuffer a = someFloats(6), b = someFloats(24), c = someFloats(16);
  float expected[16], got[16];
  ASSERT_EQ(model->call("product", a.data(), int64_t{2}, int64_t{3}, b.data(),
                        int64_t{3}, c.data(), int64_t{2}, expected),
            0);
  std::unique_ptr<JitModel> tiled = compile(kMatmul);
  ASSERT_TRUE(tiled);
  EXPECT_EQ(tiled->tiles().size(), isGpu() ? 2u : 1u);
  ASSERT_EQ(tiled->call("product", a.data(), int64_t{2}, int64_t{3}, b.data(),
                        int64_t{3}, c.data(), int64_t{2}, got),
            0);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(got[i], expected[i]);
}

INSTANTIATE_TEST_SUITE_P(Targets, ModelsTest,
                         ::testing::ValuesIn(modelTargets()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tilewright::testing
