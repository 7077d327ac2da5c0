// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExplainFacts.h"

#include "tilewright/Codegen/Backend.h"
#include "tilewright/Resolve/TileCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilewright {

CpuFacts lookAtCpu(const IsaInfo &isa) {
  CpuFacts facts;
  facts.otherArchitecture = isa.isGpu();
  if (isa.features.empty())
    return facts;
  TargetCpu host = hostTargetCpu();
  facts.otherArchitecture = !isForArchitecture(isa, host.arch);
  if (facts.otherArchitecture)
    return facts;
  for (const CpuFeatureInfo *feature : isa.features)
    if (!is_contained(host.features, feature))
      facts.missingFeatures.emplace_back(feature->llvmName);
  return facts;
}

std::string CpuFacts::text() const {
  if (otherArchitecture)
    return "is of another architecture";
  if (missingFeatures.empty())
    return "can run it";
  return "cannot run it: it lacks " + join(missingFeatures, ", ");
}

CacheFacts lookAtCache(const FunctionKey &key, const ResolveOptions &options) {
  CacheFacts facts;
  if (!options.useCache)
    return facts;
  Expected<std::string> directory = TileCache::directoryFor(options.cacheDir);
  if (!directory) {
    facts.where = ": " + toString(directory.takeError());
    return facts;
  }
  facts.where = " in " + *directory;
  Expected<TileCache> cache = TileCache::open(*directory);
  if (!cache) {
    consumeError(cache.takeError()); // nothing is cached there
    return facts;
  }
  auto has = [&](Emit kind) {
    Expected<std::string> entry =
        cacheKey(key, kind, options.generate, options.bitcodeDir);
    if (!entry) {
      consumeError(entry.takeError());
      return false;
    }
    return cache->lookup(*entry).has_value();
  };
  facts.bitcode = has(Emit::Bitcode);
  facts.object =
      has(info(isaOf(key)).isGpu() ? Emit::CodeObject : Emit::Object);
  return facts;
}

std::string CacheFacts::text() const {
  if (where.empty())
    return "not asked (--no-cache)";
  std::string kinds = bitcode && object ? "bitcode and object"
                      : bitcode         ? "bitcode"
                      : object          ? "object"
                                        : "nothing";
  return kinds + where;
}

} // namespace tilewright
