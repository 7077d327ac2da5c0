// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_FLOOREDLOOPS_H
#define TILEWRIGHT_LIB_COMPILE_FLOOREDLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright {

/// Makes two loops of each loop k of a sum that indexes some operands by k and
/// others by `k floordiv n`, as scales of blocks are: of the blocks and of the
/// n iterations of one. Where k is not known to be whole blocks, or the body
/// asks for an index, `op` stays what it is.
void splitFlooredLoops(mlir::linalg::GenericOp op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_FLOOREDLOOPS_H
