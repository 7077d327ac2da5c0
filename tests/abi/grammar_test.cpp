// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What documents say of names is what the tables say.

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "tilewright/key.h"

namespace tilewright {
namespace {

std::string contentsOf(const std::string& path) {
  std::ifstream file(std::string(TW_TEST_SOURCE) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file) << path;
  return text.str();
}

TEST(Grammar, IsThatOfTheVariantsInTheirOrder) {
  EXPECT_EQ(tileNameGrammar("my"),
            "my_mmt4d_tile_<types>_<M0>x<N0>x<K0>_[steprnd_][mx_][vnni_]<arch>_"
            "<isa>");
}

TEST(Grammar, OfDocumentsIsThatOfTheTable) {
  for (const char* path : {"abi/include/tilewright/tile.h",
                           "generator/tools/tilewright/GenCommand.cpp",
                           "generator/tools/tilewright/main.cpp"})
    EXPECT_NE(contentsOf(path).find(tileNameGrammar()), std::string::npos)
        << path << " does not have " << tileNameGrammar();
  EXPECT_NE(contentsOf("cmake/TilewrightAddTiles.cmake")
                .find(tileNameGrammar("<prefix>")),
            std::string::npos);
}

TEST(Grammar, EveryVariantIsDescribed) {
  const std::string text = std::regex_replace(
      contentsOf("abi/include/tilewright/tile.h"), std::regex("\n// +"), " ");
  for (const VariantInfo& variant : tileVariants()) {
    const size_t at = text.find("ariant `" + std::string(variant.name) + "` (");
    const size_t plain =
        text.find("Variant `" + std::string(variant.name) + "`:");
    ASSERT_TRUE(at != std::string::npos || plain != std::string::npos)
        << variant.name;
    EXPECT_NE(text.find(variant.doc, std::min(at, plain)), std::string::npos)
        << variant.name << ": " << variant.doc;
  }
}

TEST(Grammar, VariantsExcludeOnesAboveThem) {
  unsigned above = 0;
  for (const VariantInfo& variant : tileVariants()) {
    EXPECT_EQ(variant.excludes & ~above, 0u) << variant.name;
    above |= variant.bit;
  }
}

}  // namespace
}  // namespace tilewright
