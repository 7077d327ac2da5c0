// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that C hands over packed: of random sizes, what the pack function
// writes, between guard pages, and what functions compute of it, against plain
// loops of the same model that has them row-major. Elements are small integers:
// sums are exact in any order.

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/common/seed.h"
#include "tests/compile/checked_call.h"
#include "tests/compile/jit_model.h"

namespace tilewright::testing {
namespace {

using Numbers = std::vector<int64_t>;

struct Type {
  const char* mlir;
  size_t bytes;
};
constexpr Type kF64{"f64", 8}, kF32{"f32", 4}, kBf16{"bf16", 2}, kI8{"i8", 1},
    kI32{"i32", 4};

// out += x * w: a letter for each dimension.
struct Program {
  const char* name;
  Type element, out;
  const char *x, *w, *y;
};

constexpr Program kPrograms[] = {
    {"Matmul", kF32, kF32, "mk", "kn", "mn"},
    {"Transposed", kF32, kF32, "mk", "nk", "mn"},
    {"Bytes", kI8, kI32, "mk", "kn", "mn"},
    {"BytesTransposed", kI8, kI32, "mk", "nk", "mn"},
    {"HalfFloats", kBf16, kF32, "mk", "kn", "mn"},
    {"Doubles", kF64, kF64, "mk", "kn", "mn"},
    {"Batch", kF32, kF32, "bmk", "bkn", "bmn"},
    {"BatchInside", kI8, kI32, "mbk", "nbk", "bmn"},
    {"RowsOfBatches", kF32, kF32, "bmk", "kn", "bmn"},
    {"Merged", kF32, kF32, "mkl", "kln", "mn"},
    {"Heads", kBf16, kF32, "mk", "khn", "mhn"},
    {"Vector", kF32, kF32, "k", "kn", "n"},
};

void PrintTo(const Program& program, std::ostream* os) { *os << program.name; }

using Extents = std::map<char, int64_t>;

Numbers shapeOf(const std::string& letters, const Extents& extents) {
  Numbers shape;
  for (char letter : letters) shape.push_back(extents.at(letter));
  return shape;
}

int64_t product(const Numbers& sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

// Sizes of letters in `unknown` are not in the type.
std::string typeOf(const std::string& letters, const Extents& extents,
                   const std::string& unknown, const Type& element) {
  std::string text = "tensor<";
  for (char letter : letters)
    text += (unknown.find(letter) == std::string::npos
                 ? std::to_string(extents.at(letter))
                 : "?") +
            "x";
  return text + element.mlir + ">";
}

Numbers dynamicSizes(const std::string& letters, const Extents& extents,
                     const std::string& unknown) {
  Numbers sizes;
  for (char letter : letters)
    if (unknown.find(letter) != std::string::npos)
      sizes.push_back(extents.at(letter));
  return sizes;
}

std::string mapOf(const std::string& letters) {
  std::string text;
  for (char letter : letters)
    text += (text.empty() ? "" : ", ") + std::string(1, letter);
  return "affine_map<(b, h, k, l, m, n) -> (" + text + ")>";
}

// The loops that the program has, each once.
std::string loopsOf(const Program& program) {
  std::string loops;
  for (char letter : std::string(program.x) + program.w)
    if (loops.find(letter) == std::string::npos) loops += letter;
  return loops;
}

std::string replaced(std::string text, const std::string& what,
                     const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos;
       at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// The same model with all arguments row-major.
std::string withoutPacks(const std::string& text) {
  return replaced(text, " {tw.packed = \"w\"}", "");
}

// A function whose second argument is handed over packed.
std::string functionOf(const std::string& name, const Program& program,
                       const Extents& extents, const std::string& unknown) {
  const std::string x = typeOf(program.x, extents, unknown, program.element),
                    w = typeOf(program.w, extents, unknown, program.element),
                    y = typeOf(program.y, extents, unknown, program.out);
  const std::string loops = loopsOf(program);
  std::string dims;
  for (char loop : loops)
    dims += (dims.empty() ? "" : ", ") + std::string(1, loop);
  std::string maps;
  for (const char* letters : {program.x, program.w, program.y})
    maps += (maps.empty() ? "" : ", ") + mapOf(letters);
  maps = replaced(maps, "(b, h, k, l, m, n)", "(" + dims + ")");
  return "func.func @" + name + "(%x: " + x + ", %w: " + w +
         " {tw.packed = \"w\"}, %c: " + y + ") -> " + y +
         " {\n  %y = linalg.contract indexing_maps = [" + maps +
         "] ins(%x, %w : " + x + ", " + w + ") outs(%c : " + y + ") -> " + y +
         "\n  return %y : " + y + "\n}\n";
}

std::vector<uint8_t> randomElements(Random& random, const Type& type,
                                    int64_t count) {
  std::vector<uint8_t> bytes(static_cast<size_t>(count) * type.bytes);
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const int64_t value = random.between(-4, 4);
    uint8_t* at = &bytes[i * type.bytes];
    const auto f32 = static_cast<float>(value);
    const auto f64 = static_cast<double>(value);
    if (type.mlir == std::string("f64"))
      std::memcpy(at, &f64, 8);
    else if (type.mlir == std::string("f32"))
      std::memcpy(at, &f32, 4);
    else if (type.mlir == std::string("bf16"))
      std::memcpy(at, reinterpret_cast<const uint8_t*>(&f32) + 2, 2);
    else
      std::memcpy(at, &value, type.bytes);
  }
  return bytes;
}

std::unique_ptr<JitModel> compile(const std::string& text,
                                  const JitOptions& options) {
  std::string error;
  std::unique_ptr<JitModel> model = JitModel::compile(text, options, &error);
  EXPECT_TRUE(model) << error << "\n" << text;
  return model;
}

// What plain loops make of row-major arguments.
std::vector<uint8_t> expected(const JitModel& reference,
                              const std::string& function,
                              const std::vector<CallTensor>& arguments,
                              size_t bytes) {
  std::vector<uint8_t> result(bytes);
  Numbers words;
  for (const CallTensor& tensor : arguments) {
    words.push_back(reinterpret_cast<int64_t>(tensor.bytes.data()));
    words.insert(words.end(), tensor.dynamicSizes.begin(),
                 tensor.dynamicSizes.end());
  }
  words.push_back(reinterpret_cast<int64_t>(result.data()));
  EXPECT_EQ(static_cast<int32_t>(reference.callWords(function, words)), 0);
  return result;
}

// `row` as w_pack leaves it, which is called as any function is.
CallTensor packed(const JitModel& model, const CallTensor& row,
                  const std::string& at) {
  CallTensor result = row;
  const int64_t bytes = model.callWords("w_packed_bytes", row.dynamicSizes);
  EXPECT_GE(bytes, static_cast<int64_t>(row.bytes.size())) << at;
  // What fills up the last panels is 0, so the rest must be written, too.
  result.bytes.assign(static_cast<size_t>(bytes), 0xA5);
  Numbers words = {reinterpret_cast<int64_t>(row.bytes.data())};
  words.insert(words.end(), row.dynamicSizes.begin(), row.dynamicSizes.end());
  words.push_back(reinterpret_cast<int64_t>(result.bytes.data()));
  if (model.threads() > 1) words.push_back(0);
  EXPECT_EQ(static_cast<int32_t>(model.callWords("w_pack", words)), 0) << at;
  CallTensor written = result;
  written.shape = {bytes / static_cast<int64_t>(row.elementBytes)};
  written.dynamicSizes.clear();
  EXPECT_EQ(checkCall(model, "w_pack", {row}, {}, {written}) + at, at);
  return result;
}

void check(const JitModel& model, const JitModel& reference,
           const std::string& function, const Program& program,
           const Extents& extents, const std::string& unknown, Random& random) {
  const bool isLeading = random.chance(0.5);
  auto tensor = [&](const char* letters, const Type& type) {
    const Numbers shape = shapeOf(letters, extents);
    return CallTensor{randomElements(random, type, product(shape)), type.bytes,
                      shape, dynamicSizes(letters, extents, unknown),
                      isLeading};
  };
  const CallTensor x = tensor(program.x, program.element),
                   w = tensor(program.w, program.element),
                   c = tensor(program.y, program.out);
  std::string at = " of " + function;
  for (auto [letter, size] : extents)
    at += std::string(" ") + letter + "=" + std::to_string(size);
  CallTensor y = c;
  y.bytes = expected(reference, function, {x, w, c}, c.bytes.size());
  y.dynamicSizes.clear();
  EXPECT_EQ(
      checkCall(model, function, {x, packed(model, w, at), c}, {}, {y}) + at,
      at);
}

Extents randomExtents(Random& random) {
  constexpr int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 15, 16, 17, 31, 33, 48, 97};
  Extents extents;
  for (char letter : std::string("bhklmn"))
    extents[letter] = kSizes[random.below(std::size(kSizes))];
  extents['b'] = random.between(1, 3);
  extents['h'] = random.between(1, 4);
  extents['l'] = random.between(1, 5);
  return extents;
}

struct Way {
  const char* name;
  JitOptions options;
};

std::vector<Way> ways() {
  const std::string best = runnableIsas().front();
  Way early{"early", {best}}, threads{"threads", {best}},
      whole{"whole", {best}};
  early.options.tiling = JitTiling::kEarly;
  threads.options.threads = 3;
  threads.options.leastTask = 1;
  whole.options.inlineTiles = true;
  return {early, threads, whole};
}

class PackedProgramsTest : public ::testing::TestWithParam<Program> {
 protected:
  // Two functions, of few rows and of many, with one packed form.
  static void checkStatic(const JitOptions& options, Random& random) {
    const Program& program = GetParam();
    Extents many = randomExtents(random), few = many;
    few['m'] = 1;
    const std::string text = functionOf("many", program, many, "") +
                             functionOf("few", program, few, "");
    std::unique_ptr<JitModel> model = compile(text, options),
                              reference = compileReference(text);
    ASSERT_TRUE(model && reference);
    check(*model, *reference, "many", program, many, "", random);
    check(*model, *reference, "few", program, few, "", random);
  }

  // All sizes are those of the call; or those of the argument are known.
  static void checkDynamic(const JitOptions& options,
                           const std::string& unknown, Random& random) {
    const Program& program = GetParam();
    Extents extents = randomExtents(random);
    const std::string text = functionOf("f", program, extents, unknown);
    std::unique_ptr<JitModel> model = compile(text, options),
                              reference = compileReference(text);
    ASSERT_TRUE(model && reference);
    for (int i = 0; i < 4; ++i) {
      const Extents others = randomExtents(random);
      for (char letter : unknown) extents[letter] = others.at(letter);
      check(*model, *reference, "f", program, extents, unknown, random);
    }
  }

  static std::unique_ptr<JitModel> compileReference(const std::string& text) {
    return compile(withoutPacks(text), {"generic", true});
  }

  static uint64_t seed() { return seedOf(GetParam().name); }
};

TEST_P(PackedProgramsTest, GiveWhatRowMajorOnesDo) {
  SCOPED_TRACE(seedText(seed()));
  Random random(seed());
  for (const std::string& isa : runnableIsas()) {
    SCOPED_TRACE(isa);
    checkStatic({isa}, random);
  }
  checkDynamic({runnableIsas().front()}, "m", random);
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name);
    checkStatic(way.options, random);
    checkDynamic(way.options, loopsOf(GetParam()), random);
  }
}

TEST_P(PackedProgramsTest, GiveTheSameOnAGpu) {
  SCOPED_TRACE(seedText(seed()));
  Random random(seed());
  checkStatic({"amdgpu_gfx942"}, random);
  checkDynamic({"amdgpu_gfx942"}, loopsOf(GetParam()), random);
}

INSTANTIATE_TEST_SUITE_P(Programs, PackedProgramsTest,
                         ::testing::ValuesIn(kPrograms),
                         [](const auto& info) { return info.param.name; });

constexpr const char* kDynamic =
    "func.func @f(%x: tensor<?x?xf32>, %w: tensor<?x?xf32> {tw.packed = "
    "\"w\"}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
    "  %y = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) "
    "outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>\n"
    "  return %y : tensor<?x?xf32>\n}\n";

TEST(PackedArgumentsTest, BytesAreRefusedAsACallIs) {
  std::unique_ptr<JitModel> model = compile(kDynamic, {"generic"});
  ASSERT_TRUE(model);
  EXPECT_EQ(model->callWords("w_packed_bytes", {0, 5}), 0);
  EXPECT_EQ(model->callWords("w_packed_bytes", {-1, 5}), -1);
  EXPECT_EQ(model->callWords("w_packed_bytes", {5, -1}), -1);
  EXPECT_EQ(
      model->callWords("w_packed_bytes", {int64_t{1} << 40, int64_t{1} << 40}),
      -3);
}

// Two arguments of one id, one of which is read by products of one row and of
// many, and in a loop.
TEST(PackedArgumentsTest, LieInOneWay) {
  const std::string text =
      "func.func @f(%x: tensor<1x37xf32>, %z: tensor<9x37xf32>, %w: "
      "tensor<37x41xf32> {tw.packed = \"w\"}, %v: tensor<37x41xf32> "
      "{tw.packed = \"w\"}, %c: tensor<1x41xf32>, %d: tensor<9x41xf32>, %n: "
      "index) -> (tensor<1x41xf32>, tensor<9x41xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
      "  %y = linalg.matmul ins(%x, %w : tensor<1x37xf32>, tensor<37x41xf32>) "
      "outs(%c : tensor<1x41xf32>) -> tensor<1x41xf32>\n"
      "  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %d) -> "
      "(tensor<9x41xf32>) {\n"
      "    %t = linalg.matmul ins(%z, %w : tensor<9x37xf32>, "
      "tensor<37x41xf32>) outs(%a : tensor<9x41xf32>) -> tensor<9x41xf32>\n"
      "    scf.yield %t : tensor<9x41xf32>\n  }\n"
      "  %u = linalg.matmul ins(%z, %v : tensor<9x37xf32>, tensor<37x41xf32>) "
      "outs(%s : tensor<9x41xf32>) -> tensor<9x41xf32>\n"
      "  return %y, %u : tensor<1x41xf32>, tensor<9x41xf32>\n}\n";
  std::unique_ptr<JitModel> model = compile(text, {runnableIsas().front()}),
                            reference =
                                compile(withoutPacks(text), {"generic", true});
  ASSERT_TRUE(model && reference);
  Random random(seedOf("shared"));
  auto tensor = [&](const Numbers& shape) {
    return CallTensor{randomElements(random, kF32, product(shape)), 4, shape};
  };
  const CallTensor x = tensor({1, 37}), z = tensor({9, 37}),
                   w = tensor({37, 41}), v = tensor({37, 41}),
                   c = tensor({1, 41}), d = tensor({9, 41});
  CallTensor y = c, u = d;
  Numbers words;
  for (const CallTensor* argument : {&x, &z, &w, &v, &c, &d})
    words.push_back(reinterpret_cast<int64_t>(argument->bytes.data()));
  words.push_back(3);
  for (CallTensor* result : {&y, &u})
    words.push_back(reinterpret_cast<int64_t>(result->bytes.data()));
  ASSERT_EQ(static_cast<int32_t>(reference->callWords("f", words)), 0);
  EXPECT_EQ(
      checkCall(*model, "f",
                {x, z, packed(*model, w, "w"), packed(*model, v, "v"), c, d},
                {3}, {y, u}),
      "");
}

// The weights of a convolution, which has its windows row-major.
TEST(PackedArgumentsTest, MayBeWeightsOfAConvolution) {
  const std::string text =
      "func.func @f(%x: tensor<2x9x11x5xf32>, %w: tensor<3x2x5x37xf32> "
      "{tw.packed = \"w\"}, %c: tensor<2x4x10x37xf32>) -> "
      "tensor<2x4x10x37xf32> {\n"
      "  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : "
      "tensor<2xi64>} ins(%x, %w : tensor<2x9x11x5xf32>, "
      "tensor<3x2x5x37xf32>) outs(%c : tensor<2x4x10x37xf32>) -> "
      "tensor<2x4x10x37xf32>\n"
      "  return %y : tensor<2x4x10x37xf32>\n}\n";
  std::unique_ptr<JitModel> reference =
      compile(replaced(text, " {tw.packed = \"w\"}", ""), {"generic", true});
  ASSERT_TRUE(reference);
  for (const std::string& isa : runnableIsas()) {
    std::unique_ptr<JitModel> model = compile(text, {isa});
    ASSERT_TRUE(model);
    Random random(seedOf("convolution"));
    auto tensor = [&](const Numbers& shape) {
      return CallTensor{randomElements(random, kF32, product(shape)), 4, shape};
    };
    const CallTensor x = tensor({2, 9, 11, 5}), w = tensor({3, 2, 5, 37}),
                     c = tensor({2, 4, 10, 37});
    CallTensor y = c;
    y.bytes = expected(*reference, "f", {x, w, c}, c.bytes.size());
    EXPECT_EQ(
        checkCall(*model, "f", {x, packed(*model, w, isa), c}, {}, {y}) + isa,
        isa);
  }
}

}  // namespace
}  // namespace tilewright::testing
