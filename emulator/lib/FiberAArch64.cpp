// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fiber switch for AArch64, AAPCS64: x19 to x30 and d8 to d15 survive
// calls.

#if defined(__aarch64__)

#include "Fiber.h"
#include <cstdint>
#include <cstring>

asm(R"(
  .text
  .globl tw_emulator_switch
  .hidden tw_emulator_switch
  .type tw_emulator_switch, %function
tw_emulator_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size tw_emulator_switch, . - tw_emulator_switch

  .hidden tw_emulator_start
  .type tw_emulator_start, %function
tw_emulator_start:
  mov x0, x20
  blr x19
  brk #1
  .size tw_emulator_start, . - tw_emulator_start
)");

extern "C" void tw_emulator_start();

void *tilewright::emulator::prepareFiber(char *top, void (*body)(void *),
                                         void *argument) {
  auto *frame = reinterpret_cast<void **>(
      (reinterpret_cast<uintptr_t>(top) & ~uintptr_t(63)) - 160);
  std::memset(frame, 0, 160);
  frame[0] = reinterpret_cast<void *>(body);               // x19
  frame[1] = argument;                                     // x20
  frame[11] = reinterpret_cast<void *>(tw_emulator_start); // x30
  return frame;
}

#endif // AArch64
