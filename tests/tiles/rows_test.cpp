// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every hand-written tile, called directly by its symbol: the list is the
// table, so that an untested row is impossible.

#include <gtest/gtest.h>

#include <set>

#include "tests/tiles/check_tile.h"
#include "tilewright/tilewright.h"
#ifdef __x86_64__
#include "ukernels/x86_64/mmt4d_tiles.h"
#endif

namespace tilewright::testing {
namespace {

struct Row {
  const char* name;
  tw_mmt4d_tile_fn_t fn;
};

#define TW_ROW(name) Row{#name, name},
const Row kRows[] = {
#ifdef __x86_64__
#define TW_MMT4D_TILE(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_ROW(tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##_x86_64_##isa)
#define TW_MMT4D_TILE_STEPRND(lhs, rhs, out, M0, N0, K0, isa, family) \
  TW_ROW(                                                             \
      tw_mmt4d_tile_##lhs##rhs##out##_##M0##x##N0##x##K0##_steprnd_x86_64_##isa)
#include "ukernels/x86_64/mmt4d_tiles.def"
#endif
};

bool canRun(tw_isa_t isa) {
  uint64_t cpu[TW_CPU_DATA_WORDS] = {};
  tw_cpu_detect(cpu);
  return tw_isa_available(isa, cpu);
}

class RowTest : public ::testing::TestWithParam<Row> {};

TEST_P(RowTest, KeepsTheContract) {
  const Row& row = GetParam();
  const ParsedTileKey parsed = parseTileKey(row.name);
  ASSERT_TRUE(parsed.key.has_value()) << parsed.error;
  if (!canRun(parsed.key->isa))
    GTEST_SKIP() << "this CPU has no " << info(parsed.key->isa).name;
  CheckOptions options;
  options.seed = seedOf(row.name);
  options.effort = Effort::kFull;
  options.budget = 60'000'000;
  const CheckReport report =
      checkTiles(*parsed.key, {{"hand-written", row.fn}}, options);
  EXPECT_TRUE(report.ok()) << report.text();
}

INSTANTIATE_TEST_SUITE_P(Rows, RowTest, ::testing::ValuesIn(kRows),
                         [](const ::testing::TestParamInfo<Row>& info) {
                           return info.param.name;
                         });

TEST(RowsTest, NamesAreUnique) {
  std::set<std::string> names;
  for (const Row& row : kRows)
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

// Skipping everything would look like success.
TEST(RowsTest, SomeRowsCanRunHere) {
  int runnable = 0;
  for (const Row& row : kRows) {
    const ParsedTileKey parsed = parseTileKey(row.name);
    ASSERT_TRUE(parsed.key.has_value()) << parsed.error;
    runnable += canRun(parsed.key->isa);
  }
  EXPECT_GT(runnable, 0) << "none of the hand-written tiles can run here";
}

}  // namespace
}  // namespace tilewright::testing
