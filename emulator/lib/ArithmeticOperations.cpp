// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic.
#include "Operations.h"
using namespace llvm;
namespace tilewright::emulator {
ArrayRef<OperationRow> arithmeticOperations() { return {}; }
} // namespace tilewright::emulator
