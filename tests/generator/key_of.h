// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of tests, by what of a name is not the same in all of them.

#ifndef TESTS_GENERATOR_KEY_OF_H_
#define TESTS_GENERATOR_KEY_OF_H_

#include <gtest/gtest.h>

#include <string>

#include "tilewright/key.h"

namespace tilewright::testing {

// `name` without "tw_mmt4d_tile_": "f32f32f32_8x8x1_arm_64_base".
inline TileKey keyOf(const std::string& name) {
  ParsedTileKey parsed = parseTileKey("tw_mmt4d_tile_" + name);
  EXPECT_TRUE(parsed.key) << parsed.error;
  return *parsed.key;
}

}  // namespace tilewright::testing

#endif  // TESTS_GENERATOR_KEY_OF_H_
