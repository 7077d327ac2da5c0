// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_CHECKVECTORS_H
#define TILEWRIGHT_LIB_COMPILE_CHECKVECTORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// Has `func` assert that vectors have the length that the devices of its
/// module are said to have; see tw-check-vectors.
void checkVectors(mlir::func::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_CHECKVECTORS_H
