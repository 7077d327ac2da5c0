// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/contraction_check.h"

#include "tests/compile/checked_call.h"

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

// Row-major strides of the operand's indices along the letters of `p`.
std::vector<int64_t> stridesAlong(const ContractionProgram& p,
                                  const ContractionOperand& operand,
                                  const Extents& extents) {
  const std::string& letters = p.letters;
  std::vector<int64_t> strides(letters.size());
  int64_t stride = 1;
  for (size_t i = operand.indices.size(); i-- > 0;) {
    char index = operand.indices[i];
    if (auto window = p.windows.find(index); window != p.windows.end()) {
      const WindowIndex& sum = window->second;
      strides[letters.find(sum.place)] += stride * sum.stride;
      strides[letters.find(sum.tap)] += stride * sum.dilation;
    } else if (index != '1') {
      strides[letters.find(index)] += stride;
    }
    stride *= extents.at(operand.indices[i]);
  }
  return strides;
}

// What follows the sums of products, in `out`.
void finish(const ContractionProgram& p, size_t call,
            std::vector<int64_t>& out) {
  const Extents& extents = p.calls[call];
  std::vector<int64_t> addend = {0}, steps(p.letters.size());
  if (p.addend) {
    addend = operandValues(p, *p.addend, call);
    steps = stridesAlong(p, *p.addend, extents);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    size_t at = 0, rest = i;
    for (size_t d = p.out.indices.size(); d-- > 0;) {
      char letter = p.out.indices[d];
      auto size = static_cast<size_t>(extents.at(letter));
      at += rest % size * static_cast<size_t>(steps[p.letters.find(letter)]);
      rest /= size;
    }
    uint64_t factor = p.doublesOut ? 2 : 1;
    out[i] = static_cast<int64_t>(static_cast<uint64_t>(out[i]) * factor +
                                  static_cast<uint64_t>(addend[at]) *
                                      (p.addsFirst ? factor : 1));
  }
}

// `out` in the order of the program's result.
std::vector<int64_t> transposed(const ContractionProgram& p,
                                const Extents& extents,
                                const std::vector<int64_t>& out) {
  std::vector<int64_t> steps = stridesAlong(p, p.result(), extents),
                       moved(out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    int64_t at = 0;
    for (size_t d = p.out.indices.size(); d-- > 0;) {
      char letter = p.out.indices[d];
      at += rest % extents.at(letter) * steps[p.letters.find(letter)];
      rest /= extents.at(letter);
    }
    moved[static_cast<size_t>(at)] = out[i];
  }
  return moved;
}

// The oracle: the sum of products over all points, in 64 bits.
std::vector<int64_t> expectedValues(const ContractionProgram& p, size_t call) {
  const Extents& extents = p.calls[call];
  std::vector<int64_t> lhs = operandValues(p, p.passedLhs(), call),
                       rhs = operandValues(p, p.passedRhs(), call);
  if (p.negatesLhs)
    for (int64_t& x : lhs) x = wrap(*p.types.lhs, -static_cast<uint64_t>(x));
  for (int64_t& x : lhs) x -= p.lhsZero.value_or(0);
  for (int64_t& y : rhs) y -= p.rhsZero.value_or(0);
  std::vector<int64_t> out(static_cast<size_t>(elementsOf(p.out, extents)),
                           p.init == Init::kFill ? p.fill : 0);
  if (p.init == Init::kArgument) out = operandValues(p, p.out, call);

  const std::string& letters = p.letters;
  std::vector<int64_t> ls = stridesAlong(p, p.passedLhs(), extents),
                       rs = stridesAlong(p, p.passedRhs(), extents),
                       os = stridesAlong(p, p.out, extents);
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
  if (p.addend || p.doublesOut) finish(p, call, out);
  for (int64_t& x : out) x = wrap(*p.types.out, static_cast<uint64_t>(x));
  return p.transposedOut.empty() ? out : transposed(p, extents, out);
}

std::string sizesText(const Extents& extents) {
  std::string text;
  for (auto [letter, size] : extents)
    text += (text.empty() ? "" : " ") + std::string(1, letter) + "=" +
            std::to_string(size);
  return text;
}

std::string checkCall(const ContractionProgram& p, const JitModel& model,
                      size_t call) {
  const Extents& extents = p.calls[call];
  auto tensorOf = [&](const ContractionOperand& operand, const Element& element,
                      const std::vector<int64_t>& values, bool isLeading) {
    CallTensor tensor;
    tensor.bytes = encodeValues(element, values);
    tensor.elementBytes = element.bytes();
    for (char index : operand.indices)
      tensor.shape.push_back(extents.at(index));
    tensor.isLeading = isLeading;
    return tensor;
  };
  std::vector<CallTensor> arguments;
  auto pass = [&](const ContractionOperand& operand, const Element& element) {
    arguments.push_back(
        tensorOf(operand, element, operandValues(p, operand, call),
                 /*isLeading=*/(p.dataSeed + call + arguments.size()) % 2));
    for (size_t i = 0; i < operand.indices.size(); ++i)
      if (operand.isDynamic[i])
        arguments.back().dynamicSizes.push_back(extents.at(operand.indices[i]));
  };
  if (!p.lhs.isConstant) pass(p.passedLhs(), *p.types.lhs);
  if (!p.rhs.isConstant) pass(p.passedRhs(), *p.types.rhs);
  if (p.init == Init::kArgument) pass(p.out, *p.types.out);
  if (p.addend) pass(*p.addend, *p.types.out);
  std::vector<int64_t> scalars;
  if (p.zerosAreArguments)
    for (const std::optional<int>& zero : {p.lhsZero, p.rhsZero})
      if (zero) scalars.push_back(*zero);
  return checkCall(model, p.name, arguments, scalars,
                   {tensorOf(p.result(), *p.types.out, expectedValues(p, call),
                             /*isLeading=*/p.dataSeed % 3 == 0)});
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
