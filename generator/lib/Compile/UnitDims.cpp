// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnitDims.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/MatchContraction.h"

using namespace mlir;
using llvm::SmallBitVector;

namespace tilewright {
namespace {

bool isZero(AffineExpr expr) {
  auto constant = dyn_cast<AffineConstantExpr>(expr);
  return constant && constant.getValue() == 0;
}

/// Which dimensions of size 1 an operand's shape was expanded by.
SmallBitVector addedDims(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallBitVector added(type.getRank());
  if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>()) {
    for (const ReassociationIndices &group : expand.getReassociationIndices())
      if (group.size() > 1)
        for (int64_t dim : group)
          if (type.getDimSize(dim) == 1)
            added.set(dim);
    if (expand.getSrcType().getRank() == 0)
      added.set();
  }
  return added;
}

/// One operation, without dimensions that a reduction has kept.
class KeptDims {
public:
  explicit KeptDims(linalg::GenericOp op) : op(op), b(op.getLoc(), op) {}

  void drop() {
    if (!op.hasPureTensorSemantics() || !isSimple() || !findLoops())
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (!findDims(operand))
        return;
    rebuild();
  }

private:
  /// No multiplication, whose dimensions stay what they are, and no windows.
  bool isSimple() {
    return llvm::all_of(op.getIndexingMapsArray(),
                        [](AffineMap map) {
                          return map.isProjectedPermutation(
                              /*allowZeroInResults=*/true);
                        }) &&
           !(op.getNumDpsInputs() > 1 && matchContraction(op));
  }

  /// Whether there is something to drop; its loops.
  bool findLoops() {
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    loops.resize(op.getNumLoops());
    bool found = false;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type)
        continue;
      bool isInit = op.isDpsInit(&operand);
      SmallBitVector added = addedDims(operand.get());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        if (type.getDimSize(dim) != 1 || !(isInit || added[dim]))
          continue;
        if (isZero(expr)) {
          found = true;
        } else if (auto loop = dyn_cast<AffineDimExpr>(expr);
                   loop && added[dim] && sizes[loop.getPosition()] == 1 &&
                   op.getIteratorTypesArray()[loop.getPosition()] ==
                       utils::IteratorType::parallel) {
          loops.set(loop.getPosition());
          found = true;
        }
      }
    }
    return found;
  }

  /// The dimensions of an operand that no loop is left for.
  bool findDims(OpOperand &operand) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    SmallBitVector dims(type ? type.getRank() : 0);
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!isZero(expr) && !(loop && loops[loop.getPosition()]))
        continue;
      if (type.getDimSize(dim) == 1)
        dims.set(dim);
      else if (op.isDpsInit(&operand))
        return false;
    }
    dropped.push_back(dims);
    return true;
  }

  AffineMap mapOf(OpOperand &operand) {
    SmallVector<AffineExpr> to;
    unsigned left = 0;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      to.push_back(loops[loop] ? b.getAffineConstantExpr(0)
                               : b.getAffineDimExpr(left++));
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> results;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (!dropped[operand.getOperandNumber()][dim])
        results.push_back(expr.replaceDims(to));
    return AffineMap::get(left, 0, results, b.getContext());
  }

  /// A destination is made as it is written.
  Value initWithout(Value init, const SmallBitVector &dims) {
    if (dims.none())
      return init;
    if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
      auto made = linalg::FillOp::create(
          b, fill.getInputs()[0], initWithout(fill.getOutputs()[0], dims));
      placeLike(made, fill);
      return made.getResult(0);
    }
    auto empty = init.getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      return withoutDims(b, init, dims);
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(empty.getMixedSizes()))
      if (!dims[dim])
        sizes.push_back(size);
    return tensor::EmptyOp::create(b, sizes, empty.getType().getElementType());
  }

  void rebuild() {
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      const SmallBitVector &dims = dropped[operand.getOperandNumber()];
      maps.push_back(mapOf(operand));
      if (op.isDpsInit(&operand))
        inits.push_back(initWithout(operand.get(), dims));
      else
        inputs.push_back(dims.any() ? withoutDims(b, operand.get(), dims)
                                    : operand.get());
    }
    SmallVector<utils::IteratorType> iterators;
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
      if (!loops[loop])
        iterators.push_back(iterator);
    auto made = linalg::GenericOp::create(b, ValueRange(inits).getTypes(),
                                          inputs, inits, maps, iterators);
    placeLike(made, op);
    made.getRegion().takeBody(op.getRegion());
    renumber(made);
    for (auto [result, init, value] : llvm::zip_equal(
             op.getResults(), op.getDpsInits(), made.getResults())) {
      const SmallBitVector &dims =
          dropped[op.getNumDpsInputs() + result.getResultNumber()];
      Value whole = value;
      if (dims.any())
        whole = tensor::ExpandShapeOp::create(
            b, result.getType(), value, groupsWithout(dims),
            tensor::getMixedSizes(b, b.getLoc(), init));
      result.replaceAllUsesWith(whole);
    }
    op.erase();
  }

  /// Indices of loops that are left, and of those that are not.
  void renumber(linalg::GenericOp made) {
    SmallVector<linalg::IndexOp> indices;
    made.getRegion().walk([&](linalg::IndexOp index) {
      if (index->getParentOp() == made)
        indices.push_back(index);
    });
    for (linalg::IndexOp index : indices) {
      uint64_t loop = index.getDim();
      if (!loops[loop]) {
        for (uint64_t before = 0; before < index.getDim(); ++before)
          loop -= loops[before];
        index.setDim(loop);
        continue;
      }
      OpBuilder builder(index);
      index.replaceAllUsesWith(
          arith::ConstantIndexOp::create(builder, index.getLoc(), 0)
              .getResult());
      index.erase();
    }
  }

  linalg::GenericOp op;
  ImplicitLocOpBuilder b;
  SmallBitVector loops;                ///< those that are dropped
  SmallVector<SmallBitVector> dropped; ///< dimensions, by operand
};

} // namespace

void dropKeptDims(func::FuncOp func) {
  SmallVector<linalg::GenericOp> ops;
  func.walk([&](linalg::GenericOp op) {
    if (isOnHost(op))
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops)
    KeptDims(op).drop();
}

void reshapeUnitTransposes(func::FuncOp func) {
  SmallVector<linalg::TransposeOp> transposes;
  func.walk([&](linalg::TransposeOp op) { transposes.push_back(op); });
  for (linalg::TransposeOp op : transposes) {
    auto from = dyn_cast<RankedTensorType>(op.getInput().getType());
    auto to = dyn_cast<RankedTensorType>(op.getInit().getType());
    if (!from || !to)
      continue;
    auto unitsOf = [](RankedTensorType type) {
      SmallBitVector units(type.getRank());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        units[dim] = type.getDimSize(dim) == 1;
      return units;
    };
    SmallBitVector fromUnits = unitsOf(from), toUnits = unitsOf(to);
    SmallVector<int64_t> order;
    for (int64_t dim : op.getPermutation())
      if (!fromUnits[dim])
        order.push_back(dim);
    if (fromUnits.none() || !llvm::is_sorted(order) ||
        fromUnits.count() != toUnits.count())
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value flat = withoutDims(b, op.getInput(), fromUnits);
    Value reshaped = tensor::ExpandShapeOp::create(
        b, to, flat, groupsWithout(toUnits),
        tensor::getMixedSizes(b, b.getLoc(), op.getInit()));
    op->getResult(0).replaceAllUsesWith(reshaped);
    op.erase();
  }
}

} // namespace tilewright
