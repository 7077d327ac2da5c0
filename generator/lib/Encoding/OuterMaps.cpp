// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops go over the tiles of a multiplication.

#include "EncodedValues.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Whether scales lie as the blocks of their operand do.
bool areScalesOf(AffineMap operand, ArrayRef<unsigned> tiled, AffineMap scales,
                 ArrayRef<unsigned> scalesTiled) {
  unsigned last = operand.getNumResults() - 1;
  return operand.getDimPosition(last) == tiled.back() &&
         operand.getResults().drop_back() == scales.getResults() &&
         tiled.drop_back() == scalesTiled;
}

} // namespace

FailureOr<SmallVector<AffineMap>> outerMaps(linalg::GenericOp op,
                                            EncodedTypeFn typeAt) {
  auto encodedTypeOf = [&](Value value) -> Type {
    RankedTensorType type = typeAt(value);
    return type ? type : value.getType();
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool isScaled = op.getInputs().size() > 2;
  SmallVector<SmallVector<unsigned>> tiled;
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
    tw::LayoutAttr layout = layoutOf(encodedTypeOf(op->getOperand(operand)));
    unsigned tiles = isScaled && operand < 2 ? 3 : 2;
    // Whether the tile takes groups of so many, tw.mmt4d verifies.
    bool mayBeInGroups = operand == 1 && !isScaled;
    bool isSwizzled = layout && !layout.getPerm().empty() &&
                      !(mayBeInGroups && layout.getGroup());
    if (!layout || layout.getInner().size() != tiles || isSwizzled)
      return op.emitOpError()
             << "has operand " << operand << " of type "
             << encodedTypeOf(op->getOperand(operand))
             << "; expected a layout with " << (tiles == 2 ? "two" : "three")
             << " tiles"
             << (mayBeInGroups ? ", without a swizzle or in groups along K"
                               : " and without a swizzle")
             << ", as tw.mmt4d takes it";
    AffineMap &map = maps[operand];
    tiled.push_back(
        llvm::map_to_vector(layout.getInner(), [&](int64_t dim) -> unsigned {
          return map.getDimPosition(dim);
        }));
    map = AffineMap::get(map.getNumDims(), 0,
                         applyPermutation(map.getResults(), layout.getOuter()),
                         op.getContext());
  }
  unsigned m = tiled.back()[0], n = tiled.back()[1], k = tiled[0][1];
  if (tiled[0][0] != m || tiled[1][0] != n || tiled[1][1] != k ||
      maps[1].isFunctionOfDim(m) || maps[0].isFunctionOfDim(n) ||
      maps.back().isFunctionOfDim(k))
    return op.emitOpError()
           << "has operands with tiles of different loops; expected lhs in "
              "tiles of m and k, rhs of n and k, out of m and n";
  for (unsigned operand = 0; isScaled && operand < 2; ++operand)
    if (!areScalesOf(maps[operand], tiled[operand], maps[operand + 2],
                     tiled[operand + 2]))
      return op.emitOpError()
             << "has operand " << operand << " of type "
             << encodedTypeOf(op->getOperand(operand)) << " and its scales "
             << "of type " << encodedTypeOf(op->getOperand(operand + 2))
             << "; expected the same order and tiles, but for the loop "
                "through a block, which is last";
  return SmallVector<AffineMap>{maps[0], maps[1], maps.back()};
}

} // namespace tilewright
