// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops of an outlined function tasks can divide, and the function of a
// part of their iterations.

#ifndef TILEWRIGHT_COMPILE_DISPATCH_SPLITLOOPS_H
#define TILEWRIGHT_COMPILE_DISPATCH_SPLITLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {

/// Parallel loops, each of which is all that the one before it has inside, but
/// for arithmetic.
struct LoopNest {
  llvm::SmallVector<mlir::scf::ForOp> loops;
  /// What an iteration of the innermost does, as tw.work counts, in values from
  /// outside of the loops; empty if that is not known.
  llvm::SmallVector<mlir::Value> work;
};

/// The nests of a function that does nothing else but arithmetic and what
/// prepares memory of its own for one of them; else none.
std::optional<llvm::SmallVector<LoopNest>> loopNestsOf(mlir::func::FuncOp func);

/// A function for a part of the iterations of `func`'s nest of that number. It
/// takes `func`'s arguments, the number of a task, and of each loop how many
/// parts it is cut into and how many iterations one has, all i64.
mlir::func::FuncOp makePart(mlir::func::FuncOp func, size_t number);

/// Erases what is computed for nothing.
void eraseUnused(mlir::func::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_DISPATCH_SPLITLOOPS_H
