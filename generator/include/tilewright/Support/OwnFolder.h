// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_SUPPORT_OWNFOLDER_H
#define TILEWRIGHT_SUPPORT_OWNFOLDER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilewright {

/// The folder `name` of files that belong to this executable: both in the build
/// tree and installed, <prefix>/bin holds the tools and
/// <prefix>/lib/tilewright/<name> the files.
std::string ownFolder(llvm::StringRef name);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_OWNFOLDER_H
