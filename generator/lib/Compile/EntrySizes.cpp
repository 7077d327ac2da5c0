// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/EntrySizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace tilewright {
namespace {

/// The size that an index value is, if that can be told.
std::optional<Size> resolveIndex(Value value);

/// The size of dimension `dim` of `tensor`. Follows results of operations to
/// their destinations, and those to where they were made.
std::optional<Size> resolveDim(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return Size{std::nullopt, type.getDimSize(dim)};
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return Size{SizeSymbol{argument.getArgNumber(), dim}, 0};
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return resolveIndex(empty.getDynamicSize(dim));
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return resolveDim(cast.getSource(), dim);
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return resolveDim(
        destination.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  return std::nullopt;
}

std::optional<Size> resolveIndex(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Size{std::nullopt, *constant};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return Size{SizeSymbol{argument.getArgNumber(), SizeSymbol::kScalar}, 0};
  auto dim = value.getDefiningOp<tensor::DimOp>();
  if (dim && dim.getConstantIndex())
    return resolveDim(dim.getSource(), *dim.getConstantIndex());
  return std::nullopt;
}

class Analysis {
public:
  FailureOr<EntrySizes> run(func::FuncOp func) {
    // Constants hide behind affine.apply and casts until they are folded, which
    // the pipeline does before.
    WalkResult walk = func.walk([&](Operation *op) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        return WalkResult(visit(linalgOp));
      if (auto cast = dyn_cast<tensor::CastOp>(op))
        return WalkResult(visit(cast));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    Operation *terminator = func.getBody().front().getTerminator();
    for (Value value : terminator->getOperands()) {
      SmallVector<Size> shape;
      for (int64_t dim = 0;
           dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim) {
        FailureOr<Size> size = sizeOf(value, dim, terminator);
        if (failed(size))
          return failure();
        shape.push_back(*size);
      }
      sizes.results.push_back(shape);
    }
    return sizes;
  }

private:
  FailureOr<Size> sizeOf(Value tensor, int64_t dim, Operation *user) {
    std::optional<Size> size = resolveDim(tensor, dim);
    if (!size) {
      Operation *where = tensor.getDefiningOp() ? tensor.getDefiningOp() : user;
      return where->emitError()
             << "cannot tell which size of an argument dimension " << dim
             << " of " << tensor.getType()
             << " is; sizes must be constants, index arguments, or tensor.dim "
                "of an argument or of what is computed from one";
    }
    if (size->symbol && size->symbol->dim == SizeSymbol::kScalar)
      sizes.used.insert(*size->symbol);
    return *size;
  }

  void requireEqual(const Size &x, const Size &y) {
    if (!(x == y))
      sizes.equal.insert(std::minmax(x, y));
  }

  LogicalResult visit(linalg::LinalgOp op) {
    SmallVector<std::optional<Size>> extents(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        FailureOr<Size> size = sizeOf(operand.get(), dim, op);
        if (failed(size))
          return failure();
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!loop)
          continue;
        std::optional<Size> &extent = extents[loop.getPosition()];
        if (extent)
          requireEqual(*extent, *size);
        else
          extent = *size;
      }
    }
    return success();
  }

  /// A cast that makes sizes static asserts them.
  LogicalResult visit(tensor::CastOp op) {
    auto target = dyn_cast<RankedTensorType>(op.getType());
    for (int64_t dim = 0; target && dim < target.getRank(); ++dim) {
      FailureOr<Size> size = sizeOf(op.getSource(), dim, op);
      if (failed(size))
        return failure();
      if (!target.isDynamicDim(dim))
        requireEqual(*size, Size{std::nullopt, target.getDimSize(dim)});
    }
    return success();
  }

  EntrySizes sizes;
};

} // namespace

FailureOr<EntrySizes> analyzeEntrySizes(func::FuncOp func) {
  return Analysis().run(func);
}

} // namespace tilewright
