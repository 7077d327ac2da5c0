// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paddings around tiles.

#include "EncodedValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {

Value paddingOf(OpBuilder &b, tensor::PadOp op) {
  Value value = op.getConstantPaddingValue();
  if (!value || !op.getRegion().isAncestor(value.getParentRegion()))
    return value;
  return b.clone(*value.getDefiningOp())->getResult(0);
}

bool isPaddingOfTiles(tw::LayoutAttr layout, tensor::PadOp op) {
  if (!op.getConstantPaddingValue())
    return false;
  if (layout.isIdentity())
    return true;
  if (layout.isScalable() || !layout.getPerm().empty())
    return false;
  for (auto [dim, tile] :
       llvm::zip_equal(layout.getInner(), layout.getTiles())) {
    int64_t low = op.getStaticLow()[dim], high = op.getStaticHigh()[dim],
            size = op.getSourceType().getDimSize(dim);
    if (tile == 1)
      continue;
    if (ShapedType::isDynamic(low) || low < 0 || low % tile != 0 ||
        ShapedType::isDynamic(high) || high < 0 ||
        (high != 0 && ShapedType::isDynamic(size)))
      return false;
  }
  return true;
}

Value packPadding(tensor::PadOp op, tw::LayoutAttr layout,
                  RankedTensorType from, RankedTensorType packed) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value value = paddingOf(b, op);
  SmallVector<OpFoldResult> low = op.getMixedLowPad(),
                            high = op.getMixedHighPad();
  SmallVector<TileEdge> edges;
  SmallVector<int64_t> places = invertPermutationVector(layout.getOuter());
  size_t rank = layout.getOuter().size();
  for (auto [number, dim, tile] :
       llvm::enumerate(layout.getInner(), layout.getTiles())) {
    if (tile == 1)
      continue;
    int64_t before = op.getStaticLow()[dim], behind = op.getStaticHigh()[dim],
            size = from.getDimSize(dim);
    low[dim] = b.getIndexAttr(before / tile);
    if (behind == 0)
      continue;
    high[dim] = b.getIndexAttr(llvm::divideCeil(size + behind, tile) -
                               llvm::divideCeil(size, tile));
    if (size % tile != 0)
      edges.push_back({unsigned(places[dim]), unsigned(rank + number), tile,
                       b.getIndexAttr(before + size)});
  }
  if (!layout.isIdentity()) {
    applyPermutationToVector(low, layout.getOuter());
    applyPermutationToVector(high, layout.getOuter());
    low.resize(packed.getRank(), b.getIndexAttr(0));
    high.resize(packed.getRank(), b.getIndexAttr(0));
  }
  // It may know more of its sizes than it was said to.
  Value source = op.getSource();
  if (Type said = layout.packedType(from); source.getType() != said)
    source = tensor::CastOp::create(b, said, source);
  auto padded = tensor::PadOp::create(b, packed, source, low, high, value,
                                      op.getNofold());
  placeLike(padded, op);
  if (edges.empty())
    return padded;
  // What fills up the tile that was the last one is what is put around.
  AffineMap same = b.getMultiDimIdentityMap(packed.getRank());
  Value dest = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), padded), packed.getElementType());
  auto filled = linalg::GenericOp::create(
      b, packed, padded.getResult(), dest, ArrayRef{same, same},
      SmallVector<utils::IteratorType>(packed.getRank(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &builder, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder inside(loc, builder);
        Value is = isWithin(inside, edges);
        linalg::YieldOp::create(
            inside, arith::SelectOp::create(inside, is, elements[0], value)
                        .getResult());
      });
  placeLike(filled, op);
  return filled.getResult(0);
}

} // namespace tilewright
