// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/OwnFolder.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilewright {

std::string ownFolder(StringRef name) {
  static int anchor;
  SmallString<256> folder(sys::fs::getMainExecutable(nullptr, &anchor));
  sys::path::remove_filename(folder);
  sys::path::remove_filename(folder);
  sys::path::append(folder, "lib", "tilewright", name);
  return std::string(folder);
}

} // namespace tilewright
