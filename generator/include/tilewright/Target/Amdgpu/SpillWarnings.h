// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that keep registers in memory: slow, and a part of their plan is why.

#ifndef TILEWRIGHT_TARGET_AMDGPU_SPILLWARNINGS_H
#define TILEWRIGHT_TARGET_AMDGPU_SPILLWARNINGS_H

#include "tilewright/key.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tilewright {

/// A sentence for each kernel of a code object that spills registers to memory,
/// as the object's metadata says. For workgroup kernels of `keys`, and for
/// kernels of one wave around their tiles, it names the parts of the plan to
/// change, which was made with `overrides`.
llvm::Expected<std::vector<std::string>>
spillWarnings(llvm::ArrayRef<char> codeObject, llvm::ArrayRef<TileKey> keys,
              llvm::StringRef prefix, llvm::StringRef overrides);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_AMDGPU_SPILLWARNINGS_H
