// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_PARAMETERS_SCRATCHFILE_H
#define TILEWRIGHT_LIB_COMPILE_PARAMETERS_SCRATCHFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace tilewright {

/// Memory that is a file's, which has no name: what is packed need not stay in
/// memory at once, since the system may write it there.
class ScratchFile {
public:
  /// In the folder of `path`.
  static llvm::Expected<std::unique_ptr<ScratchFile>>
  besides(llvm::StringRef path);
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;
  ~ScratchFile();

  /// Null if the file cannot grow. Lives as long as the file.
  char *allocate(size_t size);

  /// While one lives, what this thread makes of constants is in the file.
  class Use {
  public:
    explicit Use(ScratchFile *file);
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
    ~Use();

  private:
    ScratchFile *const outer;
  };
  /// The one in use; null for none.
  static ScratchFile *current();

private:
  explicit ScratchFile(int descriptor) : descriptor(descriptor) {}

  int descriptor;
  uint64_t size = 0;
  std::vector<llvm::MutableArrayRef<char>> mapped;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_SCRATCHFILE_H
