// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a compiled contraction and compares each element of the result with
// loops over the index space of the einsum, which share nothing with the
// compiler.

#ifndef TESTS_COMPILE_CONTRACTION_CHECK_H_
#define TESTS_COMPILE_CONTRACTION_CHECK_H_

#include <string>

#include "tests/compile/contraction_program.h"
#include "tests/compile/jit_model.h"

namespace tilewright::testing {

// Empty if every call of `program` gives the exact result, touches no byte
// outside of its tensors and keeps no memory; else what was wrong first.
std::string checkContraction(const ContractionProgram& program,
                             const JitModel& model);

}  // namespace tilewright::testing

#endif  // TESTS_COMPILE_CONTRACTION_CHECK_H_
