// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MovedOperands.h"

#include "Generalize.h"
#include "UnitDims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Encoding/MatchContraction.h"

using namespace mlir;
using llvm::SmallBitVector;

namespace tilewright {
namespace {

/// An operation that only moves elements, and where those of its result are:
/// a map from the result's dimensions to the input's.
struct Movement {
  linalg::LinalgOp op;
  Value input;
  AffineMap map;
};

std::optional<Movement> matchMovement(Operation *candidate) {
  auto op = dyn_cast_or_null<linalg::LinalgOp>(candidate);
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() ||
      isa<linalg::FillOp>(op))
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  Block *body = op.getBlock();
  if (!isa<RankedTensorType>(input->get().getType()) ||
      body->getTerminator()->getOperand(0) !=
          op.getMatchingBlockArgument(input) ||
      getElementTypeOrSelf(input->get().getType()) !=
          getElementTypeOrSelf(op->getResult(0).getType()))
    return std::nullopt;
  AffineMap from = op.getMatchingIndexingMap(input),
            to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!from.isProjectedPermutation(/*allowZeroInResults=*/true) ||
      !to.isPermutation())
    return std::nullopt;
  return Movement{op, input->get(), from.compose(inversePermutation(to))};
}

/// Loops of the batch, in both operands and the result.
bool isOfBatch(linalg::LinalgOp op, AffineExpr expr) {
  auto loop = cast<AffineDimExpr>(expr);
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return map.isFunctionOfDim(loop.getPosition());
  });
}

class MovedContraction {
public:
  explicit MovedContraction(linalg::LinalgOp op) : op(op) {}

  void run() {
    for (int64_t number = 0; number < op.getNumDpsInputs(); ++number)
      while (readFrom(number)) {
      }
    while (writeTo()) {
    }
  }

private:
  bool hasTile(linalg::LinalgOp contraction) {
    std::optional<Contraction> found = matchContraction(contraction);
    return found && found->types;
  }

  static linalg::GenericOp asGeneric(linalg::LinalgOp op) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
      return generic;
    return *generalize(op);
  }

  /// What the operand was moved from becomes the operand.
  bool readFrom(unsigned number) {
    std::optional<Movement> movement =
        matchMovement(op->getOperand(number).getDefiningOp());
    if (!movement)
      return false;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    AffineMap map = movement->map.compose(maps[number]);
    // Dimensions of size 1 that were broadcast.
    Value input = movement->input;
    SmallBitVector units(map.getNumResults());
    SmallVector<AffineExpr> results;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (isa<AffineDimExpr>(expr)) {
        results.push_back(expr);
        continue;
      }
      if (cast<RankedTensorType>(input.getType()).getDimSize(dim) != 1)
        return false;
      units.set(dim);
    }
    maps[number] = AffineMap::get(map.getNumDims(), 0, results, b.getContext());
    if (results.empty() || !isFitting(maps, number))
      return false;
    linalg::GenericOp generic = asGeneric(op);
    op = cast<linalg::LinalgOp>(generic.getOperation());
    b.setInsertionPoint(generic);
    if (units.any())
      input = withoutDims(b, input, units);
    generic->setOperand(number, input);
    generic.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    return true;
  }

  /// Whether there is a tile with these maps, and the operand has rows.
  bool isFitting(ArrayRef<AffineMap> maps, unsigned number) {
    OpBuilder b(op);
    // Only its maps are looked at, not its operands.
    linalg::GenericOp trial =
        asGeneric(cast<linalg::LinalgOp>(b.clone(*op.getOperation())));
    trial.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    bool fits =
        hasTile(trial) && !isOfBatch(trial, maps[number].getResults().back());
    trial.erase();
    return fits;
  }

  /// Writes where the result would be moved to, if that is the only thing that
  /// becomes of it.
  bool writeTo() {
    if (!op->hasOneUse())
      return false;
    std::optional<Movement> movement = matchMovement(*op->user_begin());
    if (!movement || !movement->map.isPermutation())
      return false;
    OpOperand *init = op.getDpsInitOperand(0);
    auto fill = init->get().getDefiningOp<linalg::FillOp>();
    AffineMap before = op.getMatchingIndexingMap(init);
    AffineMap after = inversePermutation(movement->map).compose(before);
    if (!fill || before.getNumResults() == 0 ||
        after.getResults().back() != before.getResults().back())
      return false;
    linalg::GenericOp generic = asGeneric(op);
    op = cast<linalg::LinalgOp>(generic.getOperation());
    ImplicitLocOpBuilder b(op.getLoc(), movement->op);
    Value empty = movement->op.getDpsInits()[0];
    auto filled = linalg::FillOp::create(b, fill.getInputs()[0], empty);
    placeLike(filled, fill);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.back() = after;
    auto moved = linalg::GenericOp::create(
        b, filled->getResultTypes(), op.getDpsInputs(), filled.getResult(0),
        maps, op.getIteratorTypesArray());
    placeLike(moved, op);
    moved.getRegion().takeBody(generic.getRegion());
    movement->op->getResult(0).replaceAllUsesWith(moved.getResult(0));
    movement->op.erase();
    generic.erase();
    if (fill->use_empty())
      fill.erase();
    op = cast<linalg::LinalgOp>(moved.getOperation());
    return true;
  }

  linalg::LinalgOp op;
};

} // namespace

void readMovedOperands(func::FuncOp func) {
  SmallVector<linalg::LinalgOp> contractions;
  func.walk([&](linalg::LinalgOp op) {
    std::optional<Contraction> found = matchContraction(op);
    if (found && found->types)
      contractions.push_back(op);
  });
  for (linalg::LinalgOp op : contractions)
    MovedContraction(op).run();
}

} // namespace tilewright
