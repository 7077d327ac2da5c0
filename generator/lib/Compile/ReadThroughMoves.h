// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements at computed indices of what was only moved.

#ifndef TILEWRIGHT_LIB_COMPILE_READTHROUGHMOVES_H
#define TILEWRIGHT_LIB_COMPILE_READTHROUGHMOVES_H

#include "mlir/IR/PatternMatch.h"

namespace tilewright {

/// A `tensor.extract` in the body of a linalg operation reads what moved the
/// elements where these come from: of a slice, a transpose or a broadcast, and,
/// if nothing else reads it, of a slice with arithmetic that costs little. So
/// the halves of a rotary embedding, which are sliced, negated and put together
/// again, are computed where they are used. Only in the same block and on the
/// same side, and where rows stay rows.
void populateReadThroughMoves(mlir::RewritePatternSet &patterns);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_READTHROUGHMOVES_H
