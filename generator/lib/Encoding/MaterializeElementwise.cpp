// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations as their operands lie packed.

#include "EncodedValues.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {
namespace {

/// All elements are at the same place, or of smaller tensors; none asks where
/// it is.
bool isOfElements(linalg::GenericOp op, LayoutAtFn layoutAt) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() ||
      op.hasIndexSemantics())
    return false;
  tw::LayoutAttr layout = layoutAt(op.getDpsInits()[0]);
  if (!layout || layout.isIdentity() || !layout.getPerm().empty())
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    tw::LayoutAttr own = layoutAt(operand.get());
    return own ? own == layout && map.isIdentity()
               : map.isProjectedPermutation() && !map.isPermutation();
  });
}

struct PackedOperand {
  Value value;
  AffineMap map; ///< from the packed dimensions
};

PackedOperand packSmaller(ImplicitLocOpBuilder &b, Value value, AffineMap map,
                          tw::LayoutAttr layout, linalg::GenericOp of) {
  int64_t rank = layout.getOuter().size();
  SmallVector<AffineExpr> dims;
  SmallVector<int64_t> outer, inner;
  SmallVector<OpFoldResult> tiles;
  auto find = [&](int64_t dim) {
    return map.getResultPosition(b.getAffineDimExpr(dim));
  };
  for (auto [place, dim] : llvm::enumerate(layout.getOuter()))
    if (std::optional<unsigned> own = find(dim)) {
      outer.push_back(*own);
      dims.push_back(b.getAffineDimExpr(place));
    }
  for (auto [place, dim] : llvm::enumerate(layout.getInner()))
    if (std::optional<unsigned> own = find(dim)) {
      inner.push_back(*own);
      tiles.push_back(b.getIndexAttr(layout.getTiles()[place]));
      dims.push_back(b.getAffineDimExpr(rank + place));
    }
  unsigned packedRank = rank + layout.getInner().size();
  if (!inner.empty()) {
    auto pack = packWithZeros(b, value, outer, inner, tiles);
    placeLike(pack, of);
    return {pack.getResult(),
            AffineMap::get(packedRank, 0, dims, b.getContext())};
  }
  // Nothing is tiled: only the order of the dimensions may be another.
  SmallVector<AffineExpr> own(outer.size());
  for (auto [number, dim] : llvm::enumerate(outer))
    own[dim] = dims[number];
  return {value, AffineMap::get(packedRank, 0, own, b.getContext())};
}

} // namespace

linalg::GenericOp packElementwise(linalg::GenericOp op, LayoutAtFn layoutAt) {
  if (!isOfElements(op, layoutAt))
    return nullptr;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value out = op.getDpsInits()[0];
  tw::LayoutAttr layout = layoutAt(out);
  unsigned rank = layout.getOuter().size() + layout.getInner().size();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    PackedOperand operand{input->get(), identity};
    if (!layoutAt(operand.value))
      operand = packSmaller(b, operand.value, op.getMatchingIndexingMap(input),
                            layout, op);
    inputs.push_back(operand.value);
    maps.push_back(operand.map);
  }
  maps.push_back(identity);
  auto computed = linalg::GenericOp::create(
      b, out.getType(), inputs, out, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel));
  computed.getRegion().takeBody(op.getRegion());
  placeLike(computed, op);
  return computed;
}

} // namespace tilewright
