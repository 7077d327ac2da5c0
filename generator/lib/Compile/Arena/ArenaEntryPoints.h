// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_ARENA_ARENAENTRYPOINTS_H
#define TILEWRIGHT_LIB_COMPILE_ARENA_ARENAENTRYPOINTS_H

#include "ArenaLayout.h"

namespace tilewright {

/// Which of an entry point's arguments are sizes, or scalars that may be: those
/// that it has checked.
llvm::SmallVector<unsigned> checkedArguments(mlir::func::FuncOp entry);

/// Rewrites `entry`, whose `body` takes the arena as its last argument, to get
/// it from malloc, and adds the functions that say how large it is and that
/// take it from the caller. Fails if the model has functions of these names.
mlir::LogicalResult addArenaEntryPoints(mlir::func::FuncOp entry,
                                        mlir::func::FuncOp check,
                                        mlir::func::FuncOp body,
                                        const ArenaLayout &layout);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_ARENA_ARENAENTRYPOINTS_H
