// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// math_errors: functions of f32 in compiled models, at every --step'th of all
// floats, against the C library's functions of double. The bounds are what
// docs/numerics.md states.

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "llvm/Support/CommandLine.h"
#include "tests/common/seed.h"
#include "tests/compile/jit_model.h"

namespace cl = llvm::cl;

namespace tilewright::testing {
namespace {

cl::OptionCategory category("math_errors");
cl::opt<unsigned> stepFlag("step", cl::cat(category), cl::init(4099),
                           cl::desc("From one float's bits to the next's"));
cl::opt<std::string> targetFlag(
    "target", cl::cat(category), cl::value_desc("isa"),
    cl::desc("As in tile names (default: the best of this CPU)"));
cl::opt<std::string> onlyFlag("only", cl::cat(category),
                              cl::value_desc("function"),
                              cl::desc("One function alone"));

struct Function {
  const char* name;  // of the math dialect
  double (*exact)(double);
  double bound;  // in units of the last place
};

double reciprocalRoot(double x) { return 1 / std::sqrt(x); }

constexpr Function kFunctions[] = {
    {"exp", std::exp, 1.1},     {"exp2", std::exp2, 1.1},
    {"expm1", std::expm1, 1.6}, {"log", std::log, 1},
    {"log2", std::log2, 1.1},   {"log10", std::log10, 1.2},
    {"log1p", std::log1p, 1.5}, {"sinh", std::sinh, 1.8},
    {"cosh", std::cosh, 1.6},   {"tanh", std::tanh, 2.5},
    {"asinh", std::asinh, 1.1}, {"acosh", std::acosh, 1.1},
    {"atanh", std::atanh, 1.1}, {"sin", std::sin, 1.6},
    {"cos", std::cos, 1.6},     {"tan", std::tan, 3},
    {"asin", std::asin, 2.5},   {"acos", std::acos, 1.5},
    {"atan", std::atan, 2},     {"erf", std::erf, 1.1},
    {"erfc", std::erfc, 4},     {"cbrt", std::cbrt, 0.6},
    {"sqrt", std::sqrt, 0.5},   {"rsqrt", reciprocalRoot, 1.6},
};

// Of two arguments: pairs of random floats, whole numbers among them.
struct Function2 {
  const char* name;
  double (*exact)(double, double);
  double bound;
};

constexpr Function2 kFunctions2[] = {
    {"powf", std::pow, 0.6},
    {"atan2", std::atan2, 3},
};

constexpr double kWrong = 1e9;

// In units of the last place of what is right; kWrong for another class, or
// sign of zero.
double errorOf(float got, double exact) {
  auto right = static_cast<float>(exact);
  if (std::isnan(right)) return std::isnan(got) ? 0 : kWrong;
  if (std::isnan(got)) return kWrong;
  if (got == right) {
    if (right == 0 && exact == 0 && std::signbit(got) != std::signbit(exact))
      return kWrong;
    if (std::isinf(right)) return 0;
  }
  int exponent = 0;
  std::frexp(std::isinf(exact) ? static_cast<double>(FLT_MAX) : exact,
             &exponent);
  double unit = std::ldexp(
      1, std::max(exponent - FLT_MANT_DIG, FLT_MIN_EXP - FLT_MANT_DIG));
  auto finite = [](double x) {
    // Infinity stands where the next float would.
    return std::isinf(x) ? std::copysign(0x1p128, x) : x;
  };
  return std::fabs(finite(static_cast<double>(got)) - finite(exact)) / unit;
}

struct Worst {
  double error = 0;
  float x = 0, y = 0, got = 0;
  void meet(double candidate, float x_, float y_, float got_) {
    if (candidate > error) *this = {candidate, x_, y_, got_};
  }
};

bool report(const char* name, const Worst& worst, double bound) {
  bool isGood = worst.error <= bound;
  std::printf("%-6s %8.4f of %.1f at %a, %a: %a%s\n", name, worst.error, bound,
              static_cast<double>(worst.x), static_cast<double>(worst.y),
              static_cast<double>(worst.got), isGood ? "" : "  WRONG");
  std::fflush(stdout);
  return isGood;
}

float floatOf(uint32_t bits) {
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

constexpr float kSpecial[] = {
    0.0f,     -0.0f,    1.0f,      -1.0f,        0.5f,       -0.5f,   2.0f,
    -2.0f,    3.0f,     -3.0f,     INFINITY,     -INFINITY,  NAN,     FLT_MAX,
    -FLT_MAX, FLT_MIN,  -FLT_MIN,  0x1p-149f,    -0x1p-149f, 0x1p24f, 0x1p25f,
    0x1p126f, 0x1p127f, -0x1p127f, 0x1.6a0ap127f};

// Not the name of a function of the C library, which models may call.
std::string entryOf(const char* name) { return std::string("all_") + name; }

std::string model() {
  std::string text;
  for (const Function& f : kFunctions)
    text += "func.func @" + entryOf(f.name) +
            "(%x: tensor<?xf32>) -> tensor<?xf32> {\n  %y = math." + f.name +
            " %x : tensor<?xf32>\n  return %y : tensor<?xf32>\n}\n";
  for (const Function2& f : kFunctions2)
    text += "func.func @" + entryOf(f.name) +
            "(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n"
            "  %z = math." +
            f.name +
            " %x, %y : tensor<?xf32>\n  return %z : tensor<?xf32>\n}\n";
  return text;
}

// Not a multiple of any vector, so that the rest is met as well.
constexpr size_t kElements = 65536 + 7;

bool checkAll(const JitModel& model, const Function& f, uint64_t step) {
  Worst worst;
  std::vector<float> x(kElements), y(kElements);
  size_t filled = 0;
  auto flush = [&] {
    auto count = static_cast<int64_t>(filled);
    if (model.call(entryOf(f.name), x.data(), count, y.data()) != 0)
      worst.meet(kWrong, 0, 0, 0);
    for (size_t i = 0; i < filled; ++i)
      worst.meet(errorOf(y[i], f.exact(static_cast<double>(x[i]))), x[i], 0,
                 y[i]);
    filled = 0;
  };
  auto add = [&](float value) {
    x[filled++] = value;
    if (filled == kElements) flush();
  };
  for (float special : kSpecial) add(special);
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += step)
    add(floatOf(static_cast<uint32_t>(bits)));
  flush();
  return report(f.name, worst, f.bound);
}

bool checkPairs(const JitModel& model, const Function2& f, uint64_t step) {
  Worst worst;
  std::vector<float> x(kElements), y(kElements), z(kElements);
  Random random(seedOf(f.name));
  auto any = [&]() -> float {
    switch (random.below(4)) {
      case 0:
        return kSpecial[random.below(std::size(kSpecial))];
      case 1:
        return static_cast<float>(static_cast<int64_t>(random.below(81)) - 40);
      case 2:  // where powers are finite
        return floatOf(
            static_cast<uint32_t>(0x3f000000 + random.below(0x02000000) +
                                  (uint64_t{random.below(2) == 0} << 31)));
      default:
        return floatOf(static_cast<uint32_t>(random.next()));
    }
  };
  for (uint64_t done = 0; done < (uint64_t{1} << 32) / step;
       done += kElements) {
    for (size_t i = 0; i < kElements; ++i) x[i] = any(), y[i] = any();
    auto count = static_cast<int64_t>(kElements);
    if (model.call(entryOf(f.name), x.data(), count, y.data(), count,
                   z.data()) != 0)
      worst.meet(kWrong, 0, 0, 0);
    for (size_t i = 0; i < kElements; ++i)
      worst.meet(errorOf(z[i], f.exact(static_cast<double>(x[i]),
                                       static_cast<double>(y[i]))),
                 x[i], y[i], z[i]);
  }
  return report(f.name, worst, f.bound);
}

int run() {
  std::string only = onlyFlag, error;
  uint64_t step = std::max(1u, stepFlag.getValue());
  JitOptions options;
  options.isa = targetFlag.empty() ? runnableIsas().front() : targetFlag;
  std::unique_ptr<JitModel> compiled =
      JitModel::compile(model(), options, &error);
  if (!compiled) {
    std::printf("refused: %s\n", error.c_str());
    return 1;
  }
  bool isGood = true;
  for (const Function& f : kFunctions)
    if (only.empty() || only == f.name) isGood &= checkAll(*compiled, f, step);
  for (const Function2& f : kFunctions2)
    if (only.empty() || only == f.name)
      isGood &= checkPairs(*compiled, f, step);
  return isGood ? 0 : 1;
}

}  // namespace
}  // namespace tilewright::testing

int main(int argc, char** argv) {
  using namespace tilewright::testing;
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Largest errors of functions of f32 in compiled models.\nExits with 1 if "
      "one is beyond its bound.\n");
  return run();
}
