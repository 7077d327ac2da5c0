// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work in a process of its own, so that what crashes is told of.

#ifndef TESTS_COMPILE_CHILD_OUTPUT_H_
#define TESTS_COMPILE_CHILD_OUTPUT_H_

#include <string>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright::testing {

// What `work` writes in a copy of this process, which ends with it or after
// `seconds`. `how` says how it ended, if not well.
std::string outputOfChild(unsigned seconds,
                          llvm::function_ref<void(llvm::raw_ostream&)> work,
                          std::string& how);

// The same of work that writes objects of JSON, one a line. A line that the end
// of the process cut off is left out.
std::vector<llvm::json::Object> objectsOfChild(
    unsigned seconds, llvm::function_ref<void(llvm::raw_ostream&)> work,
    std::string& how);

}  // namespace tilewright::testing

#endif  // TESTS_COMPILE_CHILD_OUTPUT_H_
