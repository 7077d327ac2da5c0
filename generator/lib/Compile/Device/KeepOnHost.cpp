// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-keep-on-host: what branches and loops do, which a device's straight line
// of launches has no place for.

#include "../RequiredSizes.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_KEEPONHOST
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct KeepOnHostPass : impl::KeepOnHostBase<KeepOnHostPass> {
  void runOnOperation() override {
    tw::DeviceAttr host = hostOf(getOperation());
    getOperation().walk([&](Operation *op) {
      if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op) || isInElementBody(op))
        return;
      for (Region &region : op->getRegions())
        for (Operation &inner : region.getOps())
          if (!isOnHost(&inner))
            placeOn(host, &inner);
    });
  }
};

} // namespace
} // namespace tilewright
