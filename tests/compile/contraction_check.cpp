// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/contraction_check.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "tests/common/guarded_buffer.h"

namespace tilewright::testing {
namespace {

// `value` modulo the element's range; floats hold it as it is.
int64_t wrap(const Element& element, uint64_t value) {
  if (element.kind == Element::kFloat || element.bits == 64)
    return static_cast<int64_t>(value);
  value <<= 64 - element.bits;
  return element.kind == Element::kUnsigned
             ? static_cast<int64_t>(value >> (64 - element.bits))
             : static_cast<int64_t>(value) >> (64 - element.bits);
}

// Row-major strides of the operand's indices along `letters`.
std::vector<int64_t> stridesAlong(const std::string& letters,
                                  const ContractionOperand& operand,
                                  const Extents& extents) {
  std::vector<int64_t> strides(letters.size());
  int64_t stride = 1;
  for (size_t i = operand.indices.size(); i-- > 0;) {
    strides[letters.find(operand.indices[i])] += stride;
    stride *= extents.at(operand.indices[i]);
  }
  return strides;
}

// The oracle: the sum of products over all points, in 64 bits.
std::vector<int64_t> expectedValues(const ContractionProgram& p, size_t call) {
  const Extents& extents = p.calls[call];
  std::vector<int64_t> lhs = operandValues(p, p.lhs, call),
                       rhs = operandValues(p, p.rhs, call);
  if (p.negatesLhs)
    for (int64_t& x : lhs) x = wrap(*p.types.lhs, -static_cast<uint64_t>(x));
  std::vector<int64_t> out(static_cast<size_t>(elementsOf(p.out, extents)),
                           p.init == Init::kFill ? p.fill : 0);
  if (p.init == Init::kArgument) out = operandValues(p, p.out, call);

  const std::string& letters = p.letters;
  std::vector<int64_t> ls = stridesAlong(letters, p.lhs, extents),
                       rs = stridesAlong(letters, p.rhs, extents),
                       os = stridesAlong(letters, p.out, extents);
  int64_t points = 1;
  for (char letter : letters) points *= extents.at(letter);
  for (int64_t point = 0; point < points; ++point) {
    int64_t rest = point, l = 0, r = 0, o = 0;
    for (size_t i = 0; i < letters.size(); ++i) {
      int64_t at = rest % extents.at(letters[i]);
      rest /= extents.at(letters[i]);
      l += at * ls[i];
      r += at * rs[i];
      o += at * os[i];
    }
    auto& sum = out[static_cast<size_t>(o)];
    sum = static_cast<int64_t>(
        static_cast<uint64_t>(sum) +
        static_cast<uint64_t>(lhs[static_cast<size_t>(l)]) *
            static_cast<uint64_t>(rhs[static_cast<size_t>(r)]));
  }
  for (int64_t& x : out)
    x = wrap(*p.types.out, static_cast<uint64_t>(x) * (p.doublesOut ? 2 : 1));
  return out;
}

// A tensor between guard pages, before or after it.
struct Tensor {
  Tensor(std::vector<uint8_t> content, bool leading)
      : expected(std::move(content)),
        buffer(expected.size(), 0,
               leading ? Placement::kLeading : Placement::kTrailing) {}

  std::vector<uint8_t> expected;
  GuardedBuffer buffer;
};

std::string sizesText(const Extents& extents) {
  std::string text;
  for (auto [letter, size] : extents)
    text += (text.empty() ? "" : " ") + std::string(1, letter) + "=" +
            std::to_string(size);
  return text;
}

std::string hexOf(const uint8_t* bytes, size_t size) {
  std::string text = "0x";
  for (size_t i = size; i-- > 0;) {
    const char* digits = "0123456789abcdef";
    text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
  }
  return text;
}

// The first element that differs, and how many do.
std::string compare(const ContractionProgram& p, const Extents& extents,
                    const Tensor& out) {
  size_t size = static_cast<size_t>(p.types.out->bits) / 8;
  size_t count = out.expected.size() / size, wrong = 0, first = 0;
  const auto* got = out.buffer.as<uint8_t>();
  for (size_t i = count; i-- > 0;)
    if (std::memcmp(got + i * size, out.expected.data() + i * size, size) != 0)
      ++wrong, first = i;
  if (!wrong) return "";
  std::string place;
  size_t rest = first;
  for (size_t i = p.out.indices.size(); i-- > 0;) {
    auto extent = static_cast<size_t>(extents.at(p.out.indices[i]));
    place = "[" + std::to_string(rest % extent) + "]" + place;
    rest /= extent;
  }
  return std::to_string(wrong) + " of " + std::to_string(count) +
         " elements are wrong, the first at " + place + ": " +
         hexOf(got + first * size, size) + ", expected " +
         hexOf(out.expected.data() + first * size, size);
}

std::string checkCall(const ContractionProgram& p, const JitModel& model,
                      size_t call) {
  const Extents& extents = p.calls[call];
  std::vector<std::unique_ptr<Tensor>> arguments;
  std::vector<int64_t> words;
  auto pass = [&](const ContractionOperand& operand, const Element& element) {
    arguments.push_back(std::make_unique<Tensor>(
        encodeValues(element, operandValues(p, operand, call)),
        /*leading=*/(p.dataSeed + call + words.size()) % 2));
    Tensor& tensor = *arguments.back();
    if (!tensor.expected.empty())
      std::memcpy(tensor.buffer.data(), tensor.expected.data(),
                  tensor.expected.size());
    words.push_back(reinterpret_cast<int64_t>(tensor.buffer.data()));
    for (size_t i = 0; i < operand.indices.size(); ++i)
      if (operand.isDynamic[i]) words.push_back(extents.at(operand.indices[i]));
  };
  if (!p.lhs.isConstant) pass(p.lhs, *p.types.lhs);
  if (!p.rhs.isConstant) pass(p.rhs, *p.types.rhs);
  if (p.init == Init::kArgument) pass(p.out, *p.types.out);
  Tensor out(encodeValues(*p.types.out, expectedValues(p, call)),
             /*leading=*/p.dataSeed % 3 == 0);
  words.push_back(reinterpret_cast<int64_t>(out.buffer.data()));

  int32_t status = model.callWords(p.name, words);
  if (status != 0)
    return "returned the status " + std::to_string(status) + ": " +
           JitModel::deviceMessage();
  if (JitModel::liveAllocations() != 0) return "kept memory";
  for (const std::unique_ptr<Tensor>& argument : arguments) {
    if (!argument->buffer.slackIntact() ||
        (!argument->expected.empty() &&
         std::memcmp(argument->buffer.data(), argument->expected.data(),
                     argument->expected.size()) != 0))
      return "wrote to an argument";
  }
  if (!out.buffer.slackIntact()) return "wrote outside of the result";
  return compare(p, extents, out);
}

}  // namespace

std::string checkContraction(const ContractionProgram& program,
                             const JitModel& model) {
  for (size_t call = 0; call < program.calls.size(); ++call) {
    std::string problem = checkCall(program, model, call);
    if (!problem.empty())
      return "with " + sizesText(program.calls[call]) + " " + problem;
  }
  return "";
}

}  // namespace tilewright::testing
