// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that break the System V calling convention of x86-64, each in one way.

#ifndef TESTS_TILES_ABI_MUTANTS_X86_64_H_
#define TESTS_TILES_ABI_MUTANTS_X86_64_H_

// A function that calls the right tile with an aligned stack and then does
// `after`, which ends in a return.
#define TW_ABI_MUTANT(name, after)                                           \
  extern "C" __attribute__((visibility("hidden"))) void name(                \
      void*, const void*, const void*, const tw_mmt4d_params_t*);            \
  asm(".text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name \
      ", @function\n" #name                                                  \
      ":\nsubq $8, %rsp\ncall tilewright_test_right\naddq $8, %rsp\n" after)

TW_ABI_MUTANT(tilewright_test_abi_kept, "xorl %eax, %eax\nret");
TW_ABI_MUTANT(tilewright_test_clobbers_rbx, "incq %rbx\nret");
TW_ABI_MUTANT(tilewright_test_clobbers_rbp, "incq %rbp\nret");
TW_ABI_MUTANT(tilewright_test_clobbers_r12, "xorl %r12d, %r12d\nret");
TW_ABI_MUTANT(tilewright_test_clobbers_r13, "xorl %r13d, %r13d\nret");
TW_ABI_MUTANT(tilewright_test_clobbers_r14, "xorl %r14d, %r14d\nret");
TW_ABI_MUTANT(tilewright_test_clobbers_r15, "xorl %r15d, %r15d\nret");
TW_ABI_MUTANT(tilewright_test_clobbers_rsp, "ret $8");
TW_ABI_MUTANT(tilewright_test_writes_frame, "movq $0, 8(%rsp)\nret");
TW_ABI_MUTANT(tilewright_test_sets_direction, "std\nret");
TW_ABI_MUTANT(tilewright_test_sets_flush_to_zero,
              "stmxcsr -4(%rsp)\norl $0x8000, -4(%rsp)\nldmxcsr -4(%rsp)\nret");
TW_ABI_MUTANT(tilewright_test_changes_x87_control,
              "fnstcw -4(%rsp)\nxorw $0x300, -4(%rsp)\nfldcw -4(%rsp)\nret");
TW_ABI_MUTANT(tilewright_test_leaves_mmx, "movd %eax, %mm0\nret");

namespace tilewright::testing {

inline const AbiMutant kMutants[] = {
    {"Kept", tilewright_test_abi_kept, ""},
    {"Rbx", tilewright_test_clobbers_rbx, "callee-saved register rbx changed"},
    {"Rbp", tilewright_test_clobbers_rbp, "callee-saved register rbp changed"},
    {"R12", tilewright_test_clobbers_r12, "callee-saved register r12 changed"},
    {"R13", tilewright_test_clobbers_r13, "callee-saved register r13 changed"},
    {"R14", tilewright_test_clobbers_r14, "callee-saved register r14 changed"},
    {"R15", tilewright_test_clobbers_r15, "callee-saved register r15 changed"},
    {"Rsp", tilewright_test_clobbers_rsp, "the stack pointer changed"},
    {"Frame", tilewright_test_writes_frame,
     "the caller's stack frame was written to"},
    {"Direction", tilewright_test_sets_direction, "the direction flag is set"},
    {"FlushToZero", tilewright_test_sets_flush_to_zero,
     "MXCSR's control bits changed"},
    {"X87Control", tilewright_test_changes_x87_control,
     "the x87 control word changed"},
    {"Mmx", tilewright_test_leaves_mmx, "the x87 stack is not empty"},
};

}  // namespace tilewright::testing

#endif  // TESTS_TILES_ABI_MUTANTS_X86_64_H_
