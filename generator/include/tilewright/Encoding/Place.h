// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a module's devices an operation runs on.

#ifndef TILEWRIGHT_ENCODING_PLACE_H
#define TILEWRIGHT_ENCODING_PLACE_H

#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

/// On a function or operation: the name of the device that it runs on, a
/// StringAttr; absent: where what is around it does, or, of a module, on the
/// first device with memory of its own, else on the host.
/// Of a module that says which devices there are, the verifier refuses others.
inline constexpr llvm::StringLiteral kDeviceAttr = tw::kDevice;

/// On a function that was outlined, or an operation: what to call it or its
/// kernel, a StringAttr.
inline constexpr llvm::StringLiteral kDispatchAttr = "tw.dispatch";

/// On a module whose calls may use several threads: how many tasks the work of
/// a dispatch is cut into at most, an i64 above 1.
inline constexpr llvm::StringLiteral kThreadsAttr = "tw.threads";

using tw::devicesOf;

/// The one that `op` runs on; null if the module names none.
tw::DeviceAttr deviceOf(mlir::Operation *op);

/// Those with memory of their own: that of each is memory space 1, 2, ...
llvm::SmallVector<tw::DeviceAttr> devicesWithMemoryOf(mlir::Operation *op);

/// The one that calls all others; null if the module names none.
tw::DeviceAttr hostOf(mlir::Operation *op);

/// Whether `op` computes in the host's memory.
bool isOnHost(mlir::Operation *op);

/// Where the memory of `op`'s device is: 0, the host's, or, of devices with
/// memory of their own, the place among these, from 1.
unsigned memorySpaceOf(mlir::Operation *op);

/// Whether they run on one device.
bool areTogether(mlir::Operation *x, mlir::Operation *y);

/// How many tasks the work of `op`'s module is cut into at most: kThreadsAttr,
/// or 1.
int64_t threadsOf(mlir::Operation *op);

/// What is a part of `whole` now, or was made for it, runs where it did.
inline void placeLike(mlir::Operation *part, mlir::Operation *whole) {
  if (mlir::Attribute place = whole->getAttr(kDeviceAttr))
    part->setAttr(kDeviceAttr, place);
}

/// `op`, and all in it that does not say otherwise, runs on `device`.
void placeOn(tw::DeviceAttr device, mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_PLACE_H
