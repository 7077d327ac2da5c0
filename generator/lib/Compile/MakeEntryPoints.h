// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_MAKEENTRYPOINTS_H
#define TILEWRIGHT_LIB_COMPILE_MAKEENTRYPOINTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// Makes `func` on tensors, which calls nothing, an entry point and what
/// belongs to it; see tw-make-entry-points. `describe` is that pass's option.
llvm::LogicalResult makeEntryPoint(mlir::func::FuncOp func, bool describe);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_MAKEENTRYPOINTS_H
