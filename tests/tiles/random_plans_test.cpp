// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever plan fits a key computes it: random plans of random keys of x86-64's
// instruction sets, loaded into this process and checked.

#include "tests/tiles/random_plans.h"

#include <gtest/gtest.h>

#include "tests/tiles/check_tile.h"
#include "tests/tiles/random_keys.h"
#include "tests/tiles/tile_source.h"

namespace tilewright::testing {
namespace {

// Plans of each instruction set; more can be asked for to search longer.
constexpr int kDefaultPlans = 30;
constexpr int64_t kVolume = 1 << 14;

int plansPerIsa() {
  const char* given = std::getenv("TILEWRIGHT_TEST_KEYS");
  return given ? std::max(1, std::atoi(given)) : kDefaultPlans;
}

class RandomPlansTest : public ::testing::TestWithParam<tw_isa_t> {};

TEST_P(RandomPlansTest, KeepTheContract) {
  const IsaInfo& isa = info(GetParam());
  const std::string reason = reasonToSkip(isa, hostHas(isa));
  if (!reason.empty()) GTEST_SKIP() << reason;
  auto source = TileSource::create();
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  const uint64_t seed = seedOf("RandomPlans." + std::string(isa.name));
  SCOPED_TRACE(seedText(seed));
  Random random(seed);
  int checked = 0;
  for (const TileKey& key : randomKeys(isa.isa, 2 * plansPerIsa(), seed)) {
    if (key.vnni || !isSmall(key, kVolume)) continue;
    const std::string plan = randomPlan(key, random);
    auto fn = source->generatedBy(key, plan, "");
    const std::string repeat =
        "\n  to see it: tilewright gen --emit=asm '--plan=" + plan + "' " +
        printTileKey(key);
    if (!fn) {
      ADD_FAILURE() << llvm::toString(fn.takeError()) << repeat;
      continue;
    }
    CheckOptions options;
    options.seed = seed + checked;
    options.budget = 1'000'000;
    const CheckReport report = checkTiles(key, {{"generated", *fn}}, options);
    EXPECT_TRUE(report.ok()) << report.text() << repeat;
    ++checked;
    if (llvm::Error error = source->unload())
      ADD_FAILURE() << llvm::toString(std::move(error));
  }
  EXPECT_GT(checked, plansPerIsa() / 2);
}

std::vector<tw_isa_t> x86Isas() {
  std::vector<tw_isa_t> result;
  for (const IsaInfo& isa : isas())
    if (isa.arch == "X86_64" || isa.arch == "GENERIC")
      result.push_back(isa.isa);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Isas, RandomPlansTest, ::testing::ValuesIn(x86Isas()),
                         [](const ::testing::TestParamInfo<tw_isa_t>& test) {
                           return std::string(
                               ::tilewright::info(test.param).name);
                         });

}  // namespace
}  // namespace tilewright::testing
