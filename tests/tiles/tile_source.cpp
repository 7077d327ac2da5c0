// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/tile_source.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Resolve/Resolve.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {

using namespace llvm;

namespace {

Error about(const TileKey& key, Error error) {
  return createStringError(printTileKey(key) + ": " +
                           toString(std::move(error)));
}

StringRef bytesOf(const SmallVector<char, 0>& bytes) {
  return StringRef(bytes.data(), bytes.size());
}

}  // namespace

bool hostHasFeature(StringRef feature) {
  static const StringMap<bool> features = sys::getHostCPUFeatures();
  return features.lookup(feature);
}

bool isHostArchitecture(const IsaInfo& isa) {
  return isForArchitecture(isa, Triple(sys::getProcessTriple()).getArch());
}

bool hostHas(const IsaInfo& isa) {
  static const TargetCpu host = [] {
    // Without it AMX is not detected.
    tw_cpu_permit_amx(nullptr, 0);
    return hostTargetCpu();
  }();
  return host.has(isa.isa);
}

std::string reasonToSkip(const IsaInfo& isa, bool has) {
  if (has || isa.arch == "X86_64") return "";
  return "this CPU has no " + std::string(isa.name) +
         ", and only x86-64's ISAs are emulated in this process";
}

Expected<TileSource> TileSource::create(StringRef cpu) {
  auto loader = TileLoader::create(cpu);
  if (!loader) return loader.takeError();
  TileSource source(std::move(*loader));
  source.emulateAll_ = !cpu.empty();
  return std::move(source);
}

bool TileSource::emulates(const TileKey& key) const {
  return emulateAll_ || !hostHas(info(key.isa));
}

Expected<SmallVector<char, 0>> TileSource::make(const TileKey& key, Emit kind,
                                                const GenerateOptions& how) {
  if (!key.vnni) {
    auto tile = generator_.generate(key, kind, how);
    if (!tile) return tile.takeError();  // names the key
    return std::move(tile->bytes);
  }
  ResolveOptions options;
  options.kind = kind;
  options.jobs = 1;
  options.useCache = false;
  options.preferHandWritten = false;
  options.bitcodeDir = TW_BITCODE_DIR;
  options.generate = how;
  auto tiles = resolveTiles({key}, options);
  if (!tiles) return tiles.takeError();
  return std::move(tiles->front().bytes);
}

Expected<tw_mmt4d_tile_fn_t> TileSource::generated(const TileKey& key,
                                                   Lowering lowering) {
  GenerateOptions options;
  options.lowering = lowering;
  return load(key, options);
}

Expected<tw_mmt4d_tile_fn_t> TileSource::generatedBy(const TileKey& key,
                                                     const std::string& plan,
                                                     const std::string& core) {
  GenerateOptions options;
  options.plan = plan;
  options.tuneCpu = core;
  return load(key, options);
}

Expected<tw_mmt4d_tile_fn_t> TileSource::load(const TileKey& key,
                                              const GenerateOptions& options) {
  const std::string name = printTileKey(key);
  auto object = make(key, Emit::Object, options);
  if (!object) return object.takeError();
  const std::string problem = inspectObject(bytesOf(*object), name);
  if (!problem.empty())
    return about(key, createStringError("bad object: " + problem));
  if (!emulates(key)) {
    auto fn = loader_.loadObject(name, bytesOf(*object));
    return fn ? std::move(fn) : about(key, fn.takeError());
  }
  auto bitcode = make(key, Emit::Bitcode, options);
  if (!bitcode) return bitcode.takeError();
  auto fn = loader_.loadEmulated(name, bytesOf(*bitcode));
  return fn ? std::move(fn) : about(key, fn.takeError());
}

Expected<tw_mmt4d_tile_fn_t> TileSource::handWrittenEmulated(
    const TileKey& key) {
  auto path = handWrittenBitcodePath(key.isa, TW_BITCODE_DIR);
  if (!path) return about(key, path.takeError());
  auto buffer = MemoryBuffer::getFile(*path);
  if (!buffer)
    return about(key,
                 createStringError(*path + ": " + buffer.getError().message()));
  auto fn = loader_.loadEmulated(printTileKey(key), (*buffer)->getBuffer());
  return fn ? std::move(fn) : about(key, fn.takeError());
}

}  // namespace tilewright::testing
