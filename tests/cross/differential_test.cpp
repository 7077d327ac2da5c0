// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every hand-written tile of an architecture beside the generated one of the
// same name, by plan and by plain loops, under qemu on every model of its ISA:
// the same answers, bit for bit where one answer is right.

#include <gtest/gtest.h>

#include "tests/common/seed.h"
#include "tests/cross/emulated_tiles.h"
#include "tilewright/Registry/Registry.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kBudget = 75'000;
// Rows of one ISA that are checked together.
constexpr size_t kRowsAtOnce = 24;

// Some rows of one ISA.
struct Rows {
  tw_isa_t isa;
  std::vector<TileKey> keys;
  int number;
};

std::ostream& operator<<(std::ostream& out, const Rows& rows) {
  return out << rows.keys.size() << " rows of " << info(rows.isa).name;
}

std::vector<Rows> allRows() {
  std::vector<Rows> all;
  for (const IsaInfo& isa : isas()) {
    if (isa.arch != TW_TEST_ARCH) continue;
    int number = 0;
    for (const HandWrittenTile& tile : handWrittenTiles()) {
      if (tile.key.isa != isa.isa) continue;
      if (number == 0 || all.back().keys.size() == kRowsAtOnce)
        all.push_back({isa.isa, {}, number++});
      all.back().keys.push_back(tile.key);
    }
  }
  return all;
}

class CrossDifferentialTest : public ::testing::TestWithParam<Rows> {};

TEST_P(CrossDifferentialTest, HandWrittenGeneratedAndLoopsAgree) {
  const Rows& rows = GetParam();
  TileGenerator generator;
  EmulatedTiles tiles;
  for (const TileKey& key : rows.keys) {
    std::vector<EmulatedSource> sources = {{"hand-written", ""}};
    auto plan = inspectedObject(generator, key, Lowering::Plan);
    if (plan)
      sources.push_back({"generated", std::move(*plan)});
    else
      ADD_FAILURE() << llvm::toString(plan.takeError());
    // The loops have fixed sizes.
    if (!key.isScalable()) {
      auto loops = inspectedObject(generator, key, Lowering::Loops);
      if (loops)
        sources.push_back({"loops", std::move(*loops)});
      else
        ADD_FAILURE() << "--lowering=loops: "
                      << llvm::toString(loops.takeError());
    }
    tiles.add(key, seedOf(printTileKey(key)), kBudget, std::move(sources));
  }
  const IsaInfo& isa = info(rows.isa);
  auto outcome = tiles.checkOnModels(isa, std::string(TW_TEST_SCRATCH) + "/" +
                                              std::string(isa.name) + "_" +
                                              std::to_string(rows.number));
  ASSERT_TRUE(bool(outcome)) << llvm::toString(outcome.takeError());
  for (const std::string& failure : outcome->failures) ADD_FAILURE() << failure;
  EXPECT_EQ(outcome->checked, static_cast<int>(rows.keys.size()));
}

std::string nameOf(const ::testing::TestParamInfo<Rows>& test) {
  return std::string(info(test.param.isa).name) + "_" +
         std::to_string(test.param.number);
}

INSTANTIATE_TEST_SUITE_P(Rows, CrossDifferentialTest,
                         ::testing::ValuesIn(allRows()), nameOf);

}  // namespace
}  // namespace tilewright::testing
