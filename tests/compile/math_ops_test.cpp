// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of math on every type that they have, against the C library:
// on all values of f16 and bf16, on some of f32, f64 and integers. For the last
// bits of f32 see math_errors.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/common/seed.h"
#include "tests/compile/jit_model.h"
#include "tests/tiles/element_codec.h"

namespace tilewright::testing {
namespace {

struct Unary {
  const char* name;
  double (*exact)(double);
};

double reciprocalRoot(double x) { return 1 / std::sqrt(x); }

constexpr Unary kUnary[] = {
    {"absf", std::fabs},       {"acos", std::acos},
    {"acosh", std::acosh},     {"asin", std::asin},
    {"asinh", std::asinh},     {"atan", std::atan},
    {"atanh", std::atanh},     {"cbrt", std::cbrt},
    {"ceil", std::ceil},       {"cos", std::cos},
    {"cosh", std::cosh},       {"erf", std::erf},
    {"erfc", std::erfc},       {"exp", std::exp},
    {"exp2", std::exp2},       {"expm1", std::expm1},
    {"floor", std::floor},     {"log", std::log},
    {"log10", std::log10},     {"log1p", std::log1p},
    {"log2", std::log2},       {"round", std::round},
    {"rsqrt", reciprocalRoot}, {"sin", std::sin},
    {"sinh", std::sinh},       {"sqrt", std::sqrt},
    {"tan", std::tan},         {"tanh", std::tanh},
    {"trunc", std::trunc},     {"roundeven", std::nearbyint},
};

struct Binary {
  const char* name;
  double (*exact)(double, double);
};

constexpr Binary kBinary[] = {
    {"atan2", std::atan2}, {"copysign", std::copysign}, {"powf", std::pow}};

struct Predicate {
  const char* name;
  bool (*exact)(double value, double leastNormal);
};

constexpr Predicate kPredicates[] = {
    {"isnan", [](double x, double) { return std::isnan(x); }},
    {"isinf", [](double x, double) { return std::isinf(x); }},
    {"isfinite", [](double x, double) { return std::isfinite(x); }},
    {"isnormal",
     [](double x, double least) {
       return std::isfinite(x) && std::fabs(x) >= least;
     }},
};

struct Float {
  const char* name;
  tw_element_type_t type;
  size_t bytes;
  double leastNormal;
  // What is allowed, in units of the last place.
  double bound;
};

// f16 and bf16 are computed in f32 and rounded; f64 is the C library's.
constexpr Float kFloats[] = {
    {"f16", TW_ELEMENT_F16, 2, 0x1p-14, 0.51},
    {"bf16", TW_ELEMENT_BF16, 2, 0x1p-126, 0.51},
    {"f32", TW_ELEMENT_F32, 4, 0x1p-126, 4},
    {"f64", TW_ELEMENT_F64, 8, 0x1p-1022, 2},
};

std::vector<double> valuesOf(const Float& element) {
  double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {0.0, -0.0, infinity, -infinity, std::nan("")};
  if (element.bytes == 2) {
    for (uint64_t bits : finiteEncodings(element.type))
      values.push_back(decodeElement(element.type, bits));
    return values;
  }
  Random random(seedOf("math_ops"));
  for (int i = 0; i < 20000; ++i) {
    double unit =
        static_cast<double>(random.between(-1000000, 1000000)) / 1000000;
    auto scale = static_cast<double>(random.between(-20, 7));
    values.push_back(roundTo(element.type, unit * std::exp2(scale)));
    values.push_back(static_cast<double>(i) / 2 - 50);
  }
  return values;
}

std::vector<uint8_t> encoded(const std::vector<double>& values,
                             const Float& element) {
  std::vector<uint8_t> bytes(values.size() * element.bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = encodeFloat(element.type, values[i]);
    std::memcpy(bytes.data() + i * element.bytes, &bits, element.bytes);
  }
  return bytes;
}

// In units of the last place; far too many for another class.
double errorOf(double got, double exact, const Float& element) {
  double right = roundTo(element.type, exact);
  if (std::isnan(right) || std::isnan(got))
    return std::isnan(right) && std::isnan(got) ? 0 : 1e9;
  if (got == right) return 0;
  double largest = largestFinite(element.type);
  if (std::isinf(got)) got = std::copysign(largest, got);
  if (std::isinf(exact)) exact = std::copysign(largest, exact);
  int exponent = 0;
  std::frexp(exact, &exponent);
  double unit =
      std::max(std::ldexp(1, exponent - 1 - mantissaBits(element.type)),
               smallestDenormal(element.type));
  return std::fabs(got - exact) / unit;
}

class MathOpsTest : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<JitModel> compile(const std::string& text) {
    std::string error;
    std::unique_ptr<JitModel> model =
        JitModel::compile(text, JitOptions{GetParam()}, &error);
    EXPECT_TRUE(model) << error;
    return model;
  }

  // What a function of these operands makes of them.
  static std::vector<uint8_t> run(const JitModel& model,
                                  const std::string& name,
                                  const std::vector<const void*>& operands,
                                  size_t count, size_t resultBytes) {
    std::vector<uint8_t> result(count * resultBytes);
    std::vector<int64_t> words;
    for (const void* operand : operands) {
      words.push_back(reinterpret_cast<int64_t>(operand));
      words.push_back(static_cast<int64_t>(count));
    }
    words.push_back(reinterpret_cast<int64_t>(result.data()));
    EXPECT_EQ(model.callWords("f_" + name, words), 0);
    return result;
  }

  static std::string function(const std::string& op, const std::string& x,
                              const std::string& y, const std::string& form) {
    std::string tensor = "tensor<?x" + x + ">", second, value = "%r";
    if (!y.empty()) second = ", %y: tensor<?x" + y + ">";
    std::string text = "func.func @f_" + op + "(%x: " + tensor + second +
                       ") -> tensor<?x" + form + "> {\n  %r = math." + op +
                       (y.empty() ? " %x : " : " %x, %y : ") + tensor;
    // math.fpowi names both types.
    if (!y.empty() && y != x) text += ", tensor<?x" + y + ">";
    if (form == "i8" && x != "i8") {
      text += "\n  %e = arith.extui %r : tensor<?xi1> to tensor<?xi8>";
      value = "%e";
    }
    return text + "\n  return " + value + " : tensor<?x" + form + ">\n}\n";
  }
};

std::vector<double> decoded(const std::vector<uint8_t>& bytes,
                            const Float& element) {
  std::vector<double> values(bytes.size() / element.bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * element.bytes, element.bytes);
    values[i] = decodeElement(element.type, bits);
  }
  return values;
}

TEST_P(MathOpsTest, Floats) {
  for (const Float& element : kFloats) {
    SCOPED_TRACE(element.name);
    const std::string type = element.name;
    std::string text;
    for (const Unary& op : kUnary) text += function(op.name, type, "", type);
    for (const Binary& op : kBinary)
      text += function(op.name, type, type, type);
    for (const Predicate& op : kPredicates)
      text += function(op.name, type, "", "i8");
    text += function("fpowi", type, "i32", type);
    std::unique_ptr<JitModel> model = compile(text);
    ASSERT_TRUE(model);
    std::vector<double> x = valuesOf(element), y = x;
    std::vector<int32_t> n(x.size());
    for (size_t i = 0; i < y.size(); ++i) {
      y[i] = x[i * 7919 % x.size()];
      n[i] = static_cast<int32_t>(i % 13) - 6;
      // 1 is divided by the power, which must not be infinite.
      double size = std::fabs(x[i]);
      if (size < 0x1p-6 || size > 0x1p5) n[i] = std::abs(n[i]);
    }
    std::vector<uint8_t> xBytes = encoded(x, element),
                         yBytes = encoded(y, element);
    auto check = [&](const char* name, const void* second, double bound,
                     const std::function<double(size_t)>& exact) {
      std::vector<const void*> operands = {xBytes.data()};
      if (second) operands.push_back(second);
      std::vector<double> got = decoded(
          run(*model, name, operands, x.size(), element.bytes), element);
      double worst = 0;
      size_t at = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        double error = errorOf(got[i], exact(i), element);
        if (error > worst) worst = error, at = i;
      }
      EXPECT_LE(worst, bound) << name << " of " << x[at] << " and " << y[at]
                              << ", " << n[at] << ": " << got[at];
    };
    for (const Unary& op : kUnary)
      check(op.name, nullptr, element.bound,
            [&](size_t i) { return op.exact(x[i]); });
    for (const Binary& op : kBinary)
      check(op.name, yBytes.data(), element.bound,
            [&](size_t i) { return op.exact(x[i], y[i]); });
    // Products of products, each of them rounded.
    check("fpowi", n.data(), 8, [&](size_t i) { return std::pow(x[i], n[i]); });
    for (const Predicate& op : kPredicates) {
      std::vector<uint8_t> got =
          run(*model, op.name, {xBytes.data()}, x.size(), 1);
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(got[i], op.exact(x[i], element.leastNormal))
            << op.name << " of " << x[i];
    }
  }
}

// As unsigned numbers of `bits`.
uint64_t integerOf(const std::string& op, uint64_t x, uint64_t y, int bits) {
  uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  bool isNegative = x >> (bits - 1) & 1;
  if (op == "absi") return (isNegative ? ~x + 1 : x) & all;
  uint64_t ones = 0, leading = 0, trailing = 0;
  for (int i = 0; i < bits; ++i) ones += x >> i & 1;
  while (leading < static_cast<uint64_t>(bits) &&
         !(x >> (static_cast<uint64_t>(bits) - 1 - leading) & 1))
    ++leading;
  while (trailing < static_cast<uint64_t>(bits) && !(x >> trailing & 1))
    ++trailing;
  if (op == "ctpop") return ones;
  if (op == "ctlz") return leading;
  if (op == "cttz") return trailing;
  // ipowi: what is below one is rounded to zero.
  if (y >> (bits - 1) & 1) {
    bool isOdd = y & 1;
    return x == 1 ? 1 : x == all ? (isOdd ? all : 1) : 0;
  }
  uint64_t power = 1;
  for (uint64_t i = 0; i < y; ++i) power *= x;
  return power & all;
}

TEST_P(MathOpsTest, Integers) {
  for (int bits : {8, 16, 32, 64}) {
    std::string type = "i" + std::to_string(bits), text;
    const char* names[] = {"absi", "ctlz", "cttz", "ctpop", "ipowi"};
    for (const char* name : names)
      text += function(name, type, std::strcmp(name, "ipowi") == 0 ? type : "",
                       type);
    std::unique_ptr<JitModel> model = compile(text);
    ASSERT_TRUE(model);
    size_t bytes = static_cast<size_t>(bits) / 8, count = 3000;
    uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    Random random(seedOf(type));
    std::vector<uint64_t> x(count), y(count);
    std::vector<uint8_t> xBytes(count * bytes), yBytes(count * bytes);
    for (size_t i = 0; i < count; ++i) {
      // 0, 1, -1, the least number; few bits, and many.
      const uint64_t first[] = {0, 1, all, uint64_t{1} << (bits - 1)};
      uint64_t shift = random.below(64);
      x[i] = i < 4 ? first[i] : (random.next() >> shift) & all;
      y[i] = static_cast<uint64_t>(random.between(-3, 12)) & all;
      // A power of zero is no negative one.
      if (x[i] == 0) y[i] = i % 5;
      std::memcpy(xBytes.data() + i * bytes, &x[i], bytes);
      std::memcpy(yBytes.data() + i * bytes, &y[i], bytes);
    }
    for (const char* name : names) {
      std::vector<const void*> operands = {xBytes.data()};
      if (std::strcmp(name, "ipowi") == 0) operands.push_back(yBytes.data());
      std::vector<uint8_t> result = run(*model, name, operands, count, bytes);
      for (size_t i = 0; i < count; ++i) {
        uint64_t got = 0;
        std::memcpy(&got, result.data() + i * bytes, bytes);
        ASSERT_EQ(got, integerOf(name, x[i], y[i], bits))
            << name << " of " << type << " " << x[i] << ", " << y[i];
      }
    }
  }
}

std::vector<std::string> targets() {
  std::vector<std::string> isas = runnableIsas(), all = {isas.front()};
  if (isas.size() > 1) all.push_back(isas.back());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Targets, MathOpsTest, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tilewright::testing
