// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/EntrySizes.h"

#include "SizeExpressions.h"
#include "SizeText.h"
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

/// Whether `expr` grows with each of its dimensions, or does not change.
bool isMonotone(AffineExpr expr) {
  if (isa<AffineDimExpr>(expr))
    return true;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return binary &&
         (binary.getKind() == AffineExprKind::Add ||
          binary.getKind() == AffineExprKind::Mul) &&
         isMonotone(binary.getLHS()) && isMonotone(binary.getRHS());
}

class Analysis {
public:
  Analysis(MLIRContext *context, Unknown unknown)
      : unknown(unknown), expressions(context) {}

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
    sizes.symbols = expressions.symbols();
    return sizes;
  }

  LogicalResult visit(linalg::LinalgOp op) {
    Extents extents(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        std::optional<AffineExpr> size = sizeOf(operand.get(), dim);
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
    return visitWindows(op, extents);
  }

private:
  /// Where a loop of a structured operation has its size from.
  struct Extent {
    AffineExpr size;
    unsigned operand;
    int64_t dim;
  };
  using Extents = SmallVector<std::optional<Extent>>;

  LogicalResult visitAny(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<linalg::LinalgOp, linalg::SoftmaxOp, linalg::PackOp,
              linalg::UnPackOp, tensor::CastOp, tensor::ExtractSliceOp,
              tensor::InsertSliceOp, tensor::ConcatOp, tensor::ExtractOp>(
            [&](auto op) { return visit(op); })
        .Case([&](tensor::ExpandShapeOp op) {
          return failed(visitMade(op)) ? failure() : visit(op);
        })
        .Case<tensor::EmptyOp, tensor::GenerateOp, tensor::SplatOp,
              tensor::PadOp, tensor::CollapseShapeOp, tensor::GatherOp>(
            [&](auto op) { return visitMade(op); })
        .Default(success());
  }

  /// What is indexed by more than one loop has to be large enough for the last
  /// of them.
  LogicalResult visitWindows(linalg::LinalgOp op, const Extents &extents) {
    SmallVector<AffineExpr> last;
    for (const std::optional<Extent> &extent : extents)
      last.push_back(extent ? extent->size - 1 : nullptr);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        if (isa<AffineDimExpr>(expr))
          continue;
        bool isKnown = true;
        expr.walk([&](AffineExpr part) {
          if (auto loop = dyn_cast<AffineDimExpr>(part))
            isKnown &= last[loop.getPosition()] != nullptr;
        });
        std::optional<AffineExpr> size = sizeOf(operand.get(), dim);
        if (unknown == Unknown::Refused && (!isKnown || !isMonotone(expr)))
          return op.emitOpError()
                 << "indexes operand " << operand.getOperandNumber() << " by "
                 << AffineMapAttr::get(map)
                 << ", of which it cannot be told where it ends; an index must "
                    "be a sum of loops, each times a constant that is not "
                    "negative, and each loop the index of some dimension";
        if (!isKnown || !size || !isMonotone(expr))
          continue;
        AffineExpr left =
            *size - 1 -
            expr.replaceDimsAndSymbols(last, ArrayRef<AffineExpr>());
        if (failed(requireNotNegative(left)))
          return op.emitOpError()
                 << "reaches beyond dimension " << dim << " of operand "
                 << operand.getOperandNumber() << ", of type "
                 << operand.get().getType() << ", with "
                 << AffineMapAttr::get(map);
      }
    }
    return success();
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
              ? succeeded(requireNotNegative(covered - *size))
              : succeeded(requireEqual(expressions.simplify(covered), *size));
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
      if (failed(requireEqual(*size,
                              expressions.constant(target.getDimSize(dim)))))
        return op.emitOpError() << "is to " << target << ", but dimension "
                                << dim << " is known to be " << text(*size);
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
          failed(requireEqual(expressions.simplify(*product), *whole)))
        return op.emitOpError()
               << "makes " << text(*product) << " of dimension " << source
               << " of " << op.getSrcType() << ", which is " << text(*whole);
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
      if (size && slice && failed(requireEqual(*size, *slice)))
        return op.emitOpError()
               << "inserts " << text(*size) << " elements along dimension "
               << kept << " of " << op.getSourceType() << ", but its size " << i
               << " is " << text(*slice);
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
      if (failed(requireNotNegative(*offset)) ||
          failed(requireNotNegative(*extent - 1 - *offset -
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

  /// Only where it is sure to run: the body of an operation may run for no
  /// element.
  LogicalResult visit(tensor::ExtractOp op) {
    if (!isa<func::FuncOp>(op->getParentOp()))
      return success();
    for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
      std::optional<AffineExpr> at = expressions.valueOf(index),
                                size = sizeOf(op.getTensor(), dim);
      if (!at || !size)
        return success();
      if (failed(requireNotNegative(*at)) ||
          failed(requireNotNegative(*size - 1 - *at)))
        return op.emitOpError() << "is of an element outside of dimension "
                                << dim << " of " << op.getTensor().getType();
    }
    sizes.inBounds.push_back(op);
    return success();
  }

  /// Sizes of results that are computed.
  LogicalResult visitMade(Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      std::optional<AffineExpr> size = sizeOf(op->getResult(0), dim);
      if (!size && unknown == Unknown::Refused)
        return refuse(op->getResult(0), dim, op);
      if (size && type.isDynamicDim(dim) && failed(requireNotNegative(*size)))
        return op->emitOpError() << "makes dimension " << dim << " of " << type
                                 << " " << text(*size) << ", which is negative";
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
    if (a && b && failed(requireEqual(*a, *b)))
      return op->emitOpError()
             << "has operands whose dimension " << dim << " is " << text(*a)
             << " and " << text(*b) << "; they must be equal";
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
              "index "
              "arguments, tensor.dim, or sums, differences, products, and "
              "quotients and remainders by a positive constant, of such";
  }

  /// What is known of a size by now.
  AffineExpr known(AffineExpr size) const {
    // Each step puts in what its symbol was found to be, in terms of others.
    for (size_t step = 0; step < equivalent.size(); ++step) {
      AffineExpr next = expressions.simplify(size.replace(equivalent));
      if (next == size)
        break;
      size = next;
    }
    return size;
  }

  /// The same for messages.
  std::string text(AffineExpr size) const {
    SmallVector<std::string> names;
    for (SizeSymbol symbol : expressions.symbols()) {
      names.push_back("arg" + std::to_string(symbol.argument));
      if (symbol.dim != SizeSymbol::kScalar)
        names.back() += "_d" + std::to_string(symbol.dim);
    }
    return sizeText(known(size), names);
  }

  /// Fails if the two cannot be equal.
  LogicalResult requireEqual(AffineExpr x, AffineExpr y) {
    if (x == y)
      return success();
    if (!sizes.equal.contains({y, x}))
      sizes.equal.insert({x, y});
    AffineExpr a = known(x), b = known(y);
    if (a == b)
      return success();
    if (isa<AffineConstantExpr>(a) && isa<AffineConstantExpr>(b))
      return failure();
    if (!isa<AffineSymbolExpr>(a))
      std::swap(a, b);
    // Not in terms of itself, as n = 2 * n.
    if (isa<AffineSymbolExpr>(a) && !uses(b, a))
      equivalent[a] = b;
    return success();
  }

  static bool uses(AffineExpr expr, AffineExpr symbol) {
    return expr
        .walk([&](AffineExpr part) {
          return part == symbol ? WalkResult::interrupt()
                                : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Fails if it cannot be otherwise.
  LogicalResult requireNotNegative(AffineExpr expr) {
    expr = expressions.simplify(expr);
    if (auto constant = dyn_cast<AffineConstantExpr>(known(expr)))
      if (constant.getValue() < 0)
        return failure();
    if (!expressions.isNeverNegative(expr, /*trustsSizes=*/false))
      sizes.notNegative.insert(expr);
    return success();
  }

  std::string describe(linalg::LinalgOp op, const Extent &extent) const {
    std::string line;
    llvm::raw_string_ostream os(line);
    auto type =
        cast<RankedTensorType>(op->getOperand(extent.operand).getType());
    os << "dimension " << extent.dim << " of operand " << extent.operand
       << ", of type '" << type << "', "
       << (type.isDynamicDim(extent.dim) ? "is known to be " : "is ")
       << text(extent.size);
    return line;
  }

  Unknown unknown;
  bool refused = false;
  EntrySizes sizes;
  SizeExpressions expressions;
  llvm::DenseMap<AffineExpr, AffineExpr> equivalent;
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
