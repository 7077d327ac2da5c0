// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright cache: look at, prune and clear the local cache of kernels.

#include "Commands.h"

#include "tilewright/Resolve/TileCache.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

cl::SubCommand cacheOptions("cache", "Look at, prune or clear the cache of "
                                     "generated kernels");

cl::opt<std::string> action(cl::Positional, cl::sub(cacheOptions),
                            cl::desc("[stats|prune|clear]"), cl::init("stats"));
cl::opt<std::string> cacheDir("cache-dir", cl::sub(cacheOptions),
                              cl::value_desc("dir"),
                              cl::desc("The cache's directory (default: "
                                       "$TILEWRIGHT_CACHE_DIR, else the user's "
                                       "cache)"));
cl::opt<std::string> policy(
    "policy", cl::sub(cacheOptions), cl::value_desc("policy"),
    cl::desc("What 'prune' removes (default: $TILEWRIGHT_CACHE_POLICY, else "
             "prune_after=720h:cache_size_bytes=512m)"));
cl::opt<bool> asJson("json", cl::sub(cacheOptions), cl::desc("Print JSON"));

const char cacheHelp[] = R"(
The cache is pruned by itself, at most every 20 minutes; its entries say all
that their bytes depend on and never go stale. A directory that is no cache is
an error and is left as it is.

Examples:
  tilewright cache
  tilewright cache prune --policy=cache_size_bytes=64m
  tilewright cache clear
)";

void report(StringRef done, StringRef directory,
            const TileCache::Statistics &now) {
  if (asJson)
    outs() << formatv("{0:2}\n",
                      json::Value(json::Object{{"directory", directory},
                                               {"entries", now.entries},
                                               {"bytes", now.bytes}}));
  else
    outs() << formatv("{0}: {1}{2} kernels, {3:f1} KiB\n", directory, done,
                      now.entries, now.bytes / 1024.0);
}

Error runCache() {
  if (action != "stats" && action != "prune" && action != "clear")
    return createStringError("cache: unknown action '" + action +
                             "'; expected stats, prune or clear");
  if (!policy.empty() && action != "prune")
    return createStringError("--policy is for 'tilewright cache prune'");

  Expected<std::string> directory = TileCache::directoryFor(cacheDir);
  if (!directory)
    return directory.takeError();
  Expected<TileCache> cache = TileCache::open(*directory);
  if (!cache)
    return cache.takeError();
  if (action == "clear") {
    Expected<TileCache::Statistics> removed = cache->clear();
    if (!removed)
      return removed.takeError();
    report("removed ", *directory, *removed);
    return Error::success();
  }
  if (action == "prune") {
    // Asked for in person, it does not wait for the interval.
    Expected<bool> pruned = cache->prune(policy, /*now=*/true);
    if (!pruned)
      return pruned.takeError();
  }
  Expected<TileCache::Statistics> now = cache->statistics();
  if (!now)
    return now.takeError();
  report("", *directory, *now);
  return Error::success();
}

} // namespace

const Command cacheCommand = {&cacheOptions, cacheHelp, runCache};

} // namespace tilewright
