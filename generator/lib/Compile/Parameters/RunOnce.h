// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes of tw.keep and tw.kept leave behind for instances and the
// report.

#ifndef TILEWRIGHT_LIB_COMPILE_PARAMETERS_RUNONCE_H
#define TILEWRIGHT_LIB_COMPILE_PARAMETERS_RUNONCE_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Compile/CompileModel.h"

namespace tilewright {

/// What `module`, packed, computes of parameters alone: once, and in each call.
void collectParameterWork(mlir::ModuleOp module, CompiledModel &model);

/// Behind tw-load-kept: how much memory that takes, and which entry points have
/// a pointer to it.
void collectKept(mlir::ModuleOp module, CompiledModel &model);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_RUNONCE_H
