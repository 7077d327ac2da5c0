// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That a tile is right, before it is timed. tests/tiles checks far more; this
// is what a program can do in front of a measurement.

#ifndef MEASURE_CHECK_TILE_H_
#define MEASURE_CHECK_TILE_H_

#include <string>

#include "tilewright/key.h"
#include "tilewright/tile.h"

namespace tilewright::bench {

// Runs `fn` on a small case of `key`, which has no scalable sizes, whose sums
// are exact in every type: integers over their whole range, floats on small
// ones; overwriting and accumulating. Returns what is wrong with the result,
// or "".
std::string checkTile(const TileKey& key, tw_mmt4d_tile_fn_t fn);

// The same for a float tile on real values, compared with the plain reference
// in a wider type under the bound of docs/numerics.md. "" for integer tiles.
std::string checkReals(const TileKey& key, tw_mmt4d_tile_fn_t fn);

}  // namespace tilewright::bench

#endif  // MEASURE_CHECK_TILE_H_
