// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/Place.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tilewright {
namespace {

/// What `op` says, or what is around it.
StringAttr nameOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto name = op->getAttrOfType<StringAttr>(kDeviceAttr))
      return name;
  return nullptr;
}

tw::DeviceAttr firstIn(ArrayRef<tw::DeviceAttr> devices, tw::Memory memory) {
  auto found = llvm::find_if(
      devices, [&](auto device) { return device.getMemory() == memory; });
  return found == devices.end() ? nullptr : *found;
}

} // namespace

tw::DeviceAttr deviceOf(Operation *op) {
  SmallVector<tw::DeviceAttr> devices = devicesOf(op);
  if (devices.size() < 2)
    return devices.empty() ? nullptr : devices.front();
  if (StringAttr name = nameOf(op)) {
    for (tw::DeviceAttr device : devices)
      if (device.getName() == name.getValue())
        return device;
    llvm::report_fatal_error("no device is called '" + Twine(name.getValue()) +
                             "', which the verifier of the dialect tw refuses");
  }
  tw::DeviceAttr own = firstIn(devices, tw::Memory::Own);
  return own ? own : firstIn(devices, tw::Memory::Host);
}

tw::DeviceAttr hostOf(Operation *op) {
  return firstIn(devicesOf(op), tw::Memory::Host);
}

bool isOnHost(Operation *op) {
  tw::DeviceAttr device = deviceOf(op);
  return !device || device.getMemory() == tw::Memory::Host;
}

SmallVector<tw::DeviceAttr> devicesWithMemoryOf(Operation *op) {
  SmallVector<tw::DeviceAttr> devices = devicesOf(op);
  llvm::erase_if(devices, [](tw::DeviceAttr device) {
    return device.getMemory() == tw::Memory::Host;
  });
  return devices;
}

unsigned memorySpaceOf(Operation *op) {
  if (isOnHost(op))
    return 0;
  SmallVector<tw::DeviceAttr> devices = devicesWithMemoryOf(op);
  return 1 + unsigned(llvm::find(devices, deviceOf(op)) - devices.begin());
}

bool areTogether(Operation *x, Operation *y) {
  return deviceOf(x) == deviceOf(y);
}

int64_t threadsOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto threads = module->getAttrOfType<IntegerAttr>(kThreadsAttr);
  return threads ? threads.getInt() : 1;
}

void placeOn(tw::DeviceAttr device, Operation *op) {
  if (device)
    op->setAttr(kDeviceAttr,
                StringAttr::get(op->getContext(), device.getName()));
}

} // namespace tilewright
