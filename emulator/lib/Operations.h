// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The llvm.amdgcn intrinsics that the emulator knows.

#ifndef TILEWRIGHT_EMULATOR_LIB_OPERATIONS_H
#define TILEWRIGHT_EMULATOR_LIB_OPERATIONS_H

#include "Machine.h"
#include "llvm/IR/InstrTypes.h"

namespace tilewright::emulator {

struct OperationRow {
  /// Without "llvm.amdgcn." and without the suffixes of overloaded types.
  const char *name;
  Operation operation;
};

constexpr OperationRow perLane(const char *name,
                               void (*function)(Lane &, const Site &),
                               int variant = 0) {
  return {name,
          {OperationKind::PerLane, BarrierKind::None, function, nullptr,
           nullptr, nullptr, variant}};
}

constexpr OperationRow crossLane(const char *name,
                                 void (*function)(Wave &, const Site &),
                                 int variant = 0) {
  return {name,
          {OperationKind::CrossLane, BarrierKind::None, nullptr, function,
           nullptr, nullptr, variant}};
}

// One table per subject, each in the file of its functions.
llvm::ArrayRef<OperationRow> identityOperations();
llvm::ArrayRef<OperationRow> arithmeticOperations();
llvm::ArrayRef<OperationRow> conversionOperations();
llvm::ArrayRef<OperationRow> crossLaneOperations();
llvm::ArrayRef<OperationRow> bufferOperations();

/// What a call of an llvm.amdgcn intrinsic does on the target; an error that
/// names it if the emulator does not know it or the target does not have it.
llvm::Expected<Operation> findOperation(const llvm::CallBase &call,
                                        const Target &target);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_OPERATIONS_H
