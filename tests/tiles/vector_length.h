// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vector lengths of the CPU that the tests run on, asked for without any of
// the code under test.

#ifndef TESTS_TILES_VECTOR_LENGTH_H_
#define TESTS_TILES_VECTOR_LENGTH_H_

#include <optional>

#include "tilewright/key.h"

namespace tilewright::testing {

// Bits of the vectors that a scalable size counts; 0 where this CPU has none.
int vectorBitsHere(tw_scaling_t scaling);

// `key` with the sizes that its scalable ones have here: `key` itself if it has
// none. nullopt if this CPU has no such vectors.
std::optional<TileKey> concreteKey(const TileKey& key);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_VECTOR_LENGTH_H_
