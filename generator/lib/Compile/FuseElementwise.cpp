// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-fuse-elementwise: upstream's patterns, where they cost no tile.

#include "BroadcastInits.h"
#include "ConstantElements.h"
#include "Generalize.h"
#include "KeepPlace.h"
#include "ReadThroughMoves.h"
#include "UnitDims.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/MatchContraction.h"
#include "tilewright/Encoding/MatchWindows.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Whether each element of `operand` is used in several windows.
bool isInWindows(linalg::LinalgOp consumer, OpOperand *operand) {
  auto terms = windowTermsOf(consumer.getMatchingIndexingMap(operand));
  return terms && llvm::any_of(*terms, [](const WindowTerms &index) {
           return index.size() > 1;
         });
}

/// Whether `op` adds to what it writes over, or reads it otherwise.
bool readsItsInit(Operation *op) {
  auto producer = dyn_cast<linalg::LinalgOp>(op);
  return producer && llvm::any_of(producer.getRegionOutputArgs(),
                                  [](Value out) { return !out.use_empty(); });
}

/// Whether what makes `operand` may be computed where it is used: once, not for
/// each window again, and not in the body of a contraction or a convolution,
/// which would be no tile's any more.
bool mayFuse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  if (!producer || !producer->hasOneUse())
    return false;
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!consumer)
    return true;
  // It is written back in each turn of the consumer's loops: what is broadcast
  // would be added to once more for each copy.
  if (readsItsInit(producer) &&
      !consumer.getMatchingIndexingMap(operand).isPermutation())
    return false;
  std::optional<WindowProduct> windows = matchWindows(consumer);
  if (isInWindows(consumer, operand) || (windows && windows->types))
    return false;
  std::optional<Contraction> contraction = matchContraction(consumer);
  return !contraction || !contraction->types;
}

/// Operations with names of their own that compute elements of elements, as
/// `linalg.exp` and `linalg.map`, become `linalg.generic`, which fuse.
void generalizeElementwise(func::FuncOp func) {
  SmallVector<linalg::LinalgOp> named;
  func.walk([&](linalg::LinalgOp op) {
    // What only moves elements is known by its name.
    if (!isa<linalg::GenericOp>(op) && linalg::isElementwise(op) &&
        !llvm::hasSingleElement(*op.getBlock()))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named)
    (void)generalize(op);
}

/// A transpose that only one elementwise operation reads is part of it, which
/// then goes through both orders.
struct GeneralizeTranspose : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !op->hasOneUse())
      return failure();
    OpOperand &use = *op->use_begin();
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user || user->getBlock() != op->getBlock() || !user.isDpsInput(&use) ||
        user.getNumParallelLoops() != user.getNumLoops() ||
        !areTogether(user, op))
      return failure();
    FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    if (succeeded(made))
      placeLike(*made, user);
    return made;
  }
};

/// Bodies become vectors of arithmetic.
void expandAffineInBodies(func::FuncOp func) {
  SmallVector<affine::AffineApplyOp> applies;
  func.walk([&](affine::AffineApplyOp apply) {
    if (auto op = apply->getParentOfType<linalg::LinalgOp>();
        op && isOnHost(op))
      applies.push_back(apply);
  });
  for (affine::AffineApplyOp apply : applies) {
    OpBuilder b(apply);
    auto values = affine::expandAffineMap(
        b, apply.getLoc(), apply.getAffineMap(), apply.getOperands());
    apply.replaceAllUsesWith(values->front());
    apply.erase();
  }
}

/// Fuses what runs on one device, where `mayFuse` says so.
LogicalResult fuseElementwise(func::FuncOp func) {
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(
      patterns, [&](OpOperand *operand) {
        return mayFuse(operand) &&
               areTogether(operand->get().getDefiningOp(), operand->getOwner());
      });
  populateFoldConstantTransposes(patterns);
  populateReadThroughMoves(patterns);
  patterns.add<GeneralizeTranspose>(context);
  KeepPlace listener;
  GreedyRewriteConfig config;
  config.setListener(&listener);
  return applyPatternsGreedily(func, std::move(patterns), config);
}

struct FuseElementwisePass : impl::FuseElementwiseBase<FuseElementwisePass> {
  void runOnOperation() override {
    generalizeElementwise(getOperation());
    expandAffineInBodies(getOperation());
    dropKeptDims(getOperation());
    reshapeUnitTransposes(getOperation());
    addBroadcastInitsBehind(getOperation());
    if (failed(fuseElementwise(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
