// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that Tilewright has tiles for.

#ifndef TILEWRIGHT_DEVICES_DEVICES_H
#define TILEWRIGHT_DEVICES_DEVICES_H

#include "mlir/IR/DialectRegistry.h"
#include <functional>

namespace tilewright {

struct TargetCpu;

/// Lets the dialect `tw` provide the devices that models are compiled for: CPUs
/// by parseTargetCpu's names, AMD GPUs. `tune`, if any, may change what was
/// measured of tiles on a target; from any thread.
void registerDevices(mlir::DialectRegistry &registry,
                     std::function<void(TargetCpu &)> tune = nullptr);

} // namespace tilewright

#endif // TILEWRIGHT_DEVICES_DEVICES_H
