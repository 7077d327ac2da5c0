// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data tiling: the passes of encodings; Passes.td describes each.

#ifndef TILEWRIGHT_ENCODING_PASSES_H
#define TILEWRIGHT_ENCODING_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

#define GEN_PASS_DECL
#include "tilewright/Encoding/Passes.h.inc"

/// Registers them, for tools that take passes by name.
void registerTilewrightEncodingPasses();

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_PASSES_H
