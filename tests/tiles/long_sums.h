// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums too long for the reference. Some tiles of operands narrower than a byte
// add up a multiple of the products, which wraps earlier than the sum, so they
// cut K into blocks.

#ifndef TESTS_TILES_LONG_SUMS_H_
#define TESTS_TILES_LONG_SUMS_H_

#include <cstdint>
#include <string>

#include "tilewright/key.h"
#include "tilewright/tile.h"

namespace tilewright::testing {

// Whether a tile of `key` could have such blocks. `key` has no scalable size.
bool hasLongSums(const TileKey& key);

// Calls `fn`, a tile of `key`, once: the extremes of both types through some
// blocks, all products of one sign, then other elements in the last one. Empty
// if the sums are exact.
std::string checkLongSum(const TileKey& key, tw_mmt4d_tile_fn_t fn,
                         uint64_t seed);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_LONG_SUMS_H_
