// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/checked_call.h"

#include <cstring>
#include <optional>
#include <thread>

#include "tests/common/guarded_buffer.h"
#include "tilewright/parallel_for.h"

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

// Where a call has its buffers from.
enum class Memory { kMalloc, kWorkspace };

// Tasks in an order that nobody may count on, in this thread.
void runBackwards(void* /*self*/, tw_index_t count,
                  void (*body)(void* context, tw_index_t i), void* context) {
  for (tw_index_t i = count; i-- > 0;) body(context, i);
}

// Each in a thread of its own.
void runAtOnce(void* /*self*/, tw_index_t count,
               void (*body)(void* context, tw_index_t i), void* context) {
  std::vector<std::thread> threads;
  for (tw_index_t i = 0; i < count; ++i) threads.emplace_back(body, context, i);
  for (std::thread& thread : threads) thread.join();
}

std::string callOnce(const JitModel& model, const std::string& name,
                     const std::vector<CallTensor>& arguments,
                     const std::vector<int64_t>& scalars,
                     const std::vector<CallTensor>& results, Memory memory,
                     const tw_parallel_for_t* parallelFor) {
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
  if (model.threads() > 1)
    words.push_back(reinterpret_cast<int64_t>(parallelFor));

  std::string function = name;
  std::optional<GuardedBuffer> workspace;
  const int64_t allocations = JitModel::allocations();
  if (memory == Memory::kWorkspace) {
    std::vector<int64_t> sizes;
    for (const CallTensor& argument : arguments)
      sizes.insert(sizes.end(), argument.dynamicSizes.begin(),
                   argument.dynamicSizes.end());
    sizes.insert(sizes.end(), scalars.begin(), scalars.end());
    int64_t bytes = model.callWords(name + "_workspace_bytes", sizes);
    if (bytes < 0 || bytes % 64 != 0)
      return "needs a workspace of " + std::to_string(bytes) + " bytes";
    workspace.emplace(static_cast<size_t>(bytes));
    words.push_back(reinterpret_cast<int64_t>(workspace->data()));
    words.push_back(bytes);
    function += "_with_workspace";
  }
  auto status = static_cast<int32_t>(model.callWords(function, words));
  if (status != 0)
    return "returned the status " + std::to_string(status) + ": " +
           JitModel::deviceMessage();
  if (JitModel::liveAllocations() != 0) return "kept memory";
  if (workspace && !workspace->slackIntact())
    return "wrote outside of the workspace";
  if (workspace && JitModel::allocations() != allocations &&
      !model.mayAllocate(name))
    return "called malloc, though it had a workspace";
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

}  // namespace

std::string checkCall(const JitModel& model, const std::string& name,
                      const std::vector<CallTensor>& arguments,
                      const std::vector<int64_t>& scalars,
                      const std::vector<CallTensor>& results) {
  const tw_parallel_for_t backwards = {runBackwards, nullptr},
                          atOnce = {runAtOnce, nullptr};
  std::vector<const tw_parallel_for_t*> ways = {nullptr};
  if (model.threads() > 1) ways = {nullptr, &backwards, &atOnce};
  for (const tw_parallel_for_t* way : ways)
    for (Memory memory : {Memory::kMalloc, Memory::kWorkspace}) {
      if (memory == Memory::kWorkspace && !model.hasWorkspace(name)) continue;
      std::string problem =
          callOnce(model, name, arguments, scalars, results, memory, way);
      if (!problem.empty())
        return (memory == Memory::kWorkspace ? "with a workspace: " : "") +
               std::string(way ? "in tasks: " : "") + problem;
    }
  return "";
}

}  // namespace tilewright::testing
