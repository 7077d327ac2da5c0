// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Bench/TuneShape.h"

#include "PackedMatmul.h"
#include "TunedRatio.h"
#include "measure/slices.h"
#include "tilewright/Bench/LoadedTiles.h"
#include "tilewright/Bench/MeasureTile.h"
#include "tilewright/Bench/TuneTile.h"
#include "tilewright/Devices/ChooseTile.h"
#include "tilewright/Resolve/ChooseBody.h"
#include "tilewright/Support/Activity.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Packing, and what a matmul larger than the second cache waits for, depend on
/// the shape and are not timed: less is a tie.
constexpr double kShapeTie = 0.97;
/// Up to so many rows panels for many are looked at.
constexpr int64_t kFewRows = 16;

bool haveSamePanels(const TileKey &a, const TileKey &b) {
  return a.n0 == b.n0 && a.k0 == b.k0 && a.n0Scalable == b.n0Scalable;
}

/// The rows that are computed for `m` at least, by those of `tiles` that have
/// the panels of `key`.
int64_t leastRows(ArrayRef<TileKey> tiles, const TileKey &key, int64_t m) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const TileKey &tile : tiles)
    if (haveSamePanels(tile, key) && !tile.m0Scalable)
      least = std::min(least, int64_t(alignTo(uint64_t(m), uint64_t(tile.m0))));
  return least;
}

bool servesFewRows(ArrayRef<TileKey> tiles, const TileKey &key) {
  for (int64_t m = 1; m <= kFewRows; ++m)
    if (leastRows(tiles, key, m) > leastRows(tiles, tiles.front(), m))
      return false;
  return true;
}

/// A tile that is ready to be timed.
class Runnable {
public:
  Runnable(tw_mmt4d_tile_fn_t fn, const TileKey &here, const MatmulRows &rows)
      : matmul(here, rows.most),
        // It runs it, and finds how often a slice does.
        sliced([this, fn](int64_t times) { matmul.run(fn, times); },
               kSliceSeconds) {}
  Runnable(const Runnable &) = delete;

  /// Seconds for one multiply-add of the matmul.
  double slice() { return sliced.slice() / matmul.multiplies(); }

private:
  PackedMatmul matmul;
  bench::Sliced sliced;
};

Expected<std::vector<std::unique_ptr<Runnable>>>
makeRunnable(const TunedShape &shape, const MatmulRows &rows,
             const TuneOptions &options, LoadedTiles &loaded) {
  std::vector<TileKey> keys, here; // here: where vectors have a length
  for (const ShapeCandidate &candidate : shape.candidates) {
    keys.push_back(candidate.key);
    Expected<TileKey> sizes = keyHere(keys.back(), printTileKey(keys.back()));
    if (!sizes)
      return sizes.takeError();
    here.push_back(*sizes);
  }
  ResolveOptions resolve;
  resolve.jobs = 1;
  resolve.useCache = false;
  resolve.bitcodeDir = options.bitcodeDir;
  Expected<std::vector<ResolvedTile>> tiles = resolveTiles(keys, resolve);
  if (!tiles)
    return tiles.takeError();
  std::vector<std::unique_ptr<Runnable>> runnable;
  for (auto [tile, sizes] : zip_equal(*tiles, here)) {
    Expected<tw_mmt4d_tile_fn_t> fn = loaded.load(tile.name, tile.bytes);
    if (!fn)
      return createStringError(tile.name + ": " + toString(fn.takeError()));
    WorkingOnInput running(tile.name, "running it");
    if (Error error = checkResult(sizes, tile.name, *fn).takeError())
      return std::move(error);
    runnable.push_back(std::make_unique<Runnable>(*fn, sizes, rows));
  }
  return runnable;
}

} // namespace

std::vector<TileKey> shapesToCompare(ArrayRef<TileKey> tiles,
                                     const MatmulRows &rows, size_t most) {
  if (tiles.empty() || (rows.most > 0 && tiles.front().m0Scalable))
    return {};
  std::vector<TileKey> shapes = {tiles.front()};
  for (const TileKey &key : tiles.drop_front()) {
    if (shapes.size() > most)
      break;
    if (rows.most > 0 ? !key.m0Scalable : servesFewRows(tiles, key))
      shapes.push_back(key);
  }
  return shapes;
}

void decide(TunedShape &shape, ArrayRef<Challenger> results) {
  for (auto [candidate, result] :
       zip_equal(MutableArrayRef(shape.candidates).drop_front(), results))
    candidate.result = result;
  shape.chosen = decideRatio(shape.entry, results);
  shape.entry.tile = printTileKey(shape.candidates[shape.chosen].key);
  shape.entry.beside = printTileKey(shape.candidates.front().key);
}

Expected<std::optional<TunedShape>> tuneShape(const TypeTripleInfo &types,
                                              const MatmulRows &rows,
                                              const TuneOptions &options) {
  const TargetCpu host = hostTargetCpu();
  std::vector<TileKey> tiles;
  for (const TileKey &key : comparableTiles(types, rows.most, host)) {
    Error unrunnable = checkRunnable(key, printTileKey(key));
    if (!unrunnable)
      tiles.push_back(key);
    consumeError(std::move(unrunnable));
  }
  TunedShape shape;
  for (const TileKey &key : shapesToCompare(tiles, rows, options.candidates))
    shape.candidates.push_back({key, {}});
  if (shape.candidates.empty())
    return std::nullopt;
  shape.entry.types = types.name;
  shape.entry.rows = rows.name;
  shape.entry.core = hostCoreName();
  shape.entry.version = tuningVersion();

  Expected<LoadedTiles> loaded = LoadedTiles::create();
  if (!loaded)
    return loaded.takeError();
  Expected<std::vector<std::unique_ptr<Runnable>>> runnable =
      makeRunnable(shape, rows, options, *loaded);
  if (!runnable)
    return runnable.takeError();
  WorkingOnInput running(shapeText(shape.entry), "running its tiles");
  PairTiming timing;
  timing.slice = [&](size_t i) { return (*runnable)[i]->slice(); };
  timing.now = bench::now;
  timing.budgetSeconds = options.budgetSeconds;
  timing.tie = kShapeTie;
  timing.seed = xxh3_64bits(shapeText(shape.entry));
  decide(shape, comparePairs(runnable->size() - 1, timing));
  shape.entry.measured = timeNow();
  auto digest = [&](const std::string &name, std::string &into) {
    return handWrittenDigest(findHandWrittenTile(*parseTileKey(name).key),
                             options.bitcodeDir)
        .moveInto(into);
  };
  if (Error error = digest(shape.entry.tile, shape.entry.handWritten))
    return std::move(error);
  if (Error error = digest(shape.entry.beside, shape.entry.besideHandWritten))
    return std::move(error);
  return shape;
}

} // namespace tilewright
