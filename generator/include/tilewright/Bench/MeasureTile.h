// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile, measured on this CPU.

#ifndef TILEWRIGHT_BENCH_MEASURETILE_H
#define TILEWRIGHT_BENCH_MEASURETILE_H

#include "tilewright/Bench/BenchReport.h"
#include "tilewright/key.h"
#include "tilewright/tile.h"

namespace tilewright {

struct MeasureOptions {
  /// Each call gets other panels, from a ring that no cache holds.
  bool cold = false;
  /// K steps per call; 0: what fills three quarters of the first cache.
  int64_t k = 0;
  /// How often the tile, the peaks and plain loops take turns.
  int64_t rounds = 150;
};

/// Whether this CPU can run tiles of `isa`. An error names the tile `name` and
/// says why not, and what can be done instead.
llvm::Error checkRunnable(const TileKey &key, llvm::StringRef name);

/// `key` with the sizes that it has here, where scalable ones are numbers. An
/// error if this CPU has no such vectors.
llvm::Expected<TileKey> keyHere(const TileKey &key, llvm::StringRef name);

/// How the result of `fn` was compared and found right; an error if it is
/// wrong. `key`, here and below, has no scalable sizes.
llvm::Expected<std::string>
checkResult(const TileKey &key, llvm::StringRef name, tw_mmt4d_tile_fn_t fn);

/// Fills the measured fields of `tile`: K, times, peaks. An error if it would
/// take more memory than there is.
llvm::Error measureTile(const TileKey &key, tw_mmt4d_tile_fn_t fn,
                        const MeasureOptions &options, BenchedTile &tile);

/// This CPU, without tiles: `cpu`, `core`, `isas`, and a remark on what it has
/// that no tile uses, where one of `keys` could.
BenchReport describeCpu(llvm::ArrayRef<TileKey> keys);

} // namespace tilewright

#endif // TILEWRIGHT_BENCH_MEASURETILE_H
