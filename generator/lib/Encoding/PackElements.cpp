// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations and sums as their operands lie packed.

#include "EncodedValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {
namespace {

/// What leaves the other operand as it is; upstream's 0.0 would not leave -0.0.
std::optional<TypedAttr> neutralOf(Operation *combine) {
  if (auto add = dyn_cast<arith::AddFOp>(combine))
    return FloatAttr::get(add.getType(), -0.0);
  return arith::getNeutralElement(combine);
}

/// An operation's loops, and where the elements of one iteration lie. Loops of
/// the packed form: for each of the operation's one over its tiles, or over all
/// of it, in `outer`; for each that is tiled one within a tile, in `inner`.
class ElementPacker {
public:
  ElementPacker(linalg::GenericOp op, EncodedTypeFn typeAt)
      : op(op), typeAt(typeAt), b(op.getLoc(), op) {}

  linalg::GenericOp run() {
    if (op->getNumResults() != 1 || !findTiles())
      return nullptr;
    orderLoops();
    if (!findSums())
      return nullptr;
    Value out = op.getDpsInits()[0];
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Packed operand = pack(input->get(), op.getMatchingIndexingMap(input));
      inputs.push_back(operand.value);
      maps.push_back(operand.map);
    }
    maps.push_back(mapOf(op.getMatchingIndexingMap(op.getDpsInitOperand(0)),
                         layoutAt(out)));
    auto computed = linalg::GenericOp::create(b, out.getType(), inputs, out,
                                              maps, iterators());
    computed.getRegion().takeBody(op.getRegion());
    placeLike(computed, op);
    dropFilled(computed);
    return computed;
  }

private:
  struct Packed {
    Value value;
    AffineMap map; ///< from the packed loops
  };
  /// A loop that sums up, and where its last tile is not full.
  struct Sum {
    unsigned loop;
    int64_t extent;
  };

  tw::LayoutAttr layoutAt(Value value) const {
    RankedTensorType type = typeAt(value);
    tw::LayoutAttr layout = type ? layoutOf(type) : nullptr;
    return layout && !layout.isIdentity() ? layout : nullptr;
  }

  /// Whether all operands with a layout agree on the tiles of each loop, and
  /// the result has them.
  bool findTiles() {
    if (op.hasIndexSemantics())
      return false;
    std::vector<std::optional<int64_t>> found(op.getNumLoops());
    bool isAny = false;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (!map.isProjectedPermutation())
        return false;
      tw::LayoutAttr layout = layoutAt(operand.get());
      if (!layout)
        continue;
      if (!layout.getPerm().empty() || layout.isScalable())
        return false;
      isAny = true;
      SmallVector<int64_t> tiles = layout.tilesByDim(map.getNumResults());
      for (auto [dim, tile] : llvm::enumerate(tiles)) {
        std::optional<int64_t> &own = found[map.getDimPosition(dim)];
        if (own && *own != tile)
          return false;
        own = tile;
      }
    }
    for (std::optional<int64_t> tile : found)
      tiles.push_back(tile.value_or(0));
    OpOperand *init = op.getDpsInitOperand(0);
    AffineMap map = op.getMatchingIndexingMap(init);
    bool isTiled = llvm::any_of(map.getResults(), [&](AffineExpr loop) {
      return tiles[cast<AffineDimExpr>(loop).getPosition()] > 0;
    });
    return isAny && isTiled == bool(layoutAt(init->get()));
  }

  /// As the result lies; what it has not goes outside of its tiles.
  void orderLoops() {
    unsigned loops = op.getNumLoops();
    SmallVector<unsigned> tiled;
    OpOperand *init = op.getDpsInitOperand(0);
    AffineMap map = op.getMatchingIndexingMap(init);
    if (tw::LayoutAttr layout = layoutAt(init->get())) {
      for (int64_t dim : layout.getOuter())
        order.push_back(map.getDimPosition(dim));
      for (int64_t dim : layout.getInner())
        tiled.push_back(map.getDimPosition(dim));
    }
    for (unsigned loop = 0; loop < loops; ++loop) {
      if (!llvm::is_contained(order, loop))
        order.push_back(loop);
      if (tiles[loop] && !llvm::is_contained(tiled, loop))
        tiled.push_back(loop);
    }
    outer.resize(loops);
    inner.resize(loops);
    for (auto [place, loop] : llvm::enumerate(order))
      outer[loop] = place;
    for (auto [place, loop] : llvm::enumerate(tiled))
      inner[loop] = loops + place;
    packedLoops = loops + tiled.size();
  }

  SmallVector<utils::IteratorType> iterators() {
    SmallVector<utils::IteratorType> types(packedLoops);
    for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
      types[outer[loop]] = type;
      if (tiles[loop])
        types[inner[loop]] = type;
    }
    return types;
  }

  /// Loops that sum up what may fill up a tile: their extents have to be known.
  bool findSums() {
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    for (unsigned loop : reductions) {
      if (!tiles[loop])
        continue;
      int64_t extent = extentOf(loop);
      if (ShapedType::isDynamic(extent))
        return false;
      if (extent % tiles[loop] != 0)
        sums.push_back({loop, extent});
    }
    return true;
  }

  int64_t extentOf(unsigned loop) {
    for (OpOperand &operand : op->getOpOperands()) {
      RankedTensorType type = typeAt(operand.get());
      if (!type)
        type = dyn_cast<RankedTensorType>(operand.get().getType());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (std::optional<unsigned> dim =
              map.getResultPosition(b.getAffineDimExpr(loop));
          dim && type && !type.isDynamicDim(*dim))
        return type.getDimSize(*dim);
    }
    return ShapedType::kDynamic;
  }

  AffineMap mapOf(AffineMap map, tw::LayoutAttr layout) {
    SmallVector<AffineExpr> results;
    auto add = [&](ArrayRef<unsigned> place, int64_t dim) {
      results.push_back(b.getAffineDimExpr(place[map.getDimPosition(dim)]));
    };
    if (!layout) {
      for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
        add(outer, dim);
    } else {
      for (int64_t dim : layout.getOuter())
        add(outer, dim);
      for (int64_t dim : layout.getInner())
        add(inner, dim);
    }
    return AffineMap::get(packedLoops, 0, results, b.getContext());
  }

  Packed pack(Value value, AffineMap map) {
    if (tw::LayoutAttr layout = layoutAt(value))
      return {value, mapOf(map, layout)};
    SmallVector<int64_t> outerDims, innerDims;
    SmallVector<OpFoldResult> sizes;
    auto find = [&](unsigned loop) {
      return map.getResultPosition(b.getAffineDimExpr(loop));
    };
    for (unsigned loop : order)
      if (std::optional<unsigned> dim = find(loop))
        outerDims.push_back(*dim);
    SmallVector<unsigned> tiled;
    for (unsigned loop = 0; loop < tiles.size(); ++loop)
      if (tiles[loop] && find(loop))
        tiled.push_back(loop);
    llvm::sort(tiled,
               [&](unsigned x, unsigned y) { return inner[x] < inner[y]; });
    if (tiled.empty())
      return {value, mapOf(map, nullptr)};
    SmallVector<int64_t> tileSizes;
    for (unsigned loop : tiled) {
      innerDims.push_back(*find(loop));
      tileSizes.push_back(tiles[loop]);
      sizes.push_back(b.getIndexAttr(tiles[loop]));
    }
    auto packed = packWithZeros(b, value, outerDims, innerDims, sizes);
    placeLike(packed, op);
    return {packed.getResult(),
            mapOf(map, tw::LayoutAttr::get(b.getContext(), outerDims, innerDims,
                                           tileSizes))};
  }

  /// What fills up the last tiles leaves sums as they are: where it is plain
  /// what an element is combined by, it is a neutral one instead.
  void dropFilled(linalg::GenericOp computed) {
    if (sums.empty())
      return;
    Operation *yield = computed.getBody()->getTerminator();
    Value before = computed.getBody()->getArguments().back();
    Operation *combine = yield->getOperand(0).getDefiningOp();
    std::optional<TypedAttr> neutral;
    if (combine && combine->getNumOperands() == 2 &&
        llvm::is_contained(combine->getOperands(), before) &&
        combine->hasTrait<OpTrait::IsCommutative>() && before.hasOneUse() &&
        combine->hasOneUse())
      neutral = neutralOf(combine);
    b.setInsertionPoint(neutral ? combine : yield);
    Value isElement;
    for (const Sum &sum : sums) {
      Value tile = linalg::IndexOp::create(b, outer[sum.loop]),
            within = linalg::IndexOp::create(b, inner[sum.loop]),
            size = arith::ConstantIndexOp::create(b, tiles[sum.loop]),
            end = arith::ConstantIndexOp::create(b, sum.extent);
      Value index = arith::AddIOp::create(
          b, arith::MulIOp::create(b, tile, size), within);
      Value isInside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, end);
      isElement =
          isElement ? arith::AndIOp::create(b, isElement, isInside) : isInside;
    }
    Operation *user = neutral ? combine : yield;
    unsigned number = neutral && combine->getOperand(0) == before ? 1 : 0;
    Value other = neutral ? arith::ConstantOp::create(b, *neutral) : before;
    user->setOperand(
        number,
        arith::SelectOp::create(b, isElement, user->getOperand(number), other));
  }

  linalg::GenericOp op;
  EncodedTypeFn typeAt;
  ImplicitLocOpBuilder b;
  SmallVector<int64_t> tiles;         ///< by loop; 0: none
  SmallVector<unsigned> order;        ///< of the loops over tiles
  SmallVector<unsigned> outer, inner; ///< by loop
  unsigned packedLoops = 0;
  SmallVector<Sum> sums;
};

} // namespace

linalg::GenericOp packElements(linalg::GenericOp op, EncodedTypeFn typeAt) {
  return ElementPacker(op, typeAt).run();
}

} // namespace tilewright
