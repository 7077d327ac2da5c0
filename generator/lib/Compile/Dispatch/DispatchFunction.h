// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a model as a function of their own, for any sizes.

#ifndef TILEWRIGHT_LIB_COMPILE_DISPATCH_DISPATCHFUNCTION_H
#define TILEWRIGHT_LIB_COMPILE_DISPATCH_DISPATCHFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// Whether `op` may be part of a dispatch: it computes tensors into
/// destinations, and does nothing else.
bool isDispatchable(mlir::Operation *op);

/// Whether `op`, which is dispatchable, reads what is in its init `operand`.
bool readsInit(mlir::Operation *op, mlir::OpOperand &operand);

/// Where a dispatch runs.
enum class Place { Host, Device };

/// A function, and what it is called with where the operations are.
struct DispatchFunction {
  mlir::func::FuncOp func;
  llvm::SmallVector<mlir::Value> inputs;
  /// Destinations: of each result one, and whether it is read.
  llvm::SmallVector<mlir::Value> outputs;
  llvm::SmallVector<bool> accumulates;
  /// What the results replace.
  llvm::SmallVector<mlir::Value> results;
};

/// Makes a function of `ops`, which are dispatchable, in one block and in its
/// order, at the end of `module`. Its results are those of the last, those
/// that something else than `ops` uses, and those of multiplications. Sizes are
/// dynamic, but for those of 1, of inner tiles and of windows, which say what
/// code there is to be.
///
/// On the device, where a function has no memory of its own, all is a result
/// that is not written over, and only the sizes of inner tiles are static, of a
/// multiplication and of what is made for one.
DispatchFunction makeDispatchFunction(llvm::ArrayRef<mlir::Operation *> ops,
                                      mlir::ModuleOp module, Place place);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DISPATCH_DISPATCHFUNCTION_H
