// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fiber switch for x86-64, System V: rbx, rbp and r12 to r15 survive calls.

#if defined(__x86_64__)

#include "Fiber.h"
#include <cstdint>

asm(R"(
  .text
  .globl tw_emulator_switch
  .hidden tw_emulator_switch
  .type tw_emulator_switch, @function
tw_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
  .size tw_emulator_switch, . - tw_emulator_switch

  .hidden tw_emulator_start
  .type tw_emulator_start, @function
tw_emulator_start:
  movq %r13, %rdi
  callq *%r12
  ud2
  .size tw_emulator_start, . - tw_emulator_start
)");

extern "C" void tw_emulator_start();

void *tilewright::emulator::prepareFiber(char *top, void (*body)(void *),
                                         void *argument) {
  auto **frame = reinterpret_cast<void **>(reinterpret_cast<uintptr_t>(top) &
                                           ~uintptr_t(63));
  // The first instruction finds the stack as after a call's push: 16n + 8, so
  // that the call it makes itself is aligned.
  frame -= 2;
  *--frame = nullptr;
  *--frame = reinterpret_cast<void *>(tw_emulator_start);
  *--frame = nullptr;                        // rbp: ends a backtrace
  *--frame = nullptr;                        // rbx
  *--frame = reinterpret_cast<void *>(body); // r12
  *--frame = argument;                       // r13
  *--frame = nullptr;                        // r14
  *--frame = nullptr;                        // r15
  return frame;
}

#endif // x86-64
