// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, computed from the arguments of an entry point.

#ifndef TILEWRIGHT_LIB_COMPILE_ARGUMENTSIZES_H
#define TILEWRIGHT_LIB_COMPILE_ARGUMENTSIZES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/EntrySizes.h"
#include <map>

namespace tilewright {

/// Where the arguments of a tensor function are among the entry point's.
struct EntryLayout {
  explicit EntryLayout(mlir::func::FuncOp func);

  /// Of each argument: its pointer, or itself if it is a scalar.
  llvm::SmallVector<unsigned> inputs;
  /// The i64 of each size.
  std::map<SizeSymbol, unsigned> sizes;
  /// Of each result: its pointer.
  llvm::SmallVector<unsigned> outputs;
  llvm::SmallVector<mlir::Type> types;
};

class ArgumentSizes {
public:
  /// Of `func`, whose arguments `layout` describes.
  ArgumentSizes(mlir::ImplicitLocOpBuilder &b, const EntryLayout &layout,
                mlir::func::FuncOp func, const EntrySizes &sizes)
      : b(b), layout(layout), func(func), sizes(sizes) {}

  mlir::Value index(SizeSymbol symbol);
  mlir::OpFoldResult evaluate(mlir::AffineExpr size);
  mlir::Value value(mlir::AffineExpr size, mlir::Type type);
  /// Whether all of this holds, as an i1.
  mlir::Value holds(const SizeRequirements &requirements);

private:
  mlir::Value typed(SizeSymbol symbol);
  mlir::Value compute(const ComputedSize &size);
  mlir::Value as(mlir::Value integer, mlir::Type type);
  mlir::Value build(mlir::AffineExpr size);

  mlir::ImplicitLocOpBuilder &b;
  const EntryLayout &layout;
  mlir::func::FuncOp func;
  const EntrySizes &sizes;
  std::map<SizeSymbol, mlir::Value> indices, values;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_ARGUMENTSIZES_H
