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
/// Appended to the id of an argument that is handed over packed: what packs it,
/// and what says how many bytes that takes.
inline constexpr llvm::StringLiteral kPackSuffix = "_pack";
inline constexpr llvm::StringLiteral kPackedBytesSuffix = "_packed_bytes";
/// Its private functions: the one that computes, the one that refuses sizes,
/// and, for a runner, the one that says how large results are.
inline constexpr llvm::StringLiteral kBodySuffix = ".body";
/// Before kBodySuffix, of a second body, which is called for few rows.
inline constexpr llvm::StringLiteral kFewRowsSuffix = ".few_rows";
inline constexpr llvm::StringLiteral kCheckSuffix = ".check";
inline constexpr llvm::StringLiteral kResultSizesSuffix = ".result_sizes";
/// Appended to the name of a model with instances: their functions.
inline constexpr llvm::StringLiteral kOpenSuffix = "_open_parameters";
inline constexpr llvm::StringLiteral kCloseSuffix = "_close_parameters";
inline constexpr llvm::StringLiteral kCreateSuffix = "_create";
inline constexpr llvm::StringLiteral kDestroySuffix = "_destroy";
inline constexpr llvm::StringLiteral kResetSuffix = "_reset";
/// And one that no program sees: it makes what an instance keeps.
inline constexpr llvm::StringLiteral kRunOnceSuffix = ".run_once";

/// The C declaration of the last argument of entry points that may use several
/// threads.
inline constexpr llvm::StringLiteral kParallelForParameter =
    "const tw_parallel_for_t *parallel_for";

/// Whether that is the name of a body that an entry point calls for few rows.
inline bool isFewRowsBody(llvm::StringRef name) {
  return name.consume_back(kBodySuffix) && name.ends_with(kFewRowsSuffix);
}

/// The entry point whose results are the values that states begin with.
inline constexpr llvm::StringLiteral kInitialState = "tw.initial_state";
/// The entry point that computes what an instance keeps.
inline constexpr llvm::StringLiteral kRunOnce = "tw.run_once";

/// The status of the first assertion of an entry point, others follow; far
/// beyond those of tilewright/status.h.
inline constexpr int32_t kFirstAssertion = 1024;

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_ENTRYNAMES_H
