// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes loops so that tw-split-dispatches can divide them says by this.

#ifndef TILEWRIGHT_COMPILE_DISPATCH_TASKS_H
#define TILEWRIGHT_COMPILE_DISPATCH_TASKS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Encoding/Place.h"

namespace tilewright {

/// What is not worth a task in `op`'s module, as tw.work counts:
/// kLeastTaskAttr.
int64_t leastTaskOf(mlir::Operation *op);

/// Elements of a row that are not divided among tasks, a power of two.
int64_t taskLanesOf(mlir::Operation *op);

/// `loop`'s iterations may run at the same time.
void markParallel(mlir::scf::ForOp loop);

/// tw.work of the product of `sizes` and `amount`, which may be a fraction.
void addWork(mlir::ImplicitLocOpBuilder &b, double amount,
             mlir::ValueRange sizes);

/// What tw.work counts for one element of `op`, computed alone.
double workOfElement(mlir::linalg::LinalgOp op);

/// Multiplications of a tile in the time that tw.work counts by.
inline constexpr double kMultipliesOfWork = 16;

/// The caller's tw_parallel_for_t, in the function around `op`; null where it
/// has none.
mlir::Value parallelForOf(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_DISPATCH_TASKS_H
