// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every hand-written tile, called directly by its symbol.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "tests/tiles/check_tile.h"
#include "tests/tiles/hand_written_rows.h"
#include "tests/tiles/vector_length.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

bool canRun(tw_isa_t isa) {
  uint64_t cpu[TW_CPU_DATA_WORDS] = {};
  tw_cpu_detect(cpu);
  return tw_isa_available(isa, cpu);
}

class RowTest : public ::testing::TestWithParam<HandWrittenRow> {};

TEST_P(RowTest, KeepsTheContract) {
  const HandWrittenRow& row = GetParam();
  const ParsedTileKey parsed = parseTileKey(row.name);
  ASSERT_TRUE(parsed.key.has_value()) << parsed.error;
  if (!canRun(parsed.key->isa))
    GTEST_SKIP() << "this CPU has no " << info(parsed.key->isa).name;
  CheckOptions options;
  options.seed = seedOf(row.name);
  // Sampled, so that a large K is reached as well: under emulation the full
  // effort would spend the budget of a wide tile on the first three.
  options.effort = kUnderEmulation ? Effort::kSampled : Effort::kFull;
  options.budget = kUnderEmulation ? 4'000'000 : 60'000'000;
  const CheckReport report = checkTiles(
      *parsed.key, {{"hand-written", row.fn, kHandWrittenDenormals}}, options);
  EXPECT_TRUE(report.ok()) << report.text();
}

std::string nameOf(const ::testing::TestParamInfo<HandWrittenRow>& test) {
  return test.param.name;
}

// On an architecture without hand-written tiles.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RowTest);
INSTANTIATE_TEST_SUITE_P(Rows, RowTest, ::testing::ValuesIn(handWrittenRows()),
                         nameOf);

TEST(RowsTest, NamesAreUnique) {
  std::set<std::string> names;
  for (const HandWrittenRow& row : handWrittenRows())
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

// Some tiles of operands narrower than a byte add up a multiple of the
// products, which wraps earlier than the sum. So long a K is too slow for
// checkTiles.
TEST(RowsTest, LongSumsOfNarrowIntegersAreExact) {
  for (const HandWrittenRow& row : handWrittenRows()) {
    const ParsedTileKey parsed = parseTileKey(row.name);
    ASSERT_TRUE(parsed.key.has_value()) << parsed.error;
    const TypeTripleInfo& types = info(parsed.key->types);
    if (types.lhs != TW_ELEMENT_S8 || types.rhs != TW_ELEMENT_S4) continue;
    if (!canRun(parsed.key->isa)) continue;
    const std::optional<TileKey> concrete = concreteKey(*parsed.key);
    ASSERT_TRUE(concrete.has_value()) << row.name;
    const TileKey& key = *concrete;
    // The extremes of both types, K so long that 16 times the sum exceeds 2^31.
    const int64_t steps = 140'000 / key.k0 + 1;
    const std::vector<uint8_t> lhs(steps * key.lhsStepBytes(), 0x80);
    const std::vector<uint8_t> rhs(steps * key.rhsStepBytes(), 0x88);
    std::vector<int32_t> out(key.m0 * key.n0, 7);
    tw_mmt4d_params_t params = {};
    params.K = steps;
    params.flags = key.types | TW_MMT4D_FLAG_ACCUMULATE;
    row.fn(out.data(), lhs.data(), rhs.data(), &params);
    const int32_t expected = static_cast<int32_t>(7 + steps * key.k0 * 1024);
    for (const int32_t value : out) ASSERT_EQ(value, expected) << row.name;
  }
}

// Skipping everything would look like success.
TEST(RowsTest, SomeRowsCanRunHere) {
  if (handWrittenRows().empty())
    GTEST_SKIP() << "no hand-written tiles for this architecture";
  int runnable = 0;
  for (const HandWrittenRow& row : handWrittenRows()) {
    const ParsedTileKey parsed = parseTileKey(row.name);
    ASSERT_TRUE(parsed.key.has_value()) << parsed.error;
    runnable += canRun(parsed.key->isa);
  }
  EXPECT_GT(runnable, 0) << "none of the hand-written tiles can run here";
}

}  // namespace
}  // namespace tilewright::testing
