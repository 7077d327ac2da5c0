// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_EPILOGUECODE_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_EPILOGUECODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include <string>

namespace tilewright {

/// On a function of LLVM IR: the kernel of the tile behind which it is done.
inline constexpr llvm::StringLiteral kTileKernelAttr = "tw-tile-kernel";

/// Makes a kernel of each function of `module` with kTileKernelAttr, under its
/// name: the tile's code, a barrier that makes what the workgroup has written
/// visible to all of it, and the function. Arguments are those of the tile's
/// kernel, then those of the function. Of tiles' kernels that stand in one only
/// those are kept that are `launched` by themselves, too.
void joinTileEpilogues(llvm::Module &module,
                       llvm::ArrayRef<std::string> launched);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_EPILOGUECODE_H
