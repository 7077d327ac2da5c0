// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that break the procedure call standard for AArch64, or its SME part,
// each in one way.

#ifndef TESTS_TILES_ABI_MUTANTS_AARCH64_H_
#define TESTS_TILES_ABI_MUTANTS_AARCH64_H_

// A function that calls the right tile and then does `after`, which ends in a
// return; x9 to x17 are free there.
#define TW_ABI_MUTANT(name, after)                                           \
  extern "C" __attribute__((visibility("hidden"))) void name(                \
      void*, const void*, const void*, const tw_mmt4d_params_t*);            \
  asm(".text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name \
      ", %function\n" #name                                                  \
      ":\nstp x29, x30, [sp, #-16]!\nbl tilewright_test_right\n"             \
      "ldp x29, x30, [sp], #16\n" after "\nret")

TW_ABI_MUTANT(tilewright_test_abi_kept, "mov x17, #0");
TW_ABI_MUTANT(tilewright_test_clobbers_x19, "add x19, x19, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_x20, "add x20, x20, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_x21, "add x21, x21, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_x22, "add x22, x22, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_x23, "add x23, x23, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_x24, "add x24, x24, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_x25, "add x25, x25, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_x26, "add x26, x26, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_x27, "add x27, x27, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_x28, "add x28, x28, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_x29, "add x29, x29, #1");
TW_ABI_MUTANT(tilewright_test_clobbers_d8, "movi d8, #0");
TW_ABI_MUTANT(tilewright_test_clobbers_d9, "movi d9, #0");
TW_ABI_MUTANT(tilewright_test_clobbers_d10, "movi d10, #0");
TW_ABI_MUTANT(tilewright_test_clobbers_d11, "movi d11, #0");
TW_ABI_MUTANT(tilewright_test_clobbers_d12, "movi d12, #0");
TW_ABI_MUTANT(tilewright_test_clobbers_d13, "movi d13, #0");
TW_ABI_MUTANT(tilewright_test_clobbers_d14, "movi d14, #0");
TW_ABI_MUTANT(tilewright_test_clobbers_d15, "movi d15, #0");
TW_ABI_MUTANT(tilewright_test_clobbers_v8_top, "mov v8.d[1], xzr");
TW_ABI_MUTANT(tilewright_test_clobbers_sp, "add sp, sp, #16");
TW_ABI_MUTANT(tilewright_test_writes_frame, "str xzr, [sp, #8]");
TW_ABI_MUTANT(tilewright_test_sets_flush_to_zero,
              "mrs x9, fpcr\norr x9, x9, #0x1000000\nmsr fpcr, x9");

// The instructions by number, for assemblers without SME: smstart sm, smstart
// za, smstop za, zero {za}; s3_3_c13_c0_5 is TPIDR2_EL0.
#define TW_SMSTART_SM ".inst 0xd503437f\n"
#define TW_SMSTART_ZA ".inst 0xd503457f\n"
#define TW_SMSTOP_ZA ".inst 0xd503447f\n"
#define TW_ZERO_ZA ".inst 0xc00800ff\n"
#define TW_READ_TPIDR2 "mrs x9, s3_3_c13_c0_5\n"
#define TW_CLEAR_TPIDR2 "msr s3_3_c13_c0_5, xzr\n"
// x13: bytes of a streaming vector; from x10 on: str za[w12, 0], [x10].
#define TW_SAVE_ZA(slices)                                \
  "ldr x10, [x9]\n.inst 0x04bf582d\n" slices              \
  "mov w12, #0\n1: .inst 0xe1200140\nadd x10, x10, x13\n" \
  "add w12, w12, #1\ncmp w12, w14\nb.ne 1b\n"

// What a tile that uses ZA has to do first.
TW_ABI_MUTANT(tilewright_test_commits_save,
              TW_READ_TPIDR2 "cbz x9, 2f\n" TW_SAVE_ZA("mov w14, w13\n")
                  TW_CLEAR_TPIDR2 TW_SMSTOP_ZA "2:");
TW_ABI_MUTANT(tilewright_test_leaves_streaming, TW_SMSTART_SM);
TW_ABI_MUTANT(tilewright_test_leaves_za,
              TW_READ_TPIDR2 "cbnz x9, 1f\n" TW_SMSTART_ZA "1:");
TW_ABI_MUTANT(tilewright_test_ignores_save,
              TW_SMSTART_ZA TW_ZERO_ZA TW_READ_TPIDR2
              "cbnz x9, 1f\n" TW_SMSTOP_ZA "1:");
TW_ABI_MUTANT(tilewright_test_drops_za, TW_CLEAR_TPIDR2 TW_SMSTOP_ZA);
TW_ABI_MUTANT(tilewright_test_saves_less,
              TW_READ_TPIDR2 "cbz x9, 2f\n" TW_SAVE_ZA("sub w14, w13, #1\n")
                  TW_CLEAR_TPIDR2 TW_SMSTOP_ZA "2:");
TW_ABI_MUTANT(tilewright_test_keeps_pending, TW_READ_TPIDR2
              "cbz x9, 2f\n" TW_SAVE_ZA("mov w14, w13\n") TW_SMSTOP_ZA "2:");
TW_ABI_MUTANT(tilewright_test_clears_pending, TW_CLEAR_TPIDR2);
TW_ABI_MUTANT(tilewright_test_writes_block,
              TW_READ_TPIDR2 "cbz x9, 1f\nstrh wzr, [x9, #8]\n1:");

namespace tilewright::testing {

inline const AbiMutant kMutants[] = {
    {"Kept", tilewright_test_abi_kept, ""},
    {"X19", tilewright_test_clobbers_x19, "callee-saved register x19 changed"},
    {"X20", tilewright_test_clobbers_x20, "callee-saved register x20 changed"},
    {"X21", tilewright_test_clobbers_x21, "callee-saved register x21 changed"},
    {"X22", tilewright_test_clobbers_x22, "callee-saved register x22 changed"},
    {"X23", tilewright_test_clobbers_x23, "callee-saved register x23 changed"},
    {"X24", tilewright_test_clobbers_x24, "callee-saved register x24 changed"},
    {"X25", tilewright_test_clobbers_x25, "callee-saved register x25 changed"},
    {"X26", tilewright_test_clobbers_x26, "callee-saved register x26 changed"},
    {"X27", tilewright_test_clobbers_x27, "callee-saved register x27 changed"},
    {"X28", tilewright_test_clobbers_x28, "callee-saved register x28 changed"},
    {"X29", tilewright_test_clobbers_x29, "callee-saved register x29 changed"},
    {"D8", tilewright_test_clobbers_d8, "callee-saved register d8 changed"},
    {"D9", tilewright_test_clobbers_d9, "callee-saved register d9 changed"},
    {"D10", tilewright_test_clobbers_d10, "callee-saved register d10 changed"},
    {"D11", tilewright_test_clobbers_d11, "callee-saved register d11 changed"},
    {"D12", tilewright_test_clobbers_d12, "callee-saved register d12 changed"},
    {"D13", tilewright_test_clobbers_d13, "callee-saved register d13 changed"},
    {"D14", tilewright_test_clobbers_d14, "callee-saved register d14 changed"},
    {"D15", tilewright_test_clobbers_d15, "callee-saved register d15 changed"},
    // Only the low half is the callee's to preserve.
    {"V8Top", tilewright_test_clobbers_v8_top, ""},
    {"Sp", tilewright_test_clobbers_sp, "the stack pointer changed"},
    {"Frame", tilewright_test_writes_frame,
     "the caller's stack frame was written to"},
    {"FlushToZero", tilewright_test_sets_flush_to_zero, "FPCR changed"},
};

inline const AbiMutant kStreamingMutants[] = {
    {"CommitsSave", tilewright_test_commits_save, ""},
    {"LeavesStreaming", tilewright_test_leaves_streaming,
     "streaming mode was left on"},
    {"LeavesZa", tilewright_test_leaves_za, "ZA was left on"},
    {"IgnoresSave", tilewright_test_ignores_save,
     "the caller's ZA changed while its lazy save was pending"},
    {"DropsZa", tilewright_test_drops_za,
     "the caller's ZA was not saved to its lazy save buffer"},
    {"SavesLess", tilewright_test_saves_less,
     "the caller's ZA was not saved to its lazy save buffer"},
    {"KeepsPending", tilewright_test_keeps_pending,
     "ZA was saved, but TPIDR2_EL0 is not zero"},
    {"ClearsPending", tilewright_test_clears_pending,
     "ZA is on, but TPIDR2_EL0 changed"},
    {"WritesBlock", tilewright_test_writes_block,
     "the caller's lazy save block was written to"},
};

}  // namespace tilewright::testing

#endif  // TESTS_TILES_ABI_MUTANTS_AARCH64_H_
