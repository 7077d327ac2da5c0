// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function of a dispatch is called with.

#ifndef TILEWRIGHT_LIB_COMPILE_DISPATCH_FLATARGUMENTS_H
#define TILEWRIGHT_LIB_COMPILE_DISPATCH_FLATARGUMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

/// Pointers and sizes, as `callee` takes them, of the operands of `op`, which
/// is on buffers: created before it. Fails, with an error, if a buffer is not
/// contiguous.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
flatArguments(tw::DispatchOp op, mlir::func::FuncOp callee);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DISPATCH_FLATARGUMENTS_H
