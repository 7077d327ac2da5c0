// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From amdgcn IR to host IR: a function and all that it calls are copied into a
// module of the host, without address spaces, and with calls of the emulator in
// front of memory accesses and in the place of llvm.amdgcn intrinsics.

#ifndef TILEWRIGHT_EMULATOR_LIB_RETARGET_H
#define TILEWRIGHT_EMULATOR_LIB_RETARGET_H

#include "Machine.h"
#include "llvm/IR/Module.h"
#include <deque>

namespace tilewright::emulator {

/// How a function is entered: what its one argument points to.
enum class EntryKind {
  Kernarg, ///< a kernarg segment
  Words    ///< one 64-bit word per parameter
};

/// Kernarg offsets as the back end lays them out, and their end. An error if a
/// parameter cannot stand there.
llvm::Expected<llvm::SmallVector<uint64_t>>
kernargOffsets(const llvm::Function &kernel);

/// The host's module of `root`, with `program.name` as its entry's symbol plus
/// kEntrySuffix. Fills in the program's LDS. Sites are added to `sites`, and
/// refer to `machine` and to instructions of the source.
llvm::Expected<std::unique_ptr<llvm::Module>>
retarget(llvm::Function &root, EntryKind kind, const llvm::DataLayout &host,
         const llvm::Triple &hostTriple, Machine &machine, Program &program,
         std::deque<Site> &sites);

/// A module that defines the source's global variables, all but LDS.
llvm::Expected<std::unique_ptr<llvm::Module>>
retargetGlobals(llvm::Module &source, const llvm::DataLayout &host,
                const llvm::Triple &hostTriple);

constexpr const char *kEntrySuffix = ".entry";

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_RETARGET_H
