// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of dispatches read, write and compute, for the report.

#ifndef TILEWRIGHT_LIB_COMPILE_DISPATCH_DISPATCHWORK_H
#define TILEWRIGHT_LIB_COMPILE_DISPATCH_DISPATCHWORK_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Compile/CompileModel.h"

namespace tilewright {

/// Whether it computes elements, and does not merely convert, choose or count
/// them.
bool computesElements(mlir::Operation *op);

/// The functions that `tw.dispatch` calls in `module`, by the first call, with
/// the work of each call; docs/compile.md says what is counted.
std::vector<ModelDispatch> dispatchesOf(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DISPATCH_DISPATCHWORK_H
