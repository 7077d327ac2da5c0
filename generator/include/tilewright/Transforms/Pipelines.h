// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator's passes put together.

#ifndef TILEWRIGHT_TRANSFORMS_PIPELINES_H
#define TILEWRIGHT_TRANSFORMS_PIPELINES_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilewright {

/// Defined tile functions -> scalar loops in memrefs, through upstream's plain
/// lowering of linalg: the oracle. `nativeF16`: the target converts f16 by
/// instructions.
void buildLowerToLoops(mlir::OpPassManager &pm, bool nativeF16);

/// Everything that the plan's or the loops' lowering leaves -> LLVM dialect,
/// under the bare-pointer convention.
void buildLowerToLLVM(mlir::OpPassManager &pm);

/// Registers both by name: tw-lower-to-loops, tw-lower-to-llvm.
void registerTilewrightPipelines();

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_PIPELINES_H
