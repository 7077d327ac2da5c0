// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The local cache of generated kernels: one file per kernel, which says all
// that its bytes depend on. docs/cache.md says what it promises.

#ifndef TILEWRIGHT_RESOLVE_TILECACHE_H
#define TILEWRIGHT_RESOLVE_TILECACHE_H

#include "tilewright/Codegen/TileGenerator.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace tilewright {

/// Thread-safe, and safe under any number of processes: an entry appears
/// atomically, and one that is damaged or another key's is as good as absent.
class TileCache {
public:
  /// The directory that `asked` stands for: itself, or if it is empty
  /// $TILEWRIGHT_CACHE_DIR, else the user's cache directory + "/tilewright".
  static llvm::Expected<std::string> directoryFor(llvm::StringRef asked);

  /// A cache to add to. Makes the directory if need be; an error if it is there
  /// and no cache.
  static llvm::Expected<TileCache> openOrMake(llvm::StringRef directory);

  /// A cache that is there, to look at. Makes nothing.
  static llvm::Expected<TileCache> open(llvm::StringRef directory);

  /// Identifies this build of the generator: the program that contains it.
  static llvm::StringRef thisBuild();

  /// What a kernel's bytes depend on, in full: the symbol, the kind, the
  /// options, the triple, whatever `extra` names, the LLVM version and the
  /// build of the generator.
  static std::string key(llvm::StringRef symbol, Emit kind,
                         const GenerateOptions &options, llvm::StringRef triple,
                         llvm::StringRef extra = "",
                         llvm::StringRef build = thisBuild());

  /// The same of the digest of a hand-written body: its tile, the hash of the
  /// library that it is in, and the build that takes it out.
  static std::string digestKey(llvm::StringRef tile, llvm::StringRef library,
                               llvm::StringRef build = thisBuild());

  /// The kernel of `key`; none unless there is an entry of this format, of this
  /// very key and without damage.
  std::optional<llvm::SmallVector<char, 0>> lookup(llvm::StringRef key) const;

  /// Writes an entry, replacing whatever is there.
  llvm::Error store(llvm::StringRef key, llvm::ArrayRef<char> bytes) const;

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

  /// Removes all entries, and what writers that were killed left of some;
  /// returns what entries there were.
  llvm::Expected<Statistics> clear() const;

  /// The file of an entry: a hash of the key.
  std::string path(llvm::StringRef key) const;

private:
  explicit TileCache(llvm::StringRef directory) : dir(directory) {}
  std::string dir;
};

} // namespace tilewright

#endif // TILEWRIGHT_RESOLVE_TILECACHE_H
