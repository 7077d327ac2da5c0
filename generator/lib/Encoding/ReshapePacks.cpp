// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-reshape-packs: packs and unpacks that move nothing.

#include "EncodedValues.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/Encoding/UnitDims.h"

using namespace mlir;
using llvm::SmallBitVector;

namespace tilewright {

#define GEN_PASS_DEF_RESHAPEPACKS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

/// A factor of a dimension of the matrix: how many tiles, or elements of one,
/// or all of a dimension that is not tiled.
struct Piece {
  int64_t dim;
  bool isOfTile;
  int64_t size; ///< or dynamic

  bool operator==(const Piece &other) const {
    return dim == other.dim && isOfTile == other.isOfTile;
  }
};

/// The pieces of a matrix in the order in which they lie in it, and in which
/// they lie packed.
class Pieces {
public:
  template <typename Op>
  static std::optional<Pieces> of(Op op, ArrayRef<int64_t> matrix) {
    return of(op.getOuterDimsPerm(), op.getInnerDimsPos(), op.getStaticTiles(),
              matrix);
  }

  /// None if elements are added, or that is not known. An identity of `perm`
  /// may be left out.
  static std::optional<Pieces> of(ArrayRef<int64_t> perm,
                                  ArrayRef<int64_t> inner,
                                  ArrayRef<int64_t> tiles,
                                  ArrayRef<int64_t> matrix) {
    Pieces pieces;
    SmallVector<Piece> outer, ofTiles;
    for (auto [dim, size] : llvm::enumerate(matrix)) {
      auto found = llvm::find(inner, int64_t(dim));
      outer.push_back({int64_t(dim), false, size});
      pieces.inMatrix.push_back(outer.back());
      pieces.groups.push_back({int64_t(pieces.inMatrix.size()) - 1});
      if (found == inner.end())
        continue;
      int64_t tile = tiles[found - inner.begin()];
      if (ShapedType::isDynamic(tile) ||
          (tile != 1 && (ShapedType::isDynamic(size) || size % tile)))
        return std::nullopt;
      if (tile != 1)
        outer.back().size = pieces.inMatrix.back().size = size / tile;
      pieces.inMatrix.push_back({int64_t(dim), true, tile});
      pieces.groups.back().push_back(pieces.inMatrix.size() - 1);
    }
    for (auto [dim, tile] : llvm::zip_equal(inner, tiles))
      ofTiles.push_back({dim, true, tile});
    pieces.packed = perm.empty() ? outer : applyPermutation(outer, perm);
    pieces.packed.append(ofTiles);
    if (pieces.longer(pieces.inMatrix) != pieces.longer(pieces.packed))
      return std::nullopt;
    return pieces;
  }

  static SmallBitVector units(ArrayRef<Piece> of) {
    SmallBitVector result(of.size());
    for (auto [index, piece] : llvm::enumerate(of))
      if (piece.size == 1)
        result.set(index);
    return result;
  }

  SmallVector<Piece> inMatrix, packed;
  SmallVector<ReassociationIndices> groups; ///< of the pieces in the matrix

private:
  static SmallVector<Piece> longer(ArrayRef<Piece> pieces) {
    return llvm::to_vector(llvm::make_filter_range(
        pieces, [](const Piece &piece) { return piece.size != 1; }));
  }
};

class Reshaper {
public:
  explicit Reshaper(Operation *op) : b(op->getLoc(), op) {}

  void reshape(linalg::PackOp op) {
    RankedTensorType matrix = op.getSourceType();
    std::optional<Pieces> pieces = Pieces::of(op, matrix.getShape());
    if (!pieces)
      return;
    findSizes(op.getSource(), matrix);
    Value apart = op.getSource();
    if (pieces->inMatrix.size() != size_t(matrix.getRank()))
      apart = expand(apart, pieces->inMatrix, pieces->groups);
    Value packed =
        withUnits(withoutUnits(apart, pieces->inMatrix), pieces->packed);
    replace(op, packed);
  }

  void reshape(linalg::UnPackOp op) {
    RankedTensorType matrix = op.getDestType();
    std::optional<Pieces> pieces = Pieces::of(op, matrix.getShape());
    if (!pieces)
      return;
    findSizes(op.getDest(), matrix);
    Value apart = withUnits(withoutUnits(op.getSource(), pieces->packed),
                            pieces->inMatrix);
    if (pieces->inMatrix.size() != size_t(matrix.getRank()))
      apart = tensor::CollapseShapeOp::create(b, apart, pieces->groups);
    replace(op, apart);
  }

private:
  void findSizes(Value tensor, RankedTensorType type) {
    sizes = tensor::getMixedSizes(b, b.getLoc(), tensor);
    elementType = type.getElementType();
  }

  /// The operation may say a size that its operands do not.
  void replace(Operation *op, Value by) {
    Type type = op->getResult(0).getType();
    if (by.getType() != type)
      by = tensor::CastOp::create(b, type, by);
    op->getResult(0).replaceAllUsesWith(by);
    op->erase();
  }

  Value expand(Value value, ArrayRef<Piece> pieces,
               ArrayRef<ReassociationIndices> groups) {
    SmallVector<int64_t> shape;
    SmallVector<OpFoldResult> mixed;
    for (const Piece &piece : pieces) {
      shape.push_back(piece.size);
      // What is dynamic is all of its dimension.
      mixed.push_back(ShapedType::isDynamic(piece.size)
                          ? sizes[piece.dim]
                          : OpFoldResult(b.getIndexAttr(piece.size)));
    }
    return tensor::ExpandShapeOp::create(
        b, RankedTensorType::get(shape, elementType), value, groups, mixed);
  }

  Value withoutUnits(Value value, ArrayRef<Piece> pieces) {
    SmallBitVector units = Pieces::units(pieces);
    return units.any() ? withoutDims(b, value, units) : value;
  }

  Value withUnits(Value value, ArrayRef<Piece> pieces) {
    SmallBitVector units = Pieces::units(pieces);
    return units.any() ? expand(value, pieces, groupsWithout(units)) : value;
  }

  ImplicitLocOpBuilder b;
  SmallVector<OpFoldResult> sizes; ///< of the matrix
  Type elementType;
};

struct ReshapePacksPass : impl::ReshapePacksBase<ReshapePacksPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::PackOp, linalg::UnPackOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (auto pack = dyn_cast<linalg::PackOp>(op))
        Reshaper(op).reshape(pack);
      else
        Reshaper(op).reshape(cast<linalg::UnPackOp>(op));
  }
};

} // namespace

bool movesNothing(tw::LayoutAttr layout, ArrayRef<int64_t> shape) {
  return layout.getPerm().empty() && !layout.isScalable() &&
         Pieces::of(layout.getOuter(), layout.getInner(), layout.getTiles(),
                    shape);
}
} // namespace tilewright
