// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_PROGRAM_ADDRUNNER_H
#define TILEWRIGHT_LIB_COMPILE_PROGRAM_ADDRUNNER_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Compile/CompileModel.h"
#include "llvm/IR/Module.h"

namespace tilewright {

/// The arguments of the function `entry` that are pointers to states.
std::vector<StateArgument> stateArguments(mlir::Operation *entry);

/// What kArgumentValuesAttr or kResultValuesAttr of an entry point says; empty
/// without it.
std::vector<EntryValue> entryValues(mlir::Operation *entry,
                                    llvm::StringRef attribute);

/// Describes `model` as ukernels/runner/description.h has it. Only the
/// description is visible then: functions of a model may be called as those of
/// the C library.
llvm::Error addRunner(llvm::Module &code, const CompiledModel &model);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PROGRAM_ADDRUNNER_H
