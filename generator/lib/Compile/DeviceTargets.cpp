// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceTargets.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Encoding/Device.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace tilewright {

const TargetCpu &DeviceTargets::of(Operation *op) {
  tw::DeviceAttr device = deviceOf(op);
  std::shared_ptr<TargetCpu> &target = targets[device];
  for (tw::DeviceAttr named : {device, hostOf(op)}) {
    if (target || !named)
      break;
    FailureOr<std::shared_ptr<const Device>> found =
        findDevice(named.getTarget(), kDefaultPrefix, op->getContext());
    if (succeeded(found) && (*found)->getTarget())
      target = std::make_shared<TargetCpu>(*(*found)->getTarget());
  }
  if (!target)
    target = std::make_shared<TargetCpu>(targetCpuOf(info(TW_ISA_GENERIC)));
  return *target;
}

void setTargetsOfOthers(ModuleOp module, llvm::Module &code,
                        const Backend &backend) {
  DeviceTargets targets;
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (llvm::Function *made = code.getFunction(func.getName());
        made && !made->isDeclaration() && func->hasAttr(kDeviceAttr))
      backend.setTarget(*made, targets.of(func));
}

LoopMachine loopMachineOf(const TargetCpu &target) {
  const Target *room = findTarget(target.archName());
  return room ? room->loopMachine(
                    [&](StringRef feature) { return target.has(feature); })
              : LoopMachine();
}

VectorTarget vectorsOf(const TargetCpu &target) {
  return {target.best().vectorBits / 8, loopMachineOf(target).masks};
}

} // namespace tilewright
