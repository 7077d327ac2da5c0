// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_OPERATIONKIND_H
#define TILEWRIGHT_LIB_COMPILE_OPERATIONKIND_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// What people call the dispatch or kernel of `op`: "pack", "reduction".
std::string kindOf(mlir::Operation *op);

/// Whether its result is all elements of a tensor in another shape or type:
/// reshapes and casts, which become views of the same memory. False of null.
bool isView(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_OPERATIONKIND_H
