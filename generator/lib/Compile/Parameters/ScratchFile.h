// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_PARAMETERS_SCRATCHFILE_H
#define TILEWRIGHT_LIB_COMPILE_PARAMETERS_SCRATCHFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tilewright {

/// Memory that is a file's, which has no name: what is packed need not stay in
/// memory at once, since the system may write it there. It may become the file
/// of parameters, whose table there is room for at its beginning. Several
/// programs that are compiled in a row may share it: what is made for one is
/// there for the others.
class ScratchFile {
public:
  /// In the folder of `path`, for so many programs.
  static llvm::Expected<std::unique_ptr<ScratchFile>>
  besides(llvm::StringRef path, size_t programs);
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;
  ~ScratchFile();

  bool isShared() const { return programs > 1; }
  /// Bytes at the beginning that are kept for the table.
  uint64_t tableRoom() const;

  /// Null if the file cannot grow. Lives as long as the file.
  char *allocate(size_t size);

  /// Memory of `size` bytes for what `key` tells from anything else, which
  /// `fill` makes of `source`: at the latest when fillAll() is called, so that
  /// each source is read once for all that is made of it. The memory of a key
  /// is always the same. Null as allocate().
  using Fill = std::function<void(llvm::MutableArrayRef<char>)>;
  char *allocateFilled(llvm::StringRef key, size_t size,
                       llvm::ArrayRef<char> source, Fill fill);
  void fillAll();
  /// Before `source` is read: it may be a part of what is still to be filled.
  void makeReady(llvm::ArrayRef<char> source);

  /// The same for what is made on the way to something else: in another file,
  /// of which nothing goes into the output, and filled at once.
  char *allocateBetween(llvm::StringRef key, size_t size,
                        llvm::ArrayRef<char> source, const Fill &fill);

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
  ScratchFile(int descriptor, llvm::StringRef path, size_t programs);

  int descriptor;
  std::string path; ///< what it is beside
  size_t programs;
  uint64_t end;
  struct Piece {
    llvm::MutableArrayRef<char> memory;
    uint64_t offset;
  };
  std::vector<Piece> mapped;
  llvm::StringMap<char *> filled; ///< by key
  struct Pending {
    llvm::ArrayRef<char> source;
    llvm::MutableArrayRef<char> memory;
    Fill fill;
  };
  std::vector<Pending> pending;
  std::unique_ptr<ScratchFile> between;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PARAMETERS_SCRATCHFILE_H
