// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator's own passes; Passes.td describes each.

#ifndef TILEWRIGHT_TRANSFORMS_PASSES_H
#define TILEWRIGHT_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

#define GEN_PASS_DECL
#include "tilewright/Transforms/Passes.h.inc"

/// Registers them, for tools that take passes by name.
void registerTilewrightTransformsPasses();

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_PASSES_H
