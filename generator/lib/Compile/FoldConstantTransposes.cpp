// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposed weights are constants, too.

#include "ConstantElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright {

bool isTranspose(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isPermutation(); }))
    return false;
  Block *body = op.getBlock();
  return llvm::hasSingleElement(*body) &&
         body->getTerminator()->getOperand(0) == body->getArgument(0);
}

static ElementsAttr transpose(linalg::LinalgOp op, ElementsAttr source,
                              const ConstantElements &elements,
                              RankedTensorType type) {
  if (elements.isSplat)
    return DenseElementsAttr::getFromRawBuffer(type, elements.bytes);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<ElementStep> steps;
  for (unsigned dim = 0; dim < maps[1].getNumResults(); ++dim) {
    AffineExpr loop = maps[1].getResult(dim);
    steps.push_back({int64_t(*maps[0].getResultPosition(loop)), 1});
  }
  return makeMovedBetween(type, elements, source.getShapedType().getShape(),
                          steps);
}

LogicalResult foldConstantTranspose(linalg::LinalgOp op,
                                    PatternRewriter &rewriter) {
  ElementsAttr source;
  if (!isTranspose(op) ||
      !matchPattern(op.getDpsInputs()[0], m_Constant(&source)))
    return failure();
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<ConstantElements> elements = ConstantElements::of(source);
  if (!type || !type.hasStaticShape() || !elements ||
      type.getElementType() != source.getElementType())
    return failure();
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(
      op, transpose(op, source, *elements, type));
  return success();
}

namespace {

struct FoldConstantTranspose : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    return foldConstantTranspose(op, rewriter);
  }
};

} // namespace

void populateFoldConstantTransposes(RewritePatternSet &patterns) {
  patterns.add<FoldConstantTranspose>(patterns.getContext());
}

} // namespace tilewright
