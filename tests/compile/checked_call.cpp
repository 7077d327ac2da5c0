// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/checked_call.h"

#include <cstring>

#include "tests/common/guarded_buffer.h"

namespace tilewright::testing {
namespace {

std::string hexOf(const uint8_t* bytes, size_t size) {
  std::string text = "0x";
  for (size_t i = size; i-- > 0;) {
    const char* digits = "0123456789abcdef";
    text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
  }
  return text;
}

// The first element that differs, and how many do.
std::string compare(const CallTensor& expected, const uint8_t* got) {
  size_t size = expected.elementBytes;
  const uint8_t* want = expected.bytes.data();
  size_t count = expected.bytes.size() / size, wrong = 0, first = 0;
  for (size_t i = count; i-- > 0;)
    if (std::memcmp(got + i * size, want + i * size, size) != 0)
      ++wrong, first = i;
  if (!wrong) return "";
  std::string place;
  size_t rest = first;
  for (size_t i = expected.shape.size(); i-- > 0;) {
    auto extent = static_cast<size_t>(expected.shape[i]);
    place = "[" + std::to_string(rest % extent) + "]" + place;
    rest /= extent;
  }
  return std::to_string(wrong) + " of " + std::to_string(count) +
         " elements are wrong, the first at " + place + ": " +
         hexOf(got + first * size, size) + ", expected " +
         hexOf(want + first * size, size);
}

}  // namespace

std::string checkCall(const JitModel& model, const std::string& name,
                      const std::vector<CallTensor>& arguments,
                      const std::vector<int64_t>& scalars,
                      const std::vector<CallTensor>& results) {
  std::vector<GuardedBuffer> inputs, outputs;
  std::vector<int64_t> words;
  auto pass = [&](const CallTensor& tensor, std::vector<GuardedBuffer>& to) {
    to.emplace_back(
        tensor.bytes.size(), 0,
        tensor.isLeading ? Placement::kLeading : Placement::kTrailing);
    words.push_back(reinterpret_cast<int64_t>(to.back().data()));
    words.insert(words.end(), tensor.dynamicSizes.begin(),
                 tensor.dynamicSizes.end());
  };
  for (const CallTensor& argument : arguments) {
    pass(argument, inputs);
    if (!argument.bytes.empty())
      std::memcpy(inputs.back().data(), argument.bytes.data(),
                  argument.bytes.size());
  }
  words.insert(words.end(), scalars.begin(), scalars.end());
  for (const CallTensor& result : results) pass(result, outputs);

  int32_t status = model.callWords(name, words);
  if (status != 0)
    return "returned the status " + std::to_string(status) + ": " +
           JitModel::deviceMessage();
  if (JitModel::liveAllocations() != 0) return "kept memory";
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<uint8_t>& bytes = arguments[i].bytes;
    if (!inputs[i].slackIntact() ||
        (!bytes.empty() &&
         std::memcmp(inputs[i].data(), bytes.data(), bytes.size()) != 0))
      return "wrote to an argument";
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!outputs[i].slackIntact()) return "wrote outside of the result";
    std::string problem = compare(results[i], outputs[i].as<uint8_t>());
    if (!problem.empty())
      return (results.size() > 1 ? "result " + std::to_string(i) + ": " : "") +
             problem;
  }
  return "";
}

}  // namespace tilewright::testing
