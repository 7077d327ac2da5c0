// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SizeExpressions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Whether `value` is an argument of the function, not of a region inside.
BlockArgument functionArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return argument;
  return nullptr;
}

bool isDivision(AffineExprKind kind) {
  return kind == AffineExprKind::FloorDiv || kind == AffineExprKind::CeilDiv ||
         kind == AffineExprKind::Mod;
}

} // namespace

AffineExpr SizeExpressions::symbol(SizeSymbol which) {
  auto found = llvm::find(table, which);
  size_t position = found - table.begin();
  if (found == table.end())
    table.push_back(which);
  return getAffineSymbolExpr(position, context);
}

bool SizeExpressions::isNeverNegative(AffineExpr expr, bool trustsSizes) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (trustsSizes && ofTensors.contains(expr))
    return true;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    const SizeSymbol &which = table[symbol.getPosition()];
    return !which.isComputed() && (which.dim != SizeSymbol::kScalar ||
                                   sizeArguments.contains(which.argument));
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  // The divisor is positive; see divide.
  if (binary.getKind() == AffineExprKind::Mod)
    return true;
  return isNeverNegative(binary.getLHS(), trustsSizes) &&
         isNeverNegative(binary.getRHS(), trustsSizes);
}

std::optional<AffineExpr> SizeExpressions::bytesOf(Value tensor,
                                                   int64_t bytesOfElement) {
  AffineExpr bytes = constant(bytesOfElement);
  for (int64_t dim = 0; dim < cast<ShapedType>(tensor.getType()).getRank();
       ++dim) {
    std::optional<AffineExpr> size = sizeOf(tensor, dim);
    if (!size)
      return std::nullopt;
    bytes = *size * bytes;
  }
  return simplify(bytes);
}

std::optional<AffineExpr> SizeExpressions::sizeOf(Value tensor, int64_t dim) {
  auto type = cast<ShapedType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (BlockArgument argument = functionArgument(tensor))
    return symbol({argument.getArgNumber(), dim});
  Operation *op = tensor.getDefiningOp();
  if (auto buffer = dyn_cast<MemRefType>(type))
    return op ? sizeOfBuffer(op, buffer, dim) : std::nullopt;
  if (auto carried = dyn_cast<BlockArgument>(tensor))
    return sizeOfCarried(carried, dim);
  return sizeOfResult(tensor.getDefiningOp(), cast<OpResult>(tensor), dim);
}

std::optional<AffineExpr> SizeExpressions::sizeOfCarried(BlockArgument tensor,
                                                         int64_t dim) {
  Operation *loop = tensor.getOwner()->getParentOp();
  if (auto op = dyn_cast<scf::ForOp>(loop))
    return sizeOf(op.getTiedLoopInit(tensor)->get(), dim);
  if (auto op = dyn_cast<scf::WhileOp>(loop))
    return tensor.getOwner() == op.getBeforeBody()
               ? sizeOf(op.getInits()[tensor.getArgNumber()], dim)
               : sizeOf(op.getConditionOp().getArgs()[tensor.getArgNumber()],
                        dim);
  return std::nullopt;
}

std::optional<AffineExpr>
SizeExpressions::sizeOfResult(Operation *op, OpResult tensor, int64_t dim) {
  using Result = std::optional<AffineExpr>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<tensor::EmptyOp, tensor::GenerateOp, tensor::SplatOp>(
          [&](Operation *op) {
            // Their last operands are their dynamic sizes.
            auto type = cast<RankedTensorType>(tensor.getType());
            return valueOf(op->getOperands().take_back(
                type.getNumDynamicDims())[type.getDynamicDimIndex(dim)]);
          })
      .Case([&](bufferization::AllocTensorOp op) {
        auto type = cast<RankedTensorType>(tensor.getType());
        return op.getCopy()
                   ? sizeOf(op.getCopy(), dim)
                   : valueOf(
                         op.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
      })
      .Case([&](tensor::CastOp op) -> Result {
        if (!isa<RankedTensorType>(op.getSource().getType()))
          return std::nullopt;
        return sizeOf(op.getSource(), dim);
      })
      .Case([&](tensor::ExtractSliceOp op) { return sizeOfSlice(op, dim); })
      .Case([&](tensor::ExpandShapeOp op) { return sizeOfExpanded(op, dim); })
      .Case(
          [&](tensor::CollapseShapeOp op) { return sizeOfCollapsed(op, dim); })
      .Case([&](tensor::PadOp op) -> Result {
        Result size = sizeOf(op.getSource(), dim),
               low = valueOf(op.getMixedLowPad()[dim]),
               high = valueOf(op.getMixedHighPad()[dim]);
        if (!size || !low || !high)
          return std::nullopt;
        return simplify(*low + *size + *high);
      })
      .Case([&](tensor::ConcatOp op) -> Result {
        if (int64_t(op.getDim()) != dim) {
          for (Value input : op.getInputs())
            if (Result size = sizeOf(input, dim))
              return size;
          return std::nullopt;
        }
        AffineExpr sum = constant(0);
        for (Value input : op.getInputs()) {
          Result size = sizeOf(input, dim);
          if (!size)
            return std::nullopt;
          sum = sum + *size;
        }
        return simplify(sum);
      })
      .Case([&](tensor::GatherOp op) { return sizeOfGathered(op, dim); })
      .Case([&](bufferization::ToTensorOp op) {
        return sizeOf(op.getBuffer(), dim);
      })
      .Case([&](tensor::ReshapeOp op) { return sizeOfReshaped(op, dim); })
      .Case([&](scf::ForOp op) {
        return sizeOf(op.getInits()[tensor.getResultNumber()], dim);
      })
      .Case([&](scf::WhileOp op) {
        return sizeOf(op.getConditionOp().getArgs()[tensor.getResultNumber()],
                      dim);
      })
      .Case([&](scf::IfOp op) {
        // Checks make sure that the other branch yields the same.
        return sizeOf(op.thenYield()->getOperand(tensor.getResultNumber()),
                      dim);
      })
      .Case([&](DestinationStyleOpInterface op) {
        return sizeOf(op.getTiedOpOperand(tensor)->get(), dim);
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<AffineExpr>
SizeExpressions::sizeOfExpanded(tensor::ExpandShapeOp op, int64_t dim) {
  if (std::optional<AffineExpr> said = valueOf(op.getMixedOutputShape()[dim]))
    return said;
  // What the others of its group leave.
  int64_t source = op.getCorrespondingSourceDim(dim), others = 1;
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  for (int64_t other : groups[source]) {
    if (other == dim)
      continue;
    if (op.getResultType().isDynamicDim(other))
      return std::nullopt;
    others *= op.getResultType().getDimSize(other);
  }
  std::optional<AffineExpr> whole = sizeOf(op.getSrc(), source);
  if (!whole)
    return std::nullopt;
  return divide(AffineExprKind::FloorDiv, *whole, constant(others));
}

std::optional<AffineExpr> SizeExpressions::sizeOfReshaped(tensor::ReshapeOp op,
                                                          int64_t dim) {
  auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
  return shape ? valueOf(shape.getElements()[dim]) : std::nullopt;
}

std::optional<AffineExpr> SizeExpressions::sizeOfGathered(tensor::GatherOp op,
                                                          int64_t dim) {
  int64_t batch = op.getIndicesType().getRank() - 1;
  if (dim < batch)
    return sizeOf(op.getIndices(), dim);
  ArrayRef<int64_t> gathered = op.getGatherDims();
  int64_t slice = op.getResultType().getRank() - batch;
  int64_t sourceRank = op.getSourceType().getRank();
  // With its gathered dimensions, each of size 1, or without.
  int64_t position = batch;
  for (int64_t source = 0; source < sourceRank; ++source) {
    if (slice != sourceRank && llvm::is_contained(gathered, source))
      continue;
    if (position++ == dim)
      return sizeOf(op.getSource(), source);
  }
  return std::nullopt;
}

std::optional<AffineExpr> SizeExpressions::valueOf(OpFoldResult index) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return constant(*known);
  return valueOf(cast<Value>(index));
}

std::optional<AffineExpr> SizeExpressions::valueOf(Value scalar) {
  if (std::optional<int64_t> known = getConstantIntValue(scalar))
    return constant(scalar.getType().isInteger(1) ? *known != 0 : *known);
  if (BlockArgument argument = functionArgument(scalar)) {
    if (!scalar.getType().isIndex() && !scalar.getType().isInteger(64))
      return std::nullopt;
    return symbol({argument.getArgNumber(), SizeSymbol::kScalar});
  }
  Operation *op = scalar.getDefiningOp();
  return op ? valueOfOperation(op, scalar) : std::nullopt;
}

std::optional<AffineExpr> SizeExpressions::valueOfOperation(Operation *op,
                                                            Value result) {
  if (isa<tensor::DimOp, memref::DimOp>(op)) {
    auto type = dyn_cast<ShapedType>(op->getOperand(0).getType());
    std::optional<int64_t> which = getConstantIntValue(op->getOperand(1));
    if (!type || !type.hasRank() || !which || *which < 0 ||
        *which >= type.getRank())
      return std::nullopt;
    std::optional<AffineExpr> size = sizeOf(op->getOperand(0), *which);
    if (size)
      ofTensors.insert(*size);
    return size;
  }
  // Other integers wrap where an index does not.
  if (result.getType().isIndex() || result.getType().isInteger(64)) {
    std::optional<AffineExpr> affine;
    if (auto applied = dyn_cast<affine::AffineApplyOp>(op))
      affine = apply(applied.getAffineMap(), applied.getMapOperands());
    else
      affine = valueOfArithmetic(op);
    if (affine)
      return affine;
  }
  return valueOfComputation(op);
}

std::optional<AffineExpr> SizeExpressions::valueOfArithmetic(Operation *op) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp,
           arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
           arith::CeilDivUIOp, arith::RemSIOp, arith::RemUIOp,
           arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return std::nullopt;
  SmallVector<AffineExpr> operands;
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIndex() && !operand.getType().isInteger(64))
      return std::nullopt;
    std::optional<AffineExpr> value = valueOf(operand);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  AffineExpr x = operands.front(), y = operands.back();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return x;
  if (isa<arith::AddIOp>(op))
    return simplify(x + y);
  if (isa<arith::SubIOp>(op))
    return simplify(x - y);
  if (isa<arith::MulIOp>(op))
    return simplify(x * y);
  if (isa<arith::FloorDivSIOp>(op))
    return divide(AffineExprKind::FloorDiv, x, y);
  if (isa<arith::CeilDivSIOp>(op))
    return divide(AffineExprKind::CeilDiv, x, y);
  // Of negative numbers, the others round otherwise.
  if (!isNeverNegative(x))
    return std::nullopt;
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return divide(AffineExprKind::FloorDiv, x, y);
  if (isa<arith::CeilDivUIOp>(op))
    return divide(AffineExprKind::CeilDiv, x, y);
  return divide(AffineExprKind::Mod, x, y);
}

std::optional<AffineExpr>
SizeExpressions::divide(AffineExprKind kind, AffineExpr x, AffineExpr y) const {
  auto divisor = dyn_cast<AffineConstantExpr>(y);
  if (!divisor || divisor.getValue() <= 0)
    return std::nullopt;
  return simplify(getAffineBinaryOpExpr(kind, x, y));
}

std::optional<AffineExpr> SizeExpressions::apply(AffineMap map,
                                                 ValueRange operands) {
  SmallVector<AffineExpr> dims, values;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    std::optional<AffineExpr> value = valueOf(operand);
    if (!value)
      return std::nullopt;
    (i < map.getNumDims() ? dims : values).push_back(*value);
  }
  AffineExpr expr = map.getResult(0).replaceDimsAndSymbols(dims, values);
  bool divides = false;
  expr.walk([&](AffineExpr part) {
    if (!isDivision(part.getKind()))
      return;
    auto by =
        dyn_cast<AffineConstantExpr>(cast<AffineBinaryOpExpr>(part).getRHS());
    divides |= !by || by.getValue() <= 0;
  });
  if (divides)
    return std::nullopt;
  return simplify(expr);
}

} // namespace tilewright
