// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime reads of tile names.

#include "ukernels/name.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/tiles/random_keys.h"
#include "tilewright/key.h"

namespace tilewright::testing {
namespace {

std::string sizesOf(const tw_tile_key_t& key) {
  char array[64];
  tw_text_t text = tw_text_begin(array, sizeof array);
  tw_text_add_sizes(&text, &key);
  return array;
}

std::string keyText(const tw_tile_key_t& key) {
  char array[192];
  tw_text_t text = tw_text_begin(array, sizeof array);
  tw_text_add_key(&text, &key);
  return array;
}

TEST(NameTest, ReadsEveryKeyAsTheGrammarDoes) {
  const uint64_t seed = seedOf("NameTest");
  SCOPED_TRACE(seedText(seed));
  Random random(seed);
  int scalable = 0;
  for (const IsaInfo& isa : isas())
    for (const Variant& variant : variants())
      for (int i = 0; i < 8; ++i) {
        const TileKey key =
            randomKey(variant, isa.isa, random, Sizes::kAlsoScalable);
        scalable += key.isScalable();
        const std::string name = printTileKey(key);
        tw_tile_key_t read;
        ASSERT_EQ(tw_parse_tile_name(name.c_str(), &read), 1) << name;
        EXPECT_EQ(read.m0, key.m0) << name;
        EXPECT_EQ(read.n0, key.n0) << name;
        EXPECT_EQ(read.k0, key.k0) << name;
        EXPECT_EQ(read.m0_scalable, key.m0Scalable) << name;
        EXPECT_EQ(read.n0_scalable, key.n0Scalable) << name;
        EXPECT_EQ(read.types, key.types) << name;
        EXPECT_EQ(read.step_rounding, key.rounding == Rounding::kPerStep);
        EXPECT_EQ(read.isa, key.isa) << name;
        EXPECT_EQ(keyText(read) + "_" + std::string(isa.name), name);
      }
  EXPECT_GT(scalable, 100);
}

TEST(NameTest, ReadsTheVariants) {
  struct Case {
    const char* name;
    int stepRounding, vnni;
  };
  for (const Case& c :
       {Case{"tw_mmt4d_tile_bf16bf16bf16_8x32x32", 0, 0},
        Case{"tw_mmt4d_tile_bf16bf16bf16_8x32x32_steprnd", 1, 0},
        Case{"tw_mmt4d_tile_bf16bf16bf16_8x32x32_vnni", 0, 1}}) {
    tw_tile_key_t key;
    const std::string name = std::string(c.name) + "_x86_64_amx_bf16";
    ASSERT_EQ(tw_parse_tile_name(name.c_str(), &key), 1) << name;
    EXPECT_EQ(key.step_rounding, c.stepRounding) << name;
    EXPECT_EQ(key.vnni, c.vnni) << name;
    EXPECT_EQ(keyText(key), c.name);
  }
  tw_tile_key_t key;
  EXPECT_EQ(
      tw_parse_tile_name("tw_mmt4d_tile_bf16bf16bf16_8x32x32_steprnd_vnni_"
                         "x86_64_amx_bf16",
                         &key),
      0);
  ASSERT_EQ(
      tw_parse_tile_name(
          "tw_mmt4d_tile_f8e5m2f8e5m2f32_16x16x64_mx_amdgpu_gfx950", &key),
      1);
  EXPECT_EQ(key.block_scaled, 1);
  EXPECT_EQ(keyText(key), "tw_mmt4d_tile_f8e5m2f8e5m2f32_16x16x64_mx");
}

TEST(NameTest, PrintsScalableSizes) {
  tw_tile_key_t key = {};
  key.m0 = 8;
  key.n0 = 2;
  key.k0 = 4;
  key.n0_scalable = 1;
  EXPECT_EQ(sizesOf(key), "8x2vlx4");
  key.m0_scalable = 1;
  EXPECT_EQ(sizesOf(key), "8vlx2vlx4");
}

TEST(NameTest, RefusesSizesThatNoIsaHas) {
  for (const char* name : {
           "tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_i8mm",
           "tw_mmt4d_tile_f32f32f32_2vlx8x1_generic",
           "tw_mmt4d_tile_f32f32f32_8x17vlx1_arm_64_sve",
           "tw_mmt4d_tile_f32f32f32_8x0vlx1_arm_64_sve",
           "tw_mmt4d_tile_f32f32f32_8x02vlx1_arm_64_sve",
           "tw_mmt4d_tile_f32f32f32_8xvlx1_arm_64_sve",
           "tw_mmt4d_tile_f32f32f32_8x2vx1_arm_64_sve",
           "tw_mmt4d_tile_f32f32f32_8x2vlvlx1_arm_64_sve",
           "tw_mmt4d_tile_f32f32f32_8x2vlx1vl_arm_64_sve",
       }) {
    tw_tile_key_t key;
    EXPECT_EQ(tw_parse_tile_name(name, &key), 0) << name;
    EXPECT_FALSE(parseTileKey(name).key) << name;
  }
}

// Numbers that would be 8 and 1, were they counted modulo 2^16, 2^32 or 2^64.
TEST(NameTest, RefusesSizesThatWrap) {
  tw_tile_key_t key;
  ASSERT_EQ(
      tw_parse_tile_name("tw_mmt4d_tile_f32f32f32_8x1vlx1_arm_64_sve", &key),
      1);
  for (const char* sizes : {
           "65544x8x1",
           "4294967304x8x1",
           "8x4294967304x1",
           "8x8x4294967297",
           "18446744073709551624x8x1",
           "8x18446744073709551624x1",
           "8x8x18446744073709551617",
           "8x4294967297vlx1",
           "8x18446744073709551617vlx1",
           "4294967297vlx8x1",
       }) {
    const std::string name =
        std::string("tw_mmt4d_tile_f32f32f32_") + sizes + "_arm_64_sve";
    EXPECT_EQ(tw_parse_tile_name(name.c_str(), &key), 0) << name;
    EXPECT_FALSE(parseTileKey(name).key) << name;
  }
}

}  // namespace
}  // namespace tilewright::testing
