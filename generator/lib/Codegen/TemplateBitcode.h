// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitcode of C functions whose arguments a name binds.

#ifndef TILEWRIGHT_LIB_CODEGEN_TEMPLATEBITCODE_H
#define TILEWRIGHT_LIB_CODEGEN_TEMPLATEBITCODE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <mutex>
#include <string>

namespace tilewright {

/// A file of them, read once. Thread-safe.
class TemplateBitcode {
public:
  using PathOf = llvm::Expected<std::string> (*)(llvm::StringRef dir);

  TemplateBitcode(llvm::StringRef dir, PathOf pathOf)
      : dir(dir), pathOf(pathOf) {}

  llvm::Expected<llvm::MemoryBufferRef> read();
  /// A hash of it.
  llvm::Expected<std::string> hash();

private:
  std::string dir;
  PathOf pathOf;
  std::mutex mutex;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CODEGEN_TEMPLATEBITCODE_H
