// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code for a module's devices is made of.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICETARGETS_H
#define TILEWRIGHT_LIB_COMPILE_DEVICETARGETS_H

#include "Loops/LoopPlan.h"
#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Planning/Target.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

/// The target of each device, found once.
class DeviceTargets {
public:
  /// Of the device that `op` runs on, a CPU or a GPU. What is neither, as
  /// "none", is the host's code; a module without devices is for any machine.
  const TargetCpu &of(mlir::Operation *op);

private:
  llvm::DenseMap<tw::DeviceAttr, std::shared_ptr<TargetCpu>> targets;
};

/// Gives each function of `code` that another device than the host runs the
/// attributes of that one's target; `module` is what it was translated from.
void setTargetsOfOthers(mlir::ModuleOp module, llvm::Module &code,
                        const Backend &backend);

/// The vectors of loops for the target.
VectorTarget vectorsOf(const TargetCpu &target);
/// What else they may have; nothing on what no tile plans are made for.
LoopMachine loopMachineOf(const TargetCpu &target);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICETARGETS_H
