// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Registry/Registry.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <set>

#include "tests/generator/scratch_dir.h"

namespace tilewright {
namespace {

TEST(RegistryTest, HasEveryRowOnce) {
  constexpr size_t kRows = 0
#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa, family) +1
#include "ukernels/mmt4d_tiles.def"
      ;
  EXPECT_EQ(handWrittenTiles().size(), kRows);
  std::set<std::string> names;
  for (const HandWrittenTile& tile : handWrittenTiles()) {
    EXPECT_TRUE(names.insert(tile.name).second) << tile.name << " twice";
    ParsedTileKey parsed = parseTileKey(tile.name);
    ASSERT_TRUE(parsed.key) << parsed.error;
    EXPECT_EQ(*parsed.key, tile.key);
    EXPECT_FALSE(tile.family.empty()) << tile.name;
  }
}

TEST(RegistryTest, FindsRowsAndNothingElse) {
  for (const HandWrittenTile& tile : handWrittenTiles()) {
    EXPECT_EQ(findHandWrittenTile(tile.key), &tile) << tile.name;
    TileKey other = tile.key;
    other.m0 = 1023;
    EXPECT_EQ(findHandWrittenTile(other), nullptr) << tile.name;
  }
}

TEST(RegistryTest, NamesTheMissingBitcodeLibrary) {
  llvm::Expected<std::string> path =
      handWrittenBitcodePath(TW_ISA_X86_64_AVX2_FMA, "/nowhere");
  ASSERT_FALSE(path);
  EXPECT_EQ(llvm::toString(path.takeError()),
            "no bitcode library of the hand-written tiles of x86_64_avx2_fma: "
            "'/nowhere/tilewright_ukernels_x86_64_avx2_fma.bc' does not exist; "
            "build or install the runtime library, or pass --bitcode-dir");
}

TEST(RegistryTest, LooksInTheDirectoryOfTheEnvironment) {
  testing::ScratchDir dir;
  std::string expected = dir.path("tilewright_ukernels_x86_64_avx2_fma.bc");
  std::ofstream(expected) << "x";
  setenv("TILEWRIGHT_BITCODE_DIR", dir.path().c_str(), 1);
  llvm::Expected<std::string> path =
      handWrittenBitcodePath(TW_ISA_X86_64_AVX2_FMA);
  unsetenv("TILEWRIGHT_BITCODE_DIR");
  ASSERT_TRUE(bool(path)) << llvm::toString(path.takeError());
  EXPECT_EQ(*path, expected);
}

}  // namespace
}  // namespace tilewright
