// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations and sums as their operands lie packed.

#include "EncodedElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
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

/// The index in the tensor of an element of a tile, of which `tile` says which.
Value indexOf(ImplicitLocOpBuilder &b, const TileEdge &edge, Value tile) {
  Value within = linalg::IndexOp::create(b, edge.inner),
        size = arith::ConstantIndexOp::create(b, edge.tile),
        first = arith::MulIOp::create(b, tile, size);
  return arith::AddIOp::create(b, first, within);
}

/// An operation's loops, and where the elements of one iteration lie. Loops of
/// the packed form: for each of the operation's one over its tiles, or over all
/// of it, in `outer`; for each that is tiled one within a tile, in `inner`.
class ElementPacker {
public:
  ElementPacker(linalg::GenericOp op, EncodedTypeFn typeAt, SizesFn sizesAt)
      : op(op), typeAt(typeAt), sizesAt(sizesAt), b(op.getLoc(), op) {}

  FailureOr<linalg::GenericOp> run() {
    if (!findTiles())
      return linalg::GenericOp();
    orderLoops();
    if (!findSums())
      return linalg::GenericOp();
    if (failed(findZeros()))
      return failure();
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Packed operand = pack(input->get(), op.getMatchingIndexingMap(input));
      inputs.push_back(operand.value);
      maps.push_back(operand.map);
    }
    for (OpOperand &init : op.getDpsInitsMutable())
      maps.push_back(
          mapOf(op.getMatchingIndexingMap(&init), layoutAt(init.get())));
    auto computed =
        linalg::GenericOp::create(b, op.getOutputs().getTypes(), inputs,
                                  op.getOutputs(), maps, iterators());
    computed.getRegion().takeBody(op.getRegion());
    placeLike(computed, op);
    indexElements(computed);
    for (unsigned result = 0; result < computed.getNumResults(); ++result) {
      dropFilled(computed, result);
      zeroFilled(computed, result);
    }
    return computed;
  }

private:
  struct Packed {
    Value value;
    AffineMap map; ///< from the packed loops
  };
  tw::LayoutAttr layoutAt(Value value) const {
    RankedTensorType type = typeAt(value);
    tw::LayoutAttr layout = type ? layoutOf(type) : nullptr;
    return layout && !layout.isIdentity() ? layout : nullptr;
  }

  /// Whether all operands with a layout agree on the tiles of each loop, and
  /// the results have them.
  bool findTiles() {
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
    return isAny && llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
             AffineMap map = op.getMatchingIndexingMap(&init);
             bool isTiled = llvm::any_of(map.getResults(), [&](AffineExpr e) {
               return tiles[cast<AffineDimExpr>(e).getPosition()] > 0;
             });
             return isTiled == bool(layoutAt(init.get()));
           });
  }

  /// As the results lie, the first before the others; what they have not goes
  /// outside of their tiles.
  void orderLoops() {
    unsigned loops = op.getNumLoops();
    SmallVector<unsigned> tiled;
    auto add = [](SmallVectorImpl<unsigned> &to, unsigned loop) {
      if (!llvm::is_contained(to, loop))
        to.push_back(loop);
    };
    for (OpOperand &init : op.getDpsInitsMutable()) {
      tw::LayoutAttr layout = layoutAt(init.get());
      if (!layout)
        continue;
      AffineMap map = op.getMatchingIndexingMap(&init);
      for (int64_t dim : layout.getOuter())
        add(order, map.getDimPosition(dim));
      for (int64_t dim : layout.getInner())
        add(tiled, map.getDimPosition(dim));
    }
    for (unsigned loop = 0; loop < loops; ++loop) {
      add(order, loop);
      if (tiles[loop])
        add(tiled, loop);
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
        sums.push_back(edgeOf(loop, b.getIndexAttr(extent)));
    }
    return true;
  }

  TileEdge edgeOf(unsigned loop, OpFoldResult end) const {
    return {outer[loop], inner[loop], tiles[loop], end};
  }

  /// Null if there is none.
  FailureOr<ArrayAttr> zerosAttr() {
    Attribute given = op->getAttr(kZerosAttr);
    auto all = dyn_cast_or_null<ArrayAttr>(given);
    bool isGood = !given || (all && all.size() == op->getNumResults());
    for (unsigned result = 0; all && isGood && result < all.size(); ++result) {
      auto dims = dyn_cast<DenseI64ArrayAttr>(all[result]);
      int64_t rank =
          cast<RankedTensorType>(op.getResult(result).getType()).getRank();
      isGood = dims && llvm::all_of(dims.asArrayRef(), [&](int64_t dim) {
                 return dim >= 0 && dim < rank;
               });
    }
    if (!isGood)
      return op.emitOpError()
             << "has " << kZerosAttr << " = " << given
             << "; expected an array of its dimensions for each result";
    return all;
  }

  /// Where results end that have to be zero behind. What is cast from zeros is.
  LogicalResult findZeros() {
    zeros.resize(op->getNumResults());
    FailureOr<ArrayAttr> all = zerosAttr();
    if (failed(all))
      return failure();
    if (!*all || isOfCasts(op))
      return success();
    for (auto [init, own, dims] :
         llvm::zip_equal(op.getDpsInitsMutable(), zeros,
                         all->getAsRange<DenseI64ArrayAttr>())) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      for (int64_t dim : dims.asArrayRef()) {
        unsigned loop = map.getDimPosition(dim);
        if (tiles[loop] <= 1)
          continue;
        int64_t extent = extentOf(loop);
        ArrayRef<OpFoldResult> sizes = sizesAt(init.get());
        if (ShapedType::isDynamic(extent) && sizes.empty())
          return op.emitOpError()
                 << "computes an operand of a contraction in tiles of "
                 << tiles[loop] << " along dimension " << dim
                 << ", of which nobody knows where it ends; expected a "
                    "tensor.empty as its destination";
        if (ShapedType::isDynamic(extent))
          own.push_back(edgeOf(loop, sizes[dim]));
        else if (extent % tiles[loop] != 0)
          own.push_back(edgeOf(loop, b.getIndexAttr(extent)));
      }
    }
    return success();
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

  /// Where an element is in the tensor, by where it is in its tile.
  void indexElements(linalg::GenericOp computed) {
    SmallVector<linalg::IndexOp> indices(
        computed.getBody()->getOps<linalg::IndexOp>());
    for (linalg::IndexOp index : indices) {
      unsigned loop = index.getDim();
      b.setInsertionPoint(index);
      Value place = linalg::IndexOp::create(b, outer[loop]);
      if (tiles[loop])
        place = indexOf(b, edgeOf(loop, {}), place);
      index.replaceAllUsesWith(place);
      index.erase();
    }
  }

  /// What fills up the last tiles leaves sums as they are: where it is plain
  /// what an element is combined by, it is a neutral one instead.
  void dropFilled(linalg::GenericOp computed, unsigned result) {
    AffineMap map =
        computed.getMatchingIndexingMap(computed.getDpsInitOperand(result));
    SmallVector<TileEdge> edges =
        llvm::filter_to_vector(sums, [&](const TileEdge &sum) {
          return !map.isFunctionOfDim(sum.inner);
        });
    if (edges.empty())
      return;
    Operation *yield = computed.getBody()->getTerminator();
    Value before =
        computed.getBody()->getArgument(computed.getNumDpsInputs() + result);
    Operation *combine = yield->getOperand(result).getDefiningOp();
    std::optional<TypedAttr> neutral;
    if (combine && combine->getNumOperands() == 2 &&
        llvm::is_contained(combine->getOperands(), before) &&
        combine->hasTrait<OpTrait::IsCommutative>() && before.hasOneUse() &&
        combine->hasOneUse())
      neutral = neutralOf(combine);
    b.setInsertionPoint(neutral ? combine : yield);
    Value isElement = isWithin(b, edges);
    Operation *user = neutral ? combine : yield;
    unsigned number = neutral ? combine->getOperand(0) == before : result;
    Value other = neutral ? arith::ConstantOp::create(b, *neutral) : before;
    user->setOperand(
        number,
        arith::SelectOp::create(b, isElement, user->getOperand(number), other));
  }

  void zeroFilled(linalg::GenericOp computed, unsigned result) {
    if (zeros[result].empty())
      return;
    Operation *yield = computed.getBody()->getTerminator();
    b.setInsertionPoint(yield);
    Value element = yield->getOperand(result);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element.getType()));
    yield->setOperand(
        result,
        arith::SelectOp::create(b, isWithin(b, zeros[result]), element, zero));
  }

  linalg::GenericOp op;
  EncodedTypeFn typeAt;
  SizesFn sizesAt;
  ImplicitLocOpBuilder b;
  SmallVector<int64_t> tiles;         ///< by loop; 0: none
  SmallVector<unsigned> order;        ///< of the loops over tiles
  SmallVector<unsigned> outer, inner; ///< by loop
  unsigned packedLoops = 0;
  SmallVector<TileEdge> sums;               ///< of loops that sum up
  SmallVector<SmallVector<TileEdge>> zeros; ///< by result
};

} // namespace

Value isWithin(ImplicitLocOpBuilder &b, ArrayRef<TileEdge> edges) {
  Value all;
  for (const TileEdge &edge : edges) {
    Value tile = linalg::IndexOp::create(b, edge.outer);
    Value index = indexOf(b, edge, tile),
          end = getValueOrCreateConstantIndexOp(b, b.getLoc(), edge.end);
    Value is = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, end);
    all = all ? arith::AndIOp::create(b, all, is) : is;
  }
  return all;
}

FailureOr<linalg::GenericOp>
packElements(linalg::GenericOp op, EncodedTypeFn typeAt, SizesFn sizesAt) {
  return ElementPacker(op, typeAt, sizesAt).run();
}

} // namespace tilewright
