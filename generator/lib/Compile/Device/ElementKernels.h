// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel for each distinct body of a linalg operation on device memory.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_ELEMENTKERNELS_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_ELEMENTKERNELS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace tilewright {

/// How a kernel of this file is called: its arguments are words of 64 bits,
/// first the address of each buffer, then all sizes of each buffer, then the
/// scalars, zero-extended, then the number of work-items in the grid.
struct ElementKernel {
  std::string name;
  llvm::SmallVector<mlir::Value> buffers, scalars;
};

/// Work-items in a workgroup.
inline constexpr int64_t kElementBlock = 256;
/// A grid never has more workgroups: work-items step over what is left.
inline constexpr int64_t kMaxElementBlocks = 1 << 16;

class ElementKernels {
public:
  /// `kernels` gets the functions.
  explicit ElementKernels(mlir::ModuleOp kernels) : kernels(kernels) {}

  /// The kernel of `op`, which must be on buffers. Each work-item computes
  /// whole elements: it steps through the parallel loops, and does the
  /// reductions by itself, in order. Every size is an argument, so that an
  /// operation with the same body has the same kernel.
  mlir::FailureOr<ElementKernel> get(mlir::linalg::LinalgOp op);

private:
  mlir::ModuleOp kernels;
  /// By their text without the name.
  llvm::StringMap<std::string> names;
  llvm::StringMap<unsigned> counts;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_ELEMENTKERNELS_H
