// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every hand-written tile beside the generated one of the same name, by plan
// and by plain loops: the same answers, bit for bit where one answer is right.

#include <gtest/gtest.h>

#include "tests/tiles/check_tile.h"
#include "tests/tiles/hand_written_rows.h"
#include "tests/tiles/tile_source.h"
#include "tilewright/Registry/Registry.h"

namespace tilewright::testing {
namespace {

class DifferentialTest : public ::testing::TestWithParam<HandWrittenRow> {};

TEST_P(DifferentialTest, HandWrittenGeneratedAndLoopsAgree) {
  const HandWrittenRow& row = GetParam();
  const ParsedTileKey parsed = parseTileKey(row.name);
  ASSERT_TRUE(parsed.key.has_value()) << parsed.error;
  const TileKey& key = *parsed.key;
  const std::string reason =
      reasonToSkip(info(key.isa), hostHas(info(key.isa)));
  if (!reason.empty()) GTEST_SKIP() << reason;
  auto source = TileSource::create();
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  std::vector<TileUnderTest> tiles = {
      {"hand-written", row.fn, kHandWrittenDenormals}};
  if (source->emulates(key)) {
    auto emulated = source->handWrittenEmulated(key);
    ASSERT_TRUE(bool(emulated)) << llvm::toString(emulated.takeError());
    tiles.front().fn = *emulated;
  }
  auto plan = source->generated(key, Lowering::Plan);
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  tiles.push_back({"generated", *plan});
  // Which linalg does not define for panels of the variant `vnni`.
  if (!key.vnni) {
    auto loops = source->generated(key, Lowering::Loops);
    ASSERT_TRUE(bool(loops)) << llvm::toString(loops.takeError());
    tiles.push_back({"loops", *loops, Denormals::kKept});
  }
  CheckOptions options;
  options.seed = seedOf(row.name);
  options.budget = 6'000'000;
  const CheckReport report = checkTiles(key, tiles, options);
  EXPECT_TRUE(report.ok()) << report.text();
}

std::string nameOf(const ::testing::TestParamInfo<HandWrittenRow>& test) {
  return test.param.name;
}

INSTANTIATE_TEST_SUITE_P(Rows, DifferentialTest,
                         ::testing::ValuesIn(handWrittenRows()), nameOf);

// The generator's registry and the library's symbols come from one table.
TEST(DifferentialRowsTest, RegistryHasTheSameRows) {
  std::vector<std::string> registered, linked;
  for (const HandWrittenTile& tile : handWrittenTiles())
    if (isHostArchitecture(info(tile.key.isa))) registered.push_back(tile.name);
  for (const HandWrittenRow& row : handWrittenRows())
    linked.push_back(row.name);
  EXPECT_FALSE(linked.empty());
  EXPECT_EQ(registered, linked);
}

}  // namespace
}  // namespace tilewright::testing
