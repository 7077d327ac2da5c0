// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which body measurements choose, by a clock that the test moves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "tilewright/Bench/TuneTile.h"
#include "ukernels/measured.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MedianInterval, IsWhereTheMedianIsButForOneInAThousand) {
  std::vector<double> samples;
  for (int i = 1; i <= 16; ++i) samples.push_back(17 - i);
  MedianInterval of16 = medianInterval(samples);
  EXPECT_EQ(of16.median, 8.5);
  // At most 1 of 16 below the median: 17 in 65536. At most 2: 137.
  EXPECT_EQ(of16.low, 2);
  EXPECT_EQ(of16.high, 15);
  samples.resize(11);  // 16 to 6; none of 11 below it: 1 in 2048
  EXPECT_EQ(medianInterval(samples).low, 6);
  EXPECT_EQ(medianInterval(samples).high, 16);
  samples.resize(10);
  EXPECT_EQ(medianInterval(samples).low, 0);
  EXPECT_TRUE(std::isinf(medianInterval(samples).high));
  EXPECT_EQ(medianInterval(samples).median, 11.5);
  EXPECT_EQ(medianInterval({3}).median, 3);
}

TEST(MedianInterval, HoldsTheMedianOfManyDraws) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> noise;  // its median is 1
  int missed = 0;
  for (int run = 0; run < 2000; ++run) {
    std::vector<double> samples(64);
    for (double& sample : samples) sample = noise(random);
    MedianInterval interval = medianInterval(samples);
    missed += interval.low > 1 || interval.high < 1;
    EXPECT_LT(interval.high - interval.low, 3);
  }
  EXPECT_LE(missed, 8);
}

/// Bodies that take these times, in slices of a millisecond.
class FakeMachine {
 public:
  explicit FakeMachine(std::vector<double> seconds, double budget = 100)
      : seconds_(std::move(seconds)) {
    timing.slice = [this](size_t body) {
      now_ += 1e-3;
      ++slices[body];
      order.push_back(body);
      return seconds_[body] * (noise ? noise(body) : 1);
    };
    timing.now = [this] { return now_; };
    timing.budgetSeconds = budget;
    timing.seed = 7;
  }

  std::vector<Challenger> compare() {
    return comparePairs(seconds_.size() - 1, timing);
  }

  PairTiming timing;
  std::function<double(size_t)> noise;
  std::map<size_t, int> slices;
  std::vector<size_t> order;

 private:
  std::vector<double> seconds_;
  double now_ = 0;
};

TEST(ComparePairs, TakesTheQuickest) {
  FakeMachine machine({10, 9, 8, 12, 9.95});
  std::vector<Challenger> results = machine.compare();
  EXPECT_EQ(quickest(results), 1);
  EXPECT_EQ(results[1].standing, Standing::Quicker);
  EXPECT_NEAR(results[1].ratio.median, 0.8, 1e-12);
  // Quicker than the default, but not than another.
  EXPECT_EQ(results[0].standing, Standing::NoQuicker);
  EXPECT_EQ(results[2].standing, Standing::NoQuicker);
  // Within a percent: a tie.
  EXPECT_EQ(results[3].standing, Standing::NoQuicker);
  // It is known at the first look.
  EXPECT_EQ(results[1].rounds, 16);
}

TEST(ComparePairs, WhatIsATieIsAskedFor) {
  FakeMachine machine({10, 9.6});
  EXPECT_EQ(quickest(machine.compare()), 0);
  FakeMachine wider({10, 9.6});
  wider.timing.tie = 0.95;
  EXPECT_EQ(quickest(wider.compare()), std::nullopt);
}

TEST(ComparePairs, PairsAreInRandomOrder) {
  FakeMachine machine({10, 9.905, 9.905});  // open for as long as it may
  machine.noise = [n = 0](size_t) mutable { return n++ % 3 == 0 ? 1.05 : 1.0; };
  machine.timing.budgetSeconds = 0.4;
  machine.compare();
  ASSERT_EQ(machine.order.size() % 2, 0u);
  std::map<std::pair<size_t, size_t>, int> pairs;
  for (size_t i = 0; i < machine.order.size(); i += 2)
    ++pairs[{machine.order[i], machine.order[i + 1]}];
  // Each beside the default, on either side of it.
  EXPECT_EQ(pairs.size(), 4u);
  for (const auto& [pair, count] : pairs) {
    EXPECT_TRUE(pair.first == 0 || pair.second == 0);
    EXPECT_GT(count, 20);
  }
  EXPECT_NE(machine.order[0] + machine.order[1],
            machine.order[2] + machine.order[3]);
}

TEST(ComparePairs, NoiseIsNoGain) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> noise(0, 0.1);
  FakeMachine machine({10, 10, 10, 10}, /*budget=*/3);
  machine.noise = [&](size_t) { return noise(random); };
  std::vector<Challenger> results = machine.compare();
  EXPECT_EQ(quickest(results), std::nullopt);
  FakeMachine quicker({10, 9.3, 10}, /*budget=*/10);
  quicker.noise = [&](size_t) { return noise(random); };
  results = quicker.compare();
  EXPECT_EQ(quickest(results), 0);
  EXPECT_GT(results[0].rounds, 16);
  EXPECT_NEAR(results[0].ratio.median, 0.93, 0.02);
}

TEST(ComparePairs, WhatIsQuickerOnlyBesideOthersIsNot) {
  // Another thread of the core slows the default down, and all are alike
  // without it.
  FakeMachine machine({10, 10}, /*budget=*/1);
  machine.noise = [n = 0](size_t body) mutable {
    return body == 0 && n++ % 8 != 0 ? 1.1 : 1.0;
  };
  std::vector<Challenger> results = machine.compare();
  EXPECT_LT(results[0].ratio.high, kTuningTie);
  EXPECT_EQ(results[0].leastRatio, 1);
  EXPECT_EQ(results[0].standing, Standing::Open);
  EXPECT_EQ(quickest(results), std::nullopt);
}

TEST(ComparePairs, EndsWithTheBudget) {
  FakeMachine machine({10, 9.9, 20}, /*budget=*/0.02);
  machine.noise = [n = 0](size_t) mutable { return 1 + 0.1 * (n++ % 5); };
  std::vector<Challenger> results = machine.compare();
  EXPECT_EQ(results[0].standing, Standing::Open);
  EXPECT_EQ(results[0].rounds, 5);  // of four slices each
  EXPECT_EQ(quickest(results), std::nullopt);
  // However little it is, each was timed once.
  FakeMachine least({10, 5}, /*budget=*/0);
  results = least.compare();
  EXPECT_EQ(results[0].rounds, 1);
  EXPECT_EQ(results[0].standing, Standing::Open);
}

TEST(ComparePairs, WhoIsOutIsTimedNoMore) {
  FakeMachine machine({10, 20, 9.9}, /*budget=*/1);
  machine.noise = [n = 0](size_t) mutable { return n++ % 3 == 0 ? 1.05 : 1.0; };
  std::vector<Challenger> results = machine.compare();
  EXPECT_EQ(results[0].rounds, 16);
  EXPECT_EQ(machine.slices[1], 16);
  EXPECT_GT(results[1].rounds, 64);
}

TEST(ComparePairs, OfNobody) {
  FakeMachine machine({10});
  EXPECT_TRUE(machine.compare().empty());
  EXPECT_TRUE(machine.order.empty());
}

Challenger challengerOf(double low, double median, double high) {
  Challenger it;
  it.ratio = {median, low, high};
  it.leastRatio = median;
  it.rounds = 32;
  it.standing = high < kTuningTie ? Standing::Quicker : Standing::NoQuicker;
  return it;
}

TEST(Quickest, IsSoByTheWorseOfBothRatios) {
  const Challenger both = challengerOf(0.89, 0.9, 0.91);
  Challenger besideOthers = challengerOf(0.87, 0.88, 0.89);
  besideOthers.leastRatio = 0.93;
  Challenger alone = challengerOf(0.92, 0.93, 0.94);
  alone.leastRatio = 0.88;
  EXPECT_EQ(quickest({besideOthers, both, alone}), 1);
  EXPECT_EQ(quickest({besideOthers}), 0);
  EXPECT_EQ(quickest({challengerOf(1, 1, 1)}), std::nullopt);
}

/// A tile with a hand-written body and two others, the second of which takes
/// `second` beside the first.
TunedTile tileWith(std::vector<Challenger> results,
                   std::optional<Challenger> second = {}) {
  TunedTile tile;
  tile.entry.name = "a";
  tile.entry.core = "znver4";
  tile.candidates = {{"", {}}, {"one", {}}, {"two", {}}};
  decide(tile, results, [&]() -> std::vector<Challenger> {
    EXPECT_TRUE(second) << "timed, although nobody asks";
    return {*second};
  });
  return tile;
}

TEST(Decide, TakesWhatIsQuickerForSure) {
  TunedTile tile =
      tileWith({challengerOf(0.95, 0.96, 0.97), challengerOf(0.9, 0.91, 0.92)});
  EXPECT_EQ(tile.chosen, 2u);
  EXPECT_EQ(tile.entry.plan, "two");
  EXPECT_EQ(tile.entry.ratio, 0.91);
  EXPECT_EQ(tile.entry.low, 0.9);
  EXPECT_EQ(tile.entry.high, 0.92);
  EXPECT_EQ(tile.entry.rounds, 32);
  EXPECT_TRUE(tile.isSlowRow());
}

TEST(Decide, ATieKeepsTheDefault) {
  TunedTile tile =
      tileWith({challengerOf(0.98, 0.99, 1.0), challengerOf(0.99, 1.0, 1.01)},
               challengerOf(1, 1.01, 1.02));
  EXPECT_EQ(tile.chosen, 0u);
  EXPECT_TRUE(tile.entry.isHandWritten);
  EXPECT_EQ(tile.entry.plan, "");
  EXPECT_EQ(tile.entry.ratio, 1);
  EXPECT_EQ(tile.entry.rounds, 32);
  EXPECT_FALSE(tile.isSlowRow());
}

// "one" is the planner's choice.
TEST(Decide, KeepsTheGeneratedBodyToTakeBesideTheHandWrittenOne) {
  TunedTile tile =
      tileWith({challengerOf(1.2, 1.21, 1.22), challengerOf(1.1, 1.11, 1.12)},
               challengerOf(0.91, 0.92, 0.93));
  EXPECT_EQ(tile.chosen, 0u);
  EXPECT_EQ(tile.generated, 2u);
  EXPECT_TRUE(tile.entry.isHandWritten);
  EXPECT_EQ(tile.entry.plan, "two");
  EXPECT_EQ(tile.entry.ratio, 1);
  // None that is quicker than that for sure.
  tile =
      tileWith({challengerOf(1.2, 1.21, 1.22), challengerOf(1.18, 1.19, 1.2)},
               challengerOf(0.98, 0.985, 0.99));
  EXPECT_EQ(tile.entry.plan, "");
  EXPECT_EQ(tile.generated, 0u);
}

TEST(Decide, ASlowRowIsSlowForSure) {
  const std::vector<Challenger> no = {challengerOf(1, 1, 1)};
  EXPECT_FALSE(tileWith({challengerOf(0.97, 0.975, 0.981), no[0]}).isSlowRow());
  EXPECT_TRUE(tileWith({challengerOf(0.97, 0.975, 0.979), no[0]}).isSlowRow());
}

TileKey keyOf(const std::string& sizes) {
  return *parseTileKey("tw_mmt4d_tile_f32f32f32_" + sizes +
                       "_x86_64_avx512_base")
              .key;
}

std::vector<std::string> compared(std::vector<const char*> sizes,
                                  size_t rowsIndex, size_t most = 8) {
  std::vector<TileKey> keys;
  for (const char* size : sizes) keys.push_back(keyOf(size));
  std::vector<std::string> names;
  for (const TileKey& key :
       shapesToCompare(keys, matmulRows()[rowsIndex], most))
    names.push_back(std::to_string(key.m0) + "x" + std::to_string(key.n0));
  return names;
}

// Panels for many rows are multiplied by few, too: 48 columns have no tile of
// few rows, those of 16 have one that pads 3 rows more.
TEST(ShapesToCompare, OfManyRowsServeFew) {
  const std::vector<const char*> all = {"12x32x1", "8x48x1", "8x32x1",
                                        "16x16x1", "1x32x1", "4x16x1",
                                        "2x64x1",  "1x64x1", "14x64x1"};
  EXPECT_THAT(compared(all, TW_ROWS_MANY),
              ElementsAre("12x32", "8x32", "1x32", "2x64", "1x64", "14x64"));
  EXPECT_THAT(compared(all, TW_ROWS_MANY, 2),
              ElementsAre("12x32", "8x32", "1x32"));
  EXPECT_THAT(compared(all, TW_ROWS_FEW, 3),
              ElementsAre("12x32", "8x48", "8x32", "16x16"));
  EXPECT_THAT(compared({}, TW_ROWS_FEW), ElementsAre());
}

TunedShape shapeWith(std::vector<Challenger> results) {
  TunedShape shape;
  shape.entry.types = "f32f32f32";
  shape.entry.rows = "many";
  shape.candidates = {
      {keyOf("12x32x1"), {}}, {keyOf("8x32x1"), {}}, {keyOf("16x16x1"), {}}};
  decide(shape, results);
  return shape;
}

TEST(DecideShape, TakesWhatIsQuickerForSure) {
  TunedShape shape = shapeWith(
      {challengerOf(0.95, 0.96, 0.97), challengerOf(0.9, 0.91, 0.92)});
  EXPECT_EQ(shape.chosen, 2u);
  EXPECT_EQ(shape.entry.tile, printTileKey(keyOf("16x16x1")));
  EXPECT_EQ(shape.entry.beside, printTileKey(keyOf("12x32x1")));
  EXPECT_EQ(shape.entry.ratio, 0.91);
  EXPECT_EQ(shape.entry.high, 0.92);
  shape = shapeWith({challengerOf(0.98, 0.99, 1.0), challengerOf(1, 1, 1)});
  EXPECT_EQ(shape.chosen, 0u);
  EXPECT_EQ(shape.entry.tile, shape.entry.beside);
  EXPECT_EQ(shape.entry.ratio, 1);
}

TEST(TuneReport, SaysWhichShapesWereChosen) {
  TuneReport report;
  report.shapes = {shapeWith(
      {challengerOf(0.95, 0.96, 0.97), challengerOf(0.9, 0.91, 0.92)})};
  std::string text;
  llvm::raw_string_ostream os(text);
  printTuneText(report, os);
  EXPECT_THAT(text,
              AllOf(HasSubstr("rounds  matmul\n 0.910  0.900..0.920      "
                              "32  f32f32f32, many rows\n"),
                    HasSubstr(printTileKey(keyOf("16x16x1")) + " instead of " +
                              printTileKey(keyOf("12x32x1")))));
  EXPECT_THAT(printTuneJson(report),
              AllOf(HasSubstr("\"rows\": \"many\""),
                    HasSubstr("\"chosen\": \"" +
                              printTileKey(keyOf("16x16x1")) + "\"")));
}

TEST(TuneReport, SaysWhatWasChosen) {
  TuneReport report;
  report.cpu = "a CPU";
  report.core = "znver4";
  report.tiles = {
      tileWith({challengerOf(0.95, 0.96, 0.97), challengerOf(0.9, 0.91, 0.92)}),
      tileWith({challengerOf(1, 1, 1), Challenger()}, Challenger())};
  std::string text;
  llvm::raw_string_ostream os(text);
  printTuneText(report, os);
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("a CPU (znver4)"),
          HasSubstr(" 0.910  0.900..0.920      32  a\n"),
          HasSubstr("plan two instead of hand-written\n"),
          HasSubstr("hand-written stays: of 2 others none is quicker"),
          HasSubstr("hand-written tiles that take more than 2 % longer than a "
                    "generated body:\n 0.910  a\n")));
  const std::string json = printTuneJson(report);
  EXPECT_THAT(json, AllOf(HasSubstr("\"schema\": \"tilewright-tune-1\""),
                          HasSubstr("\"slow_row\": true"),
                          HasSubstr("\"standing\": \"quicker\"")));
  report.tiles.erase(report.tiles.begin());
  text.clear();
  printTuneText(report, os);
  EXPECT_THAT(text, Not(HasSubstr("longer than")));
}

}  // namespace
}  // namespace tilewright
