// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of workgroup kernels; Passes.td describes each.

#ifndef TILEWRIGHT_TARGET_AMDGPU_PASSES_H
#define TILEWRIGHT_TARGET_AMDGPU_PASSES_H

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace tilewright {

#define GEN_PASS_DECL
#include "tilewright/Target/Amdgpu/Passes.h.inc"

/// Registers them, for tools that take passes by name.
void registerTilewrightAmdgpuWorkgroupPasses();

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_AMDGPU_PASSES_H
