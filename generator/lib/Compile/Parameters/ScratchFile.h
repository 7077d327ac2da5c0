// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_PARAMETERS_SCRATCHFILE_H
#define TILEWRIGHT_LIB_COMPILE_PARAMETERS_SCRATCHFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <vector>

namespace tilewright {

/// Memory that is a file's, which has no name: what is packed need not stay in
/// memory at once, since the system may write it there. It may become the file
/// of parameters, whose table there is room for at its beginning.
class ScratchFile {
public:
  /// In the folder of `path`.
  static llvm::Expected<std::unique_ptr<ScratchFile>>
  besides(llvm::StringRef path);
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;
  ~ScratchFile();

  static constexpr uint64_t kTableRoom = 64 << 10;

  /// Null if the file cannot grow. Lives as long as the file.
  char *allocate(size_t size);

  /// Where in the file `bytes` are; nothing if they are elsewhere.
  std::optional<uint64_t> offsetOf(llvm::StringRef bytes) const;
  uint64_t size() const { return end; }

  /// Makes `table` the file's first bytes and `bytes` its size. Its mappings
  /// must not be touched behind that.
  llvm::Error finish(llvm::StringRef table, uint64_t bytes);
  int getDescriptor() const { return descriptor; }

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
  uint64_t end = kTableRoom;
  struct Piece {
    llvm::MutableArrayRef<char> memory;
    uint64_t offset;
  };
  std::vector<Piece> mapped;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_SCRATCHFILE_H
