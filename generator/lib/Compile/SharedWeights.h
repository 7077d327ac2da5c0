// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one layout for several multiplications costs each, for the report.

#ifndef TILEWRIGHT_LIB_COMPILE_SHAREDWEIGHTS_H
#define TILEWRIGHT_LIB_COMPILE_SHAREDWEIGHTS_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Compile/CompileModel.h"

namespace tilewright {

/// The contractions of `module`, on encoded tensors, whose encodings have
/// `any_m`. Names of tiles begin with `prefix`; `hostPacksBlocks` as
/// tw-specialize-encodings has it.
std::vector<SharedWeight> sharedWeightsOf(mlir::ModuleOp module,
                                          llvm::StringRef prefix,
                                          bool hostPacksBlocks);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_SHAREDWEIGHTS_H
