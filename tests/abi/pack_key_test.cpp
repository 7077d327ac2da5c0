// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of pack functions: golden names, round trips, and every way in
// which one can be malformed.

#include "tilewright/pack_key.h"

#include <gtest/gtest.h>

#include <set>

namespace tilewright {
namespace {

struct Golden {
  PackKey key;
  const char* name;
};

TEST(PackKey, PrintsAndParsesTheGoldenNames) {
  const Golden golden[] = {
      {{false, 32, MatrixLines::kRows, 12, 1, TW_ISA_X86_64_AVX512_BASE},
       "tw_pack_tile_32_rows_12x1_x86_64_avx512_base"},
      {{false, 32, MatrixLines::kCols, 32, 1, TW_ISA_X86_64_AVX2_FMA},
       "tw_pack_tile_32_cols_32x1_x86_64_avx2_fma"},
      {{true, 32, MatrixLines::kRows, 12, 32, TW_ISA_X86_64_AVX512_BASE},
       "tw_unpack_tile_32_rows_12x32_x86_64_avx512_base"},
      {{false, 4, MatrixLines::kCols, 16, 8, TW_ISA_ARM_64_I8MM},
       "tw_pack_tile_4_cols_16x8_arm_64_i8mm"},
      {{false, 8, MatrixLines::kRows, 16, 4, TW_ISA_ARM_64_DOTPROD},
       "tw_pack_tile_8_rows_16x4_arm_64_dotprod"},
      {{true, 16, MatrixLines::kCols, 1024, 1024, TW_ISA_GENERIC},
       "tw_unpack_tile_16_cols_1024x1024_generic"},
      {{true, 64, MatrixLines::kCols, 1, 1, TW_ISA_X86_64_AVX_VNNI_INT8},
       "tw_unpack_tile_64_cols_1x1_x86_64_avx_vnni_int8"},
  };
  for (const Golden& row : golden) {
    EXPECT_EQ(validatePackKey(row.key), "");
    EXPECT_EQ(printPackKey(row.key), row.name);
    const ParsedPackKey parsed = parsePackKey(row.name);
    ASSERT_TRUE(parsed.key) << parsed.error;
    EXPECT_EQ(*parsed.key, row.key);
    EXPECT_TRUE(looksLikePackName(row.name));
    EXPECT_FALSE(looksLikeTileName(row.name));
    EXPECT_TRUE(looksLikeFunctionName(row.name));
  }
}

TEST(PackKey, RoundTripsAllThatIsValid) {
  std::set<std::string> names;
  int keys = 0;
  for (const IsaInfo& isa : isas())
    for (bool unpack : {false, true})
      for (int bits : {4, 8, 16, 32, 64})
        for (MatrixLines lines : {MatrixLines::kRows, MatrixLines::kCols})
          for (int r0 : {1, 2, 3, 16, 48, 1024})
            for (int c0 : {1, 2, 5, 64, 1024}) {
              const PackKey key{unpack, bits, lines, r0, c0, isa.isa};
              if (!validatePackKey(key).empty()) continue;
              ++keys;
              const std::string name = printPackKey(key, "my");
              const ParsedPackKey parsed = parsePackKey(name, "my");
              ASSERT_TRUE(parsed.key) << parsed.error;
              EXPECT_EQ(*parsed.key, key);
              EXPECT_FALSE(parsePackKey(name).key);
              EXPECT_EQ(printFunctionKey(key, "my"), name);
              EXPECT_EQ(isaOf(key), isa.isa);
              names.insert(name);
            }
  EXPECT_EQ(names.size(), static_cast<size_t>(keys));
  EXPECT_GT(keys, 5000);
}

TEST(PackKey, SaysWhichPartIsWrong) {
  const std::pair<const char*, const char*> malformed[] = {
      {"tw_pak_tile_8_rows_4x4_generic",
       "it starts neither with 'tw_pack_tile_' nor with 'tw_unpack_tile_'"},
      {"tw_pack_tile_",
       "in the bits of an element: expected a decimal number; "
       "expected one of 4, 8, 16, 32, 64"},
      {"tw_pack_tile_f32_rows_4x4_generic",
       "in the bits of an element: expected a decimal number"},
      {"tw_pack_tile_12_rows_4x4_generic",
       "in the bits of an element: '12' is not a width; expected one of 4, 8, "
       "16, 32, 64"},
      {"tw_pack_tile_08_rows_4x4_generic", "'08' has a leading zero"},
      {"tw_pack_tile_8", "expected '_' after '8'"},
      {"tw_pack_tile_8_", "unknown orientation ''; expected 'rows'"},
      {"tw_pack_tile_8_row_4x4_generic",
       "unknown orientation 'row'; expected 'rows', where a line of the matrix "
       "is a row, or 'cols', where it is a column"},
      {"tw_pack_tile_8_cols", "the sizes '_<R0>x<C0>' are missing"},
      {"tw_pack_tile_8_cols_x4_generic", "in R0: expected a decimal number"},
      {"tw_pack_tile_8_cols_4_generic", "in R0: expected 'x' after '4'"},
      {"tw_pack_tile_8_cols_4x_generic", "in C0: expected a decimal number"},
      {"tw_pack_tile_8_cols_4x4", "in C0: expected '_' after '4'"},
      {"tw_pack_tile_8_cols_4x4x1_generic", "in C0: expected '_' after '4'"},
      {"tw_pack_tile_8_cols_2vlx4_arm_64_sve",
       "in R0: '2vl' is a scalable size, which pack functions do not have"},
      {"tw_pack_tile_8_cols_0x4_generic", "R0 is 0, but must be in 1..1024"},
      {"tw_pack_tile_8_cols_4x1025_generic",
       "C0 is 1025, but must be in 1..1024"},
      {"tw_pack_tile_4_cols_3x5_generic",
       "a tile, R0*C0 = 15 elements of 4 bits, does not fill whole bytes; "
       "R0*C0 "
       "must be even"},
      {"tw_pack_tile_8_cols_4x4_", "unknown instruction set ''; expected one"},
      {"tw_pack_tile_8_cols_4x4_x86_64_avx9",
       "unknown instruction set 'x86_64_avx9'; expected one of "},
      {"tw_pack_tile_8_cols_4x4_generic_",
       "unknown instruction set 'generic_'"},
      {"tw_unpack_tile_8_cols_4x4_amdgpu_gfx942",
       "there are no pack functions for amdgpu_gfx942"},
  };
  for (const auto& [name, why] : malformed) {
    const ParsedPackKey parsed = parsePackKey(name);
    EXPECT_FALSE(parsed.key) << name;
    EXPECT_NE(parsed.error.find(why), std::string::npos) << name << "\n"
                                                         << parsed.error;
    EXPECT_EQ(parsed.error.find("'" + std::string(name) +
                                "' is not the name of a pack function: "),
              0u)
        << parsed.error;
  }
  EXPECT_EQ(parsePackKey("tw_pack_tile_8_cols_4x4_avx9").unknownIsa, "avx9");
}

}  // namespace
}  // namespace tilewright
