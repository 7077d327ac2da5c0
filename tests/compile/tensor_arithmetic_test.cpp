// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// arith and math on tensors: every operation gives what it gives on each
// element, on CPUs and GPUs.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/compile/jit_model.h"
#include "tests/tiles/element_codec.h"

namespace tilewright::testing {
namespace {

// An operation: the element types of its operands and results, and how it is
// written; $0 is an operand, T0 its type, R0 that of a result.
struct Operation {
  const char* name;
  std::vector<const char*> operands, results;
  const char* text;
};

// All of them, in each type whose arithmetic is its own; `some`: in one.
std::vector<Operation> operations(bool some) {
  std::vector<Operation> all;
  std::vector<const char*> floats{"f32"}, integers{"i32"};
  if (!some) {
    floats = {"f32", "f64", "bf16"};
    integers = {"i32", "i8", "i64"};
  }
  auto add = [&](std::vector<const char*> names,
                 std::vector<const char*> operands,
                 std::vector<const char*> results, const char* text) {
    for (const char* name : names)
      all.push_back({name, operands, results, text});
  };
  for (const char* f : floats) {
    add({"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf",
         "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf",
         "math.copysign"},
        {f, f}, {f}, "$0, $1 : T0");
    add({"arith.negf", "math.absf", "math.ceil", "math.floor", "math.round",
         "math.roundeven", "math.rsqrt", "math.sqrt", "math.trunc"},
        {f}, {f}, "$0 : T0");
    add({"math.isnan", "math.isinf", "math.isfinite", "math.isnormal"}, {f},
        {"i1"}, "$0 : T0");
    add({"arith.cmpf"}, {f, f}, {"i1"}, "ult, $0, $1 : T0");
    add({"math.clampf"}, {f, f, f}, {f}, "$0 to [$1, $2] : T0");
  }
  add({"math.fma"}, {"f32", "f32", "f32"}, {"f32"}, "$0, $1, $2 : T0");
  add({"math.acos",  "math.acosh", "math.asin", "math.asinh", "math.atan",
       "math.atanh", "math.cbrt",  "math.cos",  "math.cosh",  "math.erf",
       "math.erfc",  "math.exp",   "math.exp2", "math.expm1", "math.log",
       "math.log10", "math.log1p", "math.log2", "math.sin",   "math.sinh",
       "math.tan",   "math.tanh"},
      {"f32"}, {"f32"}, "$0 : T0");
  add({"math.atan2", "math.powf"}, {"f32", "f32"}, {"f32"}, "$0, $1 : T0");
  add({"math.fpowi"}, {"f32", "i32"}, {"f32"}, "$0, $1 : T0, T1");
  add({"math.sincos"}, {"f32"}, {"f32", "f32"}, "$0 : T0");
  for (const char* i : integers) {
    add({"arith.addi",      "arith.subi",       "arith.muli",
         "arith.andi",      "arith.ori",        "arith.xori",
         "arith.maxsi",     "arith.maxui",      "arith.minsi",
         "arith.minui",     "arith.divsi",      "arith.divui",
         "arith.remsi",     "arith.remui",      "arith.ceildivsi",
         "arith.ceildivui", "arith.floordivsi", "arith.shli",
         "arith.shrsi",     "arith.shrui",      "math.ipowi"},
        {i, i}, {i}, "$0, $1 : T0");
    add({"math.absi", "math.ctlz", "math.cttz", "math.ctpop"}, {i}, {i},
        "$0 : T0");
    add({"arith.cmpi"}, {i, i}, {"i1"}, "slt, $0, $1 : T0");
  }
  add({"arith.addui_extended"}, {"i32", "i32"}, {"i32", "i1"},
      "$0, $1 : T0, R1");
  add({"arith.mulsi_extended", "arith.mului_extended"}, {"i32", "i32"},
      {"i32", "i32"}, "$0, $1 : T0");
  add({"arith.extsi", "arith.extui"}, {"i8"}, {"i32"}, "$0 : T0 to R0");
  add({"arith.trunci"}, {"i32"}, {"i8"}, "$0 : T0 to R0");
  add({"arith.extf"}, {"f16"}, {"f32"}, "$0 : T0 to R0");
  add({"arith.extf"}, {"bf16"}, {"f32"}, "$0 : T0 to R0");
  add({"arith.truncf"}, {"f32"}, {"f16"}, "$0 : T0 to R0");
  add({"arith.truncf"}, {"f64"}, {"f32"}, "$0 : T0 to R0");
  add({"arith.sitofp", "arith.uitofp", "arith.bitcast"}, {"i32"}, {"f32"},
      "$0 : T0 to R0");
  add({"arith.fptosi", "arith.fptoui"}, {"f16"}, {"i32"}, "$0 : T0 to R0");
  add({"arith.index_cast", "arith.index_castui"}, {"i32"}, {"index"},
      "$0 : T0 to R0");
  return all;
}

struct Layout {
  const char* name;
  tw_element_type_t type;
  size_t bytes;
  bool isFloat;
};

const Layout& layoutOf(const std::string& element) {
  static const Layout kLayouts[] = {
      {"f64", TW_ELEMENT_F64, 8, true},
      {"f32", TW_ELEMENT_F32, 4, true},
      {"f16", TW_ELEMENT_F16, 2, true},
      {"bf16", TW_ELEMENT_BF16, 2, true},
      {"i64", {}, 8, false},
      {"i32", {}, 4, false},
      {"i16", {}, 2, false},
      {"i8", {}, 1, false},
  };
  for (const Layout& layout : kLayouts)
    if (element == layout.name) return layout;
  ADD_FAILURE() << element;
  return kLayouts[0];
}

// The values of operand `number`: the first is anything, the others neither
// zero, nor larger than an integer's bits; the second float is below the third.
std::vector<uint8_t> valuesOf(const std::string& element, size_t number,
                              size_t count) {
  const double kSpecial[] = {0.0,
                             -0.0,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN(),
                             0x1p-14,
                             0x1p-15,
                             0x1p-126,
                             0x1p-127,
                             1e5};
  const Layout& layout = layoutOf(element);
  std::vector<uint8_t> bytes(count * layout.bytes);
  for (size_t i = 0; i < count; ++i) {
    auto step = static_cast<double>(i % 11);
    double value = number == 0   ? (i < 10 ? kSpecial[i] : 0.25 * step - 1.25)
                   : number == 1 ? -0.25 * step - 0.5
                                 : 0.25 * step + 0.5;
    auto whole =
        static_cast<int64_t>(number == 0 ? i * 0x9E3779B9u - i * i : 1 + i % 7);
    uint64_t bits = layout.isFloat ? encodeFloat(layout.type, value)
                                   : static_cast<uint64_t>(whole);
    // Conversions to integers are defined of what fits.
    if (layout.isFloat && element == "f16" && number == 0 && i < 10)
      bits = encodeFloat(layout.type, static_cast<double>(i));
    std::memcpy(bytes.data() + i * layout.bytes, &bits, layout.bytes);
  }
  return bytes;
}

std::string replaced(std::string text, const std::string& what,
                     const std::string& by) {
  for (size_t at; (at = text.find(what)) != std::string::npos;)
    text.replace(at, what.size(), by);
  return text;
}

// Writes functions that apply one operation: to tensors of the size `size`, or
// to their elements in a linalg.generic.
class Writer {
 public:
  Writer(std::string size, bool isElementwise)
      : size_(std::move(size)), is_elementwise_(isElementwise) {}

  std::string function(const std::string& name, const Operation& operation) {
    std::string arguments, types, results;
    std::vector<std::string> operands;
    for (size_t i = 0; i < operation.operands.size(); ++i) {
      operands.push_back("%a" + std::to_string(i));
      arguments += (i ? ", " : "") + operands.back() + ": " +
                   tensor(operation.operands[i]);
    }
    text_.clear();
    std::string value = apply(operation, operands);
    for (size_t i = 0; i < operation.results.size(); ++i) {
      std::string result = value;
      if (operation.results.size() > 1) result += "#" + std::to_string(i);
      const char* stored = storedAs(operation.results[i]);
      if (std::strcmp(stored, operation.results[i]) != 0)
        result = apply({std::strcmp(stored, "i8") == 0 ? "arith.extui"
                                                       : "arith.index_cast",
                        {operation.results[i]},
                        {stored},
                        "$0 : T0 to R0"},
                       {result});
      results += (i ? ", " : "") + result;
      types += (i ? ", " : "") + tensor(stored);
    }
    return "func.func @" + name + "(" + arguments + ") -> (" + types + ") {\n" +
           text_ + "  return " + results + " : " + types + "\n}\n";
  }

  // What a result's elements are in memory.
  static const char* storedAs(const char* element) {
    if (std::strcmp(element, "i1") == 0) return "i8";
    if (std::strcmp(element, "index") == 0) return "i64";
    return element;
  }

 private:
  std::string tensor(const std::string& element) const {
    return "tensor<" + size_ + "x" + element + ">";
  }

  // Appends the operation and returns its value.
  std::string apply(const Operation& operation,
                    const std::vector<std::string>& operands) {
    std::string value = "%v" + std::to_string(values_++);
    std::string text = std::string(operation.name) + " " + operation.text;
    std::vector<std::string> inner = operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (is_elementwise_) inner[i] = value + "i" + std::to_string(i);
      std::string type = operation.operands[i];
      text = replaced(text, "$" + std::to_string(i), inner[i]);
      text = replaced(text, "T" + std::to_string(i),
                      is_elementwise_ ? type : tensor(type));
    }
    size_t count = operation.results.size();
    std::string several = count > 1 ? ":" + std::to_string(count) : "";
    for (size_t i = 0; i < count; ++i)
      text = replaced(text, "R" + std::to_string(i),
                      is_elementwise_ ? operation.results[i]
                                      : tensor(operation.results[i]));
    if (!is_elementwise_) {
      text_ += "  " + value + several + " = " + text + "\n";
      return value;
    }
    std::string sizes;
    if (size_ == "?") {
      sizes = value + "d";
      text_ += "  " + value + "c = arith.constant 0 : index\n  " + sizes +
               " = tensor.dim " + operands[0] + ", " + value +
               "c : " + tensor(operation.operands[0]) + "\n";
    }
    std::string ins, inTypes, outs, outTypes, maps, block, yields, yieldTypes;
    auto list = [](std::string& text, const std::string& item) {
      text += (text.empty() ? "" : ", ") + item;
    };
    for (size_t i = 0; i < operands.size(); ++i) {
      list(ins, operands[i]);
      list(inTypes, tensor(operation.operands[i]));
      list(block, inner[i] + ": " + operation.operands[i]);
      list(maps, "affine_map<(i) -> (i)>");
    }
    for (size_t i = 0; i < count; ++i) {
      std::string out = value + "e" + std::to_string(i);
      text_ += "  " + out + " = tensor.empty(" + sizes +
               ") : " + tensor(operation.results[i]) + "\n";
      list(outs, out);
      list(outTypes, tensor(operation.results[i]));
      list(block, out + "o: " + operation.results[i]);
      list(maps, "affine_map<(i) -> (i)>");
      list(yields, value + "r" + (count > 1 ? "#" + std::to_string(i) : ""));
      list(yieldTypes, operation.results[i]);
    }
    text_ += "  " + value + several + " = linalg.generic {indexing_maps = [" +
             maps + "], iterator_types = [\"parallel\"]} ins(" + ins + " : " +
             inTypes + ") outs(" + outs + " : " + outTypes + ") {\n  ^bb0(" +
             block + "):\n    " + value + "r" + several + " = " + text +
             "\n    linalg.yield " + yields + " : " + yieldTypes +
             "\n  } -> (" + outTypes + ")\n";
    return value;
  }

  std::string size_;
  bool is_elementwise_;
  std::string text_;
  int values_ = 0;
};

class TensorArithmeticTest : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<JitModel> compile(const std::string& text) {
    std::string error;
    std::unique_ptr<JitModel> model =
        JitModel::compile(text, JitOptions{GetParam()}, &error);
    EXPECT_TRUE(model) << error;
    return model;
  }

  static bool isGpu() { return GetParam().rfind("amdgpu", 0) == 0; }

  // Compares both forms on `count` elements; sizes are arguments if dynamic.
  static void compareForms(const JitModel& model, size_t number,
                           const Operation& operation, size_t count,
                           bool isDynamic) {
    std::vector<std::vector<uint8_t>> got[2];
    for (int form = 0; form < 2; ++form) {
      std::vector<GuardedBuffer> buffers;
      std::vector<int64_t> words;
      for (size_t i = 0; i < operation.operands.size(); ++i) {
        std::vector<uint8_t> values = valuesOf(operation.operands[i], i, count);
        buffers.emplace_back(values.size());
        if (!values.empty())
          std::memcpy(buffers.back().data(), values.data(), values.size());
        words.push_back(reinterpret_cast<int64_t>(buffers.back().data()));
        if (isDynamic) words.push_back(static_cast<int64_t>(count));
      }
      for (const char* element : operation.results) {
        buffers.emplace_back(count * layoutOf(Writer::storedAs(element)).bytes);
        words.push_back(reinterpret_cast<int64_t>(buffers.back().data()));
      }
      std::string name = (form ? "e" : "t") + std::to_string(number);
      ASSERT_EQ(model.callWords(name, words), 0) << JitModel::deviceMessage();
      for (size_t i = operation.operands.size(); i < buffers.size(); ++i)
        got[form].emplace_back(buffers[i].as<uint8_t>(),
                               buffers[i].as<uint8_t>() + buffers[i].size());
    }
    EXPECT_EQ(got[0], got[1]);
  }
};

TEST_P(TensorArithmeticTest, EachOperationIsThatOfTheElements) {
  constexpr size_t kCount = 37;
  for (bool isDynamic : {true, false}) {
    // A kernel takes sizes as arguments, whether static or not.
    if (isGpu() && !isDynamic) continue;
    std::string size = isDynamic ? "?" : std::to_string(kCount), text;
    Writer tensors(size, /*isElementwise=*/false),
        elements(size, /*isElementwise=*/true);
    std::vector<Operation> all = operations(/*some=*/isGpu() || !isDynamic);
    for (size_t i = 0; i < all.size(); ++i)
      text += tensors.function("t" + std::to_string(i), all[i]) +
              elements.function("e" + std::to_string(i), all[i]);
    std::unique_ptr<JitModel> model = compile(text);
    ASSERT_TRUE(model);
    for (size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(std::string(all[i].name) + " of " + all[i].operands[0]);
      compareForms(*model, i, all[i], kCount, isDynamic);
      if (isDynamic) compareForms(*model, i, all[i], 0, isDynamic);
    }
  }
}

// Against C: constants, comparisons, selections by tensors and by a scalar, and
// conversions through types that entry points do not have.
TEST_P(TensorArithmeticTest, OperationsFollowEachOther) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?x3xf32>, %k: tensor<?x3xi8>, %flag: i8)
        -> (tensor<?x3xf32>, tensor<?x3xi32>) {
      %two = arith.constant dense<2.0> : tensor<4x3xf32>
      %c = tensor.cast %two : tensor<4x3xf32> to tensor<?x3xf32>
      %signs = arith.constant dense<[[true, false, true], [false, false, true],
                                     [true, true, true], [false, true, false]]> : tensor<4x3xi1>
      %s = tensor.cast %signs : tensor<4x3xi1> to tensor<?x3xi1>
      %scaled = arith.mulf %x, %c : tensor<?x3xf32>
      %less = arith.cmpf olt, %scaled, %x : tensor<?x3xf32>
      %either = arith.xori %less, %s : tensor<?x3xi1>
      %n = arith.negf %scaled : tensor<?x3xf32>
      %y = arith.select %either, %n, %scaled : tensor<?x3xi1>, tensor<?x3xf32>
      %h = arith.truncf %y : tensor<?x3xf32> to tensor<?x3xbf16>
      %w = arith.extf %h : tensor<?x3xbf16> to tensor<?x3xf32>
      %zero = arith.constant 0 : i8
      %on = arith.cmpi ne, %flag, %zero : i8
      %z = arith.select %on, %w, %x : tensor<?x3xf32>
      %i = arith.index_cast %k : tensor<?x3xi8> to tensor<?x3xindex>
      %j = arith.muli %i, %i : tensor<?x3xindex>
      %q = arith.index_cast %j : tensor<?x3xindex> to tensor<?x3xi32>
      return %z, %q : tensor<?x3xf32>, tensor<?x3xi32>
    })");
  ASSERT_TRUE(model);
  const bool signs[12] = {true, false, true, false, false, true,
                          true, true,  true, false, true,  false};
  for (int8_t flag : {0, 1}) {
    float x[12], y[12];
    int8_t k[12];
    int32_t q[12];
    for (int i = 0; i < 12; ++i) {
      x[i] = 1.00390625f * static_cast<float>(i - 6);
      k[i] = static_cast<int8_t>(20 * i - 110);
    }
    ASSERT_EQ(
        model->call("f", x, int64_t{4}, k, int64_t{4}, int64_t{flag}, y, q), 0)
        << JitModel::deviceMessage();
    for (int i = 0; i < 12; ++i) {
      float scaled = 2 * x[i];
      float expected = (scaled < x[i]) != signs[i] ? -scaled : scaled;
      expected = static_cast<float>(
          roundTo(TW_ELEMENT_BF16, static_cast<double>(expected)));
      EXPECT_EQ(y[i], flag ? expected : x[i]) << i;
      EXPECT_EQ(q[i], k[i] * k[i]) << i;
    }
    // Three rows are not the constant's four.
    EXPECT_EQ(
        model->call("f", x, int64_t{3}, k, int64_t{4}, int64_t{flag}, y, q), 1);
  }
}

// What no one else lowers, against C.
TEST_P(TensorArithmeticTest, ExpandedOperations) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>, %b: tensor<?xi32>, %e: tensor<?xi32>)
        -> (tensor<?xi8>, tensor<?xi8>, tensor<?xi32>) {
      %i = math.isinf %x : tensor<?xf32>
      %n = math.isnormal %x : tensor<?xf32>
      %p = math.ipowi %b, %e : tensor<?xi32>
      %i8 = arith.extui %i : tensor<?xi1> to tensor<?xi8>
      %n8 = arith.extui %n : tensor<?xi1> to tensor<?xi8>
      return %i8, %n8, %p : tensor<?xi8>, tensor<?xi8>, tensor<?xi32>
    })");
  ASSERT_TRUE(model);
  const float x[8] = {0,         -0x1p-126f, 0x1p-127f, 1,
                      -INFINITY, INFINITY,   NAN,       3e38f};
  const int32_t b[8] = {0, 3, -3, 2, 1, -1, -1, 7};
  const int32_t e[8] = {0, 4, 3, 33, -5, -5, -4, -1};
  const int32_t powers[8] = {1, 81, -27, 0, 1, -1, 1, 0};
  int8_t inf[8], normal[8];
  int32_t power[8];
  ASSERT_EQ(model->call("f", x, int64_t{8}, b, int64_t{8}, e, int64_t{8}, inf,
                        normal, power),
            0)
      << JitModel::deviceMessage();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(inf[i], std::isinf(x[i])) << x[i];
    EXPECT_EQ(normal[i], std::isnormal(x[i])) << x[i];
    EXPECT_EQ(power[i], powers[i]) << b[i] << " to " << e[i];
  }
}

// Sizes have to agree as those of linalg operations.
TEST_P(TensorArithmeticTest, SizesThatDisagreeAreRefused) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = arith.addf %x, %y : tensor<?xf32>
      return %r : tensor<?xf32>
    })");
  ASSERT_TRUE(model);
  float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8}, r[4] = {-1, -1, -1, -1};
  EXPECT_EQ(model->call("f", x, int64_t{4}, y, int64_t{3}, r), 1);
  EXPECT_EQ(r[0], -1);
  ASSERT_EQ(model->call("f", x, int64_t{3}, y, int64_t{3}, r), 0);
  EXPECT_EQ(r[2], 10);
  EXPECT_EQ(r[3], -1);
}

INSTANTIATE_TEST_SUITE_P(Targets, TensorArithmeticTest,
                         ::testing::Values(runnableIsas().front(),
                                           "amdgpu_gfx942"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tilewright::testing
