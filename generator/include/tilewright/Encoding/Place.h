// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device an operation of a model runs on.

#ifndef TILEWRIGHT_ENCODING_PLACE_H
#define TILEWRIGHT_ENCODING_PLACE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tilewright {

/// On a function or operation of a model: where it runs, kHost or kDevice. On
/// one that was outlined: kDevice, or absent.
inline constexpr llvm::StringLiteral kDeviceAttr = "tw.device";
inline constexpr llvm::StringLiteral kHost = "host";
inline constexpr llvm::StringLiteral kDevice = "device";

/// Whether `op` runs on the host, of a model that has a device.
inline bool isOnHost(mlir::Operation *op) {
  auto place = op->getAttrOfType<mlir::StringAttr>(kDeviceAttr);
  return place && place.getValue() == kHost;
}

/// What is a part of `whole` now, or was made for it, runs where it did.
inline void placeLike(mlir::Operation *part, mlir::Operation *whole) {
  if (mlir::Attribute place = whole->getAttr(kDeviceAttr))
    part->setAttr(kDeviceAttr, place);
}

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_PLACE_H
