// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated tiles: key -> object -> JITLink, in this process.

#include "bench/support/tiles.h"
#include "tilewright/Bench/LoadedTiles.h"
#include "tilewright/Codegen/TileGenerator.h"

namespace tilewright::bench {

struct GeneratedTiles::Impl {
  TileGenerator generator;
  llvm::Expected<LoadedTiles> loaded = LoadedTiles::create();
  std::string loadError;
};

GeneratedTiles::GeneratedTiles() : impl_(std::make_unique<Impl>()) {
  if (!impl_->loaded)
    impl_->loadError = llvm::toString(impl_->loaded.takeError());
}

GeneratedTiles::~GeneratedTiles() = default;

bool GeneratedTiles::available() { return true; }

tw_mmt4d_tile_fn_t GeneratedTiles::get(const TileKey& key, std::string* error,
                                       const std::string& plan) {
  std::string name = printTileKey(key);
  auto fail = [&](const std::string& why) -> tw_mmt4d_tile_fn_t {
    *error = why.find(name) == std::string::npos ? name + ": " + why : why;
    return nullptr;
  };
  if (!impl_->loadError.empty()) return fail(impl_->loadError);
  GenerateOptions options;
  options.plan = plan;
  llvm::Expected<GeneratedTile> tile =
      impl_->generator.generate(key, Emit::Object, options);
  if (!tile) return fail(llvm::toString(tile.takeError()));
  llvm::Expected<tw_mmt4d_tile_fn_t> fn =
      impl_->loaded->load(name, tile->bytes);
  return fn ? *fn : fail(llvm::toString(fn.takeError()));
}

}  // namespace tilewright::bench
