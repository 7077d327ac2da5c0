// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-separate-empties: what is written somewhere has a place of its own.

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_SEPARATEEMPTIES
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct SeparateEmptiesPass : impl::SeparateEmptiesBase<SeparateEmptiesPass> {
  void runOnOperation() override {
    getOperation().walk([](tensor::EmptyOp op) { separate(op); });
  }

  static void separate(tensor::EmptyOp op) {
    if (op->use_empty() || op->hasOneUse())
      return;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      // Within a loop it would be made anew each time.
      bool isBeside = use.getOwner()->getBlock() == op->getBlock();
      OpBuilder b(isBeside ? use.getOwner() : op);
      use.set(b.clone(*op)->getResult(0));
    }
    op.erase();
  }
};

} // namespace
} // namespace tilewright
