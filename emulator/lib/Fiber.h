// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes as fibers: stacks, and the switch between them.

#ifndef TILEWRIGHT_EMULATOR_LIB_FIBER_H
#define TILEWRIGHT_EMULATOR_LIB_FIBER_H

#include "llvm/Support/Error.h"
#include <cstddef>

namespace tilewright::emulator {

/// Saves the caller's stack pointer in *save and continues where `load` was
/// saved. One definition per host: FiberX86_64.cpp, FiberAArch64.cpp.
extern "C" void tw_emulator_switch(void **save, void *load);

/// What to `load` so that `body(argument)` starts on the stack that ends at
/// `top`. It must not return.
void *prepareFiber(char *top, void (*body)(void *), void *argument);

/// Equally large stacks, each with a guard page below.
class StackPool {
public:
  explicit StackPool(size_t stackBytes);
  ~StackPool() { release(); }
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;

  llvm::Error reserve(size_t count);
  char *top(size_t index) const { return base + (index + 1) * stride; }
  char *bottom(size_t index) const { return top(index) - usable; }
  size_t bytes() const { return usable; }

private:
  void release();

  char *base = nullptr;
  size_t count = 0, usable, stride;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_FIBER_H
