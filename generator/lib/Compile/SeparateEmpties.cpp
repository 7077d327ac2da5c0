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
    SmallVector<tensor::EmptyOp> found;
    getOperation().walk([&](tensor::EmptyOp op) { found.push_back(op); });
    for (tensor::EmptyOp op : found)
      separate(op);
  }

  static void separate(tensor::EmptyOp op) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    if (uses.size() < 2)
      return;
    for (OpOperand *use : uses) {
      // Within a loop it would be made anew each time.
      bool isBeside = use->getOwner()->getBlock() == op->getBlock();
      OpBuilder b(isBeside ? use->getOwner() : op);
      use->set(b.clone(*op)->getResult(0));
    }
    op.erase();
  }
};

} // namespace
} // namespace tilewright
