// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions that go on from a broadcast, as front ends write a bias.

#ifndef TILEWRIGHT_LIB_COMPILE_BROADCASTINITS_H
#define TILEWRIGHT_LIB_COMPILE_BROADCASTINITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// Has those of the host begin with zeros, and adds what was broadcast to the
/// result: an elementwise operation, which fuses with others, instead of a
/// tensor that is written and read. Not of floats of less than 32 bits, which
/// would be rounded once more.
void addBroadcastInitsBehind(mlir::func::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_BROADCASTINITS_H
