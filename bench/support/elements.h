// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element values that every type holds exactly, so that a tile's result can be
// checked exactly before it is timed.

#ifndef TILEWRIGHT_BENCH_SUPPORT_ELEMENTS_H_
#define TILEWRIGHT_BENCH_SUPPORT_ELEMENTS_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tilewright/key.h"
#include "tilewright/tile.h"

namespace tilewright::bench {

using Random = std::mt19937_64;

// Random integer values for elements of `type`: the whole range for integers,
// {-2, -1, 0, 1, 2} for floats (which the narrowest, f4e2m1fn, holds).
std::vector<int64_t> randomValues(tw_element_type_t type, int64_t count,
                                  Random& random);

// The values as elements of `type`, from the start of `bytes`; types narrower
// than a byte as a dense little-endian bit stream. Float values must be in
// {-2, ..., 2}.
void encode(tw_element_type_t type, const std::vector<int64_t>& values,
            uint8_t* bytes);

// Element `index` of an out tile: s32, f64, f32, f16 or bf16.
double decode(tw_element_type_t type, const uint8_t* bytes, int64_t index);

// Runs `fn` on a small exact case of `key`, overwriting and accumulating.
// Returns what is wrong with the result, or "".
std::string checkTile(const TileKey& key, tw_mmt4d_tile_fn_t fn);

}  // namespace tilewright::bench

#endif  // TILEWRIGHT_BENCH_SUPPORT_ELEMENTS_H_
