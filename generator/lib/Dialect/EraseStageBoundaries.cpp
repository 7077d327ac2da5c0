// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Dialect/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_ERASESTAGEBOUNDARIES
#include "tilewright/Dialect/Passes.h.inc"

namespace {

struct EraseStageBoundariesPass
    : impl::EraseStageBoundariesBase<EraseStageBoundariesPass> {
  using EraseStageBoundariesBase::EraseStageBoundariesBase;

  void runOnOperation() override {
    auto removed = getOperation()->walk([](Operation *op) {
      if (isa<tw::AwaitReadsOp>(op)) {
        op->emitError("this target has no reads from global into workgroup "
                      "memory to wait for");
        return WalkResult::interrupt();
      }
      if (isa<tw::StageBoundaryOp>(op))
        op->erase();
      else
        op->removeDiscardableAttr(tw::kWorkgroupMemory);
      return WalkResult::advance();
    });
    if (removed.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
