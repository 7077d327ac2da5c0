// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workgroup kernels of tiles, by the generator.

#include "tilewright/Compile/DeviceKernels.h"

#include "tilewright/Registry/Registry.h"
#include "tilewright/Resolve/Resolve.h"
#include "tilewright/Target/Amdgpu/KernelGenerator.h"
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

namespace {

/// The hand-written tile of `key`, or the generated one.
Expected<std::unique_ptr<Module>> tileModule(const TileKey &key,
                                             const DeviceKernelOptions &options,
                                             LLVMContext &context) {
  ResolveOptions resolve;
  resolve.generate.prefix = options.prefix;
  resolve.bitcodeDir = options.bitcodeDir;
  resolve.useCache = false;
  resolve.jobs = 1;
  return resolveTileModule(key, std::move(resolve), context);
}

} // namespace

Error addDeviceKernels(Module &module, ArrayRef<TileKey> keys,
                       const DeviceKernelOptions &options) {
  KernelGenerator generator;
  for (const TileKey &key : keys) {
    KernelOptions kernelOptions;
    kernelOptions.prefix = options.prefix;
    if (options.preferHandWritten && findHandWrittenTile(key))
      kernelOptions.tile = [&](const TileKey &key, LLVMContext &context) {
        return tileModule(key, options, context);
      };
    Expected<GeneratedKernel> kernel =
        generator.generate(key, kernelOptions, module.getContext());
    if (!kernel)
      return kernel.takeError();
    if (Linker::linkModules(module, std::move(kernel->module)))
      return createStringError("the kernel '" + kernel->name +
                               "' cannot be linked");
  }
  return Error::success();
}

} // namespace tilewright
