// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Into a layout and out of it.

#include "EncodedValues.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "tilewright/Encoding/JoinElements.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {
namespace {

/// How a swizzle expands the tiles, the outer dimensions of the packed form
/// before them, and permutes all.
struct Swizzle {
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> perm;
};
Swizzle swizzleOf(tw::LayoutAttr layout) {
  Swizzle result;
  int64_t outer = layout.getOuter().size(), next = outer;
  for (int64_t dim = 0; dim < outer; ++dim)
    result.groups.push_back({dim});
  for (int64_t count : layout.getFactors()) {
    ReassociationIndices group;
    for (int64_t i = 0; i < count; ++i)
      group.push_back(next++);
    result.groups.push_back(group);
  }
  llvm::append_range(result.perm, llvm::seq<int64_t>(0, outer));
  for (int64_t place : layout.getPerm())
    result.perm.push_back(outer + place);
  return result;
}

/// One of the two may know sizes that the other does not.
Value castTo(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(b, type, value);
}

} // namespace

Value packInto(ImplicitLocOpBuilder &b, Value source, Value dest,
               tw::LayoutAttr layout, Operation *of) {
  if (layout.isIdentity())
    return castTo(b, source, dest.getType());
  if (layout.getPerm().empty()) {
    SmallVector<OpFoldResult> tiles = tileSizes(b, b.getLoc(), layout);
    if (tw::isInStreams(getElementTypeOrSelf(source))) {
      source = joinElements(b, source, layout.getInner().back());
      placeLike(source.getDefiningOp(), of);
      tiles.back() = b.getIndexAttr(
          cast<RankedTensorType>(dest.getType()).getShape().back());
    }
    auto pack = packWithZeros(b, source, dest, layout.getOuter(),
                              layout.getInner(), tiles);
    placeLike(pack, of);
    if (isa<tw::SetEncodingOp>(of))
      pack->setDiscardableAttrs(of->getDiscardableAttrDictionary());
    return pack.getResult();
  }
  auto pack = packWithZeros(b, source, layout.getOuter(), layout.getInner(),
                            tileSizes(b, b.getLoc(), layout));
  placeLike(pack, of);
  Swizzle swizzle = swizzleOf(layout);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), pack.getResult());
  sizes.resize(layout.getOuter().size());
  for (int64_t factor : layout.getExpand())
    sizes.push_back(b.getIndexAttr(factor));
  SmallVector<int64_t> shape(pack.getDestType().getShape());
  shape.resize(layout.getOuter().size());
  llvm::append_range(shape, layout.getExpand());
  Value expanded =
      tensor::ExpandShapeOp::create(b, pack.getDestType().clone(shape),
                                    pack.getResult(), swizzle.groups, sizes);
  auto destType = cast<RankedTensorType>(dest.getType());
  expanded =
      castTo(b, expanded,
             destType.clone(applyPermutation(
                 destType.getShape(), invertPermutationVector(swizzle.perm))));
  auto transpose = linalg::TransposeOp::create(b, expanded, dest, swizzle.perm);
  placeLike(transpose, of);
  return transpose->getResult(0);
}

Value unpackInto(ImplicitLocOpBuilder &b, Value source, Value dest,
                 tw::LayoutAttr layout, Operation *of) {
  if (layout.isIdentity())
    return castTo(b, source, dest.getType());
  if (!layout.getPerm().empty()) {
    Swizzle swizzle = swizzleOf(layout);
    SmallVector<int64_t> back = invertPermutationVector(swizzle.perm);
    SmallVector<OpFoldResult> sizes =
        applyPermutation(tensor::getMixedSizes(b, b.getLoc(), source), back);
    Value straight = tensor::EmptyOp::create(
        b, sizes, cast<RankedTensorType>(source.getType()).getElementType());
    auto transpose = linalg::TransposeOp::create(b, source, straight, back);
    placeLike(transpose, of);
    source = tensor::CollapseShapeOp::create(b, transpose->getResult(0),
                                             swizzle.groups);
  }
  ArrayRef<int64_t> perm = layout.getOuter();
  if (isIdentityPermutation(perm))
    perm = {};
  auto unpack =
      linalg::UnPackOp::create(b, source, dest, layout.getInner(),
                               tileSizes(b, b.getLoc(), layout), perm);
  placeLike(unpack, of);
  if (isa<tw::UnsetEncodingOp>(of))
    unpack->setDiscardableAttrs(of->getDiscardableAttrDictionary());
  return unpack.getResult();
}

} // namespace tilewright
