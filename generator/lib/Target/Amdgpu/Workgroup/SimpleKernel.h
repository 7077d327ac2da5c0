// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_SIMPLEKERNEL_H
#define TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_SIMPLEKERNEL_H

#include "tilewright/Target/Amdgpu/KernelPlan.h"
#include "llvm/IR/Module.h"

namespace tilewright {

/// Adds to `module`, which defines or will define the tile function `tile`, the
/// kernel `name`: each wave calls it for one tile.
llvm::Function *addSimpleKernel(llvm::Module &module, const TileKey &key,
                                const KernelPlan &plan, llvm::StringRef name,
                                llvm::StringRef tile);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_SIMPLEKERNEL_H
