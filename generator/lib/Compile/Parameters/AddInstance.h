// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_PARAMETERS_ADDINSTANCE_H
#define TILEWRIGHT_LIB_COMPILE_PARAMETERS_ADDINSTANCE_H

#include "tilewright/Compile/CompileModel.h"
#include "llvm/IR/Module.h"

namespace tilewright {

/// Makes the entry points of `model` in `code` functions of an instance, which
/// has their states, parameters and arena, and adds those that make one:
/// `model.instance`_create and so on. What tw-plan-arena made for callers is
/// internal then. Fails if the model has functions of these names.
llvm::Error addInstance(llvm::Module &code, CompiledModel &model);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_ADDINSTANCE_H
