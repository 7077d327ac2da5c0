// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the function of a part of a nest's iterations, by tasks.

#ifndef TILEWRIGHT_COMPILE_DISPATCH_TASKCALLS_H
#define TILEWRIGHT_COMPILE_DISPATCH_TASKCALLS_H

#include "SplitLoops.h"

namespace tilewright {

/// Whether arguments of these types can be handed to a task.
bool canPassArguments(mlir::func::FuncOp func);

/// Calls `part`, of makePart(), in place of `nest`: for all of it, or for each
/// task. `constants`: which arguments of the function are the same in all of
/// its calls. LLVM finds that out, but not of what a task takes from memory.
void callPart(LoopNest &nest, mlir::func::FuncOp part,
              llvm::ArrayRef<std::optional<int64_t>> constants,
              mlir::SymbolTable &symbols);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_DISPATCH_TASKCALLS_H
