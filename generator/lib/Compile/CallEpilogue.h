// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogue of a tw.matmul, as a tw_epilogue_t calls it.

#ifndef TILEWRIGHT_LIB_COMPILE_CALLEPILOGUE_H
#define TILEWRIGHT_LIB_COMPILE_CALLEPILOGUE_H

#include "TileCalls.h"

namespace tilewright {

/// A tw_epilogue_t's context and function, for an `op` that has an epilogue.
/// The words of the context are the operands and the indices of the batch.
class EpilogueCall {
public:
  /// Stores the operands, at the builder.
  EpilogueCall(mlir::ImplicitLocOpBuilder &b, tw::MatmulOp op);

  /// Stores the index of a loop of the batch, at the builder.
  void setIndex(mlir::ImplicitLocOpBuilder &b, unsigned loop,
                mlir::Value index) const;

  mlir::Value getContext() const { return words; }
  mlir::LLVM::LLVMFuncOp getFunction() const { return function; }

private:
  mlir::Value words;
  int64_t operands;
  mlir::LLVM::LLVMFuncOp function;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_CALLEPILOGUE_H
