// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every hand-written tile, called directly by its symbol.
// modelled_rows_test.cpp has those whose ISA this CPU lacks.

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "tests/tiles/check_row.h"
#include "tests/tiles/hand_written_rows.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

bool canRun(tw_isa_t isa) {
  // Where there is AMX its tiles are to run.
  static const tw_status_t permitted = tw_cpu_permit_amx(nullptr, 0);
  (void)permitted;
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
  const CheckReport report =
      checkRow(*parsed.key, {"hand-written", row.fn, kHandWrittenDenormals});
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
