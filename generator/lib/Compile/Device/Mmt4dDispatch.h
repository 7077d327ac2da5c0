// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed matrix multiplications on device memory: launches of the tiles'
// workgroup kernels.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_MMT4DDISPATCH_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_MMT4DDISPATCH_H

#include "HostProgram.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

/// Puts launches of the kernel of the tile that `op` names before it: one, or a
/// loop over its batch. Or of `kernel`, which is that and an epilogue: its
/// arguments, and the number of the batch's matrix, follow those of the tile.
llvm::LogicalResult launchMmt4d(tw::Mmt4dOp op, HostProgram &program,
                                llvm::StringRef kernel = {},
                                llvm::ArrayRef<mlir::Value> arguments = {});

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_MMT4DDISPATCH_H
