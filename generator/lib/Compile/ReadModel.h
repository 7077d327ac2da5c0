// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_READMODEL_H
#define TILEWRIGHT_LIB_COMPILE_READMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace tilewright {

/// The model in `sources`, text or bytecode, not verified, with the names of
/// its functions' arguments; null after an error. Text that only an older MLIR
/// reads is rewritten if it can be, which replaces `sources`, and what was said
/// about it before is of no use: `forgetErrors`.
mlir::OwningOpRef<mlir::ModuleOp>
readModel(std::shared_ptr<llvm::SourceMgr> &sources, mlir::MLIRContext &context,
          llvm::function_ref<void()> forgetErrors);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_READMODEL_H
