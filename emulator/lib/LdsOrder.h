// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fences and waits promise about a wave's LDS accesses. docs/emulator.md
// says why so little.

#ifndef TILEWRIGHT_EMULATOR_LIB_LDSORDER_H
#define TILEWRIGHT_EMULATOR_LIB_LDSORDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace llvm {
class CallBase;
class FenceInst;
} // namespace llvm

namespace tilewright::emulator {

struct Operation;
struct Target;

struct LdsOrder {
  /// A release fence, be it of one wave's scope: no access moves below it.
  bool orders = false;
  /// A release fence of the workgroup's scope or a wider one: all accesses so
  /// far are done.
  bool releases = false;
  /// A wait for all of the wave's LDS instructions.
  bool completes = false;
  /// An acquire fence: no access moves above it.
  bool acquires = false;
  /// The most loads straight to LDS that may still be on their way.
  std::optional<unsigned> loads;

  bool any() const {
    return orders || releases || completes || acquires || loads;
  }
};

LdsOrder orderOf(const llvm::FenceInst &fence, const Target &target);
/// Of llvm.amdgcn.s.waitcnt and llvm.amdgcn.s.wait.*; none for other calls.
llvm::Expected<std::optional<LdsOrder>> orderOf(const llvm::CallBase &call,
                                                const Target &target);
/// Of one instruction of inline assembly, "s_waitcnt vmcnt(0)"; none if it is
/// not a wait that the target has.
std::optional<LdsOrder> orderOf(llvm::StringRef assembly, const Target &target);

/// Does what Site::ldsOrder says, for a wave.
extern const Operation kOrderLds;

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_LDSORDER_H
