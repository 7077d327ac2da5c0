// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of a model, by the target that they are compiled for.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_KERNELMODULES_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_KERNELMODULES_H

#include "HostProgram.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright {

/// Of an outlined function on buffers: what it is there for.
bool isWork(mlir::Operation *op);

/// Nested modules, one for each target of the devices with memory of their own:
/// devices of one target share their kernels.
class KernelModules {
public:
  explicit KernelModules(mlir::ModuleOp module);

  /// Puts the kernel of a function of a device into the module of its target,
  /// unless that is a tile's, or one of the same body is there.
  llvm::LogicalResult add(mlir::func::FuncOp dispatch);

  /// What the kernel of `dispatch` is called, if it is no tile's.
  mlir::StringRef nameOf(mlir::func::FuncOp dispatch) const;

  /// Gives each module the names of what is launched of it.
  void finish(HostProgram &program);

private:
  llvm::MapVector<mlir::StringAttr, mlir::ModuleOp> modules; ///< by target
  llvm::DenseMap<mlir::Operation *, mlir::StringRef> names;  ///< by function
};

/// Makes the buffers of devices in `op`, whichever these are, those of
/// kGlobalMemorySpace.
void useGlobalMemory(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_KERNELMODULES_H
