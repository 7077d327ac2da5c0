// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_MODELCONSTANTS_H
#define TILEWRIGHT_LIB_COMPILE_MODELCONSTANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Codegen/ExternalConstants.h"

namespace tilewright {

/// Gives the declarations in `code` that `model`, which it was translated from,
/// has values of the names of their bytes; equal ones become one. The result
/// refers to bytes in the context of `model`. An error if they are more than
/// code can address.
llvm::Expected<std::vector<ExternalConstant>>
nameConstants(mlir::ModuleOp model, llvm::Module &code);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_MODELCONSTANTS_H
