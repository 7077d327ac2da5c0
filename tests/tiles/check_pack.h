// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pack functions against their definition (pack_tile.h), element by element,
// between guard pages.

#ifndef TESTS_TILES_CHECK_PACK_H_
#define TESTS_TILES_CHECK_PACK_H_

#include <string>

#include "tilewright/pack_key.h"
#include "tilewright/pack_tile.h"

namespace tilewright::testing {

// Runs the function of `key`, a tw_pack_tile_fn_t or tw_unpack_tile_fn_t, on
// matrices of 0, 1 and odd sizes, below, at and above multiples of the tile,
// with and without room between lines and with tiles behind the matrix. What is
// wrong first, with sizes and place; empty if nothing is.
std::string checkPack(const PackKey& key, const void* function, uint64_t seed);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_CHECK_PACK_H_
