// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-fuse-elementwise and tw-fuse-on-device: upstream's patterns, where they
// cost no tile.

#include "ConstantElements.h"
#include "MatchContraction.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FUSEELEMENTWISE
#define GEN_PASS_DEF_FUSEONDEVICE
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Whether what makes `operand` may be computed where it is used: once, and not
/// in the body of a contraction, which would be no tile's any more.
bool mayFuse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  if (!producer || !producer->hasOneUse())
    return false;
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  std::optional<Contraction> contraction =
      consumer ? matchContraction(consumer) : std::nullopt;
  return !contraction || !contraction->types;
}

struct FuseElementwisePass : impl::FuseElementwiseBase<FuseElementwisePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, mayFuse);
    populateFoldConstantTransposes(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

struct FuseOnDevicePass : impl::FuseOnDeviceBase<FuseOnDevicePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          return mayFuse(operand) &&
                 !isOnHost(operand->get().getDefiningOp()) &&
                 !isOnHost(operand->getOwner());
        });
    populateFoldConstantTransposes(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
