// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConvolutionBuilder.h"

#include "EncodedValues.h"
#include "MatrixLoops.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Encoding/MatmulWorkspace.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Each of them indexes the weights, or out.
SmallVector<int64_t> loopSizes(ArrayRef<AffineMap> maps,
                               ArrayRef<RankedTensorType> types) {
  SmallVector<int64_t> sizes(maps[0].getNumDims(), ShapedType::kDynamic);
  for (unsigned operand : {1, 2})
    for (unsigned dim = 0; dim < maps[operand].getNumResults(); ++dim) {
      int64_t size = types[operand].getDimSize(dim);
      if (!ShapedType::isDynamic(size))
        sizes[maps[operand].getDimPosition(dim)] = size;
    }
  return sizes;
}

/// With the loops in this order.
AffineMap reordered(AffineMap map, ArrayRef<unsigned> order) {
  SmallVector<AffineExpr> places(order.size());
  for (auto [place, loop] : llvm::enumerate(order))
    places[loop] = getAffineDimExpr(place, map.getContext());
  return map.replaceDimsAndSymbols(places, {}, order.size(), 0);
}

/// Goes through the columns in the order of the panels, in which the weights
/// lie as `layout` says; false if those are of other loops.
bool followPanels(MatrixLoops &loops, const WindowLoops &windows,
                  tw::LayoutAttr layout) {
  auto loopOf = [&](int64_t dim) { return windows.weightLoops[dim]; };
  ArrayRef<int64_t> inner = layout.getInner();
  if (inner.size() != 2 || !layout.getPerm().empty())
    return false;
  SmallVector<unsigned> outer = llvm::map_to_vector(layout.getOuter(), loopOf);
  auto columns = ArrayRef(outer).take_back(loops.k.size());
  if (!std::is_permutation(columns.begin(), columns.end(), loops.k.begin()))
    return false;
  loops.k.assign(columns.begin(), columns.end());
  return loopOf(inner[0]) == loops.n && loopOf(inner[1]) == loops.k.back() &&
         outer == loops.panels(windows);
}

/// The constant that `panels` are packed from, where only the program that runs
/// knows how; null if they are something else.
linalg::PackOp packOfKept(Value panels, tw::LayoutAttr layout) {
  auto pack = panels.getDefiningOp<linalg::PackOp>();
  return layout.isScalable() && pack &&
                 matchPattern(withoutReshapes(pack.getSource()), m_Constant())
             ? pack
             : nullptr;
}

/// What `pack` packs as a matrix for each of the batch: a row for each of N,
/// its columns in the order of the panels, those of the last loop filled up to
/// whole steps.
Value matrixRows(linalg::PackOp pack, tw::LayoutAttr layout) {
  ImplicitLocOpBuilder b(pack.getLoc(), pack);
  int64_t last = layout.getInner()[1], k0 = layout.getTiles()[1];
  auto steps = packWithZeros(b, pack.getSource(), layout.getOuter(), {last},
                             {b.getIndexAttr(k0)});
  placeLike(steps, pack);
  SmallVector<ReassociationIndices> groups;
  int64_t rank = layout.getOuter().size();
  for (int64_t dim = 0; dim < rank; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank);
  return tensor::CollapseShapeOp::create(b, steps.getResult(), groups);
}

} // namespace

ConvolutionBuilder::ConvolutionBuilder(linalg::GenericOp op, tw::TileAttr tile,
                                       ArrayRef<RankedTensorType> types)
    : op(op), tile(tile), types(types), b(op.getLoc(), op) {}

FailureOr<tw::MatmulOp> ConvolutionBuilder::build(Value out, bool overwrites) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  std::optional<WindowLoops> windows =
      WindowLoops::of(maps, loopSizes(maps, types));
  tw::LayoutAttr layout = layoutOf(types[1]);
  std::string whyNot;
  std::optional<MatrixLoops> loops;
  if (windows)
    loops = chooseMatrixLoops(*windows, whyNot);
  if (failed(tw::verifyBlockScales(op, tile)))
    return failure();
  const TileKey &key = tile.getKey();
  if (!loops || !followPanels(*loops, *windows, layout)) {
    op.emitOpError() << "has weights with " << layout
                     << ", which are not panels that its tile function \""
                     << tile.getName() << "\" goes through";
    return failure();
  }
  unsigned last = loops->k.back();
  bool isSeen = windows->windowTerms[windows->termOf(last).first] ==
                WindowTerms{{last, 1}};
  if (!isSeen && ShapedType::isDynamic(windows->loops[last].size)) {
    op.emitOpError() << "has windows of an unknown number of elements along d"
                     << last << ", which its panels have steps of";
    return failure();
  }
  Value weights = op.getInputs()[1];
  linalg::PackOp pack = packOfKept(weights, layout);
  bool isKept = pack != nullptr;
  if (isKept)
    weights = matrixRows(pack, layout);
  std::optional<int64_t> workspaceBytes = matmulWorkspace(
      key,
      {extentOf(*windows, loops->m), extentOf(*windows, loops->n),
       columnsOf(*windows, *loops, key.k0)},
      /*rhsPacked=*/!isKept,
      /*outTransposed=*/windows->outLoops.back() != loops->n);
  if (!workspaceBytes) {
    op.emitOpError() << "has the tile function \"" << tile.getName()
                     << "\", which is too large for its workspace";
    return failure();
  }
  Value workspace = tensor::EmptyOp::create(
      b, ArrayRef<int64_t>{*workspaceBytes * threadsOf(op)}, b.getI8Type());
  SmallVector<unsigned> order = loops->all();
  SmallVector<AffineExpr> panels;
  for (int64_t dim : layout.getOuter())
    panels.push_back(maps[1].getResult(dim));
  AffineMap panelMap = AffineMap::get(order.size(), 0, panels, op.getContext());
  auto matmul = tw::MatmulOp::create(
      b, TypeRange{out.getType(), workspace.getType()}, op.getInputs()[0],
      weights, out, workspace, tile,
      b.getAffineMapArrayAttr({reordered(maps[0], order),
                               reordered(panelMap, order),
                               reordered(maps[2], order)}),
      overwrites, /*rhs_packed=*/!isKept, /*thin=*/false, loops->m.size(),
      loops->k.size(),
      isSeen ? nullptr : b.getI64IntegerAttr(windows->loops[last].size));
  matmul.setRhsKept(isKept);
  placeLike(matmul, op);
  if (failed(matmul.verify()))
    return failure();
  return matmul;
}

} // namespace tilewright
