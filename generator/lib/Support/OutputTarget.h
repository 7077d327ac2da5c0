// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_SUPPORT_OUTPUTTARGET_H
#define TILEWRIGHT_LIB_SUPPORT_OUTPUTTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include <optional>
#include <string>
#include <sys/stat.h>

namespace tilewright {

/// What a path stands for, links followed.
struct OutputTarget {
  enum class Kind {
    File,       ///< a regular file, there or not yet: replaced
    Descriptor, ///< one that this process has open: written to
    Special     ///< anything else that can be opened: written to
  };

  Kind kind = Kind::File;
  /// File and Special: without links, but for the descriptors of other
  /// processes.
  std::string path;
  int descriptor = -1;
  /// A File that exists.
  std::optional<struct stat> status;
  /// Equal for all paths of one regular file; empty for what is none.
  std::string identity;
};

/// What `path` stands for if it is written; "-" is standard output. An error if
/// it cannot be.
llvm::ErrorOr<OutputTarget> findOutputTarget(llvm::StringRef path);

/// OutputTarget::identity of a file that is read; empty if it is no regular
/// file or not there.
std::string inputIdentity(llvm::StringRef path);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_SUPPORT_OUTPUTTARGET_H
