// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_BUFFERIZEPACKS_H
#define TILEWRIGHT_LIB_COMPILE_BUFFERIZEPACKS_H

#include "mlir/IR/DialectRegistry.h"

namespace tilewright {

/// Teaches one-shot bufferization `linalg.pack` and `linalg.unpack`: each
/// becomes one loop nest from its source's buffer to its destination's.
///
/// Upstream lowers them on tensors instead, to pad, reshape and transpose (to
/// transpose, reshape and slice), which are three passes over memory with two
/// temporary buffers.
void registerPackBufferization(mlir::DialectRegistry &registry);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_BUFFERIZEPACKS_H
