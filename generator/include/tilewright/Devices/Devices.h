// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that Tilewright has tiles for.

#ifndef TILEWRIGHT_DEVICES_DEVICES_H
#define TILEWRIGHT_DEVICES_DEVICES_H

#include "mlir/IR/DialectRegistry.h"

namespace tilewright {

/// Lets the dialect `tw` provide the devices that models are compiled for: CPUs
/// by parseTargetCpu's names, AMD GPUs.
void registerDevices(mlir::DialectRegistry &registry);

} // namespace tilewright

#endif // TILEWRIGHT_DEVICES_DEVICES_H
