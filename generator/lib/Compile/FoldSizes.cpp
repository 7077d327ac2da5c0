// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-fold-sizes: what is left of arithmetic on scalars.

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FOLDSIZES
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct FoldSizesPass : impl::FoldSizesBase<FoldSizesPass> {
  void runOnOperation() override {
    eraseDead();
    SmallVector<Operation *> scalars;
    getOperation().walk([&](Operation *op) {
      bool isArithmetic =
          isa_and_nonnull<arith::ArithDialect, affine::AffineDialect>(
              op->getDialect());
      auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
      if ((isArithmetic && llvm::all_of(op->getResultTypes(), isScalar)) ||
          isa<tensor::DimOp>(op))
        scalars.push_back(op);
    });
    // Those of which a size is made, and nothing else.
    if (failed(applyOpPatternsGreedily(
            scalars, RewritePatternSet(&getContext()),
            GreedyRewriteConfig().setStrictness(
                GreedyRewriteStrictness::ExistingAndNewOps))))
      return signalPassFailure();
    eraseDead();
  }

  void eraseDead() {
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { ops.push_back(op); });
    // Users are behind, and what is in a region is behind what has it.
    for (Operation *op : llvm::reverse(ops))
      if (op != getOperation().getOperation() && isOpTriviallyDead(op))
        op->erase();
  }
};

} // namespace
} // namespace tilewright
