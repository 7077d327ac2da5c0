// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-relayout-on-device: one kernel instead of an unpack and a pack of the
// host.

#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_RELAYOUTONDEVICE
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct RelayoutOnDevicePass : impl::RelayoutOnDeviceBase<RelayoutOnDevicePass> {
  void runOnOperation() override {
    getOperation().walk([](linalg::PackOp pack) {
      auto unpack = pack.getSource().getDefiningOp<linalg::UnPackOp>();
      if (!unpack || !unpack->hasOneUse() || !isOnHost(pack) ||
          !isOnHost(unpack) || unpack->getBlock() != pack->getBlock())
        return;
      Operation *maker = unpack.getSource().getDefiningOp();
      if (!maker || isOnHost(maker))
        return;
      auto region = dyn_cast<tw::DispatchRegionOp>(pack->getParentOp());
      if (region && !doesNothingElse(region, unpack, pack))
        return;
      tw::DeviceAttr device = deviceOf(maker);
      placeOn(device, unpack);
      placeOn(device, pack);
      if (region)
        placeOn(device, region);
    });
  }

  static bool doesNothingElse(tw::DispatchRegionOp region, Operation *unpack,
                              Operation *pack) {
    return llvm::all_of(region.getBody().front(), [&](Operation &op) {
      return &op == unpack || &op == pack ||
             !isa<DestinationStyleOpInterface>(op);
    });
  }
};

} // namespace
} // namespace tilewright
