// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright gen` and `tilewright explain` of workgroup kernels.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_GENKERNELS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_GENKERNELS_H

#include "tilewright/Resolve/Resolve.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

/// The kernels of `keys`, at the stage `options.kind`. The tiles that they call
/// are resolved as `options` says; its plan is the kernels'.
llvm::Expected<std::vector<ResolvedTile>>
generateKernels(llvm::ArrayRef<TileKey> keys, const ResolveOptions &options);

/// Prints the kernel's plan, launch and cost, or adds them to `into`.
llvm::Error explainKernel(const TileKey &key, llvm::StringRef prefix,
                          llvm::StringRef overrides, llvm::json::Array *into);

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_GENKERNELS_H
