// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The local cache of generated kernels: one file per kernel, named after a hash
// of everything its bytes depend on.

#ifndef TILEWRIGHT_CODEGEN_TILECACHE_H
#define TILEWRIGHT_CODEGEN_TILECACHE_H

#include "tilewright/Codegen/TileGenerator.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace tilewright {

/// Thread-safe, and safe under any number of processes: an entry appears
/// atomically, and one that is truncated or damaged is as good as absent.
class TileCache {
public:
  /// The directory used when none is asked for: $TILEWRIGHT_CACHE_DIR, else the
  /// user's cache directory + "/tilewright". `fromEnvironment` says which.
  static llvm::Expected<std::string> defaultDirectory(bool &fromEnvironment);

  /// Makes the directory if need be.
  static llvm::Expected<TileCache> open(llvm::StringRef directory);

  /// The file name of an entry, without the directory: a hash of the symbol,
  /// the kind, the options, the LLVM version and this program's own bytes.
  static std::string entryName(llvm::StringRef symbol, Emit kind,
                               const GenerateOptions &options,
                               llvm::StringRef triple,
                               llvm::StringRef extra = "");

  /// The kernel of an entry; none if it is absent or damaged.
  std::optional<llvm::SmallVector<char, 0>> lookup(llvm::StringRef entry) const;

  /// Writes an entry, replacing whatever is there.
  llvm::Error store(llvm::StringRef entry, llvm::ArrayRef<char> bytes) const;

  /// Removes what the policy says (llvm::parseCachePruningPolicy's syntax;
  /// empty for $TILEWRIGHT_CACHE_POLICY, else "prune_interval=20m:
  /// prune_after=720h:cache_size_bytes=512m"). Unless `now`, it looks at most
  /// once per prune_interval; true if it did.
  llvm::Expected<bool> prune(llvm::StringRef policy = "",
                             bool now = false) const;

  struct Statistics {
    uint64_t entries = 0, bytes = 0;
  };
  llvm::Expected<Statistics> statistics() const;

  /// Removes all entries; returns what there was.
  llvm::Expected<Statistics> clear() const;

  llvm::StringRef directory() const { return dir; }

private:
  explicit TileCache(llvm::StringRef directory) : dir(directory) {}
  std::string path(llvm::StringRef entry) const;
  std::string dir;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_TILECACHE_H
