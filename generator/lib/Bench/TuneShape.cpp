// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Bench/TuneShape.h"

#include "TunedRatio.h"
#include "measure/operands.h"
#include "measure/slices.h"
#include "tilewright/Bench/LoadedTiles.h"
#include "tilewright/Bench/MeasureTile.h"
#include "tilewright/Bench/TuneTile.h"
#include "tilewright/Codegen/ChooseBody.h"
#include "tilewright/Devices/ChooseTile.h"
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

/// Of the matmul that is timed: bytes of a row along K, as long as a slice of K
/// may be of which a panel stays in the first cache; a rhs that only the second
/// one holds; and, of many rows, about so many, which that holds as well.
constexpr int64_t kRowBytes = 512, kRhsBytes = 128 << 10, kManyRows = 384;

/// K steps of rows of the wider operand.
int64_t stepsOf(const TileKey &here) {
  return kRowBytes /
         std::max(here.lhsStepBytes() / here.m0, here.rhsStepBytes() / here.n0);
}

/// A tile that is ready to be timed: a matmul of its panels, in the order of
/// tw_mmt4d. What few rows cost is above all reading the rhs, which one call on
/// one panel would not say.
class Runnable {
public:
  Runnable(tw_mmt4d_tile_fn_t fn, const TileKey &here, const MatmulRows &rows)
      : lhsPanels(std::max<int64_t>(
            1, rows.most < 0 ? kManyRows / here.m0
                             : int64_t(divideCeil(uint64_t(rows.most),
                                                  uint64_t(here.m0))))),
        steps(stepsOf(here)), lhsBytes(padded(steps * here.lhsStepBytes())),
        rhsBytes(padded(steps * here.rhsStepBytes())),
        outBytes(padded(here.outTileBytes())),
        rhsPanels(std::max<int64_t>(1, kRhsBytes / rhsBytes)),
        memory(bench::allocateAligned(bytes())),
        multiplies(double(rows.most < 0 ? lhsPanels * here.m0 : rows.most) *
                   double(rhsPanels * here.n0) * double(steps * here.k0)) {
    std::fill_n(memory.get(), bytes(), uint8_t(0));
    params.K = steps;
    params.M0 = here.m0;
    params.N0 = here.n0;
    params.K0 = here.k0;
    params.flags = here.types;
    // It runs it, and finds how often a slice does.
    sliced.emplace([this, fn](int64_t times) { run(fn, times); },
                   kSliceSeconds);
  }
  Runnable(const Runnable &) = delete;

  /// Seconds for one multiply-add of the matmul.
  double slice() { return sliced->slice() / multiplies; }

private:
  static int64_t padded(int64_t bytes) {
    return int64_t(alignTo(uint64_t(bytes), 64));
  }
  int64_t bytes() const {
    return lhsPanels * lhsBytes + rhsPanels * rhsBytes +
           lhsPanels * rhsPanels * outBytes;
  }
  void run(tw_mmt4d_tile_fn_t fn, int64_t times) {
    uint8_t *rhs = memory.get() + lhsPanels * lhsBytes;
    for (int64_t time = 0; time < times; ++time) {
      uint8_t *out = rhs + rhsPanels * rhsBytes;
      for (int64_t n = 0; n < rhsPanels; ++n)
        for (int64_t m = 0; m < lhsPanels; ++m, out += outBytes)
          fn(out, memory.get() + m * lhsBytes, rhs + n * rhsBytes, &params);
    }
  }

  int64_t lhsPanels, steps, lhsBytes, rhsBytes, outBytes, rhsPanels;
  bench::AlignedBytes memory;
  tw_mmt4d_params_t params{};
  double multiplies;
  std::optional<bench::Sliced> sliced;
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
