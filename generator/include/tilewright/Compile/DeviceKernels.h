// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The workgroup kernels that a model launches for its tiles.

#ifndef TILEWRIGHT_COMPILE_DEVICEKERNELS_H
#define TILEWRIGHT_COMPILE_DEVICEKERNELS_H

#include "tilewright/key.h"
#include "tilewright/tile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilewright {

struct DeviceKernelLaunch {
  std::string name; ///< "tw_mmt4d_kernel_..."
  tw_mmt4d_launch_t shape;
};

/// How the workgroup kernel of `key`, a tile of amdgpu, is launched.
llvm::Expected<DeviceKernelLaunch> deviceKernelLaunch(const TileKey &key,
                                                      llvm::StringRef prefix);

struct DeviceKernelOptions {
  std::string prefix = std::string(kDefaultPrefix);
  /// Kernels that call a tile call the hand-written one, where a row exists.
  bool preferHandWritten = true;
  /// Directory of the bitcode libraries; empty for the tool's own.
  std::string bitcodeDir;
};

/// Adds the workgroup kernels of `keys` to `module`, whose target is set.
llvm::Error addDeviceKernels(llvm::Module &module, llvm::ArrayRef<TileKey> keys,
                             const DeviceKernelOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_DEVICEKERNELS_H
