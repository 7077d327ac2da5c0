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

/// An operation of which `outer` are those loops that are around the builder.
struct PlannedLoops {
  mlir::linalg::GenericOp op;
  const LoopPlan &plan;
  const llvm::DenseMap<unsigned, mlir::Value> &outer;
};

/// Builds the producer's loop over the lanes, which stores its vectors and adds
/// them to the reduction's (LoopGroup::takesUp): one pass over a row less, and
/// the additions go beside what the producer computes. `between` builds what is
/// done before the reduction's sums are put together with what was there.
void buildReductionOf(mlir::ImplicitLocOpBuilder &b,
                      const PlannedLoops &producer,
                      const PlannedLoops &reduction,
                      llvm::function_ref<void()> between);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPBUILDER_H
