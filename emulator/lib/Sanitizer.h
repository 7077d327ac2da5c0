// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What AddressSanitizer is told about fibers. Without it, nothing.

#ifndef TILEWRIGHT_EMULATOR_LIB_SANITIZER_H
#define TILEWRIGHT_EMULATOR_LIB_SANITIZER_H

#include "llvm/Support/Compiler.h"
#include <cstddef>

#if LLVM_ADDRESS_SANITIZER_BUILD
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tilewright::emulator::sanitizer {

/// Before a switch to the stack [bottom, bottom + bytes). `kept`: where the
/// running fiber's state goes; null if it never runs again.
inline void beginSwitch(void **kept, const void *bottom, size_t bytes) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  __sanitizer_start_switch_fiber(kept, bottom, bytes);
#endif
}

/// After one, with what the fiber kept, or null when it begins. Gives the stack
/// that was left.
inline void endSwitch(void *kept, const void **bottom, size_t *bytes) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  __sanitizer_finish_switch_fiber(kept, bottom, bytes);
#endif
}

/// Fibers are abandoned, and their frames stay marked.
inline void forgetStack(void *bottom, size_t bytes) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  __asan_unpoison_memory_region(bottom, bytes);
#endif
}

} // namespace tilewright::emulator::sanitizer

#endif // TILEWRIGHT_EMULATOR_LIB_SANITIZER_H
