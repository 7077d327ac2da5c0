// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wanted keys, of tiles and of pack functions -> bodies: hand-written, cached,
// or generated in parallel.

#ifndef TILEWRIGHT_RESOLVE_RESOLVE_H
#define TILEWRIGHT_RESOLVE_RESOLVE_H

#include "tilewright/Codegen/TileGenerator.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Tuning/Tuning.h"
#include "tilewright/pack_key.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include <functional>
#include <map>
#include <vector>

namespace tilewright {

enum class Origin { HandWritten, Cached, Generated };

/// "hand-written", "cached", "generated".
llvm::StringRef originName(Origin origin);

struct ResolveOptions {
  GenerateOptions generate;
  /// Bitcode, Object or CodeObject: hand-written tiles come as bitcode of their
  /// one function, or as an object made from it, so that both origins look
  /// alike. Any other stage: always generated, never cached.
  Emit kind = Emit::Object;
  /// Worker threads; 0 for all cores.
  unsigned jobs = 0;
  /// False: generate even where a hand-written tile exists.
  bool preferHandWritten = true;
  /// Plans that the caller has of tiles, in full, those that planTile chooses
  /// for `generate.tuneCpu`: it is not asked again. What is cached goes by what
  /// was asked for, as without them.
  std::map<TileKey, std::string> plans;
  /// What was measured of bodies; null for nothing. Followed, where it knows
  /// `core`, unless `generate` has a plan: as chooseBody has it.
  std::shared_ptr<const Tuning> tuning;
  /// The core that the program is to be quick on, as coreName() has it.
  std::string core;
  bool useCache = true;
  /// Cache directory; empty for $TILEWRIGHT_CACHE_DIR, else the user's cache
  /// directory + "/tilewright". One that cannot be used, or not be written, is
  /// a warning.
  std::string cacheDir;
  /// Directory of the hand-written bitcode libraries; empty for the tool's own.
  std::string bitcodeDir;
  /// Called with one sentence for what went wrong without being an error. From
  /// the calling thread.
  std::function<void(llvm::StringRef)> warn;
  /// Called after each tile with how many of how many are done. From any worker
  /// thread, one call at a time.
  std::function<void(size_t done, size_t total)> progress;
};

/// Whether `tile` is the body of its key. Tiles that the core of
/// options.generate multiplies by another idiom are generated all the same.
bool takesHandWritten(const HandWrittenTile &tile,
                      const ResolveOptions &options);

struct ResolvedTile {
  FunctionKey key;
  std::string name;
  Origin origin;
  llvm::SmallVector<char, 0> bytes; ///< bitcode or object, options.kind
  double ms = 0;                    ///< wall time spent on this tile
  StepTimes times;                  ///< zero unless generated
};

/// The key, in TileCache, of a generated kernel. An error for a triple that is
/// not for the key. `bitcodeDir`: as ResolveOptions has it.
llvm::Expected<std::string> cacheKey(const FunctionKey &key, Emit kind,
                                     const GenerateOptions &options,
                                     llvm::StringRef bitcodeDir = "");

/// Resolves each key once, in parallel; duplicates in `keys` are resolved
/// once and the result is in order of first appearance, whatever the number of
/// jobs. All errors are reported, joined, each naming its key.
llvm::Expected<std::vector<ResolvedTile>>
resolveFunctions(llvm::ArrayRef<FunctionKey> keys,
                 const ResolveOptions &options);

/// The same of tiles.
llvm::Expected<std::vector<ResolvedTile>>
resolveTiles(llvm::ArrayRef<TileKey> keys, const ResolveOptions &options);

/// The body of `key` as a module of its own, resolved as bitcode whatever
/// options.kind says.
llvm::Expected<std::unique_ptr<llvm::Module>>
resolveTileModule(const TileKey &key, ResolveOptions options,
                  llvm::LLVMContext &context);

} // namespace tilewright

#endif // TILEWRIGHT_RESOLVE_RESOLVE_H
