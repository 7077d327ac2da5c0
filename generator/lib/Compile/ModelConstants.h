// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_MODELCONSTANTS_H
#define TILEWRIGHT_LIB_COMPILE_MODELCONSTANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Compile/CompileModel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"

namespace tilewright {

/// Gives the declarations in `code` that `module`, which it was translated
/// from, has values of the names of their bytes; equal ones become one.
/// `result` gets the constants, which refer to bytes in the context of
/// `module`, and their descriptions; `packed` are the values that were packed
/// for tiles. An error if they are more than code can address.
llvm::Error nameConstants(mlir::ModuleOp module,
                          const llvm::DenseSet<mlir::Attribute> &packed,
                          llvm::Module &code, CompiledModel &result);

/// Puts the constants of `module` that are read from a file into `result`.
void nameParameters(mlir::ModuleOp module,
                    const llvm::DenseSet<mlir::Attribute> &packed,
                    llvm::StringRef model, CompiledModel &result);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_MODELCONSTANTS_H
