// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile functions that a benchmark can call: hand-written tiles, linked in,
// and generated ones, made on the fly where the generator is part of the build.

#ifndef TILEWRIGHT_BENCH_SUPPORT_TILES_H_
#define TILEWRIGHT_BENCH_SUPPORT_TILES_H_

#include <memory>
#include <string>
#include <vector>

#include "tilewright/key.h"
#include "tilewright/tile.h"

namespace tilewright::bench {

struct Row {
  TileKey key;
  std::string name;
  tw_mmt4d_tile_fn_t fn;
};

// The hand-written tiles of this architecture, in table order.
const std::vector<Row>& rows();

// The row of `key`, or null.
const Row* findRow(const TileKey& key);

// Whether the CPU that this runs on has the key's ISA.
bool canRun(const TileKey& key);

// Parses a tile name, as tile benchmarks take them. On failure returns false
// with *error naming the name, what is wrong and what would be accepted.
bool parseName(const std::string& name, TileKey* key, std::string* error);

// Generates tiles and loads them into this process.
class GeneratedTiles {
 public:
  GeneratedTiles();
  ~GeneratedTiles();

  // Whether this build has the generator.
  static bool available();

  // The function for `key`, which lives as long as this object; null with
  // *error naming the key. `plan` overrides parts of the tile's plan, in the
  // syntax of `tilewright gen --plan`.
  tw_mmt4d_tile_fn_t get(const TileKey& key, std::string* error,
                         const std::string& plan = "");

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilewright::bench

#endif  // TILEWRIGHT_BENCH_SUPPORT_TILES_H_
