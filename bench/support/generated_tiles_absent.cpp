// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated tiles in a build without the generator: a clear error.

#include "bench/support/tiles.h"

namespace tilewright::bench {

struct GeneratedTiles::Impl {};

GeneratedTiles::GeneratedTiles() = default;
GeneratedTiles::~GeneratedTiles() = default;

bool GeneratedTiles::available() { return false; }

tw_mmt4d_tile_fn_t GeneratedTiles::get(const TileKey& key, std::string* error,
                                       const std::string& plan) {
  *error = printTileKey(key) +
           ": cannot be generated: this benchmark was built without the "
           "generator (TW_BUILD_GENERATOR=OFF)";
  return nullptr;
}

}  // namespace tilewright::bench
