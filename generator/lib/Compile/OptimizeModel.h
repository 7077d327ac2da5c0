// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_OPTIMIZEMODEL_H
#define TILEWRIGHT_LIB_COMPILE_OPTIMIZEMODEL_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace tilewright {

/// LLVM's own pipeline for a whole model: unlike a tile, whose plan decides
/// everything, a model's loops are left to LLVM's vectoriser.
void optimizeModel(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_OPTIMIZEMODEL_H
