// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-assign-devices: where each operation runs.

#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_ASSIGNDEVICES
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct AssignDevicesPass : impl::AssignDevicesBase<AssignDevicesPass> {
  using AssignDevicesBase::AssignDevicesBase;

  void runOnOperation() override {
    // An operation on tensors that became the body of a structured one says it
    // there.
    getOperation().walk([](linalg::GenericOp op) {
      for (Operation &inner : *op.getBody())
        if (Attribute attr = inner.removeDiscardableAttr(kDeviceAttr))
          op->setAttr(kDeviceAttr, attr);
    });
    WalkResult walk = getOperation().walk([&](Operation *op) {
      Attribute attr = op->getAttr(kDeviceAttr);
      return !attr || succeeded(check(op, attr)) ? WalkResult::advance()
                                                 : WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      Attribute attr = func->getAttr(kDeviceAttr);
      if (!attr)
        continue;
      for (Operation &op : func.getBody().getOps())
        if (!op.hasAttr(kDeviceAttr))
          op.setAttr(kDeviceAttr, attr);
    }
  }

  LogicalResult check(Operation *op, Attribute attr) {
    auto place = dyn_cast<StringAttr>(attr);
    if (!place || (place.getValue() != kHost && place.getValue() != kDevice))
      return op->emitError() << "has " << kDeviceAttr << " = " << attr
                             << "; accepted are \"host\" and \"device\"";
    if (place.getValue() == kDevice && !hasDevice)
      return op->emitError()
             << "is to run on a device, but the model is compiled for none; "
                "name one, as --target=amdgpu:gfx942";
    return success();
  }
};

} // namespace
} // namespace tilewright
