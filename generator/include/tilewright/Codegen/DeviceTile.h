// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles for AMD GPUs, whose way through the generator is a short one.

#ifndef TILEWRIGHT_CODEGEN_DEVICETILE_H
#define TILEWRIGHT_CODEGEN_DEVICETILE_H

#include "tilewright/Codegen/TileGenerator.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"

namespace tilewright {

/// Fills in the bytes of `tile`, whose key, name and kind are given. Errors do
/// not name the tile.
llvm::Error generateDeviceTile(GeneratedTile &tile,
                               const GenerateOptions &options,
                               DeviceBackends &backends);

/// Why there is no file of this kind for a device function, and what is
/// accepted; success if there is.
llvm::Error checkDeviceKind(Emit kind);

/// Asm, Bitcode or CodeObject of the tile `function`.
llvm::Error emitDeviceTile(llvm::Module &module, llvm::Function &function,
                           tw_isa_t isa, DeviceBackend &backend, Emit kind,
                           llvm::SmallVectorImpl<char> &bytes);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_DEVICETILE_H
