// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix multiplications of every kind that is packed, on every instruction set
// that this CPU has, against sums in double and int64.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "tests/common/guarded_buffer.h"
#include "tests/common/seed.h"
#include "tests/compile/jit_model.h"
#include "tests/tiles/element_codec.h"
#include "tilewright/key.h"

namespace tilewright::testing {
namespace {

struct Shape {
  int64_t m, k, n;
};

// 0, 1, primes, multiples of tiles and one off, narrow and wide.
const Shape kShapes[] = {
    {0, 0, 0},  {0, 5, 3},   {3, 0, 5},   {5, 3, 0},     {1, 1, 1},
    {1, 64, 1}, {1, 7, 33},  {2, 3, 17},  {3, 5, 7},     {4, 16, 16},
    {5, 1, 31}, {7, 13, 11}, {8, 8, 32},  {12, 4, 32},   {13, 31, 37},
    {16, 2, 9}, {17, 6, 65}, {33, 19, 1}, {64, 127, 10}, {97, 61, 101},
};

const char* mlirType(tw_element_type_t type) {
  switch (type) {
    case TW_ELEMENT_F64:
      return "f64";
    case TW_ELEMENT_F32:
      return "f32";
    case TW_ELEMENT_F16:
      return "f16";
    case TW_ELEMENT_BF16:
      return "bf16";
    case TW_ELEMENT_S32:
      return "i32";
    case TW_ELEMENT_S16:
      return "i16";
    default:
      return "i8";
  }
}

bool isFloat(tw_element_type_t type) {
  return info(type).kind == TW_ELEMENT_KIND_FLOAT;
}

std::string tensor(int64_t rows, int64_t cols, const char* element,
                   bool isStatic) {
  if (!isStatic) return std::string("tensor<?x?x") + element + ">";
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(cols) + "x" +
         element + ">";
}

// The operand `name` widened to the out type `to`, as lines of a body.
std::string widen(const std::string& name, tw_element_type_t from,
                  tw_element_type_t to, std::string* lines) {
  if (std::strcmp(mlirType(from), mlirType(to)) == 0) return name;
  const char* op = isFloat(from)                                 ? "extf"
                   : info(from).kind == TW_ELEMENT_KIND_UNSIGNED ? "extui"
                                                                 : "extsi";
  *lines += "    " + name + "w = arith." + op + " " + name + " : " +
            mlirType(from) + " to " + mlirType(to) + "\n";
  return name + "w";
}

struct ModelKind {
  bool isStatic = false;
  bool transposedB = false;  // b is [n][k]
  bool accumulates = false;  // onto a third argument instead of zeros
};

// @f(a, b[, c]) -> out, as a linalg.generic that says everything.
std::string modelText(const TypeTripleInfo& types, const ModelKind& kind,
                      const Shape& s) {
  const char* out = mlirType(types.out);
  std::string a = tensor(s.m, s.k, mlirType(types.lhs), kind.isStatic);
  std::string b = kind.transposedB
                      ? tensor(s.n, s.k, mlirType(types.rhs), kind.isStatic)
                      : tensor(s.k, s.n, mlirType(types.rhs), kind.isStatic);
  std::string c = tensor(s.m, s.n, out, kind.isStatic);
  std::string text = "func.func @f(%a: " + a + ", %b: " + b +
                     (kind.accumulates ? ", %c: " + c : "") + ") -> " + c +
                     " {\n";
  std::string init = "%c";
  if (!kind.accumulates) {
    text += "  %c0 = arith.constant 0 : index\n";
    text += "  %c1 = arith.constant 1 : index\n";
    text += "  %m = tensor.dim %a, %c0 : " + a + "\n";
    text += std::string("  %n = tensor.dim %b, ") +
            (kind.transposedB ? "%c0" : "%c1") + " : " + b + "\n";
    text += std::string("  %zero = arith.constant ") +
            (isFloat(types.out) ? "0.0" : "0") + " : " + out + "\n";
    text += std::string("  %e = tensor.empty(") +
            (kind.isStatic ? "" : "%m, %n") + ") : " + c + "\n";
    text += std::string("  %z = linalg.fill ins(%zero : ") + out +
            ") outs(%e : " + c + ") -> " + c + "\n";
    init = "%z";
  }
  text +=
      "  %r = linalg.generic {indexing_maps = ["
      "affine_map<(i, j, k) -> (i, k)>, ";
  text += kind.transposedB ? "affine_map<(i, j, k) -> (j, k)>, "
                           : "affine_map<(i, j, k) -> (k, j)>, ";
  text +=
      "affine_map<(i, j, k) -> (i, j)>], "
      "iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}\n";
  text += "      ins(%a, %b : " + a + ", " + b + ") outs(" + init + " : " + c +
          ") {\n";
  text += std::string("  ^bb0(%x: ") + mlirType(types.lhs) +
          ", %y: " + mlirType(types.rhs) + ", %o: " + out + "):\n";
  std::string x = widen("%x", types.lhs, types.out, &text);
  std::string y = widen("%y", types.rhs, types.out, &text);
  std::string suffix = isFloat(types.out) ? "f" : "i";
  text += "    %p = arith.mul" + suffix + " " + x + ", " + y + " : " + out +
          "\n    %s = arith.add" + suffix + " %o, %p : " + out +
          "\n    linalg.yield %s : " + out + "\n  } -> " + c + "\n";
  return text + "  return %r : " + c + "\n}\n";
}

// A matrix of `type`: its bytes between guard pages, and its values.
struct Matrix {
  Matrix(const ElementTypeInfo& type, int64_t rows, int64_t cols,
         Random& random)
      : bytes(static_cast<size_t>(rows * cols * type.bits / 8)),
        values(static_cast<size_t>(rows * cols)) {
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t low = type.kind == TW_ELEMENT_KIND_UNSIGNED ? 0 : -100;
      values[i] = static_cast<double>(random.between(low, 100));
      if (type.kind == TW_ELEMENT_KIND_FLOAT)
        values[i] = roundTo(type.type, 4 * random.unit() - 2);
      writeElement(type, bytes.data(), i, values[i]);
    }
  }

  static void writeElement(const ElementTypeInfo& type, void* data, size_t i,
                           double value) {
    uint64_t bits = type.kind == TW_ELEMENT_KIND_FLOAT
                        ? encodeFloat(type.type, value)
                        : static_cast<uint64_t>(static_cast<int64_t>(value));
    std::memcpy(static_cast<char*>(data) + i * type.bits / 8, &bits,
                static_cast<size_t>(type.bits) / 8);
  }

  static double readElement(const ElementTypeInfo& type, const void* data,
                            size_t i) {
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(data) + i * type.bits / 8,
                static_cast<size_t>(type.bits) / 8);
    if (type.kind == TW_ELEMENT_KIND_FLOAT)
      return decodeElement(type.type, bits);
    return static_cast<double>(static_cast<int32_t>(bits));
  }

  GuardedBuffer bytes;
  std::vector<double> values;
};

// 2*(K + 1)*eps*sum|a||b| of tile.h, and one rounding of a narrow result.
double bound(const TypeTripleInfo& types, int64_t k, double magnitude,
             double value) {
  if (!isFloat(types.out)) return 0;
  double eps = types.accumulator == TW_ELEMENT_F64 ? 0x1p-52 : 0x1p-23;
  double error = 2 * static_cast<double>(k + 1) * eps * magnitude;
  // Half of the smallest denormal, at least.
  if (types.out == TW_ELEMENT_F16)
    error += std::max(std::fabs(value) * 0x1p-10, 0x1p-25);
  if (types.out == TW_ELEMENT_BF16) error += std::fabs(value) * 0x1p-7;
  return error;
}

void checkShape(const JitModel& model, const TypeTripleInfo& types,
                const ModelKind& kind, const Shape& s, Random& random) {
  SCOPED_TRACE(std::to_string(s.m) + "x" + std::to_string(s.k) + "x" +
               std::to_string(s.n));
  Matrix a(info(types.lhs), s.m, s.k, random);
  Matrix b(info(types.rhs), kind.transposedB ? s.n : s.k,
           kind.transposedB ? s.k : s.n, random);
  Matrix c(info(types.out), s.m, s.n, random);
  GuardedBuffer out(c.bytes.size());
  int64_t b0 = kind.transposedB ? s.n : s.k, b1 = kind.transposedB ? s.k : s.n;
  int32_t status;
  if (kind.isStatic && kind.accumulates)
    status = model.call("f", a.bytes.data(), b.bytes.data(), c.bytes.data(),
                        out.data());
  else if (kind.isStatic)
    status = model.call("f", a.bytes.data(), b.bytes.data(), out.data());
  else if (kind.accumulates)
    status = model.call("f", a.bytes.data(), s.m, s.k, b.bytes.data(), b0, b1,
                        c.bytes.data(), s.m, s.n, out.data());
  else
    status = model.call("f", a.bytes.data(), s.m, s.k, b.bytes.data(), b0, b1,
                        out.data());
  ASSERT_EQ(status, 0);
  EXPECT_EQ(JitModel::liveAllocations(), 0);
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      size_t at = static_cast<size_t>(i * s.n + j);
      double sum = kind.accumulates ? c.values[at] : 0;
      double magnitude = std::fabs(sum);
      for (int64_t p = 0; p < s.k; ++p) {
        double product = a.values[static_cast<size_t>(i * s.k + p)] *
                         b.values[static_cast<size_t>(
                             kind.transposedB ? j * s.k + p : p * s.n + j)];
        sum += product;
        magnitude += std::fabs(product);
      }
      double got = Matrix::readElement(info(types.out), out.data(), at);
      ASSERT_LE(std::fabs(got - sum), bound(types, s.k, magnitude, sum))
          << "at [" << i << "][" << j << "]: " << got << ", expected " << sum;
    }
}

using Case = std::tuple<std::string, std::string>;  // ISA, types

class MatmulTest : public ::testing::TestWithParam<Case> {
 protected:
  const TypeTripleInfo& types() {
    return *findTypeTriple(std::get<1>(GetParam()));
  }

  std::unique_ptr<JitModel> compile(const std::string& text) {
    std::string error;
    std::unique_ptr<JitModel> model =
        JitModel::compile(text, {std::get<0>(GetParam())}, &error);
    EXPECT_TRUE(model) << error << "\n" << text;
    return model;
  }

  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    seed_ = seedOf(std::string(test->test_suite_name()) + test->name());
    random_ = std::make_unique<Random>(seed_);
  }

  void TearDown() override {
    if (HasFailure()) std::printf("%s\n", seedText(seed_).c_str());
  }

  uint64_t seed_ = 0;
  std::unique_ptr<Random> random_;
};

TEST_P(MatmulTest, DynamicShapes) {
  for (bool transposed : {false, true}) {
    ModelKind kind;
    kind.transposedB = transposed;
    std::unique_ptr<JitModel> model =
        compile(modelText(types(), kind, kShapes[0]));
    ASSERT_TRUE(model);
    // A GPU has one for few rows besides.
    ASSERT_EQ(model->tiles().size(), model->kernels().empty() ? 1u : 2u);
    EXPECT_EQ(model->remarks().size(), 0u);
    for (const Shape& shape : kShapes)
      checkShape(*model, types(), kind, shape, *random_);
  }
}

TEST_P(MatmulTest, Accumulates) {
  ModelKind kind;
  kind.accumulates = true;
  std::unique_ptr<JitModel> model =
      compile(modelText(types(), kind, kShapes[0]));
  ASSERT_TRUE(model);
  for (const Shape& shape : kShapes)
    checkShape(*model, types(), kind, shape, *random_);
}

TEST_P(MatmulTest, StaticShapes) {
  ModelKind kind;
  kind.isStatic = true;
  for (const Shape& shape :
       {Shape{1, 64, 10}, Shape{3, 5, 7}, Shape{0, 4, 4}, Shape{4, 0, 4},
        Shape{24, 16, 64}, Shape{13, 31, 37}}) {
    std::unique_ptr<JitModel> model = compile(modelText(types(), kind, shape));
    ASSERT_TRUE(model);
    checkShape(*model, types(), kind, shape, *random_);
  }
}

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const std::string& isa : runnableIsas())
    for (const char* types :
         {"f32f32f32", "f64f64f64", "f16f16f32", "bf16bf16f32", "f16f16f16",
          "bf16bf16bf16", "f32bf16f32", "s8s8s32", "u8u8s32", "u8s8s32",
          "s8u8s32", "s16s16s32", "s16s8s32", "s32s32s32"})
      result.emplace_back(isa, types);
  return result;
}

// Of each kind of matrix instruction, and without any.
std::vector<Case> deviceCases() {
  return {{"amdgpu_gfx942", "f32f32f32"},    {"amdgpu_gfx942", "f64f64f64"},
          {"amdgpu_gfx942", "f16f16f16"},    {"amdgpu_gfx942", "bf16bf16f32"},
          {"amdgpu_gfx942", "s8s8s32"},      {"amdgpu_gfx942", "u8s8s32"},
          {"amdgpu_gfx1100", "f32f32f32"},   {"amdgpu_gfx1100", "f16f16f32"},
          {"amdgpu_gfx1100", "u8s8s32"},     {"amdgpu_gfx1100", "s16s16s32"},
          {"amdgpu_gfx90a", "f16f16f32"},    {"amdgpu_gfx950", "s8s8s32"},
          {"amdgpu_gfx1201", "bf16bf16f32"}, {"amdgpu_gfx1250", "f16f16f32"}};
}

std::string nameOf(const ::testing::TestParamInfo<Case>& info) {
  return std::get<1>(info.param) + "_" + std::get<0>(info.param);
}

INSTANTIATE_TEST_SUITE_P(Isas, MatmulTest, ::testing::ValuesIn(cases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Devices, MatmulTest,
                         ::testing::ValuesIn(deviceCases()), nameOf);

}  // namespace
}  // namespace tilewright::testing
