// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// The raw call on x86-64; abi_trampoline_aarch64.cpp has AArch64's.

#include "tests/tiles/abi_trampoline.h"

#if defined(__x86_64__) && defined(__linux__)

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tilewright::testing {
namespace {

constexpr int kCalleeSaved = 6;
constexpr const char* kRegisterNames[kCalleeSaved] = {"rbx", "rbp", "r12",
                                                      "r13", "r14", "r15"};
constexpr int kFrameWords = 10;

}  // namespace

// The state around a call. The assembly below addresses the fields by offset.
struct AbiState {
  uint64_t callerRegisters[kCalleeSaved];  // 0: our own
  uint64_t callerRsp;                      // 48
  uint64_t expected[kCalleeSaved];         // 56: what the callee finds
  uint64_t registersAfter[kCalleeSaved];   // 104
  uint64_t rspBefore;                      // 152
  uint64_t rspAfter;                       // 160
  uint64_t flagsAfter;                     // 168
  uint32_t mxcsrBefore;                    // 176
  uint32_t mxcsrAfter;                     // 180
  uint32_t x87Before[8];                   // 184: 28 bytes used
  uint32_t x87After[8];                    // 216
  uint64_t frame[kFrameWords];             // 248: the caller's stack frame
  uint64_t frameAfter[kFrameWords];        // 328
};
static_assert(offsetof(AbiState, callerRsp) == 48);
static_assert(offsetof(AbiState, expected) == 56);
static_assert(offsetof(AbiState, registersAfter) == 104);
static_assert(offsetof(AbiState, rspBefore) == 152);
static_assert(offsetof(AbiState, rspAfter) == 160);
static_assert(offsetof(AbiState, flagsAfter) == 168);
static_assert(offsetof(AbiState, mxcsrBefore) == 176);
static_assert(offsetof(AbiState, mxcsrAfter) == 180);
static_assert(offsetof(AbiState, x87Before) == 184);
static_assert(offsetof(AbiState, x87After) == 216);
static_assert(offsetof(AbiState, frame) == 248);
static_assert(offsetof(AbiState, frameAfter) == 328);

extern "C" {
// One at a time; a global, because after the call no register can be trusted.
__attribute__((visibility("hidden"))) AbiState tilewright_test_abi_state;
void tilewright_test_abi_call(tw_mmt4d_tile_fn_t fn, void* out, const void* lhs,
                              const void* rhs, const tw_mmt4d_params_t* params);
}

// The stack pointer at the call is 16 modulo 64: the least alignment that the
// convention promises. Vector registers hold NaNs, scratch registers garbage.
asm(R"(
    .text
    .p2align 4
    .hidden tilewright_test_abi_call
    .globl tilewright_test_abi_call
    .type tilewright_test_abi_call, @function
tilewright_test_abi_call:
    leaq tilewright_test_abi_state(%rip), %rax
    movq %rbx, 0(%rax)
    movq %rbp, 8(%rax)
    movq %r12, 16(%rax)
    movq %r13, 24(%rax)
    movq %r14, 32(%rax)
    movq %r15, 40(%rax)
    movq %rsp, 48(%rax)
    movq %rdi, %r11
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %rcx
    andq $-64, %rsp
    subq $112, %rsp
    xorl %r8d, %r8d
1:  movq 248(%rax,%r8,8), %r9
    movq %r9, (%rsp,%r8,8)
    incq %r8
    cmpq $10, %r8
    jne 1b
    movq %rsp, 152(%rax)
    stmxcsr 176(%rax)
    fnstenv 184(%rax)
    fldenv 184(%rax)
    movq 56(%rax), %rbx
    movq 64(%rax), %rbp
    movq 72(%rax), %r12
    movq 80(%rax), %r13
    movq 88(%rax), %r14
    movq 96(%rax), %r15
    pcmpeqd %xmm0, %xmm0
    pcmpeqd %xmm1, %xmm1
    pcmpeqd %xmm2, %xmm2
    pcmpeqd %xmm3, %xmm3
    pcmpeqd %xmm4, %xmm4
    pcmpeqd %xmm5, %xmm5
    pcmpeqd %xmm6, %xmm6
    pcmpeqd %xmm7, %xmm7
    pcmpeqd %xmm8, %xmm8
    pcmpeqd %xmm9, %xmm9
    pcmpeqd %xmm10, %xmm10
    pcmpeqd %xmm11, %xmm11
    pcmpeqd %xmm12, %xmm12
    pcmpeqd %xmm13, %xmm13
    pcmpeqd %xmm14, %xmm14
    pcmpeqd %xmm15, %xmm15
    movabsq $0xDEADBEEFDEADBEEF, %rax
    movq %rax, %r8
    movq %rax, %r9
    movq %rax, %r10
    call *%r11
    leaq tilewright_test_abi_state(%rip), %rax
    movq %rbx, 104(%rax)
    movq %rbp, 112(%rax)
    movq %r12, 120(%rax)
    movq %r13, 128(%rax)
    movq %r14, 136(%rax)
    movq %r15, 144(%rax)
    movq %rsp, 160(%rax)
    movq 152(%rax), %rsp
    xorl %r8d, %r8d
2:  movq (%rsp,%r8,8), %r9
    movq %r9, 328(%rax,%r8,8)
    incq %r8
    cmpq $10, %r8
    jne 2b
    pushfq
    popq 168(%rax)
    cld
    stmxcsr 180(%rax)
    ldmxcsr 176(%rax)
    fnstenv 216(%rax)
    fldenv 184(%rax)
    movq 0(%rax), %rbx
    movq 8(%rax), %rbp
    movq 16(%rax), %r12
    movq 24(%rax), %r13
    movq 32(%rax), %r14
    movq 40(%rax), %r15
    movq 48(%rax), %rsp
    ret
    .size tilewright_test_abi_call, .-tilewright_test_abi_call
)");

void callThroughTrampoline(tw_mmt4d_tile_fn_t fn, void* out, const void* lhs,
                           const void* rhs, const tw_mmt4d_params_t* params) {
  AbiState& s = tilewright_test_abi_state;
  for (int i = 0; i < kCalleeSaved; ++i)
    s.expected[i] = 0x5AFE0000C0DE0000u + 0x0101010101010101u * i;
  for (int i = 0; i < kFrameWords; ++i)
    s.frame[i] = 0xF4A3E00000000000u + 0x1111111111u * i;
  tilewright_test_abi_call(fn, out, lhs, rhs, params);
}

std::string trampolineVerdict() {
  const AbiState& s = tilewright_test_abi_state;
  std::string verdict;
  auto add = [&](const std::string& what) {
    verdict += (verdict.empty() ? "" : "; ") + what;
  };
  for (int i = 0; i < kCalleeSaved; ++i)
    if (s.registersAfter[i] != s.expected[i])
      add(std::string("callee-saved register ") + kRegisterNames[i] +
          " changed");
  if (s.rspAfter != s.rspBefore) add("the stack pointer changed");
  if (std::memcmp(s.frame, s.frameAfter, sizeof s.frame) != 0)
    add("the caller's stack frame was written to");
  constexpr uint64_t kDirection = 1u << 10;
  if (s.flagsAfter & kDirection) add("the direction flag is set");
  // The low six bits are sticky exception flags, which a callee may raise.
  constexpr uint32_t kMxcsrControl = 0xFFC0;
  if ((s.mxcsrBefore ^ s.mxcsrAfter) & kMxcsrControl)
    add("MXCSR's control bits changed");
  if ((s.x87Before[0] ^ s.x87After[0]) & 0xFFFF)
    add("the x87 control word changed");
  if ((s.x87After[2] & 0xFFFF) != 0xFFFF) add("the x87 stack is not empty");
  return verdict;
}

void restoreControlState() {
  asm volatile("cld; ldmxcsr %0; fldenv %1"
               :
               : "m"(tilewright_test_abi_state.mxcsrBefore),
                 "m"(tilewright_test_abi_state.x87Before));
}

}  // namespace tilewright::testing

#elif !(defined(__aarch64__) && defined(__linux__))

namespace tilewright::testing {

void callThroughTrampoline(tw_mmt4d_tile_fn_t fn, void* out, const void* lhs,
                           const void* rhs, const tw_mmt4d_params_t* params) {
  fn(out, lhs, rhs, params);
}
std::string trampolineVerdict() { return {}; }
void restoreControlState() {}

}  // namespace tilewright::testing

#endif
