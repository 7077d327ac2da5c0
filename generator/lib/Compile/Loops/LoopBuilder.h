// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over vectors as a plan has them.

#ifndef TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPBUILDER_H
#define TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPBUILDER_H

#include "LoopPlan.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Builds what the operation does; `outer` are those of its loops that are
/// around the builder already. The plan's loops that are none of these are
/// built. `starts`, if there are any, are what all elements of each result are
/// before, which else are read: for plans that do so once.
void buildLoops(mlir::ImplicitLocOpBuilder &b, mlir::linalg::GenericOp op,
                const LoopPlan &plan,
                const llvm::DenseMap<unsigned, mlir::Value> &outer,
                mlir::ValueRange starts = {});

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPBUILDER_H
