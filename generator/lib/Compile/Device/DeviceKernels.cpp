// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workgroup kernels of tiles, by the generator.

#include "tilewright/Compile/DeviceKernels.h"

#include "tilewright/Amdgpu/CodeObject.h"

using namespace llvm;

namespace tilewright {
namespace {

/// "tw_mmt4d_tile_..." with "kernel" for "tile".
std::string kernelName(const TileKey &key, StringRef prefix) {
  std::string name = printTileKey(key, prefix.str());
  return name.replace(prefix.size(), StringRef("_mmt4d_tile_").size(),
                      "_mmt4d_kernel_");
}

} // namespace

Expected<DeviceKernelLaunch> deviceKernelLaunch(const TileKey &key,
                                                StringRef prefix) {
  return DeviceKernelLaunch{kernelName(key, prefix),
                            {uint32_t(waveSize(key.isa)), 1, 1, 0}};
}

Error addDeviceKernel(Module &module, const TileKey &key, StringRef prefix) {
  return createStringError("there is no kernel '" + kernelName(key, prefix) +
                           "'");
}

} // namespace tilewright
