// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves elements around a contraction.

#ifndef TILEWRIGHT_LIB_COMPILE_MOVEDOPERANDS_H
#define TILEWRIGHT_LIB_COMPILE_MOVEDOPERANDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// Contractions read operands that are broadcast or transposed from where they
/// come from, and write a result that is only transposed in that order: their
/// maps say it. Weights that a front end broadcasts over the batch,
/// `bmk,bkn->bmn`, are those of one product, `bmk,kn->bmn`. Only where the
/// result still has a tile, and rows stay rows: the innermost dimension of an
/// operand is not of the batch, and that of the result is the same.
void readMovedOperands(mlir::func::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_MOVEDOPERANDS_H
