// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_REGISTRYENTRY_H
#define TILEWRIGHT_LIB_CODEGEN_REGISTRYENTRY_H

#include "llvm/IR/Module.h"

namespace tilewright {

/// Adds to the module the tw_tile_entry_t of `function` (abi/, tile.h): a
/// constant in the section `tw_tiles`, kept by every linker and optimiser, from
/// which the runtime library finds the tile.
void addRegistryEntry(llvm::Module &module, llvm::Function &function);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CODEGEN_REGISTRYENTRY_H
