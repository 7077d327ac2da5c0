// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FlooredLoops.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tilewright {
namespace {

/// A loop whose iterations are blocks of `block`.
struct FlooredLoop {
  unsigned loop;
  int64_t block;
};

std::optional<FlooredLoop> matchFloor(AffineExpr expr) {
  auto floor = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!floor || floor.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  auto loop = dyn_cast<AffineDimExpr>(floor.getLHS());
  auto block = dyn_cast<AffineConstantExpr>(floor.getRHS());
  if (!loop || !block)
    return std::nullopt;
  return FlooredLoop{loop.getPosition(), block.getValue()};
}

std::optional<FlooredLoop> findFloor(linalg::GenericOp op) {
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults())
      if (std::optional<FlooredLoop> found = matchFloor(expr))
        return found;
  return std::nullopt;
}

class Splitter {
public:
  Splitter(linalg::GenericOp op, FlooredLoop floored)
      : op(op), floored(floored), b(op.getLoc(), op) {}

  /// Whether it has made another operation, in place of this one.
  linalg::GenericOp run() {
    if (!maySplit())
      return nullptr;
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      maps.push_back(split(map));
      if (op.isDpsInput(&operand))
        inputs.push_back(expanded(operand.get(), map));
    }
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    iterators.insert(iterators.begin() + floored.loop + 1,
                     utils::IteratorType::reduction);
    auto made = linalg::GenericOp::create(b, op->getResultTypes(), inputs,
                                          op.getDpsInits(), maps, iterators);
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    made.getRegion().takeBody(op.getRegion());
    op->replaceAllUsesWith(made);
    op->erase();
    return made;
  }

private:
  bool isLoop(AffineExpr expr) const {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    return loop && loop.getPosition() == floored.loop;
  }

  bool isFloored(AffineExpr expr) const {
    std::optional<FlooredLoop> found = matchFloor(expr);
    return found && found->loop == floored.loop &&
           found->block == floored.block;
  }

  bool maySplit() {
    int64_t size = op.getStaticLoopRanges()[floored.loop];
    if (!op.hasPureTensorSemantics() || floored.block < 1 ||
        ShapedType::isDynamic(size) || size % floored.block ||
        op.getIteratorTypesArray()[floored.loop] !=
            utils::IteratorType::reduction ||
        op.hasIndexSemantics())
      return false;
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        if (!expr.isFunctionOfDim(floored.loop) || isFloored(expr))
          continue;
        if (!isLoop(expr) || !type || type.getDimSize(dim) != size)
          return false;
      }
      return true;
    });
  }

  AffineMap split(AffineMap map) {
    SmallVector<AffineExpr> loops, results;
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      loops.push_back(b.getAffineDimExpr(loop + (loop > floored.loop)));
    for (AffineExpr expr : map.getResults()) {
      bool isSplit = isLoop(expr);
      results.push_back(isSplit || isFloored(expr) ? loops[floored.loop]
                                                   : expr.replaceDims(loops));
      if (isSplit)
        results.push_back(b.getAffineDimExpr(floored.loop + 1));
    }
    return AffineMap::get(map.getNumDims() + 1, 0, results, b.getContext());
  }

  Value expanded(Value value, AffineMap map) {
    if (llvm::none_of(map.getResults(),
                      [&](AffineExpr expr) { return isLoop(expr); }))
      return value;
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<OpFoldResult> sizes =
                                  tensor::getMixedSizes(b, b.getLoc(), value),
                              split;
    SmallVector<int64_t> shape;
    SmallVector<ReassociationIndices> groups;
    auto add = [&](int64_t size, OpFoldResult mixed) {
      groups.back().push_back(shape.size());
      shape.push_back(size);
      split.push_back(mixed);
    };
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      groups.emplace_back();
      int64_t size = type.getDimSize(dim);
      if (!isLoop(expr)) {
        add(size, sizes[dim]);
        continue;
      }
      int64_t blocks = size / floored.block;
      add(blocks, b.getIndexAttr(blocks));
      add(floored.block, b.getIndexAttr(floored.block));
    }
    return tensor::ExpandShapeOp::create(b, type.clone(shape), value, groups,
                                         split);
  }

  linalg::GenericOp op;
  FlooredLoop floored;
  ImplicitLocOpBuilder b;
};

} // namespace

void splitFlooredLoops(linalg::GenericOp op) {
  while (op) {
    std::optional<FlooredLoop> floored = findFloor(op);
    op = floored ? Splitter(op, *floored).run() : nullptr;
  }
}

} // namespace tilewright
