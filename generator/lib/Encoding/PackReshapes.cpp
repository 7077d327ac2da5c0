// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshapes and slices that keep tiles whole.

#include "EncodedValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tilewright {

std::optional<SmallVector<ReassociationIndices>>
packReshape(RankedTensorType expanded, RankedTensorType collapsed,
            ArrayRef<ReassociationIndices> groups) {
  tw::LayoutAttr fine = layoutOf(expanded), coarse = layoutOf(collapsed);
  if (!fine || !coarse)
    return std::nullopt;
  if (fine.isIdentity() && coarse.isIdentity())
    return SmallVector<ReassociationIndices>(groups);
  if (fine.isIdentity() != coarse.isIdentity() || fine.isScalable() ||
      !fine.getPerm().empty() || fine.getTiles() != coarse.getTiles() ||
      fine.getScalable() != coarse.getScalable() || !coarse.getPerm().empty())
    return std::nullopt;
  SmallVector<ReassociationIndices> packed;
  int64_t next = 0;
  for (int64_t dim : coarse.getOuter()) {
    ReassociationIndices group;
    for (int64_t part : groups[dim]) {
      if (next >= expanded.getRank() || fine.getOuter()[next] != part)
        return std::nullopt;
      group.push_back(next++);
    }
    packed.push_back(group);
  }
  if (next != expanded.getRank())
    return std::nullopt;
  for (auto [dim, part, tile] :
       llvm::zip_equal(coarse.getInner(), fine.getInner(), coarse.getTiles())) {
    // The innermost part has the tiles, all of them full but where it is alone.
    ArrayRef<int64_t> group = groups[dim];
    if (!llvm::is_contained(group, part))
      return std::nullopt;
    for (int64_t other : group) {
      int64_t size = expanded.getDimSize(other);
      if (other == part || size == 1)
        continue;
      int64_t extent = expanded.getDimSize(part);
      if (other > part || ShapedType::isDynamic(extent) || extent % tile != 0)
        return std::nullopt;
    }
    packed.push_back({next++});
  }
  return packed;
}

bool isSliceOfTiles(tw::LayoutAttr layout, tensor::ExtractSliceOp op) {
  if (layout.isIdentity())
    return true;
  if (layout.isScalable() || !layout.getPerm().empty())
    return false;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, tile] :
       llvm::zip_equal(layout.getInner(), layout.getTiles())) {
    int64_t offset = op.getStaticOffsets()[dim];
    if (op.getStaticStrides()[dim] != 1 || ShapedType::isDynamic(offset) ||
        offset % tile != 0 || dropped.test(dim))
      return false;
  }
  return true;
}

SmallVector<int64_t> keptDims(tensor::ExtractSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<int64_t> kept;
  for (unsigned dim = 0; dim < dropped.size(); ++dim)
    if (!dropped.test(dim))
      kept.push_back(dim);
  return kept;
}

SmallVector<OpFoldResult> tileSizes(OpBuilder &b, Location loc,
                                    tw::LayoutAttr layout) {
  Value scale;
  if (layout.isScalable())
    scale = tw::VscaleOp::create(b, loc, layout.getStreaming());
  SmallVector<OpFoldResult> sizes;
  for (auto [tile, isScalable] :
       llvm::zip_equal(layout.getTiles(), layout.getScalable()))
    sizes.push_back(
        isScalable
            ? OpFoldResult(b.createOrFold<arith::MulIOp>(
                  loc, scale, arith::ConstantIndexOp::create(b, loc, tile)))
            : OpFoldResult(b.getIndexAttr(tile)));
  return sizes;
}

namespace {

/// How many tiles cover `size`. In affine maps nothing is divided by what is
/// not known.
OpFoldResult tileCount(OpBuilder &b, Location loc, OpFoldResult size,
                       OpFoldResult tile) {
  if (std::optional<int64_t> known = getConstantIntValue(tile))
    return affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineSymbolExpr(0).ceilDiv(*known), {size});
  Value divisor = cast<Value>(tile),
        one = arith::ConstantIndexOp::create(b, loc, 1),
        most = arith::SubIOp::create(b, loc, divisor, one),
        sum = arith::AddIOp::create(
            b, loc, getValueOrCreateConstantIndexOp(b, loc, size), most);
  return arith::DivUIOp::create(b, loc, sum, divisor).getResult();
}

} // namespace

SmallVector<OpFoldResult> packedSizes(OpBuilder &b, Location loc,
                                      tw::LayoutAttr layout,
                                      SmallVector<OpFoldResult> sizes) {
  if (layout.isIdentity())
    return sizes;
  SmallVector<OpFoldResult> tiles = tileSizes(b, loc, layout);
  for (auto [dim, tile] : llvm::zip_equal(layout.getInner(), tiles))
    sizes[dim] = tileCount(b, loc, sizes[dim], tile);
  sizes = applyPermutation(sizes, layout.getOuter());
  if (layout.getPerm().empty())
    llvm::append_range(sizes, tiles);
  else
    for (int64_t size : applyPermutation(layout.getExpand(), layout.getPerm()))
      sizes.push_back(b.getIndexAttr(size));
  return sizes;
}

SmallVector<OpFoldResult> packedSizes(OpBuilder &b, Location loc,
                                      RankedTensorType type,
                                      SmallVector<OpFoldResult> sizes) {
  tw::LayoutAttr layout = layoutOf(type);
  sizes = packedSizes(b, loc, layout, std::move(sizes));
  // Several elements in a byte.
  if (tw::isInStreams(type.getElementType()) && !layout.isIdentity())
    sizes.back() = b.getIndexAttr(layout.packedType(type).getShape().back());
  return sizes;
}

Value packSlice(tensor::ExtractSliceOp op, tw::LayoutAttr layout,
                RankedTensorType packed) {
  OpBuilder b(op);
  if (layout.isIdentity())
    return tensor::ExtractSliceOp::create(
        b, op.getLoc(), packed, op.getSource(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
  // Offsets are of whole tiles, so a quotient rounded up is exact.
  SmallVector<OpFoldResult> offsets = packedSizes(b, op.getLoc(), layout,
                                                  op.getMixedOffsets()),
                            sizes = packedSizes(b, op.getLoc(), layout,
                                                op.getMixedSizes()),
                            strides = applyPermutation(op.getMixedStrides(),
                                                       layout.getOuter());
  size_t rank = strides.size();
  for (size_t dim = rank; dim < sizes.size(); ++dim) {
    offsets[dim] = b.getIndexAttr(0);
    strides.push_back(b.getIndexAttr(1));
  }
  return tensor::ExtractSliceOp::create(b, op.getLoc(), packed, op.getSource(),
                                        offsets, sizes, strides);
}

} // namespace tilewright
