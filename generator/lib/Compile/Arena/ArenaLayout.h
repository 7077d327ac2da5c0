// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_ARENA_ARENALAYOUT_H
#define TILEWRIGHT_LIB_COMPILE_ARENA_ARENALAYOUT_H

#include "../SizeExpressions.h"
#include "CheckedSizes.h"
#include "tilewright/Compile/PlanOffsets.h"
#include "tilewright/instance.h"

namespace tilewright {

/// Where the arena and each buffer in it begin: a cache line, which is also the
/// widest vector.
constexpr int64_t kArenaAlignment = 64;
static_assert(kArenaAlignment == TW_PARAMETERS_ALIGNMENT,
              "an instance's arena is aligned like its parameters");

/// Where the buffers of a function lie in its arena: those of static size
/// first, then a slot for each set of dynamic ones that are never in use
/// together.
class ArenaLayout {
public:
  /// Plans the buffers of `func`, whose arguments with `tw.size` are sizes.
  explicit ArenaLayout(mlir::func::FuncOp func);

  struct Buffer {
    mlir::memref::AllocOp alloc;
    int64_t offset = 0;           ///< of a static one
    std::optional<unsigned> slot; ///< of a dynamic one
  };
  struct Refused {
    mlir::memref::AllocOp alloc;
    std::string reason;
  };
  llvm::ArrayRef<Buffer> buffers() const { return placed; }
  /// What stays with malloc and free.
  llvm::ArrayRef<Refused> refused() const { return others; }

  int64_t staticBytes() const { return fixedBytes; }
  /// Of each slot, what its bytes are the largest of.
  llvm::ArrayRef<llvm::SmallVector<mlir::AffineExpr>> slots() const {
    return slotBytes;
  }
  /// The arguments of the function that are the symbols of the expressions.
  llvm::SmallVector<unsigned> symbols() const;

  struct Code {
    llvm::SmallVector<mlir::Value> slotOffsets;
    mlir::Value bytes;
    mlir::Value overflow; ///< whether they are more than memory has
  };
  /// Code that computes where the slots are; `symbols` are i64.
  Code emit(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange symbols) const;

private:
  void placeStatic(llvm::ArrayRef<mlir::memref::AllocOp> allocs,
                   llvm::ArrayRef<Lifetime> lifetimes,
                   llvm::ArrayRef<int64_t> sizes);
  void placeDynamic(llvm::ArrayRef<mlir::memref::AllocOp> allocs,
                    llvm::ArrayRef<Lifetime> lifetimes,
                    llvm::ArrayRef<mlir::AffineExpr> bytes);
  std::optional<mlir::AffineExpr> bytesOf(mlir::memref::AllocOp alloc);

  SizeExpressions expressions;
  std::vector<Buffer> placed;
  std::vector<Refused> others;
  int64_t fixedBytes = 0;
  std::vector<llvm::SmallVector<mlir::AffineExpr>> slotBytes;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_ARENA_ARENALAYOUT_H
