// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshapes and slices that keep tiles whole.

#include "EncodedValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
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

SmallVector<OpFoldResult> packedSizes(OpBuilder &b, Location loc,
                                      tw::LayoutAttr layout,
                                      SmallVector<OpFoldResult> sizes) {
  if (layout.isIdentity())
    return sizes;
  for (auto [dim, tile] : llvm::zip_equal(layout.getInner(), layout.getTiles()))
    sizes[dim] = affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineSymbolExpr(0).ceilDiv(tile), {sizes[dim]});
  sizes = applyPermutation(sizes, layout.getOuter());
  SmallVector<int64_t> inner =
      layout.getPerm().empty()
          ? llvm::to_vector(layout.getTiles())
          : applyPermutation(layout.getExpand(), layout.getPerm());
  for (int64_t size : inner)
    sizes.push_back(b.getIndexAttr(size));
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
