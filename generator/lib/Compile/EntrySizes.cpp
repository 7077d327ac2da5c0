// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/EntrySizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include <map>

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

/// What is done about a size that cannot be traced back.
enum class Unknown {
  Refused,
  Skipped,
  SkippedBeyondTypes, ///< nor looked for: only types are trusted
};

class Analysis {
public:
  explicit Analysis(Unknown unknown) : unknown(unknown) {}

  FailureOr<EntrySizes> run(func::FuncOp func) {
    // Constants hide behind affine.apply and casts until they are folded, which
    // the pipeline does before.
    bool failed = false;
    func.walk([&](Operation *op) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        failed |= mlir::failed(visit(linalgOp));
      else if (auto cast = dyn_cast<tensor::CastOp>(op))
        failed |= mlir::failed(visit(cast));
      // What follows would only repeat it.
      return refused ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (failed)
      return failure();
    if (unknown != Unknown::Refused)
      return sizes;
    Operation *terminator = func.getBody().front().getTerminator();
    for (Value value : terminator->getOperands()) {
      SmallVector<Size> shape;
      for (int64_t dim = 0;
           dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim) {
        std::optional<Size> size = sizeOf(value, dim);
        if (!size)
          return refuse(value, dim, terminator);
        shape.push_back(*size);
      }
      sizes.results.push_back(shape);
    }
    return sizes;
  }

  LogicalResult visit(linalg::LinalgOp op) {
    SmallVector<std::optional<Extent>> extents(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        std::optional<Size> size = sizeOf(operand.get(), dim);
        if (!size && unknown == Unknown::Refused)
          return refuse(operand.get(), dim, op);
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!loop || !size)
          continue;
        std::optional<Extent> &extent = extents[loop.getPosition()];
        Extent here{*size, operand.getOperandNumber(), int64_t(dim)};
        if (!extent) {
          extent = here;
        } else if (failed(requireEqual(extent->size, here.size))) {
          return op.emitOpError()
                 << describe(op, *extent) << ", but " << describe(op, here)
                 << "; they must be equal";
        }
      }
    }
    return success();
  }

private:
  /// Where a loop of a structured operation has its size from.
  struct Extent {
    Size size;
    unsigned operand;
    int64_t dim;
  };

  std::optional<Size> sizeOf(Value tensor, int64_t dim) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (unknown == Unknown::SkippedBeyondTypes && type.isDynamicDim(dim))
      return std::nullopt;
    std::optional<Size> size = resolveDim(tensor, dim);
    if (size && size->symbol && size->symbol->dim == SizeSymbol::kScalar)
      sizes.used.insert(*size->symbol);
    return size;
  }

  LogicalResult refuse(Value tensor, int64_t dim, Operation *user) {
    refused = true;
    Operation *where = tensor.getDefiningOp() ? tensor.getDefiningOp() : user;
    return where->emitError()
           << "cannot tell which size of an argument dimension " << dim
           << " of " << tensor.getType()
           << " is; sizes must be constants, index arguments, or tensor.dim "
              "of an argument or of what is computed from one";
  }

  /// What is known of a size by now.
  Size known(Size size) const {
    while (size.symbol) {
      auto other = equivalent.find(*size.symbol);
      if (other == equivalent.end())
        break;
      size = other->second;
    }
    return size;
  }

  /// Fails if the two cannot be equal.
  LogicalResult requireEqual(const Size &x, const Size &y) {
    if (!(x == y))
      sizes.equal.insert(std::minmax(x, y));
    Size a = known(x), b = known(y);
    if (a == b)
      return success();
    if (!a.symbol && !b.symbol)
      return failure();
    if (!a.symbol)
      std::swap(a, b);
    equivalent[*a.symbol] = b;
    return success();
  }

  std::string describe(linalg::LinalgOp op, const Extent &extent) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    auto type =
        cast<RankedTensorType>(op->getOperand(extent.operand).getType());
    os << "dimension " << extent.dim << " of operand " << extent.operand
       << ", of type '" << type << "', "
       << (type.isDynamicDim(extent.dim) ? "is known to be " : "is ")
       << known(extent.size).constant;
    return text;
  }

  /// A cast that makes sizes static asserts them.
  LogicalResult visit(tensor::CastOp op) {
    auto target = dyn_cast<RankedTensorType>(op.getType());
    for (int64_t dim = 0; target && dim < target.getRank(); ++dim) {
      std::optional<Size> size = sizeOf(op.getSource(), dim);
      if (!size && unknown == Unknown::Refused)
        return refuse(op.getSource(), dim, op);
      if (!size || target.isDynamicDim(dim))
        continue;
      if (failed(
              requireEqual(*size, Size{std::nullopt, target.getDimSize(dim)})))
        return op.emitOpError()
               << "is to " << target << ", but dimension " << dim
               << " is known to be " << known(*size).constant;
    }
    return success();
  }

  Unknown unknown;
  bool refused = false;
  EntrySizes sizes;
  std::map<SizeSymbol, Size> equivalent;
};

} // namespace

FailureOr<EntrySizes> analyzeEntrySizes(func::FuncOp func) {
  return Analysis(Unknown::Refused).run(func);
}

LogicalResult checkSizes(func::FuncOp func) {
  return Analysis(Unknown::Skipped).run(func);
}

LogicalResult checkSizes(linalg::LinalgOp op) {
  return Analysis(Unknown::SkippedBeyondTypes).visit(op);
}

} // namespace tilewright
