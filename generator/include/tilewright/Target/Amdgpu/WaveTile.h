// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile functions for a wave of an AMD GPU, as LLVM IR.

#ifndef TILEWRIGHT_TARGET_AMDGPU_WAVETILE_H
#define TILEWRIGHT_TARGET_AMDGPU_WAVETILE_H

#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/WavePlan.h"
#include "llvm/IR/Module.h"

namespace tilewright {

/// The type of a tile function: void(ptr addrspace(1) out, ptr addrspace(1)
/// lhs, ptr addrspace(1) rhs, ptr params).
llvm::FunctionType *waveTileType(llvm::LLVMContext &context);

/// Defines the tile function of `key`, as `plan` says, which must fit:
/// always-inline, and not optimised yet. The module need not have a target. A
/// declaration of the function's name and type becomes the definition.
llvm::Function *defineWaveTile(llvm::Module &module, const TileKey &key,
                               const WavePlan &plan, llvm::StringRef prefix);

/// A module of the tile function alone, planned with these overrides, for the
/// back end's target, and simplified. Errors are those of the plan.
llvm::Expected<std::unique_ptr<llvm::Module>>
generateWaveTile(const TileKey &key, llvm::StringRef prefix,
                 llvm::StringRef overrides, DeviceBackend &backend,
                 llvm::LLVMContext &context);

/// A kernel that calls the tile function `tile` of the same module, for one
/// wave: amdgpu_kernel void(out, lhs, rhs, tw_mmt4d_params_t by value). It has
/// the tile's name, with "_wave" behind it.
llvm::Function *defineWaveKernel(llvm::Module &module, llvm::Function &tile,
                                 tw_isa_t isa);

/// The code of that kernel, which the module then has as well.
llvm::Expected<llvm::SmallVector<char, 0>>
emitWaveKernel(llvm::Module &module, llvm::Function &tile, tw_isa_t isa,
               DeviceBackend &backend, DeviceFile kind);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_AMDGPU_WAVETILE_H
