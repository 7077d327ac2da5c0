// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes, the header and instances have to agree on about entry points.

#ifndef TILEWRIGHT_COMPILE_ENTRYNAMES_H
#define TILEWRIGHT_COMPILE_ENTRYNAMES_H

#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// Appended to an entry point's name: the functions beside it.
inline constexpr llvm::StringLiteral kMessageSuffix = "_message";
inline constexpr llvm::StringLiteral kWorkspaceBytesSuffix = "_workspace_bytes";
inline constexpr llvm::StringLiteral kWithWorkspaceSuffix = "_with_workspace";

/// The entry point whose results are the values that states begin with.
inline constexpr llvm::StringLiteral kInitialState = "tw.initial_state";

/// The status of the first assertion of an entry point, others follow; far
/// beyond those of tilewright/status.h.
inline constexpr int32_t kFirstAssertion = 1024;

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_ENTRYNAMES_H
