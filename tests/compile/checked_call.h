// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of a compiled function whose results are known to the bit.

#ifndef TESTS_COMPILE_CHECKED_CALL_H_
#define TESTS_COMPILE_CHECKED_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/compile/jit_model.h"

namespace tilewright::testing {

// A tensor that is passed, or what a result has to be: row-major elements.
struct CallTensor {
  std::vector<uint8_t> bytes;
  size_t elementBytes = 1;
  std::vector<int64_t> shape;
  // Those sizes that the caller passes; none for results.
  std::vector<int64_t> dynamicSizes = {};
  // Where its memory lies: begins after a guard page, or ends before one.
  bool isLeading = false;
};

// Calls `name` with the tensors, the scalars and the results, in this order.
// Empty if each element of the results is right, no byte outside of them was
// touched and no memory is kept; else what was wrong first. Models for the CPU
// are called a second time, with a workspace of exactly the bytes that they ask
// for, and may not call malloc then. Those for several threads are called in
// one, with tasks from the last to the first, and with all tasks at once.
std::string checkCall(const JitModel& model, const std::string& name,
                      const std::vector<CallTensor>& arguments,
                      const std::vector<int64_t>& scalars,
                      const std::vector<CallTensor>& results);

}  // namespace tilewright::testing

#endif  // TESTS_COMPILE_CHECKED_CALL_H_
