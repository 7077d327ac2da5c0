// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each dimension of the tensor is gone through in runs: elements that follow
// each other within a tile of either layout. Where a run begins is divided by
// sizes of tiles; its elements lie from there on.

#include "tilewright/Encoding/MovePanels.h"

#include "EncodedValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "tilewright/Encoding/ElementwiseResult.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Place.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;

namespace tilewright {
namespace {

/// A dimension of the tensor.
struct Extent {
  OpFoldResult size, fromTile, toTile; ///< tiles of 1 where it has none
  /// How many elements a run has; 0 where one cannot be told from the next.
  int64_t run = 0;
  int64_t inSource = 0, inDest = 0; ///< runs of a tile
  /// Whether the last tile of the destination ends behind the tensor.
  bool isFilledUp = true;
  /// The loop over the destination's tiles, and those within one with their
  /// steps, the innermost last.
  unsigned tiles = 0;
  SmallVector<std::pair<unsigned, int64_t>> inTile;
};

/// In the body of an operation.
struct Index {
  Value tile, inTile; ///< in the source
  Value whole;        ///< of the tensor
};

class PanelMover {
public:
  PanelMover(ImplicitLocOpBuilder &b, const PanelMove &move)
      : b(b), move(move), from(layoutOf(move.from)), to(layoutOf(move.to)) {}

  Value build() {
    measure();
    cutLoops();
    Value dest = move.dest;
    if (groups.size() != loops.size())
      dest = tensor::EmptyOp::create(b, loops, move.to.getElementType());
    linalg::GenericOp op =
        createElementwiseResult(b, dest, scalars.getArrayRef(),
                                [&](ValueRange ivs, ValueRange arguments) {
                                  return elementAt(ivs, arguments.drop_back());
                                });
    op->setAttr(kDispatchAttr, b.getStringAttr("relayout"));
    int64_t rank = move.to.getRank(),
            sourceRank =
                cast<RankedTensorType>(move.source.getType()).getRank();
    op->setAttr(kTileDimsAttr,
                b.getDenseI64ArrayAttr(
                    {sourceRank - rank, int64_t(loops.size()) - rank}));
    placeLike(op, move.of);
    Value moved = op.getResult(0);
    if (groups.size() != loops.size())
      moved = tensor::CollapseShapeOp::create(b, moved, groups);
    RankedTensorType packed = to.packedType(move.to);
    return moved.getType() == packed
               ? moved
               : tensor::CastOp::create(b, packed, moved).getResult();
  }

private:
  static std::optional<int64_t> known(OpFoldResult value) {
    return getConstantIntValue(value);
  }

  void measure() {
    for (OpFoldResult size : move.sizes) {
      extents.emplace_back();
      extents.back().size = size;
      extents.back().fromTile = extents.back().toTile = b.getIndexAttr(1);
    }
    for (auto [dim, tile] :
         llvm::zip_equal(from.getInner(), tileSizes(b, b.getLoc(), from)))
      extents[dim].fromTile = tile;
    for (auto [dim, tile] :
         llvm::zip_equal(to.getInner(), tileSizes(b, b.getLoc(), to)))
      extents[dim].toTile = tile;
    for (Extent &extent : extents) {
      std::optional<int64_t> fromTile = known(extent.fromTile),
                             toTile = known(extent.toTile),
                             size = known(extent.size);
      extent.isFilledUp =
          !(toTile && (*toTile == 1 || (size && *size % *toTile == 0)));
      if (!fromTile || !toTile || !to.getPerm().empty())
        continue;
      int64_t common = std::gcd(*fromTile, *toTile);
      if (common > 1) {
        extent.run = common;
        extent.inSource = *fromTile / common;
        extent.inDest = *toTile / common;
      }
    }
    for (Extent &extent : extents)
      for (OpFoldResult scalar : {extent.size, extent.fromTile, extent.toTile})
        if (auto value = dyn_cast<Value>(scalar);
            value && (extent.isFilledUp || scalar != extent.size))
          scalars.insert(value);
  }

  /// A tile of several runs is two loops.
  void cutLoops() {
    SmallVector<OpFoldResult> sizes = packedSizes(
        b, b.getLoc(), move.to, SmallVector<OpFoldResult>(move.sizes));
    ArrayRef<OpFoldResult> rest = sizes;
    for (int64_t dim : to.getOuter()) {
      extents[dim].tiles = addLoop(rest.consume_front());
      groups.push_back({extents[dim].tiles});
    }
    if (!to.getPerm().empty()) {
      addSwizzled(rest);
      return;
    }
    for (auto [dim, size] : llvm::zip_equal(to.getInner(), rest)) {
      Extent &extent = extents[dim];
      groups.emplace_back();
      if (extent.inDest > 1)
        addLoopInTile(extent, b.getIndexAttr(extent.inDest), extent.run);
      addLoopInTile(extent, extent.run ? b.getIndexAttr(extent.run) : size, 1);
    }
  }

  unsigned addLoop(OpFoldResult size) {
    loops.push_back(size);
    return loops.size() - 1;
  }

  void addLoopInTile(Extent &extent, OpFoldResult size, int64_t step) {
    unsigned loop = addLoop(size);
    groups.back().push_back(loop);
    extent.inTile.emplace_back(loop, step);
  }

  /// The factors of tiles, in the order in which the swizzle has them.
  void addSwizzled(ArrayRef<OpFoldResult> sizes) {
    unsigned first = loops.size();
    for (OpFoldResult size : sizes)
      groups.push_back({addLoop(size)});
    SmallVector<std::pair<int64_t, int64_t>> factors; // dimension, step
    ArrayRef<int64_t> expand = to.getExpand();
    for (auto [dim, count] : llvm::zip_equal(to.getInner(), to.getFactors())) {
      ArrayRef<int64_t> own = expand.take_front(count);
      expand = expand.drop_front(count);
      for (unsigned i = 0; i < own.size(); ++i) {
        int64_t step = 1;
        for (int64_t inner : own.drop_front(i + 1))
          step *= inner;
        factors.emplace_back(dim, step);
      }
    }
    for (auto [place, factor] : llvm::enumerate(to.getPerm())) {
      auto [dim, step] = factors[factor];
      extents[dim].inTile.emplace_back(first + place, step);
    }
  }

  Value elementAt(ValueRange ivs, ValueRange arguments) {
    this->ivs = ivs;
    this->arguments = arguments;
    SmallVector<Index> at;
    Value inside;
    for (const Extent &extent : extents) {
      at.push_back(indexIn(extent));
      if (!extent.isFilledUp)
        continue;
      Value within = arith::CmpIOp::create(
          b, arith::CmpIPredicate::slt, at.back().whole, valueOf(extent.size));
      inside = inside ? arith::AndIOp::create(b, inside, within).getResult()
                      : within;
    }
    SmallVector<Value> place;
    for (int64_t dim : from.getOuter())
      place.push_back(at[dim].tile);
    appendInTiles(at, place);
    Value element = tensor::ExtractOp::create(b, move.source, place);
    if (!inside)
      return element;
    Value zero = arith::ConstantOp::create(b, zeroOf(move.to.getElementType()));
    return arith::SelectOp::create(b, inside, element, zero);
  }

  /// Where the tensor has no element, one that is there is read.
  Index indexIn(const Extent &extent) {
    Value tile = ivs[extent.tiles];
    if (extent.run)
      return indexOfRun(extent, tile);
    Value whole = multiply(tile, extent.toTile);
    for (auto [loop, step] : extent.inTile)
      if (known(loops[loop]) != 1)
        whole = add(whole, multiply(ivs[loop], b.getIndexAttr(step)));
    Value place = whole;
    if (extent.isFilledUp)
      place = atMost(place, extent.size);
    return {divide(place, extent.fromTile), remainder(place, extent.fromTile),
            whole};
  }

  Index indexOfRun(const Extent &extent, Value tile) {
    Value run = tile, element = ivs[extent.inTile.back().first];
    if (extent.inDest > 1)
      run = add(multiply(run, b.getIndexAttr(extent.inDest)),
                ivs[extent.inTile.front().first]);
    OpFoldResult runs = b.getIndexAttr(extent.inSource),
                 length = b.getIndexAttr(extent.run);
    Index index{divide(run, runs),
                add(multiply(remainder(run, runs), length), element), Value()};
    if (!extent.isFilledUp)
      return index;
    index.whole = add(multiply(run, length), element);
    // Only a tile of several runs goes beyond the source's last tile.
    if (extent.inDest > 1) {
      Value last = arith::SubIOp::create(b, valueOf(extent.size), constant(1));
      index.tile =
          arith::MinUIOp::create(b, index.tile, divide(last, extent.fromTile));
    }
    return index;
  }

  void appendInTiles(ArrayRef<Index> at, SmallVector<Value> &place) {
    if (from.getPerm().empty()) {
      for (int64_t dim : from.getInner())
        place.push_back(at[dim].inTile);
      return;
    }
    SmallVector<Value> factors;
    ArrayRef<int64_t> expand = from.getExpand();
    for (auto [dim, count] :
         llvm::zip_equal(from.getInner(), from.getFactors())) {
      SmallVector<Value> parts;
      Value rest = at[dim].inTile;
      for (int64_t factor : llvm::reverse(expand.take_front(count))) {
        parts.push_back(remainder(rest, b.getIndexAttr(factor)));
        rest = divide(rest, b.getIndexAttr(factor));
      }
      expand = expand.drop_front(count);
      factors.append(parts.rbegin(), parts.rend());
    }
    for (int64_t factor : from.getPerm())
      place.push_back(factors[factor]);
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  /// In the body, of what the operation is given.
  Value valueOf(OpFoldResult size) {
    if (std::optional<int64_t> value = known(size))
      return constant(*value);
    const auto *found = llvm::find(scalars, cast<Value>(size));
    return arguments[found - scalars.begin()];
  }

  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value multiply(Value x, OpFoldResult y) {
    return known(y) == 1 ? x
                         : arith::MulIOp::create(b, x, valueOf(y)).getResult();
  }
  Value divide(Value x, OpFoldResult y) {
    return known(y) == 1 ? x
                         : arith::DivUIOp::create(b, x, valueOf(y)).getResult();
  }
  Value remainder(Value x, OpFoldResult y) {
    return known(y) == 1 ? constant(0)
                         : arith::RemUIOp::create(b, x, valueOf(y)).getResult();
  }
  /// `x`, or the last index of `size`.
  Value atMost(Value x, OpFoldResult size) {
    Value last = arith::SubIOp::create(b, valueOf(size), constant(1));
    return arith::MinUIOp::create(b, x, last);
  }

  ImplicitLocOpBuilder &b;
  const PanelMove &move;
  tw::LayoutAttr from, to;
  SmallVector<Extent> extents;
  SmallVector<OpFoldResult> loops;
  /// The loops of each dimension of the packed form.
  SmallVector<ReassociationIndices> groups;
  llvm::SmallSetVector<Value, 4> scalars;
  /// Of the body, while it is built.
  ValueRange ivs, arguments;
};

} // namespace

Value movePanels(ImplicitLocOpBuilder &b, const PanelMove &move) {
  return PanelMover(b, move).build();
}

Value moveThroughRows(ImplicitLocOpBuilder &b, const PanelMove &move) {
  tw::LayoutAttr from = layoutOf(move.from), to = layoutOf(move.to);
  Value rows =
      tensor::EmptyOp::create(b, move.sizes, move.from.getElementType());
  rows = unpackInto(b, move.source, rows, from, move.of);
  return packInto(b, rows, move.dest, to, move.of);
}

bool liesInRows(const PanelMove &move) {
  return movesNothing(layoutOf(move.from), move.from.getShape()) ||
         movesNothing(layoutOf(move.to), move.to.getShape());
}

} // namespace tilewright
