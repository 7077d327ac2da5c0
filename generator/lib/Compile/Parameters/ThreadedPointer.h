// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_PARAMETERS_THREADEDPOINTER_H
#define TILEWRIGHT_LIB_COMPILE_PARAMETERS_THREADEDPOINTER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tilewright {

/// A pointer to memory that is not the program's, which functions that want it
/// have as their last argument, and so have all that call them.
class ThreadedPointer {
public:
  explicit ThreadedPointer(mlir::ModuleOp module) : module(module) {}

  /// That of `func`, which gets it if it has none.
  mlir::Value in(mlir::func::FuncOp func);
  /// `load` becomes a view of the memory, from a byte on. Its function has the
  /// pointer.
  void replace(mlir::memref::GetGlobalOp load, int64_t offset);

  /// The functions that have it, in no order.
  llvm::SmallVector<mlir::func::FuncOp> functions() const;

private:
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Operation *, mlir::Value> pointers; ///< by function
};

/// The bytes of a buffer of static shape.
int64_t bytesInMemory(mlir::MemRefType type, mlir::Operation *scope);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_THREADEDPOINTER_H
