// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs tiles of instruction sets that this CPU lacks: the target's intrinsics
// are replaced, in LLVM IR, by plain vector arithmetic of the same meaning, and
// the functions retargeted, so that the kernel's structure (its loads, lanes,
// shuffles, corrections and tails) is tested everywhere. What is not tested so
// is the instruction itself and its selection by LLVM.

#ifndef TESTS_TILES_INTRINSIC_EMULATION_H_
#define TESTS_TILES_INTRINSIC_EMULATION_H_

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace tilewright::testing {

// Replaces every call of an `llvm.x86.*` intrinsic in `module` and removes the
// functions' target attributes. Inline assembly without text, which only keeps
// the order of instructions, goes as well, and loads that repeat lanes and
// vpdpwssd that are written out are replaced. An error names an intrinsic, or
// inline assembly, that has no emulation; `module` is then half changed. What
// no vector arithmetic of this CPU computes becomes a call of a function of
// this program, by its address: the module can run in this process only.
//
// Multiply-adds of f16 round once, as avx512fp16 does, those as well that LLVM
// may take apart, for there it does not; without it LLVM would compute them in
// f32 and round twice.
//
// LLVM makes vcvtneps2bf16 of fptrunc to bfloat, which is therefore replaced as
// well. vpdpbf16ps and vcvtneps2bf16 keep their treatment of denormals (as
// zero, in operands and results). Two products of vpdpbf16ps are added by two
// fused operations.
llvm::Error emulateForeignIsa(llvm::Module& module);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_INTRINSIC_EMULATION_H_
