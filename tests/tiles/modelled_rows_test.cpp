// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written x86-64 tiles of ISAs that this CPU lacks, with models in place
// of their instructions (intrinsic_emulation.h), through the check of
// rows_test.cpp. What a CPU has it runs itself there, under the same name after
// `Rows/`.

#include <gtest/gtest.h>

#include "tests/tiles/check_row.h"
#include "tests/tiles/hand_written_rows.h"
#include "tests/tiles/shards.h"
#include "tests/tiles/tile_source.h"

namespace tilewright::testing {
namespace {

TileKey keyOf(const HandWrittenRow& row) {
  return parseTileKey(row.name).key.value();
}

const IsaInfo& isaOf(const HandWrittenRow& row) { return info(keyOf(row).isa); }

// Those that this CPU lacks.
std::vector<HandWrittenRow> foreignRows() {
  std::vector<HandWrittenRow> rows;
  for (const HandWrittenRow& row : handWrittenRows())
    if (!hostHas(isaOf(row)) && reasonToSkip(isaOf(row), false).empty())
      rows.push_back(row);
  return rows;
}

class ModelledRowTest : public ::testing::TestWithParam<HandWrittenRow> {};

TEST_P(ModelledRowTest, KeepsTheContract) {
  const TileKey key = keyOf(GetParam());
  auto source = TileSource::create();
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  auto modelled = source->handWrittenEmulated(key);
  ASSERT_TRUE(bool(modelled)) << llvm::toString(modelled.takeError());
  const CheckReport report =
      checkRow(key, {"modelled", *modelled, kHandWrittenDenormals});
  EXPECT_TRUE(report.ok()) << report.text();
}

std::string nameOf(const ::testing::TestParamInfo<HandWrittenRow>& test) {
  return test.param.name;
}

// On a CPU that has every ISA.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ModelledRowTest);
INSTANTIATE_TEST_SUITE_P(Modelled, ModelledRowTest,
                         ::testing::ValuesIn(foreignRows()), nameOf);

#ifdef __x86_64__

// Pinned on any CPU: the rows of all ISAs beyond AVX2, on a CPU that has no
// more.
class ModelledShardTest : public ::testing::TestWithParam<Shard> {};

constexpr int kShards = 4;

std::vector<TileKey> rowsOf(tw_isa_t isa) {
  std::vector<TileKey> keys;
  for (const HandWrittenRow& row : handWrittenRows())
    if (keyOf(row).isa == isa) keys.push_back(keyOf(row));
  return keys;
}

TEST_P(ModelledShardTest, KeepsTheContractOnALesserCpu) {
  const IsaInfo& lesser = info(TW_ISA_X86_64_AVX2_FMA);
  if (!hostHas(lesser)) GTEST_SKIP() << "this CPU has no " << lesser.name;
  auto source = TileSource::create("x86-64-v3");
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  const std::vector<TileKey> keys = rowsOf(GetParam().isa);
  for (size_t i = GetParam().number; i < keys.size(); i += kShards) {
    auto modelled = source->handWrittenEmulated(keys[i]);
    ASSERT_TRUE(bool(modelled)) << llvm::toString(modelled.takeError());
    CheckOptions options;
    options.seed = seedOf(printTileKey(keys[i]));
    options.budget = 200'000;
    const CheckReport report = checkTiles(
        keys[i], {{"modelled", *modelled, kHandWrittenDenormals}}, options);
    EXPECT_TRUE(report.ok()) << printTileKey(keys[i]) << ":\n" << report.text();
    if (llvm::Error error = source->unload())
      ADD_FAILURE() << llvm::toString(std::move(error));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Modelled, ModelledShardTest,
    ::testing::ValuesIn(shardsOf(kShards,
                                 [](const IsaInfo& isa) {
                                   return isa.isa != TW_ISA_X86_64_AVX2_FMA &&
                                          !rowsOf(isa.isa).empty();
                                 })),
    shardName);

#endif

}  // namespace
}  // namespace tilewright::testing
