// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/EntrySizes.h"

#include "LoopSizes.h"
#include "RequiredSizes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {
namespace {

/// What is done about a size that cannot be traced back.
enum class Unknown {
  Refused,
  Skipped,
  SkippedBeyondTypes, ///< nor looked for: only types are trusted
};

class Analysis {
public:
  Analysis(MLIRContext *context, Unknown unknown)
      : unknown(unknown), expressions(context, /*computes=*/true),
        required(expressions, sizes) {}

  FailureOr<EntrySizes> run(func::FuncOp func) {
    // Constants hide behind affine.apply and casts until they are folded, which
    // the pipeline does before.
    bool failed = false;
    func.walk([&](Operation *op) {
      failed |= mlir::failed(visitAny(op));
      // What follows would only repeat it.
      return refused ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (failed)
      return failure();
    if (unknown != Unknown::Refused)
      return sizes;
    Operation *terminator = func.getBody().front().getTerminator();
    for (Value value : terminator->getOperands()) {
      FailureOr<SmallVector<AffineExpr>> shape = shapeOf(value, terminator);
      if (mlir::failed(shape))
        return failure();
      sizes.results.push_back(*shape);
    }
    for (AffineExpr divisor : expressions.divisors())
      sizes.atEntry.notNegative.insert(divisor - 1);
    sizes.symbols = expressions.symbols();
    sizes.computed = expressions.computed();
    return sizes;
  }

  LogicalResult visit(linalg::LinalgOp op) {
    return checkLoopSizes(
        op, required,
        {[this](Value tensor, int64_t dim) { return sizeOf(tensor, dim); },
         [this, op](Value tensor, int64_t dim) {
           return refuse(tensor, dim, op);
         },
         unknown == Unknown::Refused});
  }

private:
  LogicalResult visitAny(Operation *op) {
    if (isInElementBody(op))
      return success();
    required.enter(op);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<linalg::LinalgOp, linalg::SoftmaxOp, linalg::PackOp,
              linalg::UnPackOp, tensor::CastOp, tensor::ExtractSliceOp,
              tensor::InsertSliceOp, tensor::ConcatOp, tensor::ExtractOp,
              tensor::ReshapeOp, scf::YieldOp, cf::AssertOp>(
            [&](auto op) { return visit(op); })
        .Case([&](tensor::ExpandShapeOp op) {
          return failed(visitMade(op)) ? failure() : visit(op);
        })
        .Case<tensor::EmptyOp, tensor::GenerateOp, tensor::SplatOp,
              tensor::PadOp, tensor::CollapseShapeOp, tensor::GatherOp>(
            [&](auto op) { return visitMade(op); })
        .Default(success());
  }

  LogicalResult visit(linalg::SoftmaxOp op) {
    return requireEqualShapes(op, op.getInput(), op.getOutput());
  }

  /// The tiles of a packed tensor cover the matrix, of which no element is
  /// missing.
  template <typename Op>
  LogicalResult visitPacked(Op op, Value matrix, Value packed, bool isExact) {
    ArrayRef<int64_t> tiles = op.getStaticInnerTiles();
    if (llvm::any_of(tiles, ShapedType::isDynamic))
      return op.emitOpError("has inner tiles of unknown size; they must be "
                            "constants");
    ArrayRef<int64_t> perm = op.getOuterDimsPerm();
    int64_t rank = cast<RankedTensorType>(matrix.getType()).getRank();
    for (int64_t outer = 0; outer < rank; ++outer) {
      int64_t dim = perm.empty() ? outer : perm[outer];
      std::optional<AffineExpr> size = sizeOf(matrix, dim),
                                count = sizeOf(packed, outer);
      if (!size && unknown == Unknown::Refused)
        return refuse(matrix, dim, op);
      if (!count && unknown == Unknown::Refused)
        return refuse(packed, outer, op);
      if (!size || !count)
        continue;
      auto inner = llvm::find(op.getInnerDimsPos(), dim);
      bool isTiled = inner != op.getInnerDimsPos().end();
      AffineExpr covered = *count;
      if (isTiled)
        covered = covered * tiles[inner - op.getInnerDimsPos().begin()];
      bool isCovered =
          isTiled && !isExact
              ? succeeded(required.notNegative(covered - *size))
              : succeeded(required.equal(expressions.simplify(covered), *size));
      if (!isCovered)
        return op.emitOpError()
               << "has tiles along dimension " << dim << " of "
               << matrix.getType() << " that do not make up that dimension in "
               << packed.getType();
    }
    return success();
  }

  LogicalResult visit(linalg::PackOp op) {
    return visitPacked(op, op.getSource(), op.getDest(),
                       /*isExact=*/!op.getPaddingValue());
  }

  LogicalResult visit(linalg::UnPackOp op) {
    return visitPacked(op, op.getDest(), op.getSource(), /*isExact=*/false);
  }

  /// A cast that makes sizes static asserts them.
  LogicalResult visit(tensor::CastOp op) {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto target = dyn_cast<RankedTensorType>(op.getType());
    for (int64_t dim = 0; source && target && dim < target.getRank(); ++dim) {
      std::optional<AffineExpr> size = sizeOf(op.getSource(), dim);
      if (!size && unknown == Unknown::Refused)
        return refuse(op.getSource(), dim, op);
      if (!size || target.isDynamicDim(dim))
        continue;
      if (failed(required.equal(*size,
                                expressions.constant(target.getDimSize(dim)))))
        return op.emitOpError()
               << "is to " << target << ", but dimension " << dim
               << " is known to be " << required.text(*size);
    }
    return success();
  }

  LogicalResult visit(tensor::ExpandShapeOp op) {
    for (auto [source, group] : llvm::enumerate(op.getReassociationIndices())) {
      std::optional<AffineExpr> product = expressions.constant(1);
      for (int64_t dim : group) {
        std::optional<AffineExpr> size = sizeOf(op.getResult(), dim);
        product =
            product && size ? std::optional(*product * *size) : std::nullopt;
      }
      std::optional<AffineExpr> whole = sizeOf(op.getSrc(), source);
      if (product && whole &&
          failed(required.equal(expressions.simplify(*product), *whole)))
        return op.emitOpError()
               << "makes " << required.text(*product) << " of dimension "
               << source << " of " << op.getSrcType() << ", which is "
               << required.text(*whole);
    }
    return success();
  }

  LogicalResult visit(tensor::ExtractSliceOp op) {
    if (failed(visitMade(op)))
      return failure();
    return visitSlice(op, op.getSource());
  }

  LogicalResult visit(tensor::InsertSliceOp op) {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    int64_t kept = 0;
    for (auto [i, said] : llvm::enumerate(op.getMixedSizes())) {
      if (dropped.test(i))
        continue;
      std::optional<AffineExpr> size = sizeOf(op.getSource(), kept),
                                slice = expressions.valueOf(said);
      if (!size && unknown == Unknown::Refused)
        return refuse(op.getSource(), kept, op);
      // The slice is what the source fills: nothing else is known of it.
      if (!slice && unknown == Unknown::Refused)
        return op.emitOpError()
               << "has a size " << i
               << " that cannot be computed from sizes of arguments";
      if (size && slice && failed(required.equal(*size, *slice)))
        return op.emitOpError()
               << "inserts " << required.text(*size)
               << " elements along dimension " << kept << " of "
               << op.getSourceType() << ", but its size " << i << " is "
               << required.text(*slice);
      ++kept;
    }
    return visitSlice(op, op.getDest());
  }

  /// A slice that lies in `whole`. Where it begins may be known only as the
  /// function runs.
  LogicalResult visitSlice(OffsetSizeAndStrideOpInterface op, Value whole) {
    bool isKnown = true;
    for (auto [dim, range] : llvm::enumerate(llvm::zip_equal(
             op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides()))) {
      auto [from, count, by] = range;
      std::optional<AffineExpr> offset = expressions.valueOf(from),
                                size = expressions.valueOf(count),
                                extent = sizeOf(whole, dim);
      std::optional<int64_t> stride = getConstantIntValue(by);
      if (unknown == Unknown::Refused && (!stride || *stride < 1))
        return op->emitOpError()
               << "has a stride " << dim
               << " that is no constant of at least 1; no other is accepted";
      if (!offset || !size || !extent || !stride) {
        isKnown = false;
        continue;
      }
      if (failed(required.notNegative(*offset)) ||
          failed(required.notNegative(*extent - 1 - *offset -
                                      (*size - 1) * *stride)))
        return op->emitOpError() << "reaches out of dimension " << dim << " of "
                                 << whole.getType();
    }
    if (isKnown)
      sizes.inBounds.push_back(op);
    return success();
  }

  LogicalResult visit(tensor::ConcatOp op) {
    for (Value input : op.getInputs().drop_front()) {
      for (int64_t dim = 0; dim < op.getResultType().getRank(); ++dim) {
        if (dim == int64_t(op.getDim()))
          continue;
        if (failed(requireEqualSizes(op, op.getInputs()[0], input, dim)))
          return failure();
      }
    }
    return visitMade(op);
  }

  LogicalResult visit(tensor::ExtractOp op) {
    for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
      std::optional<AffineExpr> at = expressions.valueOf(index),
                                size = sizeOf(op.getTensor(), dim);
      if (!at || !size)
        return success();
      if (failed(required.notNegative(*at)) ||
          failed(required.notNegative(*size - 1 - *at)))
        return op.emitOpError() << "is of an element outside of dimension "
                                << dim << " of " << op.getTensor().getType();
    }
    sizes.inBounds.push_back(op);
    return success();
  }

  /// As many elements as before, in the sizes that the second operand lists.
  LogicalResult visit(tensor::ReshapeOp op) {
    auto source = cast<RankedTensorType>(op.getSource().getType());
    auto result = cast<RankedTensorType>(op.getResult().getType());
    auto listed = op.getShape().getDefiningOp<tensor::FromElementsOp>();
    AffineExpr before = expressions.constant(1), after = before;
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      std::optional<AffineExpr> size = sizeOf(op.getSource(), dim);
      if (!size)
        return unknown == Unknown::Refused ? refuse(op.getSource(), dim, op)
                                           : success();
      before = before * *size;
    }
    for (int64_t dim = 0; dim < result.getRank(); ++dim) {
      std::optional<AffineExpr> size = sizeOf(op.getResult(), dim), said;
      if (!size)
        return unknown == Unknown::Refused ? refuse(op.getResult(), dim, op)
                                           : success();
      if (listed)
        said = expressions.valueOf(listed.getElements()[dim]);
      if (said && failed(required.equal(*said, *size)))
        return op.emitOpError() << "makes dimension " << dim << " of " << result
                                << " " << required.text(*said);
      after = after * *size;
    }
    if (failed(required.equal(expressions.simplify(after),
                              expressions.simplify(before))))
      return op.emitOpError()
             << "makes " << required.text(after) << " elements of "
             << required.text(before) << "; their number must be equal";
    return visitMade(op);
  }

  /// What a loop carries keeps its sizes, and both branches yield the same.
  LogicalResult visit(scf::YieldOp op) {
    Operation *parent = op->getParentOp();
    for (auto [index, value] : llvm::enumerate(op.getOperands())) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type)
        continue;
      Value other = parent->getResult(index);
      if (auto loop = dyn_cast<scf::WhileOp>(parent))
        other = loop.getInits()[index];
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        std::optional<AffineExpr> here = sizeOf(value, dim),
                                  there = sizeOf(other, dim);
        if (unknown == Unknown::Refused && (!here || !there))
          return refuse(here ? other : value, dim, op);
        if (!here || !there)
          continue;
        auto difference =
            dyn_cast<AffineConstantExpr>(expressions.simplify(*here - *there));
        if (difference && difference.getValue() != 0)
          return op.emitOpError()
                 << "of '" << parent->getName() << "' yields "
                 << required.text(*here) << " for dimension " << dim << " of "
                 << type << ", which is " << required.text(*there)
                 << (isa<scf::IfOp>(parent)
                         ? " in the other branch; both must have the same sizes"
                         : " before; what a loop carries keeps its sizes");
        (void)required.equal(*here, *there);
      }
    }
    return success();
  }

  /// Before all else is computed, where sizes decide.
  LogicalResult visit(cf::AssertOp op) {
    if (!isa<func::FuncOp>(op->getParentOp()))
      return success();
    std::optional<AffineExpr> condition = expressions.valueOf(op.getArg());
    if (!condition)
      return success();
    if (isa<AffineConstantExpr>(*condition) &&
        cast<AffineConstantExpr>(*condition).getValue() == 0)
      return op.emitOpError() << "fails in every call: " << op.getMsg();
    bool isKnown = llvm::any_of(sizes.asserted, [&](const auto &other) {
      return other.second == *condition;
    });
    sizes.asserted.insert({op, isKnown ? expressions.constant(1) : *condition});
    return success();
  }

  /// Sizes of results that are computed.
  LogicalResult visitMade(Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      std::optional<AffineExpr> size = sizeOf(op->getResult(0), dim);
      if (!size && unknown == Unknown::Refused)
        return refuse(op->getResult(0), dim, op);
      if (size && type.isDynamicDim(dim) && failed(required.notNegative(*size)))
        return op->emitOpError()
               << "makes dimension " << dim << " of " << type << " "
               << required.text(*size) << ", which is negative";
    }
    return success();
  }

  LogicalResult requireEqualShapes(Operation *op, Value x, Value y) {
    for (int64_t dim = 0; dim < cast<RankedTensorType>(x.getType()).getRank();
         ++dim)
      if (failed(requireEqualSizes(op, x, y, dim)))
        return failure();
    return success();
  }

  LogicalResult requireEqualSizes(Operation *op, Value x, Value y,
                                  int64_t dim) {
    std::optional<AffineExpr> a = sizeOf(x, dim), b = sizeOf(y, dim);
    if (unknown == Unknown::Refused && (!a || !b))
      return refuse(a ? y : x, dim, op);
    if (a && b && failed(required.equal(*a, *b)))
      return op->emitOpError() << "has operands whose dimension " << dim
                               << " is " << required.text(*a) << " and "
                               << required.text(*b) << "; they must be equal";
    return success();
  }

  std::optional<AffineExpr> sizeOf(Value tensor, int64_t dim) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (unknown == Unknown::SkippedBeyondTypes && type.isDynamicDim(dim))
      return std::nullopt;
    return expressions.sizeOf(tensor, dim);
  }

  FailureOr<SmallVector<AffineExpr>> shapeOf(Value tensor, Operation *user) {
    SmallVector<AffineExpr> shape;
    for (int64_t dim = 0;
         dim < cast<RankedTensorType>(tensor.getType()).getRank(); ++dim) {
      std::optional<AffineExpr> size = sizeOf(tensor, dim);
      if (!size)
        return refuse(tensor, dim, user);
      shape.push_back(*size);
    }
    return shape;
  }

  LogicalResult refuse(Value tensor, int64_t dim, Operation *user) {
    refused = true;
    Operation *where = tensor.getDefiningOp() ? tensor.getDefiningOp() : user;
    return where->emitError()
           << "cannot tell how dimension " << dim << " of " << tensor.getType()
           << " follows from sizes of arguments; sizes must be constants, "
              "index or i64 arguments, tensor.dim, or what arithmetic makes of "
              "such";
  }

  Unknown unknown;
  bool refused = false;
  EntrySizes sizes;
  SizeExpressions expressions;
  RequiredSizes required;
};

} // namespace

FailureOr<EntrySizes> analyzeEntrySizes(func::FuncOp func) {
  return Analysis(func.getContext(), Unknown::Refused).run(func);
}

LogicalResult checkSizes(func::FuncOp func) {
  return Analysis(func.getContext(), Unknown::Skipped).run(func);
}

LogicalResult checkSizes(linalg::LinalgOp op) {
  return Analysis(op.getContext(), Unknown::SkippedBeyondTypes).visit(op);
}

} // namespace tilewright
