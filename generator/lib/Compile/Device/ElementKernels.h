// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outlined functions of linalg operations as kernels.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_ELEMENTKERNELS_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_ELEMENTKERNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// Work-items in a workgroup.
inline constexpr int64_t kElementBlock = 256;
/// A grid never has more workgroups: work-items step over what is left.
inline constexpr int64_t kMaxElementBlocks = 1 << 16;

/// Puts the kernel of `dispatch`, a function on buffers of linalg operations,
/// into `kernels`, under its name. Its arguments are those of the function as
/// words of 64 bits, addresses and zero-extended scalars, then the number of
/// work-items in the grid. Each work-item does whole items: it steps through
/// the parallel loops, which all operations share, and does the reductions by
/// itself, in order.
///
/// Behind a `tw.mmt4d`, `dispatch` has one operation, an epilogue: that is a
/// function then, for the tiles that its workgroup has computed, and its last
/// argument is the number of the batch's matrix. joinTileEpilogues() makes the
/// kernel of both.
llvm::LogicalResult makeElementKernel(mlir::func::FuncOp dispatch,
                                      mlir::ModuleOp kernels);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_ELEMENTKERNELS_H
