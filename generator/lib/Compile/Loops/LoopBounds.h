// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where loops over several elements at a time begin and end.

#ifndef TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPBOUNDS_H
#define TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPBOUNDS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// `value` rounded down to a multiple of a power of two, counted from `from`.
mlir::Value roundDown(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                      int64_t multiple, mlir::Value from = {});

/// The end of `count` iterations from `from`, of those up to `size`.
mlir::Value endOf(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                  int64_t count, mlir::Value size);

/// Whether both are known to be the same.
bool isSame(mlir::Value x, mlir::Value y);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPBOUNDS_H
