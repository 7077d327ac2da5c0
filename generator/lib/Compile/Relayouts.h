// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensors are laid out anew, and by which rule, for the report.

#ifndef TILEWRIGHT_LIB_COMPILE_RELAYOUTS_H
#define TILEWRIGHT_LIB_COMPILE_RELAYOUTS_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Compile/CompileModel.h"

namespace tilewright {

/// Where packs and unpacks are that the model itself has: before encodings
/// become any.
llvm::DenseSet<mlir::Location> packsOfModel(mlir::ModuleOp module);

/// What is left of packs, unpacks and relayouts when layouts are decided and
/// constants are packed, and the operands that multiplications pack themselves.
std::vector<Relayout>
relayoutsOf(mlir::ModuleOp module,
            const llvm::DenseSet<mlir::Location> &packsOfModel);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_RELAYOUTS_H
