// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linalg's named convolutions, poolings and multiplications in every layout,
// against what their layouts say.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/compile/jit_model.h"
#include "tests/tiles/element_codec.h"

namespace tilewright::testing {
namespace {

enum class Combine { kSum, kMax, kMin, kMaxUnsigned, kMinUnsigned };

// An operation by its operands' layouts, a letter for each dimension: d, h and
// w of the first and of the result are places in space, of the second places in
// the window. Products are summed over the letters that the result lacks.
struct Operation {
  const char* name;
  const char *x, *w, *out;
  Combine combine = Combine::kSum;
  bool isPooling = false;
  // With zero points of both operands.
  bool isQuantized = false;
};

std::vector<Operation> operations() {
  std::vector<Operation> all;
  auto add = [&](const char* name, const char* x, const char* w,
                 const char* out, const char* quantized = nullptr) {
    all.push_back({name, x, w, out});
    if (quantized)
      all.push_back({quantized, x, w, out, Combine::kSum, false, true});
  };
  add("conv_1d", "w", "w", "w");
  add("conv_2d", "hw", "hw", "hw");
  add("conv_3d", "dhw", "dhw", "dhw");
  add("conv_1d_ncw_fcw", "ncw", "fcw", "nfw");
  add("conv_1d_nwc_wcf", "nwc", "wcf", "nwf");
  add("conv_2d_nchw_fchw", "nchw", "fchw", "nfhw", "conv_2d_nchw_fchw_q");
  add("conv_2d_nhwc_fhwc", "nhwc", "fhwc", "nhwf", "conv_2d_nhwc_fhwc_q");
  add("conv_2d_nhwc_hwcf", "nhwc", "hwcf", "nhwf", "conv_2d_nhwc_hwcf_q");
  add("conv_2d_ngchw_fgchw", "ngchw", "fgchw", "ngfhw");
  add("conv_2d_ngchw_gfchw", "ngchw", "gfchw", "ngfhw",
      "conv_2d_ngchw_gfchw_q");
  add("conv_2d_nhwgc_gfhwc", "nhwgc", "gfhwc", "nhwgf",
      "conv_2d_nhwgc_gfhwc_q");
  add("conv_3d_ncdhw_fcdhw", "ncdhw", "fcdhw", "nfdhw");
  add("conv_3d_ndhwc_dhwcf", "ndhwc", "dhwcf", "ndhwf",
      "conv_3d_ndhwc_dhwcf_q");
  add("depthwise_conv_1d_ncw_cw", "ncw", "cw", "ncw");
  add("depthwise_conv_1d_nwc_wc", "nwc", "wc", "nwc");
  add("depthwise_conv_1d_nwc_wcm", "nwc", "wcm", "nwcm");
  add("depthwise_conv_2d_nchw_chw", "nchw", "chw", "nchw");
  add("depthwise_conv_2d_nhwc_hwc", "nhwc", "hwc", "nhwc",
      "depthwise_conv_2d_nhwc_hwc_q");
  add("depthwise_conv_2d_nhwc_hwcm", "nhwc", "hwcm", "nhwcm",
      "depthwise_conv_2d_nhwc_hwcm_q");
  add("depthwise_conv_3d_ncdhw_cdhw", "ncdhw", "cdhw", "ncdhw");
  add("depthwise_conv_3d_ndhwc_dhwc", "ndhwc", "dhwc", "ndhwc");
  add("depthwise_conv_3d_ndhwc_dhwcm", "ndhwc", "dhwcm", "ndhwcm");
  add("dot", "k", "k", "");
  add("matvec", "ik", "k", "i");
  add("vecmat", "k", "kj", "j");
  add("batch_matvec", "bik", "bk", "bi");
  add("batch_vecmat", "bk", "bkj", "bj");
  add("matmul", "ik", "kj", "ij", "quantized_matmul");
  add("batch_matmul", "bik", "bkj", "bij", "quantized_batch_matmul");
  add("batch_reduce_matmul", "bik", "bkj", "ij");
  add("mmt4d", "IKik", "JKjk", "IJij");
  add("batch_mmt4d", "bIKik", "bJKjk", "bIJij");
  // Spelt as before MLIR 21.
  add("matmul_transpose_a", "ki", "kj", "ij");
  add("matmul_transpose_b", "ik", "jk", "ij");
  add("batch_matmul_transpose_a", "bki", "bkj", "bij");
  add("batch_matmul_transpose_b", "bik", "bjk", "bij");
  auto pool = [&](const char* name, const char* x, const char* window,
                  Combine combine) {
    all.push_back({name, x, window, x, combine, /*isPooling=*/true});
  };
  pool("pooling_ncw_sum", "ncw", "w", Combine::kSum);
  pool("pooling_ncw_max", "ncw", "w", Combine::kMax);
  pool("pooling_nwc_sum", "nwc", "w", Combine::kSum);
  pool("pooling_nwc_max", "nwc", "w", Combine::kMax);
  pool("pooling_nwc_min", "nwc", "w", Combine::kMin);
  pool("pooling_nwc_max_unsigned", "nwc", "w", Combine::kMaxUnsigned);
  pool("pooling_nwc_min_unsigned", "nwc", "w", Combine::kMinUnsigned);
  pool("pooling_nchw_sum", "nchw", "hw", Combine::kSum);
  pool("pooling_nchw_max", "nchw", "hw", Combine::kMax);
  pool("pooling_nhwc_sum", "nhwc", "hw", Combine::kSum);
  pool("pooling_nhwc_max", "nhwc", "hw", Combine::kMax);
  pool("pooling_nhwc_min", "nhwc", "hw", Combine::kMin);
  pool("pooling_nhwc_max_unsigned", "nhwc", "hw", Combine::kMaxUnsigned);
  pool("pooling_nhwc_min_unsigned", "nhwc", "hw", Combine::kMinUnsigned);
  pool("pooling_ndhwc_sum", "ndhwc", "dhw", Combine::kSum);
  pool("pooling_ndhwc_max", "ndhwc", "dhw", Combine::kMax);
  pool("pooling_ndhwc_min", "ndhwc", "dhw", Combine::kMin);
  return all;
}

struct Element {
  const char* name;
  tw_element_type_t type;
  size_t bytes;
  bool isFloat;
};

constexpr Element kF64{"f64", TW_ELEMENT_F64, 8, true},
    kF32{"f32", TW_ELEMENT_F32, 4, true}, kF16{"f16", TW_ELEMENT_F16, 2, true},
    kBF16{"bf16", TW_ELEMENT_BF16, 2, true}, kI64{"i64", {}, 8, false},
    kI32{"i32", {}, 4, false}, kI16{"i16", {}, 2, false},
    kI8{"i8", {}, 1, false};

// Elements of the operands and of the result.
struct Types {
  const Element *in, *out;
};

struct Case {
  Operation operation;
  Types types;
  int64_t stride, dilation;
  bool isDynamic;
};

bool isSpace(char letter) { return std::strchr("dhw", letter) != nullptr; }

// Whether it has strides and dilations: conv_2d and the like have neither.
bool hasStrides(const Operation& operation) {
  return std::strchr(operation.x, 'n') != nullptr;
}

// Several types, or the first of each operation.
std::vector<Case> cases(bool isAll) {
  std::vector<Case> all;
  size_t turn = 0;
  for (const Operation& operation : operations()) {
    bool isUnsigned = operation.combine == Combine::kMaxUnsigned ||
                      operation.combine == Combine::kMinUnsigned;
    std::vector<Types> types;
    if (operation.isQuantized)
      types = {{&kI8, &kI32}};
    else if (isUnsigned)
      types = {{&kI8, &kI8}, {&kI32, &kI32}};
    else if (operation.isPooling)
      types = {{&kF32, &kF32}, {&kF64, &kF64}, {&kF16, &kF16}, {&kBF16, &kBF16},
               {&kI8, &kI8},   {&kI16, &kI16}, {&kI64, &kI64}};
    else
      types = {{&kF32, &kF32},   {&kF64, &kF64}, {&kF16, &kF32},
               {&kF16, &kF16},   {&kI8, &kI32},  {&kI16, &kI32},
               {&kBF16, &kBF16}, {&kBF16, &kF32}};
    // Sizes that the caller passes, and strides with static ones.
    bool isStrided = hasStrides(operation);
    all.push_back({operation, types[0], 1, 1, /*isDynamic=*/true});
    if (isAll && isStrided)
      all.push_back({operation, types[0], 2, 2, /*isDynamic=*/true});
    all.push_back(
        {operation, types[0], isStrided ? 2 : 1, 1, /*isDynamic=*/false});
    // The others by turns, or all.
    if (!isAll || types.size() == 1) continue;
    static const bool kEach = std::getenv("TW_ALL_TYPES") != nullptr;
    for (size_t i = 1; i < types.size(); ++i)
      if (kEach || turn % (types.size() - 1) + 1 == i)
        all.push_back(
            {operation, types[i], isStrided ? 2 : 1, 1, /*isDynamic=*/false});
    ++turn;
  }
  return all;
}

int64_t sizeOf(char letter) {
  static const std::map<char, int64_t> kSizes = {
      {'b', 2}, {'n', 2}, {'c', 3}, {'f', 5}, {'g', 2},
      {'m', 2}, {'i', 7}, {'j', 6}, {'k', 5}, {'I', 2},
      {'J', 3}, {'K', 2}, {'d', 2}, {'h', 3}, {'w', 5}};
  return kSizes.at(letter);
}

int64_t windowOf(char letter) { return letter == 'w' ? 3 : 2; }

class Evaluation {
 public:
  explicit Evaluation(const Case& which) : case_(which) {
    const Operation& operation = case_.operation;
    for (char letter : std::string(operation.x))
      x_shape.push_back(isSpace(letter)
                            ? (sizeOf(letter) - 1) * case_.stride +
                                  (windowOf(letter) - 1) * case_.dilation + 1
                            : sizeOf(letter));
    for (char letter : std::string(operation.w))
      w_shape.push_back(isSpace(letter) ? windowOf(letter) : sizeOf(letter));
    for (char letter : std::string(operation.out))
      out_shape.push_back(sizeOf(letter));
  }

  // What the operation makes of them, onto `out`.
  void run(const std::vector<int64_t>& x, const std::vector<int64_t>& w,
           int64_t xZero, int64_t wZero, std::vector<int64_t>& out) {
    const Operation& operation = case_.operation;
    // A letter of the window in space is a loop of its own, in capitals.
    std::string letters = operation.out;
    for (char letter : std::string(operation.w))
      if (isSpace(letter))
        letters += static_cast<char>(std::toupper(letter));
      else if (letters.find(letter) == std::string::npos)
        letters += letter;
    for (char letter : std::string(operation.x))
      if (letters.find(letter) == std::string::npos) letters += letter;
    std::map<char, int64_t> at;
    std::function<void(size_t)> loop = [&](size_t depth) {
      if (depth < letters.size()) {
        char letter = letters[depth];
        char lower = static_cast<char>(std::tolower(letter));
        int64_t size = letter != lower && isSpace(lower) ? windowOf(lower)
                                                         : sizeOf(letter);
        for (at[letter] = 0; at[letter] < size; ++at[letter]) loop(depth + 1);
        return;
      }
      int64_t& result = out[offset(operation.out, out_shape,
                                   [&](char letter) { return at[letter]; })];
      int64_t left = x[offset(operation.x, x_shape, [&](char letter) {
        if (!isSpace(letter)) return at[letter];
        char window = static_cast<char>(std::toupper(letter));
        return at[letter] * case_.stride + at[window] * case_.dilation;
      })];
      if (operation.isPooling) {
        result = combined(result, left);
        return;
      }
      int64_t right = w[offset(operation.w, w_shape, [&](char letter) {
        return at[isSpace(letter) ? static_cast<char>(std::toupper(letter))
                                  : letter];
      })];
      result += (left - xZero) * (right - wZero);
    };
    loop(0);
  }

  std::vector<int64_t> x_shape, w_shape, out_shape;

 private:
  static size_t offset(const char* layout, const std::vector<int64_t>& shape,
                       const std::function<int64_t(char)>& at) {
    int64_t offset = 0;
    for (size_t i = 0; i < shape.size(); ++i)
      offset = offset * shape[i] + at(layout[i]);
    return static_cast<size_t>(offset);
  }

  int64_t combined(int64_t x, int64_t y) const {
    auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
    switch (case_.operation.combine) {
      case Combine::kSum:
        return x + y;
      case Combine::kMax:
        return std::max(x, y);
      case Combine::kMin:
        return std::min(x, y);
      case Combine::kMaxUnsigned:
        return ux > uy ? x : y;
      case Combine::kMinUnsigned:
        return ux < uy ? x : y;
    }
    return 0;
  }

  Case case_;
};

int64_t count(const std::vector<int64_t>& shape) {
  int64_t all = 1;
  for (int64_t size : shape) all *= size;
  return all;
}

std::string tensor(const std::vector<int64_t>& shape, const Element& element,
                   bool isDynamic) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += (isDynamic ? "?" : std::to_string(size)) + "x";
  return text + element.name + ">";
}

std::string function(const std::string& name, const Case& which) {
  const Operation& operation = which.operation;
  Evaluation sizes(which);
  std::string x = tensor(sizes.x_shape, *which.types.in, which.isDynamic),
              w = tensor(sizes.w_shape, *which.types.in, which.isDynamic),
              out = tensor(sizes.out_shape, *which.types.out, which.isDynamic),
              attributes, more, moreTypes, before, signature = ", %w: " + w;
  if (hasStrides(operation)) {
    std::string rank = std::to_string(std::count_if(
        operation.x, operation.x + std::strlen(operation.x), isSpace));
    auto same = [&](const char* what, int64_t value) {
      return std::string(what) + " = dense<" + std::to_string(value) +
             "> : tensor<" + rank + "xi64>";
    };
    attributes = " {" + same("dilations", which.dilation) + ", " +
                 same("strides", which.stride) + "}";
  }
  if (operation.isQuantized) {
    before = "  %p = arith.constant 2 : i32\n  %q = arith.constant -1 : i32\n";
    more = ", %p, %q";
    moreTypes = ", i32, i32";
  }
  if (operation.isPooling) {
    // Of the window only the shape counts.
    w = tensor(sizes.w_shape, *which.types.in, false);
    before = "  %w = tensor.empty() : " + w + "\n";
    signature = "";
  }
  return "func.func @" + name + "(%x: " + x + signature + ", %c: " + out +
         ") -> " + out + " {\n" + before + "  %r = linalg." + operation.name +
         attributes + " ins(%x, %w" + more + " : " + x + ", " + w + moreTypes +
         ") outs(%c : " + out + ") -> " + out + "\n  return %r : " + out +
         "\n}\n";
}

// Small whole numbers, so that sums are exact in every type.
std::vector<int64_t> numbers(int64_t count, int64_t seed, int64_t range) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back((i * 7 + i * i * 3 + seed) % (2 * range + 1) - range);
  return values;
}

GuardedBuffer encoded(const std::vector<int64_t>& values,
                      const Element& element) {
  GuardedBuffer buffer(values.size() * element.bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits =
        element.isFloat
            ? encodeFloat(element.type, static_cast<double>(values[i]))
            : static_cast<uint64_t>(values[i]);
    std::memcpy(buffer.as<uint8_t>() + i * element.bytes, &bits, element.bytes);
  }
  return buffer;
}

class NamedOpsTest : public ::testing::TestWithParam<std::string> {};

void check(const JitModel& model, const std::string& name, const Case& which) {
  Evaluation evaluation(which);
  int64_t range = which.types.in == &kBF16 ? 1 : 3;
  std::vector<int64_t> x = numbers(count(evaluation.x_shape), 1, range),
                       w = numbers(count(evaluation.w_shape), 2, range),
                       c = numbers(count(evaluation.out_shape), 3, range);
  GuardedBuffer xBytes = encoded(x, *which.types.in),
                wBytes = encoded(w, *which.types.in),
                cBytes = encoded(c, *which.types.out),
                got = encoded(c, *which.types.out);
  std::memset(got.data(), 0x55, got.size());
  std::vector<int64_t> words;
  auto pass = [&](GuardedBuffer& bytes, const std::vector<int64_t>& shape) {
    words.push_back(reinterpret_cast<int64_t>(bytes.data()));
    if (which.isDynamic) words.insert(words.end(), shape.begin(), shape.end());
  };
  pass(xBytes, evaluation.x_shape);
  if (!which.operation.isPooling) pass(wBytes, evaluation.w_shape);
  pass(cBytes, evaluation.out_shape);
  words.push_back(reinterpret_cast<int64_t>(got.data()));
  ASSERT_EQ(model.callWords(name, words), 0) << JitModel::deviceMessage();
  bool isQuantized = which.operation.isQuantized;
  evaluation.run(x, w, isQuantized ? 2 : 0, isQuantized ? -1 : 0, c);
  GuardedBuffer expected = encoded(c, *which.types.out);
  EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size()), 0);
}

TEST_P(NamedOpsTest, ComputeWhatTheirLayoutsSay) {
  std::vector<Case> all = cases(GetParam() == runnableIsas().front());
  std::string text, error;
  for (size_t i = 0; i < all.size(); ++i)
    text += function("f" + std::to_string(i), all[i]);
  std::unique_ptr<JitModel> model =
      JitModel::compile(text, JitOptions{GetParam()}, &error);
  ASSERT_TRUE(model) << error;
  for (size_t i = 0; i < all.size(); ++i) {
    std::string name = "f" + std::to_string(i);
    SCOPED_TRACE(function(name, all[i]));
    check(*model, name, all[i]);
  }
}

std::vector<std::string> targets() {
  std::vector<std::string> isas = runnableIsas();
  std::vector<std::string> all = {isas.front(), "amdgpu_gfx942"};
  if (isas.size() > 1) all.push_back(isas.back());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Targets, NamedOpsTest, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tilewright::testing
