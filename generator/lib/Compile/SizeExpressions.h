// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes inside of a function as expressions of those that its caller passes.

#ifndef TILEWRIGHT_LIB_COMPILE_SIZEEXPRESSIONS_H
#define TILEWRIGHT_LIB_COMPILE_SIZEEXPRESSIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Compile/EntrySizes.h"

namespace tilewright {

/// Traces sizes and indices back to arguments: through operations that make
/// tensors or buffers, sums, differences, products, and quotients and
/// remainders of a positive constant. Other arithmetic on scalars makes symbols
/// of its own, if `computes`.
class SizeExpressions {
public:
  explicit SizeExpressions(mlir::MLIRContext *context, bool computes = false)
      : context(context), computes(computes) {}

  /// The size of dimension `dim` of `tensor`, or of a buffer, if that can be
  /// told.
  std::optional<mlir::AffineExpr> sizeOf(mlir::Value tensor, int64_t dim);
  /// The bytes of all elements, of so many each.
  std::optional<mlir::AffineExpr> bytesOf(mlir::Value tensor,
                                          int64_t bytesOfElement);
  /// What a scalar is.
  std::optional<mlir::AffineExpr> valueOf(mlir::Value index);
  std::optional<mlir::AffineExpr> valueOf(mlir::OpFoldResult index);

  mlir::AffineExpr constant(int64_t value) const {
    return mlir::getAffineConstantExpr(value, context);
  }
  /// The shortest form, which equal expressions mostly share.
  mlir::AffineExpr simplify(mlir::AffineExpr expr) const {
    return mlir::simplifyAffineExpr(expr, 0, table.size());
  }
  /// Whether no call makes it negative, given that no size of an argument is,
  /// and, if `trustsSizes`, no other size of a tensor, which entry points
  /// check.
  bool isNeverNegative(mlir::AffineExpr expr, bool trustsSizes = true) const;
  /// Sizes of `buffer`, which the entry point has checked, are never negative.
  void trustSizesOf(mlir::Value buffer);
  /// The index argument `argument` is a size of another argument.
  void addSizeArgument(unsigned argument) { sizeArguments.insert(argument); }

  /// What the symbols of the expressions are.
  const std::vector<SizeSymbol> &symbols() const { return table; }
  const std::vector<ComputedSize> &computed() const { return computations; }
  /// What is divided by, where it may be zero: an entry point has to check it.
  const llvm::SetVector<mlir::AffineExpr> &divisors() const { return nonZero; }

private:
  mlir::AffineExpr symbol(SizeSymbol which);
  std::optional<mlir::AffineExpr>
  sizeOfResult(mlir::Operation *op, mlir::OpResult tensor, int64_t dim);
  std::optional<mlir::AffineExpr>
  sizeOfBuffer(mlir::Operation *op, mlir::MemRefType type, int64_t dim);
  /// Of a slice of a tensor or buffer, and of a shape collapsed.
  template <typename Op>
  std::optional<mlir::AffineExpr> sizeOfSlice(Op op, int64_t dim) {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped.test(i) && dim-- == 0)
        return valueOf(size);
    return std::nullopt;
  }
  template <typename Op>
  std::optional<mlir::AffineExpr> sizeOfCollapsed(Op op, int64_t dim) {
    mlir::AffineExpr product = constant(1);
    auto groups = op.getReassociationIndices();
    for (int64_t source : groups[dim]) {
      std::optional<mlir::AffineExpr> size = sizeOf(op.getSrc(), source);
      if (!size)
        return std::nullopt;
      product = product * *size;
    }
    return simplify(product);
  }
  std::optional<mlir::AffineExpr> sizeOfExpanded(mlir::tensor::ExpandShapeOp op,
                                                 int64_t dim);
  std::optional<mlir::AffineExpr> sizeOfGathered(mlir::tensor::GatherOp op,
                                                 int64_t dim);
  /// Of what a loop carries: it has the size that it starts with, which the
  /// entry point's checks make sure of.
  std::optional<mlir::AffineExpr> sizeOfCarried(mlir::BlockArgument tensor,
                                                int64_t dim);
  std::optional<mlir::AffineExpr> sizeOfReshaped(mlir::tensor::ReshapeOp op,
                                                 int64_t dim);
  std::optional<mlir::AffineExpr> valueOfOperation(mlir::Operation *op,
                                                   mlir::Value result);
  std::optional<mlir::AffineExpr> valueOfArithmetic(mlir::Operation *op);
  /// What has no affine expression; see ComputedSizes.cpp.
  std::optional<mlir::AffineExpr> valueOfComputation(mlir::Operation *op);
  std::optional<mlir::AffineExpr>
  decide(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> operands) const;
  std::optional<bool> decideComparison(mlir::arith::CmpIPredicate predicate,
                                       mlir::AffineExpr x,
                                       mlir::AffineExpr y) const;
  /// Fails if the divisor is not known to be positive.
  std::optional<mlir::AffineExpr> divide(mlir::AffineExprKind kind,
                                         mlir::AffineExpr x,
                                         mlir::AffineExpr y) const;
  std::optional<mlir::AffineExpr> apply(mlir::AffineMap map,
                                        mlir::ValueRange operands);

  mlir::MLIRContext *context;
  bool computes;
  std::vector<SizeSymbol> table;
  llvm::SmallDenseSet<unsigned> sizeArguments;
  std::vector<ComputedSize> computations;
  llvm::SetVector<mlir::AffineExpr> nonZero;
  /// Expressions that are sizes of tensors.
  llvm::DenseSet<mlir::AffineExpr> ofTensors;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_SIZEEXPRESSIONS_H
