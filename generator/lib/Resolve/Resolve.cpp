// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Resolve/Resolve.h"

#include "HandWritten.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Codegen/StepTimer.h"
#include "tilewright/Codegen/TemplateBitcode.h"
#include "tilewright/Resolve/ChooseBody.h"
#include "tilewright/Resolve/TileCache.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <mutex>
#include <set>

using namespace llvm;

namespace tilewright {

StringRef originName(Origin origin) {
  switch (origin) {
  case Origin::HandWritten:
    return "hand-written";
  case Origin::Cached:
    return "cached";
  case Origin::Generated:
    return "generated";
  }
  llvm_unreachable("all origins are covered");
}

namespace {

/// `library`: a hash of the bitcode library that a hand-written tile is from,
/// or of the template that a function is made from.
Expected<std::string> cacheKeyOf(const FunctionKey &key, Emit kind,
                                 const GenerateOptions &options,
                                 StringRef library) {
  Expected<Triple> triple = targetTriple(info(isaOf(key)), options.triple);
  if (!triple)
    return triple.takeError();
  GenerateOptions own = options;
  if (const auto *tile = std::get_if<TileKey>(&key))
    own.plan = planParts(*tile, options);
  return TileCache::key(printFunctionKey(key, options.prefix), kind, own,
                        triple->str(), library);
}

bool isBinary(Emit kind) {
  return kind == Emit::Bitcode || kind == Emit::Object ||
         kind == Emit::CodeObject;
}

/// One call of resolveTiles.
class Resolver {
public:
  explicit Resolver(const ResolveOptions &options)
      : options(options), bitcode(options.bitcodeDir),
        packs(packTemplate(options.bitcodeDir)),
        amx(amxTemplate(options.bitcodeDir)) {}

  Expected<std::vector<ResolvedTile>> run(ArrayRef<FunctionKey> keys);

private:
  /// What one worker keeps from tile to tile: made when first needed, for a
  /// run that finds everything in the cache needs none.
  struct Worker {
    std::optional<TileGenerator> generator;
    Backends backends; // for what is made from bitcode
  };

  void work(MutableArrayRef<ResolvedTile> tiles,
            MutableArrayRef<std::string> errors);
  Error resolve(ResolvedTile &tile, Worker &worker);
  /// What stands for the tile, and how it is generated.
  const HandWrittenTile *choose(const ResolvedTile &tile, Worker &worker,
                                GenerateOptions &how);
  Error generate(ResolvedTile &tile, const HandWrittenTile *handWritten,
                 const GenerateOptions &how, Worker &worker);
  /// Of the body of `handWritten`, as HandWrittenBitcode has it. To take the
  /// body out of its library takes longer than to look up what came of it last
  /// time.
  Expected<std::string> digestOf(const HandWrittenTile &handWritten,
                                 Worker &worker);
  /// What the function's bytes depend on beside its key and the tool.
  Expected<std::string> libraryOf(const ResolvedTile &tile,
                                  const HandWrittenTile *handWritten);
  /// What the function is made of if it is not planned; null if it is.
  TemplateBitcode *templateOf(const FunctionKey &key) const {
    const auto *tile = std::get_if<TileKey>(&key);
    return !tile ? packs.get() : tile->vnni ? amx.get() : nullptr;
  }
  void remember(const std::string &entry, ArrayRef<char> bytes);
  void openCache();
  void finishCache();
  void sayUnfollowed();
  /// Remembers the first reason; the kernels come all the same.
  void notCached(Error error);

  const ResolveOptions &options;
  std::optional<TileCache> cache;
  HandWrittenBitcode bitcode;
  std::unique_ptr<TemplateBitcode> packs, amx;
  std::atomic<size_t> next{0};
  std::mutex mutex; // of what follows
  size_t done = 0;
  unsigned stored = 0;
  std::string cacheTrouble;
  UnfollowedEntries unfollowed;
};

const HandWrittenTile *Resolver::choose(const ResolvedTile &tile,
                                        Worker &worker, GenerateOptions &how) {
  const auto *key = std::get_if<TileKey>(&tile.key);
  if (!key)
    return nullptr;
  ChosenBody body =
      chooseBody(*key, options, [&](const HandWrittenTile &handWritten) {
        return digestOf(handWritten, worker);
      });
  how.plan = body.plan;
  if (body.tuned.unfollowed) {
    std::lock_guard<std::mutex> lock(mutex);
    unfollowed.add(body.tuned);
  }
  return isBinary(options.kind) ? body.handWritten : nullptr;
}

Expected<std::string> Resolver::digestOf(const HandWrittenTile &handWritten,
                                         Worker &worker) {
  if (!cache)
    return bitcode.digest(handWritten, worker.backends);
  Expected<std::string> library = bitcode.hash(handWritten.key.isa);
  if (!library)
    return library.takeError();
  std::string entry = TileCache::digestKey(handWritten.name, *library);
  if (auto known = cache->lookup(entry))
    return std::string(known->begin(), known->end());
  Expected<std::string> digest = bitcode.digest(handWritten, worker.backends);
  if (digest)
    remember(entry, ArrayRef<char>(digest->data(), digest->size()));
  return digest;
}

Error Resolver::generate(ResolvedTile &tile, const HandWrittenTile *handWritten,
                         const GenerateOptions &how, Worker &worker) {
  if (TemplateBitcode *source = handWritten ? nullptr : templateOf(tile.key)) {
    if (Error error = source->generate(tile.key, options.kind, how,
                                       worker.backends, tile.bytes, tile.times))
      return createStringError(tile.name + ": " + toString(std::move(error)));
    return Error::success();
  }
  if (handWritten) {
    Expected<SmallVector<char, 0>> bytes = bitcode.extract(
        *handWritten, options.kind, how, worker.backends, tile.times);
    if (!bytes)
      return createStringError(tile.name + ": " + toString(bytes.takeError()));
    tile.bytes = std::move(*bytes);
    return Error::success();
  }
  if (!worker.generator)
    worker.generator.emplace();
  const TileKey &key = std::get<TileKey>(tile.key);
  GenerateOptions planned = how;
  if (auto known = options.plans.find(key);
      how.plan.empty() && known != options.plans.end())
    planned.plan = known->second;
  Expected<GeneratedTile> generated =
      worker.generator->generate(key, options.kind, planned);
  if (!generated)
    return generated.takeError();
  tile.bytes = std::move(generated->bytes);
  tile.times = generated->times;
  return Error::success();
}

Expected<std::string> Resolver::libraryOf(const ResolvedTile &tile,
                                          const HandWrittenTile *handWritten) {
  if (handWritten)
    return bitcode.hash(handWritten->key.isa);
  TemplateBitcode *source = templateOf(tile.key);
  return source ? source->hash() : std::string();
}

Error Resolver::resolve(ResolvedTile &tile, Worker &worker) {
  GenerateOptions how = options.generate;
  const HandWrittenTile *handWritten = choose(tile, worker, how);
  tile.origin = handWritten ? Origin::HandWritten : Origin::Generated;

  // Bitcode of a hand-written tile costs no more to extract than to look up.
  if (!cache || (handWritten && options.kind == Emit::Bitcode))
    return generate(tile, handWritten, how, worker);

  Expected<std::string> library = libraryOf(tile, handWritten);
  if (!library)
    return createStringError(tile.name + ": " + toString(library.takeError()));
  Expected<std::string> entry =
      cacheKeyOf(tile.key, options.kind, how, *library);
  if (!entry)
    return createStringError(tile.name + ": " + toString(entry.takeError()));
  if (auto bytes = cache->lookup(*entry)) {
    tile.bytes = std::move(*bytes);
    if (!handWritten)
      tile.origin = Origin::Cached;
    return Error::success();
  }
  if (Error error = generate(tile, handWritten, how, worker))
    return error;
  remember(*entry, tile.bytes);
  return Error::success();
}

void Resolver::remember(const std::string &entry, ArrayRef<char> bytes) {
  Error error = cache->store(entry, bytes);
  std::lock_guard<std::mutex> lock(mutex);
  ++stored;
  notCached(std::move(error));
}

void Resolver::work(MutableArrayRef<ResolvedTile> tiles,
                    MutableArrayRef<std::string> errors) {
  Worker worker;
  for (size_t i = next++; i < tiles.size(); i = next++) {
    {
      StepTimer timer(tiles[i].ms);
      if (Error error = resolve(tiles[i], worker))
        errors[i] = toString(std::move(error));
    }
    if (!options.progress)
      continue;
    std::lock_guard<std::mutex> lock(mutex);
    options.progress(++done, tiles.size());
  }
}

void Resolver::notCached(Error error) {
  std::string why = toString(std::move(error));
  if (!why.empty() && cacheTrouble.empty())
    cacheTrouble = "kernels are not cached: " + why;
}

void Resolver::openCache() {
  if (!options.useCache || !isBinary(options.kind))
    return;
  Expected<std::string> directory = TileCache::directoryFor(options.cacheDir);
  if (!directory)
    return notCached(directory.takeError());
  Expected<TileCache> opened = TileCache::openOrMake(*directory);
  if (!opened)
    return notCached(opened.takeError());
  cache = std::move(*opened);
}

void Resolver::finishCache() {
  if (cache && stored > 0 && cacheTrouble.empty())
    if (Expected<bool> pruned = cache->prune(); !pruned)
      cacheTrouble = toString(pruned.takeError());
  if (!cacheTrouble.empty() && options.warn)
    options.warn(cacheTrouble);
}

void Resolver::sayUnfollowed() {
  if (!options.warn)
    return;
  if (std::string text = unfollowed.text(); !text.empty())
    options.warn(text);
}

Expected<std::vector<ResolvedTile>> Resolver::run(ArrayRef<FunctionKey> keys) {
  std::vector<ResolvedTile> tiles;
  std::set<FunctionKey> seen;
  for (const FunctionKey &key : keys) {
    if (std::string why = validateFunctionKey(key); !why.empty())
      return createStringError("invalid key: " + why);
    if (!seen.insert(key).second)
      continue;
    ResolvedTile tile;
    tile.key = key;
    tile.name = printFunctionKey(key, options.generate.prefix);
    tiles.push_back(std::move(tile));
  }

  openCache();
  std::vector<std::string> errors(tiles.size());
  ThreadPoolStrategy strategy = hardware_concurrency(options.jobs);
  unsigned jobs =
      std::min<size_t>(strategy.compute_thread_count(), tiles.size());
  if (jobs <= 1) {
    work(tiles, errors);
  } else {
    DefaultThreadPool pool(strategy);
    for (unsigned job = 0; job < jobs; ++job)
      pool.async([&] { work(tiles, errors); });
    pool.wait();
  }
  finishCache();
  sayUnfollowed();

  Error all = Error::success();
  for (const std::string &error : errors)
    if (!error.empty())
      all = joinErrors(std::move(all), createStringError(error));
  if (all)
    return std::move(all);
  return tiles;
}

} // namespace

bool takesHandWritten(const HandWrittenTile &tile,
                      const ResolveOptions &options) {
  return options.preferHandWritten &&
         !wantsOtherIdiom(tile.key, options.generate);
}

Expected<std::string> cacheKey(const FunctionKey &key, Emit kind,
                               const GenerateOptions &options,
                               StringRef bitcodeDir) {
  std::string library;
  const auto *tile = std::get_if<TileKey>(&key);
  Error error = !tile ? packTemplate(bitcodeDir)->hash().moveInto(library)
                : tile->vnni ? amxTemplate(bitcodeDir)->hash().moveInto(library)
                             : Error::success();
  if (error)
    return std::move(error);
  return cacheKeyOf(key, kind, options, library);
}

Expected<std::vector<ResolvedTile>>
resolveFunctions(ArrayRef<FunctionKey> keys, const ResolveOptions &options) {
  return Resolver(options).run(keys);
}

Expected<std::vector<ResolvedTile>>
resolveTiles(ArrayRef<TileKey> keys, const ResolveOptions &options) {
  return resolveFunctions(std::vector<FunctionKey>(keys.begin(), keys.end()),
                          options);
}

Expected<std::unique_ptr<Module>> resolveTileModule(const TileKey &key,
                                                    ResolveOptions options,
                                                    LLVMContext &context) {
  options.kind = Emit::Bitcode;
  Expected<std::vector<ResolvedTile>> tiles = resolveTiles({key}, options);
  if (!tiles)
    return tiles.takeError();
  const ResolvedTile &tile = tiles->front();
  return parseBitcodeFile(
      MemoryBufferRef(StringRef(tile.bytes.data(), tile.bytes.size()),
                      tile.name),
      context);
}

} // namespace tilewright
