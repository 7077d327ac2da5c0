// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Bench/TuneTile.h"

#include "PackedMatmul.h"
#include "TunedRatio.h"
#include "measure/slices.h"
#include "tilewright/Bench/LoadedTiles.h"
#include "tilewright/Bench/MeasureTile.h"
#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Resolve/ChooseBody.h"
#include "tilewright/Support/Activity.h"
#include "llvm/Support/xxhash.h"
#include <deque>

using namespace llvm;

namespace tilewright {
namespace {

constexpr int kFewRows = 4;

/// A body that is ready to be timed.
struct Runnable {
  tw_mmt4d_tile_fn_t fn;
  SmallVector<char, 0> object;
};

} // namespace

std::string TunedCandidate::text() const {
  return plan.empty() ? "hand-written" : "plan " + plan;
}

bool TunedTile::isSlowRow() const {
  return candidates.front().plan.empty() && !entry.isHandWritten &&
         entry.high < 0.98;
}

void decide(TunedTile &tile, ArrayRef<Challenger> results,
            function_ref<std::vector<Challenger>()> generated) {
  for (auto [candidate, result] :
       zip_equal(MutableArrayRef(tile.candidates).drop_front(), results))
    candidate.result = result;
  tile.chosen = decideRatio(tile.entry, results);
  tile.generated = tile.chosen;
  tile.entry.isHandWritten = tile.candidates[tile.chosen].plan.empty();
  if (tile.entry.isHandWritten && results.size() > 1)
    if (std::optional<size_t> best = quickest(generated()))
      tile.generated = *best + 2;
  tile.entry.plan = tile.candidates[tile.generated].plan;
}

struct TileTuner::Impl {
  TuneOptions options;
  TileGenerator generator;
  std::string core = hostCoreName();

  Expected<SmallVector<char, 0>> makeObject(const TileKey &key,
                                            const std::string &plan);
  Expected<TunedTile> plansOf(const TileKey &key);
  Expected<std::deque<Runnable>> makeAll(const TileKey &key,
                                         const TileKey &here,
                                         LoadedTiles &loaded, TunedTile &tile);
};

TileTuner::TileTuner(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
TileTuner::~TileTuner() = default;

Expected<std::unique_ptr<TileTuner>>
TileTuner::create(const TuneOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  return std::unique_ptr<TileTuner>(new TileTuner(std::move(impl)));
}

Expected<SmallVector<char, 0>>
TileTuner::Impl::makeObject(const TileKey &key, const std::string &plan) {
  if (plan.empty()) {
    ResolveOptions resolve;
    resolve.jobs = 1;
    resolve.useCache = false;
    resolve.bitcodeDir = options.bitcodeDir;
    Expected<std::vector<ResolvedTile>> tiles = resolveTiles({key}, resolve);
    if (!tiles)
      return tiles.takeError();
    return std::move(tiles->front().bytes);
  }
  GenerateOptions how;
  how.plan = plan;
  Expected<GeneratedTile> made = generator.generate(key, Emit::Object, how);
  if (!made)
    return made.takeError();
  return std::move(made->bytes);
}

/// The bodies to measure, and all of the entry that is not measured.
Expected<TunedTile> TileTuner::Impl::plansOf(const TileKey &key) {
  TunedTile tile;
  tile.entry.name = printTileKey(key);
  tile.entry.core = core;
  tile.entry.version = tuningVersion();
  tile.entry.generator = generatorDigest();
  const HandWrittenTile *row = findHandWrittenTile(key);
  if (Error error = handWrittenDigest(row, options.bitcodeDir)
                        .moveInto(tile.entry.handWritten))
    return createStringError(tile.entry.name + ": " +
                             toString(std::move(error)));
  if (row)
    tile.candidates.emplace_back();
  // One that is not known is planned for as any.
  Expected<const CoreModel *> model = findCore(core);
  Expected<std::vector<TilePlan>> plans =
      planCandidates(key, options.candidates, model ? *model : nullptr);
  consumeError(model.takeError());
  if (!plans)
    return createStringError(tile.entry.name + ": " +
                             toString(plans.takeError()));
  for (const TilePlan &plan : *plans)
    tile.candidates.push_back({printTilePlan(plan), {}});
  return tile;
}

/// Makes, loads and checks the candidates, and leaves out of them those that
/// are no use.
Expected<std::deque<Runnable>> TileTuner::Impl::makeAll(const TileKey &key,
                                                        const TileKey &here,
                                                        LoadedTiles &loaded,
                                                        TunedTile &tile) {
  const std::string &name = tile.entry.name;
  std::deque<Runnable> bodies;
  std::vector<TunedCandidate> usable;
  for (TunedCandidate &candidate : tile.candidates) {
    auto make = [&]() -> Error {
      Expected<SmallVector<char, 0>> object = makeObject(key, candidate.plan);
      if (!object)
        return object.takeError();
      if (any_of(bodies,
                 [&](const Runnable &body) { return body.object == *object; }))
        return Error::success();
      Expected<tw_mmt4d_tile_fn_t> fn = loaded.load(name, *object);
      if (!fn)
        return createStringError(name + ": " + toString(fn.takeError()));
      WorkingOnInput running(name, "running it");
      Expected<std::string> checked = checkResult(here, name, *fn);
      if (!checked)
        return checked.takeError();
      bodies.push_back({*fn, std::move(*object)});
      usable.push_back(std::move(candidate));
      return Error::success();
    };
    Error failed = make();
    if (!failed)
      continue;
    if (bodies.empty())
      return std::move(failed);
    std::string why = toString(std::move(failed));
    if (options.warn)
      options.warn(why + "; the body of " + candidate.text() + " is left out");
  }
  tile.candidates = std::move(usable);
  return bodies;
}

Expected<TunedTile> TileTuner::tune(const TileKey &key) {
  Expected<TunedTile> tile = impl->plansOf(key);
  if (!tile)
    return tile.takeError();
  const std::string &name = tile->entry.name;
  Expected<TileKey> here = keyHere(key, name);
  if (!here)
    return here.takeError();
  Expected<LoadedTiles> loaded = LoadedTiles::create();
  if (!loaded)
    return loaded.takeError();
  Expected<std::deque<Runnable>> bodies =
      impl->makeAll(key, *here, *loaded, *tile);
  if (!bodies)
    return bodies.takeError();

  WorkingOnInput running(name, "running it");
  // The same operands for all: where memory lies decides nothing. Tiles of few
  // rows are there for matmuls of as many.
  PackedMatmul matmul(*here, here->m0 <= kFewRows ? here->m0 : -1);
  std::vector<bench::Sliced> timed;
  for (const Runnable &body : *bodies)
    timed.emplace_back([&](int64_t calls) { matmul.run(body.fn, calls); },
                       kSliceSeconds);
  PairTiming timing;
  timing.slice = [&](size_t body) { return timed[body].slice(); };
  timing.now = bench::now;
  timing.budgetSeconds = impl->options.budgetSeconds;
  timing.seed = xxh3_64bits(StringRef(name));
  const std::vector<Challenger> results =
      comparePairs(timed.size() - 1, timing);
  decide(*tile, results, [&] {
    timing.slice = [&](size_t body) { return timed[body + 1].slice(); };
    return comparePairs(timed.size() - 2, timing);
  });
  if (!tile->entry.plan.empty())
    tile->entry.code = codeDigest((*bodies)[tile->generated].object);
  tile->entry.measured = timeNow();
  return tile;
}

} // namespace tilewright
