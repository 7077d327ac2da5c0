// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_ARENA_BUFFERLIFETIMES_H
#define TILEWRIGHT_LIB_COMPILE_ARENA_BUFFERLIFETIMES_H

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilewright/Compile/PlanOffsets.h"

namespace tilewright {

/// When the buffers of a function are in use. Moments are its operations, in
/// the order of the text; an operation with regions lasts until their end.
class BufferLifetimes {
public:
  explicit BufferLifetimes(mlir::func::FuncOp func);

  /// From the first use of `alloc` or of a view of it to the last one. An error
  /// is why it cannot be told, or why one place would not do: a buffer that one
  /// iteration of a loop leaves to the next, for instance.
  llvm::Expected<Lifetime> of(mlir::memref::AllocOp alloc) const;

private:
  struct Moments {
    int64_t begin, end;
  };
  int64_t number(mlir::Region &region, int64_t now);

  mlir::BufferViewFlowAnalysis views;
  llvm::DenseMap<mlir::Operation *, Moments> moments;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_ARENA_BUFFERLIFETIMES_H
