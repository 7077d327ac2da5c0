// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/FollowShapes.h"

#include "tilewright/Resolve/ChooseBody.h"
#include "tilewright/Tuning/Shapes.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace tilewright {
namespace {

class ShapeFollower {
public:
  ShapeFollower(ResolveOptions options, llvm::ArrayRef<ModelDevice> devices)
      : options(std::move(options)) {
    for (const ModelDevice &device : devices)
      cores.try_emplace(device.cpu.name, coreName(device.cpu));
  }

  std::string coreOf(const TargetCpu &target) const {
    if (!options.generate.tuneCpu.empty())
      return options.generate.tuneCpu;
    auto core = cores.find(target.name);
    return core == cores.end() ? coreName(target) : core->second;
  }

  /// Devices are asked for again and again, and digests take time.
  const std::vector<tw_measured_tile_t> &on(llvm::StringRef core) {
    std::lock_guard<std::mutex> lock(mutex);
    auto [known, isNew] = byCore.try_emplace(core);
    if (isNew)
      known->second = find(core);
    return known->second;
  }

private:
  std::vector<tw_measured_tile_t> find(llvm::StringRef core) {
    UnfollowedEntries unfollowed;
    std::vector<tw_measured_tile_t> tiles;
    auto digest = [&](const TileKey &key) {
      return handWrittenDigest(findHandWrittenTile(key), options.bitcodeDir);
    };
    for (const ShapeEntry *entry :
         options.tuning->shapes(core, digest, unfollowed)) {
      Shape shape = llvm::cantFail(shapeOf(*entry), "it is followed");
      if (shape.isQuicker())
        tiles.push_back({tw_rows_t(shape.rows - matmulRows().begin()),
                         keyInC(shape.tile), keyInC(shape.beside),
                         shape.perMille});
    }
    if (std::string text = unfollowed.text(); !text.empty() && options.warn)
      options.warn(text);
    return tiles;
  }

  ResolveOptions options;
  llvm::StringMap<std::string> cores;
  std::mutex mutex;
  llvm::StringMap<std::vector<tw_measured_tile_t>> byCore;
};

} // namespace

std::function<void(TargetCpu &)>
followShapes(const ResolveOptions &options,
             llvm::ArrayRef<ModelDevice> devices) {
  if (!options.tuning)
    return nullptr;
  auto follower = std::make_shared<ShapeFollower>(options, devices);
  return [follower](TargetCpu &target) {
    if (!target.best().isGpu())
      target.measured = follower->on(follower->coreOf(target));
  };
}

} // namespace tilewright
