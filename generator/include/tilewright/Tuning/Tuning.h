// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which body of a tile to take, by what was measured: databases asked for one
// tile and one core.

#ifndef TILEWRIGHT_TUNING_TUNING_H
#define TILEWRIGHT_TUNING_TUNING_H

#include "tilewright/Tuning/Database.h"
#include "tilewright/key.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <vector>

namespace tilewright {

/// The digest of all that the generator's code for CPUs depends on: its
/// sources, and LLVM's version. Unlike TileCache::thisBuild(), builds of the
/// same sources have the same.
llvm::StringRef generatorDigest();

/// That of one generated body, of its object: "LLVM 22.1.8 0123456789abcdef".
std::string codeDigest(llvm::ArrayRef<char> object);
/// The version of LLVM in such a digest, "LLVM 22.1.8"; empty of none.
llvm::StringRef llvmOf(llvm::StringRef code);
/// That of this build.
llvm::StringRef llvmHere();

/// The version of the tool, "0.1.0".
llvm::StringRef tuningVersion();

/// Why an entry is not followed.
enum class Unfollowed {
  NoTile, ///< its name is not that of a tile of a CPU; of shapes, as shapeOf()
          ///< says
  OtherCore,
  OtherVersion,     ///< of the tool
  OtherGenerator,   ///< its digest; of what is shipped, the version of LLVM
  OtherHandWritten, ///< there is another hand-written body, or none is at hand
  Plan,             ///< it does not fit the tile
};

/// What there is for one tile.
struct TunedBody {
  /// To follow; null for none.
  const TuningEntry *entry = nullptr;
  /// Without one: that which comes closest, and why it is not followed; null if
  /// there is nothing of the tile.
  const TuningEntry *unfollowed = nullptr;
  Unfollowed why = Unfollowed::NoTile;
  std::string reason;     ///< the same as a phrase
  bool isShipped = false; ///< the project's, and not what was asked for
};

/// The entries of a run that were asked for and not followed, counted.
class UnfollowedEntries {
public:
  void add(const TunedBody &body);
  void add(Unfollowed why, llvm::StringRef name, llvm::StringRef reason);
  /// One sentence without its full stop; empty if there were none.
  std::string text() const;

private:
  struct Kind {
    size_t count = 0;
    std::string name, reason; ///< of the first one
  };
  std::map<Unfollowed, Kind> kinds;
};

/// Databases that can be asked. Immutable, so thread-safe.
class Tuning {
public:
  /// `asked` before `shipped`.
  Tuning(TuningDatabase asked, TuningDatabase shipped);
  Tuning(const Tuning &) = delete;
  Tuning &operator=(const Tuning &) = delete;

  /// What there is for `key` on `core`. `handWritten` is asked for the digest
  /// of the hand-written body, empty for none, if there is an entry. An entry
  /// that is shipped outlives the generator that it was measured with: a test
  /// of the project compares its body's code.
  TunedBody
  find(const TileKey &key, llvm::StringRef core,
       llvm::function_ref<llvm::Expected<std::string>()> handWritten) const;

  /// The shapes to follow on `core`, at most one of each types and rows.
  /// `handWritten` is asked for the digests of bodies. The project's are what
  /// the runtime library has in measured_tiles.def, whatever bodies have
  /// become; of those that were asked for, what is not followed goes to
  /// `unfollowed`.
  std::vector<const ShapeEntry *>
  shapes(llvm::StringRef core,
         llvm::function_ref<llvm::Expected<std::string>(const TileKey &)>
             handWritten,
         UnfollowedEntries &unfollowed) const;

  /// Entries that are of no tile of a CPU, whatever is asked for.
  const UnfollowedEntries &unusable() const { return notTiles; }

private:
  struct Layer {
    TuningDatabase database;
    std::map<TileKey, std::vector<const TuningEntry *>> byKey;
  };
  void index(Layer &layer, bool isAsked);

  Layer asked, shipped;
  UnfollowedEntries notTiles;
};

/// What the project ships, of all cores.
llvm::Expected<TuningDatabase> shippedTuning();

} // namespace tilewright

#endif // TILEWRIGHT_TUNING_TUNING_H
