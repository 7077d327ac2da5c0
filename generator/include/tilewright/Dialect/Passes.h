// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on the dialect `tw` that know no target; Passes.td describes each.

#ifndef TILEWRIGHT_DIALECT_PASSES_H
#define TILEWRIGHT_DIALECT_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/Pass.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

#define GEN_PASS_DECL
#include "tilewright/Dialect/Passes.h.inc"

/// Registers them, for tools that take passes by name.
void registerTilewrightDialectPasses();

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_PASSES_H
