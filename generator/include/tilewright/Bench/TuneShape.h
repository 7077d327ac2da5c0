// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles that a query chooses from, measured beside each other on this CPU.

#ifndef TILEWRIGHT_BENCH_TUNESHAPE_H
#define TILEWRIGHT_BENCH_TUNESHAPE_H

#include "tilewright/Tuning/ComparePairs.h"
#include "tilewright/Tuning/Shapes.h"

namespace tilewright {

struct TuneOptions;

struct ShapeCandidate {
  TileKey key;
  /// Beside the default; of the default itself as it is by default.
  Challenger result;
};

/// Of one type triple and number of rows.
struct TunedShape {
  /// What to follow.
  ShapeEntry entry;
  /// The default first: what is chosen without tuning.
  std::vector<ShapeCandidate> candidates;
  size_t chosen = 0;
};

/// Those of `tiles`, the default first, that may take its place for matmuls of
/// `rows`, at most `most` beside it. Panels that are packed for many rows are
/// multiplied by few, too: there only tiles stay whose panels have tiles that
/// pad no number of rows up to 16 more than the default's do.
std::vector<TileKey> shapesToCompare(llvm::ArrayRef<TileKey> tiles,
                                     const MatmulRows &rows, size_t most);

/// Fills in what the timing of all candidates but the default says: a tie keeps
/// the default.
void decide(TunedShape &shape, llvm::ArrayRef<Challenger> results);

/// Measures the hand-written tiles of `types` that this CPU runs for matmuls of
/// `rows` and many columns. None if it runs none that can be compared. An error
/// if one is wrong. Of `options`, `candidates` are tiles beside the default.
llvm::Expected<std::optional<TunedShape>> tuneShape(const TypeTripleInfo &types,
                                                    const MatmulRows &rows,
                                                    const TuneOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_BENCH_TUNESHAPE_H
