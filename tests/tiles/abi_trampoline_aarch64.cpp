// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The raw call under the procedure call standard for AArch64 (AAPCS64) with its
// SME part: a tile is an ordinary function to its caller, which may have live
// contents in ZA under a pending lazy save.

#include "tests/tiles/abi_trampoline.h"

#if defined(__aarch64__) && defined(__linux__)

#include <sys/auxv.h>
#include <sys/prctl.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tilewright::testing {
namespace {

constexpr int kCalleeSaved = 11;       // x19 to x29
constexpr int kCalleeSavedVector = 8;  // d8 to d15
constexpr int kFrameWords = 10;

enum Flags : uint64_t { kHasSve = 1, kHasSme = 2, kLiveZa = 4 };
// SVCR, the register that holds PSTATE.SM and PSTATE.ZA.
enum Svcr : uint64_t { kStreaming = 1, kZa = 2 };

}  // namespace

// The state around a call. The assembly below addresses the fields by offset.
struct AbiState {
  uint64_t callerRegisters[kCalleeSaved + 1];     // 0: our own, and x30
  uint64_t callerSp;                              // 96
  uint64_t callerVectors[kCalleeSavedVector];     // 104
  uint64_t expected[kCalleeSaved];                // 168: the callee's
  uint64_t registersAfter[kCalleeSaved];          // 256
  uint64_t spBefore, spAfter;                     // 344, 352
  uint64_t expectedVectors[kCalleeSavedVector];   // 360
  uint64_t vectorsAfter[kCalleeSavedVector];      // 424
  uint64_t fpcrBefore, fpcrAfter;                 // 488, 496
  uint64_t svcrAfter, tpidr2Before, tpidr2After;  // 504, 512, 520
  uint64_t flags;                                 // 528
  uint8_t *za, *zaAfter;                          // 536, 544
  uint64_t streamingBytes;                        // 552
  uint64_t frame[kFrameWords];                    // 560: the caller's
  uint64_t frameAfter[kFrameWords];               // 640
};
static_assert(offsetof(AbiState, callerSp) == 96);
static_assert(offsetof(AbiState, callerVectors) == 104);
static_assert(offsetof(AbiState, expected) == 168);
static_assert(offsetof(AbiState, registersAfter) == 256);
static_assert(offsetof(AbiState, spBefore) == 344);
static_assert(offsetof(AbiState, expectedVectors) == 360);
static_assert(offsetof(AbiState, vectorsAfter) == 424);
static_assert(offsetof(AbiState, fpcrBefore) == 488);
static_assert(offsetof(AbiState, svcrAfter) == 504);
static_assert(offsetof(AbiState, tpidr2Before) == 512);
static_assert(offsetof(AbiState, flags) == 528);
static_assert(offsetof(AbiState, za) == 536);
static_assert(offsetof(AbiState, streamingBytes) == 552);
static_assert(offsetof(AbiState, frame) == 560);
static_assert(offsetof(AbiState, frameAfter) == 640);

extern "C" {
// One at a time; a global, because after the call no register can be trusted.
__attribute__((visibility("hidden"))) AbiState tilewright_test_abi_state;
void tilewright_test_abi_call(tw_mmt4d_tile_fn_t fn, void* out, const void* lhs,
                              const void* rhs, const tw_mmt4d_params_t* params);
}

// The stack pointer at the call is 16 modulo 64: the least alignment that the
// convention promises. Vector registers hold NaNs over their whole length,
// predicates are true or false in turn, scratch registers hold garbage.
// s3_3_c4_c2_2 is SVCR, s3_3_c13_c0_5 TPIDR2_EL0.
asm(R"(
    .text
    .arch_extension sve
    .arch_extension sme
    .p2align 4
    .hidden tilewright_test_abi_call
    .globl tilewright_test_abi_call
    .type tilewright_test_abi_call, %function
tilewright_test_abi_call:
    adrp x9, tilewright_test_abi_state
    add x9, x9, :lo12:tilewright_test_abi_state
    stp x19, x20, [x9]
    stp x21, x22, [x9, #16]
    stp x23, x24, [x9, #32]
    stp x25, x26, [x9, #48]
    stp x27, x28, [x9, #64]
    stp x29, x30, [x9, #80]
    mov x10, sp
    str x10, [x9, #96]
    stp d8, d9, [x9, #104]
    stp d10, d11, [x9, #120]
    stp d12, d13, [x9, #136]
    stp d14, d15, [x9, #152]
    mov x16, x0
    mov x0, x1
    mov x1, x2
    mov x2, x3
    mov x3, x4
    and x10, x10, #-64
    sub x10, x10, #112
    mov sp, x10
    str x10, [x9, #344]
    add x12, x9, #560
    mov x11, #0
1:  ldr x13, [x12, x11, lsl #3]
    str x13, [x10, x11, lsl #3]
    add x11, x11, #1
    cmp x11, #10
    b.ne 1b
    mrs x11, fpcr
    str x11, [x9, #488]
    ldr x17, [x9, #528]
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
    movi v\n\().2d, #0xffffffffffffffff
    .endr
    .irp n, 24, 25, 26, 27, 28, 29, 30, 31
    movi v\n\().2d, #0xffffffffffffffff
    .endr
    tbz x17, #0, 2f
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
    mov z\n\().b, #-1
    .endr
    .irp n, 24, 25, 26, 27, 28, 29, 30, 31
    mov z\n\().b, #-1
    .endr
    .irp n, 0, 2, 4, 6, 8, 10, 12, 14
    ptrue p\n\().b
    .endr
    .irp n, 1, 3, 5, 7, 9, 11, 13, 15
    pfalse p\n\().b
    .endr
2:  tbz x17, #2, 4f
    smstart za
    ldr x11, [x9, #536]
    ldr x13, [x9, #552]
    mov w12, #0
3:  ldr za[w12, 0], [x11]
    add x11, x11, x13
    add w12, w12, #1
    cmp w12, w13
    b.ne 3b
    ldr x11, [x9, #512]
    msr s3_3_c13_c0_5, x11
4:  ldp d8, d9, [x9, #360]
    ldp d10, d11, [x9, #376]
    ldp d12, d13, [x9, #392]
    ldp d14, d15, [x9, #408]
    ldp x19, x20, [x9, #168]
    ldp x21, x22, [x9, #184]
    ldp x23, x24, [x9, #200]
    ldp x25, x26, [x9, #216]
    ldp x27, x28, [x9, #232]
    ldr x29, [x9, #248]
    .irp n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17
    movz x\n\(), #0xdead, lsl #48
    movk x\n\(), #0xbeef, lsl #16
    .endr
    blr x16
    adrp x9, tilewright_test_abi_state
    add x9, x9, :lo12:tilewright_test_abi_state
    stp x19, x20, [x9, #256]
    stp x21, x22, [x9, #272]
    stp x23, x24, [x9, #288]
    stp x25, x26, [x9, #304]
    stp x27, x28, [x9, #320]
    str x29, [x9, #336]
    mov x10, sp
    str x10, [x9, #352]
    ldr x10, [x9, #344]
    mov sp, x10
    stp d8, d9, [x9, #424]
    stp d10, d11, [x9, #440]
    stp d12, d13, [x9, #456]
    stp d14, d15, [x9, #472]
    add x12, x9, #640
    mov x11, #0
5:  ldr x13, [x10, x11, lsl #3]
    str x13, [x12, x11, lsl #3]
    add x11, x11, #1
    cmp x11, #10
    b.ne 5b
    mrs x11, fpcr
    str x11, [x9, #496]
    ldr x11, [x9, #488]
    msr fpcr, x11
    ldr x17, [x9, #528]
    tbz x17, #1, 8f
    mrs x11, s3_3_c13_c0_5
    str x11, [x9, #520]
    msr s3_3_c13_c0_5, xzr
    mrs x11, s3_3_c4_c2_2
    str x11, [x9, #504]
    tbz x11, #1, 7f
    ldr x11, [x9, #544]
    ldr x13, [x9, #552]
    mov w12, #0
6:  str za[w12, 0], [x11]
    add x11, x11, x13
    add w12, w12, #1
    cmp w12, w13
    b.ne 6b
7:  smstop
8:  ldp d8, d9, [x9, #104]
    ldp d10, d11, [x9, #120]
    ldp d12, d13, [x9, #136]
    ldp d14, d15, [x9, #152]
    ldp x19, x20, [x9]
    ldp x21, x22, [x9, #16]
    ldp x23, x24, [x9, #32]
    ldp x25, x26, [x9, #48]
    ldp x27, x28, [x9, #64]
    ldp x29, x30, [x9, #80]
    ldr x10, [x9, #96]
    mov sp, x10
    ret
    .size tilewright_test_abi_call, .-tilewright_test_abi_call
)");

namespace {

// TPIDR2_EL0 points to one of these while a lazy save is pending.
struct alignas(16) LazySave {
  uint8_t* buffer;
  uint16_t slices;
  uint16_t reserved[3];
};

// A caller's view of ZA: what is in it, and where it would be saved.
struct ZaCaller {
  std::vector<uint8_t> contents, after, saved;
  LazySave block = {};
};

ZaCaller& zaCaller() {
  static ZaCaller caller;
  return caller;
}

constexpr size_t kSlack = 64;  // behind the save buffer, not to be written
constexpr uint8_t kUnsaved = 0xC3;

uint64_t machineFlags() {
  constexpr int kHwCapSve = 22, kHwCap2Sme = 23;
  uint64_t flags = 0;
  if (getauxval(AT_HWCAP) >> kHwCapSve & 1) flags |= kHasSve;
  if (getauxval(AT_HWCAP2) >> kHwCap2Sme & 1) flags |= kHasSme;
  return flags;
}

uint64_t streamingBytes() {
  constexpr int kSmeGetVectorLength = 64;
  const int result = prctl(kSmeGetVectorLength, 0, 0, 0, 0);
  return result < 0 ? 0 : result & 0xFFFF;
}

// What a caller has in ZA, and its lazy save block.
void setUpZa(AbiState& s, uint64_t call) {
  ZaCaller& caller = zaCaller();
  const size_t size = s.streamingBytes * s.streamingBytes;
  caller.contents.resize(size);
  for (size_t i = 0; i < size; ++i)
    caller.contents[i] = static_cast<uint8_t>(i * 37 + (i >> 8) + call);
  caller.after.assign(size, 0);
  caller.saved.assign(size + kSlack, kUnsaved);
  caller.block = {};
  caller.block.buffer = caller.saved.data();
  caller.block.slices = static_cast<uint16_t>(s.streamingBytes);
  s.za = caller.contents.data();
  s.zaAfter = caller.after.data();
  s.tpidr2Before = reinterpret_cast<uint64_t>(&caller.block);
}

// What became of the caller's ZA; empty if all is well: either nothing touched
// it, or it was saved, and is now off and no longer pending.
std::string zaVerdict(const AbiState& s) {
  const ZaCaller& caller = zaCaller();
  const size_t size = caller.contents.size();
  for (size_t i = 0; i < kSlack; ++i)
    if (caller.saved[size + i] != kUnsaved)
      return "the lazy save wrote beyond its buffer";
  if (caller.block.buffer != caller.saved.data() ||
      caller.block.slices != s.streamingBytes)
    return "the caller's lazy save block was written to";
  if (s.svcrAfter & kZa) {
    if (s.tpidr2After != s.tpidr2Before)
      return "ZA is on, but TPIDR2_EL0 changed";
    if (caller.after != caller.contents)
      return "the caller's ZA changed while its lazy save was pending";
    return {};
  }
  if (std::memcmp(caller.saved.data(), caller.contents.data(), size) != 0)
    return "the caller's ZA was not saved to its lazy save buffer";
  if (s.tpidr2After != 0) return "ZA was saved, but TPIDR2_EL0 is not zero";
  return {};
}

}  // namespace

void callThroughTrampoline(tw_mmt4d_tile_fn_t fn, void* out, const void* lhs,
                           const void* rhs, const tw_mmt4d_params_t* params) {
  static const uint64_t machine = machineFlags();
  static const uint64_t streaming = machine & kHasSme ? streamingBytes() : 0;
  static uint64_t call = 0;
  AbiState& s = tilewright_test_abi_state;
  for (int i = 0; i < kCalleeSaved; ++i)
    s.expected[i] = 0x5AFE0000C0DE0000u + 0x0101010101010101u * i;
  for (int i = 0; i < kCalleeSavedVector; ++i)
    s.expectedVectors[i] = 0x7FF4D00D00000000u + 0x1111111111u * i;
  for (int i = 0; i < kFrameWords; ++i)
    s.frame[i] = 0xF4A3E00000000000u + 0x1111111111u * i;
  s.flags = machine;
  s.streamingBytes = streaming;
  s.tpidr2After = s.svcrAfter = 0;
  if (machine & kHasSme) {
    setUpZa(s, call);
    // Every second caller uses ZA itself.
    if (++call % 2 == 0) s.flags |= kLiveZa;
  }
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
      add("callee-saved register x" + std::to_string(19 + i) + " changed");
  for (int i = 0; i < kCalleeSavedVector; ++i)
    if (s.vectorsAfter[i] != s.expectedVectors[i])
      add("callee-saved register d" + std::to_string(8 + i) + " changed");
  if (s.spAfter != s.spBefore) add("the stack pointer changed");
  if (std::memcmp(s.frame, s.frameAfter, sizeof s.frame) != 0)
    add("the caller's stack frame was written to");
  if (s.fpcrAfter != s.fpcrBefore) add("FPCR changed");
  if (s.svcrAfter & kStreaming) add("streaming mode was left on");
  if (s.flags & kLiveZa) {
    const std::string why = zaVerdict(s);
    if (!why.empty()) add(why);
  } else {
    if (s.svcrAfter & kZa) add("ZA was left on");
    if (s.tpidr2After != 0) add("TPIDR2_EL0 changed");
  }
  return verdict;
}

void restoreControlState() {
  const AbiState& s = tilewright_test_abi_state;
  asm volatile("msr fpcr, %0" : : "r"(s.fpcrBefore));
  if (s.flags & kHasSme)  // smstop, by number for assemblers without it
    asm volatile("msr s3_3_c13_c0_5, xzr\n.inst 0xd503467f" : : : "memory");
}

}  // namespace tilewright::testing

#endif
