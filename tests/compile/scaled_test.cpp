// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions with block scales, compiled for AMD GPUs, which have tiles of
// them, and CPUs, which have loops, and run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "tests/compile/jit_model.h"
#include "tests/compile/scaled_program.h"
#include "tilewright/key.h"

namespace tilewright::testing {
namespace {

std::unique_ptr<JitModel> compile(const std::string& text,
                                  const std::string& target,
                                  JitTiling tiling = JitTiling::kLate,
                                  bool reference = false) {
  JitOptions options{target, reference};
  options.tiling = tiling;
  std::string error;
  std::unique_ptr<JitModel> model = JitModel::compile(text, options, &error);
  EXPECT_TRUE(model) << error << "\n" << text;
  return model;
}

bool hasScaledTile(const JitModel& model) {
  return std::any_of(model.tiles().begin(), model.tiles().end(),
                     [](const std::string& name) {
                       return name.find("_mx_") != std::string::npos;
                     });
}

// What it returns, of a function that gets the program's arguments.
std::vector<float> run(const JitModel& model, const ScaledProgram& program) {
  std::vector<const ScaledOperand*> arguments;
  for (const ScaledOperand* operand : program.inputs())
    if (!operand->isConstant) arguments.push_back(operand);
  if (program.accumulates) arguments.push_back(&program.out);
  std::vector<int64_t> words;
  for (const ScaledOperand* operand : arguments) {
    words.push_back(reinterpret_cast<int64_t>(operand->bytes.data()));
    for (size_t i = 0; i < operand->indices.size(); ++i)
      if (operand->isDynamic[i])
        words.push_back(program.sizes.at(operand->indices[i]));
  }
  std::vector<float> result(program.out.elements(program.sizes),
                            std::numeric_limits<float>::quiet_NaN());
  words.push_back(reinterpret_cast<int64_t>(result.data()));
  EXPECT_EQ(static_cast<int32_t>(model.callWords("f", words)), 0)
      << JitModel::deviceMessage();
  return result;
}

std::vector<std::string> gpus() {
  std::vector<std::string> names;
  for (const IsaInfo& isa : isas())
    if (isa.isGpu()) names.emplace_back(isa.name);
  return names;
}

int64_t countOf(int64_t usual) {
  const char* given = std::getenv("TW_SCALED_COUNT");
  return given ? std::strtoll(given, nullptr, 10) : usual;
}

// Any layout of any operand, on any GPU: late, early and as loops alike.
TEST(ScaledTest, RandomContractionsAreExact) {
  const std::vector<std::string> targets = gpus();
  uint64_t all = seedOf("ScaledTest.RandomContractionsAreExact");
  for (int64_t i = 0; i < countOf(10); ++i) {
    ScaledProgram program = randomScaledContraction(all + i, kScaleBlock);
    const std::string& target = targets[i % targets.size()];
    SCOPED_TRACE(program.describe() + " on " + target + ", " +
                 seedText(all + i) + "\n" + program.text());
    std::vector<float> expected = program.expected();
    for (JitTiling tiling :
         {JitTiling::kLate, JitTiling::kEarly, JitTiling::kNone}) {
      std::unique_ptr<JitModel> model = compile(program.text(), target, tiling);
      ASSERT_TRUE(model);
      EXPECT_EQ(hasScaledTile(*model), tiling != JitTiling::kNone);
      ASSERT_EQ(run(*model, program), expected);
    }
  }
}

// Loops, of blocks of any size: on CPUs, and where tiles have no such blocks.
TEST(ScaledTest, WhatHasNoTileIsLoops) {
  uint64_t all = seedOf("ScaledTest.WhatHasNoTileIsLoops");
  std::vector<std::string> targets = {runnableIsas().front(), "generic",
                                      "amdgpu_gfx950"};
  for (int64_t i = 0; i < countOf(9); ++i) {
    const std::string& target = targets[i % targets.size()];
    bool isGpu = target.find("amdgpu") == 0;
    const int64_t blocks[] = {1, 16, 40, 64};
    int64_t block = isGpu || i % 2 ? blocks[i / 3 % 4] : kScaleBlock;
    ScaledProgram program = randomScaledContraction(all + i, block);
    SCOPED_TRACE(program.describe() + " on " + target + ", " +
                 seedText(all + i) + "\n" + program.text());
    for (bool reference : {false, true}) {
      std::unique_ptr<JitModel> model =
          compile(program.text(), target, JitTiling::kLate, reference);
      ASSERT_TRUE(model);
      EXPECT_FALSE(hasScaledTile(*model));
      EXPECT_EQ(model->remarks().empty(), reference);
      ASSERT_EQ(run(*model, program), program.expected());
    }
  }
}

// A product of 3 x 5 blocks and 5 blocks x 4, with all else in the last tiles
// padding.
ScaledProgram plainProgram() {
  ScaledProgram program;
  program.letters = "mnkz";
  program.sizes = {{'m', 3}, {'n', 4}, {'k', 5}, {'z', kScaleBlock}};
  program.lhs = {"mkz", TW_ELEMENT_F8E4M3FN, false, {true, false, false}, false,
                 {}};
  program.rhs = {"nkz", TW_ELEMENT_F8E5M2, false, {false, false, false}, false,
                 {}};
  program.lhsScales = {"mk", TW_ELEMENT_F32, true, {true, false}, false, {}};
  program.rhsScales = {"nk", TW_ELEMENT_F32, true, {false, false}, false, {}};
  program.out = {"mn", TW_ELEMENT_F32, false, {true, false}, false, {}};
  program.lhs.bytes.assign(3 * 5 * kScaleBlock, 0x38);  // 1
  program.rhs.bytes.assign(4 * 5 * kScaleBlock, 0x3C);  // 1
  program.lhsScales.bytes.assign(3 * 5, 127);
  program.rhsScales.bytes.assign(4 * 5, 127);
  return program;
}

// Three of it, with scales that differ.
ScaledProgram batchProgram() {
  ScaledProgram program = plainProgram();
  program.letters = "amnkz";
  program.sizes['a'] = 3;
  for (ScaledOperand* operand : {&program.lhs, &program.rhs, &program.lhsScales,
                                 &program.rhsScales, &program.out}) {
    operand->indices = "a" + operand->indices;
    operand->isDynamic.insert(operand->isDynamic.begin(), false);
    operand->bytes.resize(static_cast<size_t>(operand->elements(program.sizes)),
                          operand->bytes.empty() ? 0 : operand->bytes.front());
  }
  for (size_t i = 0; i < program.lhsScales.bytes.size(); ++i)
    program.lhsScales.bytes[i] = static_cast<uint8_t>(124 + i % 7);
  for (size_t i = 0; i < program.rhsScales.bytes.size(); ++i)
    program.rhsScales.bytes[i] = static_cast<uint8_t>(125 + i % 3);
  return program;
}

// Its elements have 6 and 4 bits; the others of a byte say something else.
void useFewBits(ScaledProgram& program) {
  program.lhs.type = TW_ELEMENT_F6E2M3FN;
  program.rhs.type = TW_ELEMENT_F4E2M1FN;
  for (size_t i = 0; i < program.lhs.bytes.size(); ++i)
    program.lhs.bytes[i] = static_cast<uint8_t>(i * 37);
  for (size_t i = 0; i < program.rhs.bytes.size(); ++i)
    program.rhs.bytes[i] = static_cast<uint8_t>(i * 11);
}

class ScalesTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<JitModel> compile(const ScaledProgram& program) {
    return testing::compile(program.text(), GetParam());
  }
};

// A scale that is NaN makes its row or column NaN, and nothing else: what fills
// up the last tiles is multiplied by no such scale.
TEST_P(ScalesTest, NaNStaysInItsRow) {
  ScaledProgram program = plainProgram();
  std::unique_ptr<JitModel> model = compile(program);
  ASSERT_TRUE(model);
  program.lhsScales.bytes[1 * 5 + 4] = 255;
  program.rhsScales.bytes[2 * 5 + 0] = 255;
  std::vector<float> result = run(*model, program);
  for (int m = 0; m < 3; ++m)
    for (int n = 0; n < 4; ++n) {
      SCOPED_TRACE(std::to_string(m) + ", " + std::to_string(n));
      if (m == 1 || n == 2)
        EXPECT_TRUE(std::isnan(result[m * 4 + n]));
      else
        EXPECT_EQ(result[m * 4 + n], 5 * kScaleBlock);
    }
}

// The least scale is 2^-127, the largest 2^127; together they are 1.
TEST_P(ScalesTest, AllScalesAreExact) {
  ScaledProgram program = plainProgram();
  std::unique_ptr<JitModel> model = compile(program);
  ASSERT_TRUE(model);
  for (int scale : {0, 1, 2, 100, 253, 254}) {
    SCOPED_TRACE(scale);
    std::fill(program.lhsScales.bytes.begin(), program.lhsScales.bytes.end(),
              static_cast<uint8_t>(scale));
    std::fill(program.rhsScales.bytes.begin(), program.rhsScales.bytes.end(),
              static_cast<uint8_t>(254 - scale));
    EXPECT_EQ(run(*model, program), program.expected());
  }
}

// The matrices of a batch are launches of one kernel.
TEST_P(ScalesTest, EachMatrixOfABatchHasItsOwn) {
  ScaledProgram program = batchProgram();
  std::unique_ptr<JitModel> model = compile(program);
  ASSERT_TRUE(model);
  EXPECT_EQ(run(*model, program), program.expected());
}

TEST_P(ScalesTest, EachMatrixOfABatchHasItsBits) {
  ScaledProgram program = batchProgram();
  useFewBits(program);
  std::unique_ptr<JitModel> model = compile(program);
  ASSERT_TRUE(model);
  EXPECT_EQ(hasScaledTile(*model), std::string(GetParam()) != "generic");
  EXPECT_EQ(run(*model, program), program.expected());
}

// k in one loop, whose scales are found by its floor.
TEST_P(ScalesTest, OneLoopOfKIsTwo) {
  ScaledProgram program = plainProgram();
  for (size_t i = 0; i < program.lhs.bytes.size(); i += 3)
    program.lhs.bytes[i] = 0xB8;  // -1
  for (size_t i = 0; i < program.lhsScales.bytes.size(); ++i)
    program.lhsScales.bytes[i] = static_cast<uint8_t>(125 + i % 5);
  std::string text = R"(
    func.func @f(%lhs: tensor<?x160xf8E4M3FN>, %rhs: tensor<4x160xf8E5M2>,
                 %p: tensor<?x5xf8E8M0FNU>, %q: tensor<4x5xf8E8M0FNU>) -> tensor<?x4xf32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %m = tensor.dim %lhs, %c0 : tensor<?x160xf8E4M3FN>
      %e = tensor.empty(%m) : tensor<?x4xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      %r = linalg.generic {indexing_maps = [
            affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
            affine_map<(m, n, k) -> (m, k floordiv 32)>,
            affine_map<(m, n, k) -> (n, k floordiv 32)>,
            affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%lhs, %rhs, %p, %q : tensor<?x160xf8E4M3FN>, tensor<4x160xf8E5M2>, tensor<?x5xf8E8M0FNU>, tensor<4x5xf8E8M0FNU>)
          outs(%z : tensor<?x4xf32>) {
      ^bb0(%a: f8E4M3FN, %b: f8E5M2, %s: f8E8M0FNU, %t: f8E8M0FNU, %o: f32):
        %u = arith.scaling_extf %a, %s : f8E4M3FN, f8E8M0FNU to f32
        %v = arith.scaling_extf %b, %t : f8E5M2, f8E8M0FNU to f32
        %w = arith.mulf %u, %v : f32
        %x = arith.addf %o, %w : f32
        linalg.yield %x : f32
      } -> tensor<?x4xf32>
      return %r : tensor<?x4xf32>
    })";
  std::unique_ptr<JitModel> model = testing::compile(text, GetParam());
  ASSERT_TRUE(model);
  EXPECT_EQ(hasScaledTile(*model), std::string(GetParam()) != "generic");
  EXPECT_EQ(run(*model, program), program.expected());
}

INSTANTIATE_TEST_SUITE_P(Targets, ScalesTest,
                         ::testing::Values("generic", "amdgpu_gfx942",
                                           "amdgpu_gfx950", "amdgpu_gfx1100"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

// Elements of 6 and 4 bits are joined by the kernel that packs them, or when
// the model is compiled.
TEST(ScaledTest, AJoinIsNoDispatchOfItsOwn) {
  ScaledProgram program = plainProgram();
  useFewBits(program);
  program.rhs.isConstant = program.rhsScales.isConstant = true;
  for (size_t i = 0; i < program.rhsScales.bytes.size(); ++i)
    program.rhsScales.bytes[i] = static_cast<uint8_t>(125 + i % 3);
  std::unique_ptr<JitModel> model = compile(program.text(), "amdgpu_gfx950");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->packedConstants().size(), 2u);
  EXPECT_EQ(model->dispatches(), 3);
  EXPECT_EQ(run(*model, program), program.expected());
}

// Weights and their scales are packed when the model is compiled; activations
// are packed by the kernels that compute them. So there are no more dispatches
// than without tiles.
TEST(ScaledTest, APackIsNoDispatchOfItsOwn) {
  std::string weights = "\"0x", scales = "\"0x";
  for (int i = 0; i < 24 * 2 * kScaleBlock; ++i) weights += i % 3 ? "38" : "B8";
  for (int i = 0; i < 24 * 2; ++i) scales += i % 2 ? "80" : "7E";
  std::string text = R"(
    #mkz = affine_map<(m, k, z) -> (m, k, z)>
    #mk = affine_map<(m, k) -> (m, k)>
    func.func @f(%x: tensor<?x2x32xf32>, %s: tensor<?x2xi8>) -> tensor<?x24xf32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %w = arith.constant dense<)" +
                     weights + R"("> : tensor<24x2x32xf8E4M3FN>
      %ws = arith.constant dense<)" +
                     scales + R"("> : tensor<24x2xf8E8M0FNU>
      %m = tensor.dim %x, %c0 : tensor<?x2x32xf32>
      %xe = tensor.empty(%m) : tensor<?x2x32xf8E4M3FN>
      %q = linalg.generic {indexing_maps = [#mkz, #mkz], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x : tensor<?x2x32xf32>) outs(%xe : tensor<?x2x32xf8E4M3FN>) {
      ^bb0(%a: f32, %o: f8E4M3FN):
        %t = arith.truncf %a : f32 to f8E4M3FN
        linalg.yield %t : f8E4M3FN
      } -> tensor<?x2x32xf8E4M3FN>
      %se = tensor.empty(%m) : tensor<?x2xf8E8M0FNU>
      %qs = linalg.generic {indexing_maps = [#mk, #mk], iterator_types = ["parallel", "parallel"]}
          ins(%s : tensor<?x2xi8>) outs(%se : tensor<?x2xf8E8M0FNU>) {
      ^bb0(%a: i8, %o: f8E8M0FNU):
        %t = arith.bitcast %a : i8 to f8E8M0FNU
        linalg.yield %t : f8E8M0FNU
      } -> tensor<?x2xf8E8M0FNU>
      %e = tensor.empty(%m) : tensor<?x24xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x24xf32>) -> tensor<?x24xf32>
      %r = linalg.generic {indexing_maps = [
            affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>,
            affine_map<(m, n, k, z) -> (m, k)>, affine_map<(m, n, k, z) -> (n, k)>,
            affine_map<(m, n, k, z) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
          ins(%q, %w, %qs, %ws : tensor<?x2x32xf8E4M3FN>, tensor<24x2x32xf8E4M3FN>, tensor<?x2xf8E8M0FNU>, tensor<24x2xf8E8M0FNU>)
          outs(%z : tensor<?x24xf32>) {
      ^bb0(%a: f8E4M3FN, %b: f8E4M3FN, %p: f8E8M0FNU, %q0: f8E8M0FNU, %o: f32):
        %u = arith.scaling_extf %a, %p : f8E4M3FN, f8E8M0FNU to f32
        %v = arith.scaling_extf %b, %q0 : f8E4M3FN, f8E8M0FNU to f32
        %pr = arith.mulf %u, %v : f32
        %sum = arith.addf %o, %pr : f32
        linalg.yield %sum : f32
      } -> tensor<?x24xf32>
      return %r : tensor<?x24xf32>
    })";
  const int64_t rows = 3;
  std::vector<float> x(rows * 2 * kScaleBlock), expected(rows * 24);
  std::vector<uint8_t> s(rows * 2);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2;
  for (size_t i = 0; i < s.size(); ++i)
    s[i] = static_cast<uint8_t>(126 + i % 3);
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < 24; ++n)
      for (int64_t k = 0; k < 2 * kScaleBlock; ++k) {
        int64_t block = k / kScaleBlock;
        float weight = (n * 2 * kScaleBlock + k) % 3 ? 1.0f : -1.0f;
        float scale = (n * 2 + block) % 2 ? 2.0f : 0.5f;
        expected[m * 24 + n] +=
            std::ldexp(x[m * 2 * kScaleBlock + k], s[m * 2 + block] - 127) *
            weight * scale;
      }
  for (JitTiling tiling :
       {JitTiling::kLate, JitTiling::kEarly, JitTiling::kNone}) {
    std::unique_ptr<JitModel> model = compile(text, "amdgpu_gfx950", tiling);
    ASSERT_TRUE(model);
    EXPECT_EQ(model->packedConstants().size(),
              tiling == JitTiling::kNone ? 0u : 2u);
    if (tiling != JitTiling::kEarly) EXPECT_EQ(model->dispatches(), 3);
    std::vector<float> y(rows * 24, -1);
    ASSERT_EQ(model->call("f", x.data(), rows, s.data(), rows, y.data()), 0)
        << JitModel::deviceMessage();
    EXPECT_EQ(y, expected);
  }
}

}  // namespace
}  // namespace tilewright::testing
