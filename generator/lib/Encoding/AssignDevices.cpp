// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-assign-devices: which devices there are, and where each operation runs.

#include "tilewright/Encoding/Device.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_ASSIGNDEVICES
#include "tilewright/Encoding/Passes.h.inc"

namespace {

struct AssignDevicesPass : impl::AssignDevicesBase<AssignDevicesPass> {
  using AssignDevicesBase::AssignDevicesBase;

  LogicalResult initialize(MLIRContext *context) override {
    SmallVector<Attribute> attrs;
    for (StringRef text : devices) {
      auto [name, target] = text.split('=');
      if (target.empty())
        target = name;
      FailureOr<std::shared_ptr<const Device>> device =
          findDevice(target, /*prefix=*/"", context);
      if (failed(device))
        return failure();
      if (llvm::any_of(attrs, [name = name](Attribute attr) {
            return cast<tw::DeviceAttr>(attr).getName() == name;
          }))
        return emitError(UnknownLoc::get(context))
               << "two devices are called '" << name << "'";
      attrs.push_back(tw::DeviceAttr::get(
          context, name, target,
          (*device)->hasOwnMemory() ? tw::Memory::Own : tw::Memory::Host));
    }
    if (!attrs.empty())
      named = ArrayAttr::get(context, attrs);
    return success();
  }

  void runOnOperation() override {
    if (named)
      getOperation()->setAttr(tw::kDevices, named);
    // An operation on tensors that became the body of a structured one says it
    // there.
    getOperation().walk([](linalg::GenericOp op) {
      for (Operation &inner : *op.getBody())
        if (Attribute attr = inner.removeDiscardableAttr(kDeviceAttr))
          op->setAttr(kDeviceAttr, attr);
    });
    WalkResult walk = getOperation().walk([&](Operation *op) {
      Attribute attr = op->getAttr(kDeviceAttr);
      return WalkResult(LogicalResult::success(!attr || isKnown(op, attr)));
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

  bool isKnown(Operation *op, Attribute attr) {
    if (!devicesOf(op).empty())
      return succeeded(tw::verifyDevice(op, attr));
    op->emitError() << "has " << kDeviceAttr << " = " << attr
                    << ", but the model is compiled for no device that has a "
                       "name; give it one, as --device gpu=amdgpu:gfx942";
    return false;
  }

  ArrayAttr named;
};

} // namespace
} // namespace tilewright
