// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workgroup kernels of tiles, by the generator.

#include "tilewright/Compile/DeviceKernels.h"

#include "tilewright/Kernels/KernelGenerator.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace tilewright {

Expected<DeviceKernelLaunch> deviceKernelLaunch(const TileKey &key,
                                                StringRef prefix) {
  Expected<KernelPlan> plan = planKernel(key);
  if (!plan)
    return plan.takeError();
  return DeviceKernelLaunch{kernelName(key, prefix), kernelLaunch(key, *plan)};
}

Error addDeviceKernels(Module &module, ArrayRef<TileKey> keys,
                       StringRef prefix) {
  KernelGenerator generator;
  KernelOptions options;
  options.prefix = prefix.str();
  for (const TileKey &key : keys) {
    Expected<GeneratedKernel> kernel =
        generator.generate(key, options, module.getContext());
    if (!kernel)
      return kernel.takeError();
    if (Linker::linkModules(module, std::move(kernel->module)))
      return createStringError("the kernel '" + kernel->name +
                               "' cannot be linked");
  }
  return Error::success();
}

} // namespace tilewright
