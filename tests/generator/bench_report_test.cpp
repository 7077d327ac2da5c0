// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tilewright bench` makes of its times, on made-up ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/Bench/BenchReport.h"
#include "tilewright/Bench/CompareReports.h"

using namespace llvm;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace tilewright {
namespace {

TEST(LeastTime, IsTheLeastAndTheSpreadOfTheRunsParts) {
  // Six parts of two; their least times are 10, 10.1, 10.2, 10.3, 10.4, 30.
  const double times[] = {99,   10.2, 30,   31, 10, 10,
                          10.4, 50,   10.1, 11, 12, 10.3};
  LeastTime least = leastOf(times);
  EXPECT_EQ(least.least, 10);
  EXPECT_NEAR(least.spreadPercent, 2.5, 1e-9);
}

TEST(LeastTime, OfFewTimes) {
  EXPECT_EQ(leastOf({7.0}).least, 7);
  EXPECT_EQ(leastOf({7.0}).spreadPercent, 0);
  EXPECT_NEAR(leastOf({8.0, 10.0}).spreadPercent, 12.5, 1e-9);
  EXPECT_EQ(leastOf({8.0, 10.0}).least, 8);
}

TEST(MachineNoise, SaysWhatIsMoreThanAQuietMachineShows) {
  MachineNoise noise;
  noise.cores = 4;
  noise.loadAverage = 2.9;
  noise.waitingPercent = 1.9;
  noise.involuntarySwitches = 12;
  noise.stealPercent = 0.9;
  EXPECT_THAT(noise.reasons(), IsEmpty());
  noise.loadAverage = 3.2;
  EXPECT_THAT(noise.reasons(),
              ElementsAre("the load average was 3.2 on 4 cores"));
  noise.waitingPercent = 12.34;
  noise.stealPercent = 5;
  EXPECT_THAT(noise.reasons(),
              ElementsAre(HasSubstr("load average"),
                          "it waited for a core 12.3 % of the time (12 "
                          "involuntary context switches)",
                          HasSubstr("hypervisor gave 5.0 %")));
  noise = {};
  noise.loadAverage = 0.4;  // of one core
  EXPECT_THAT(noise.reasons(), IsEmpty());
  noise.loadAverage = 0.6;
  EXPECT_THAT(noise.reasons(), SizeIs(1));
}

TEST(MachineNoise, IsMeasured) {
  NoiseMeter meter;
  volatile double sum = 0;
  for (int i = 0; i < 1000000; ++i) sum = sum + i;
  MachineNoise noise = meter.stop();
  EXPECT_GE(noise.cores, 1u);
  EXPECT_GE(noise.waitingPercent, 0);
  EXPECT_LE(noise.waitingPercent, 100);
  EXPECT_GE(noise.involuntarySwitches, 0);
  EXPECT_GE(noise.stealPercent, 0);
}

BenchedTile tileOf(const std::string& name, double leastNs,
                   double spreadPercent) {
  BenchedTile tile;
  tile.name = name;
  tile.origin = "generated";
  tile.reason = "no hand-written tile";
  tile.body = "plan \"x\"";
  tile.madeMs = 3.5;
  tile.checked = "exactly";
  tile.k = 128;
  tile.operations = 4096;
  tile.leastNs = leastNs;
  tile.spreadPercent = spreadPercent;
  tile.plainNs = 10 * leastNs;
  tile.peak = PeakShare{"fma", "x86_64_avx2_fma", 100, 41};
  return tile;
}

BenchReport reportOf(std::vector<BenchedTile> tiles) {
  BenchReport report;
  report.version = "1.2.3";
  report.cpu = "A CPU";
  report.core = "core";
  report.isas = {"x86_64_avx2_fma", "generic"};
  report.rounds = 60;
  report.noise.cores = 2;
  report.noise.loadAverage = 0.5;
  report.remarks = {"A remark."};
  report.tiles = std::move(tiles);
  return report;
}

Comparison compare(const BenchReport& before, const BenchReport& after) {
  Expected<Comparison> comparison = compareReports(before, after);
  EXPECT_TRUE(bool(comparison)) << toString(comparison.takeError());
  return comparison ? *comparison : Comparison();
}

Verdict verdictOf(double oldNs, double oldSpread, double newNs,
                  double newSpread) {
  Comparison comparison = compare(reportOf({tileOf("t", oldNs, oldSpread)}),
                                  reportOf({tileOf("t", newNs, newSpread)}));
  return comparison.tiles.at(0).verdict;
}

TEST(CompareReports, WhatDiffersByLessThanOnePercentIsTheSame) {
  EXPECT_EQ(verdictOf(1000, 0, 1000, 0), Verdict::Same);
  EXPECT_EQ(verdictOf(1000, 0, 1009, 0), Verdict::Same);
  EXPECT_EQ(verdictOf(1009, 0, 1000, 0), Verdict::Same);
  EXPECT_EQ(verdictOf(1000, 0, 1011, 0), Verdict::Slower);
  EXPECT_EQ(verdictOf(1011, 0, 1000, 0), Verdict::Faster);
}

TEST(CompareReports, ASpreadOfEitherRunTakesMore) {
  EXPECT_EQ(verdictOf(1000, 2, 1050, 1), Verdict::Same);
  EXPECT_EQ(verdictOf(1000, 1, 1050, 2), Verdict::Same);
  EXPECT_EQ(verdictOf(1000, 2, 1070, 1), Verdict::Slower);
  EXPECT_EQ(verdictOf(1070, 2, 1000, 1), Verdict::Faster);
  EXPECT_EQ(verdictOf(1070, 3, 1000, 1), Verdict::Same);
}

TEST(CompareReports, SaysWhatIsNotComparable) {
  BenchedTile otherK = tileOf("k", 10, 0);
  otherK.k = 256;
  Comparison comparison = compare(
      reportOf({tileOf("a", 10, 0), tileOf("gone", 10, 0), tileOf("k", 10, 0)}),
      reportOf({tileOf("new", 10, 0), tileOf("a", 5, 0), otherK}));
  ASSERT_THAT(comparison.tiles, SizeIs(1));
  EXPECT_EQ(comparison.tiles[0].name, "a");
  EXPECT_EQ(comparison.tiles[0].ratio(), 0.5);
  EXPECT_THAT(comparison.remarks,
              ElementsAre("new: only in the new file",
                          HasSubstr("k: not compared, K was 128 and is 256"),
                          "gone: only in the old file"));
}

TEST(CompareReports, SaysThatTheMachineChanged) {
  BenchReport before = reportOf({tileOf("a", 10, 0), tileOf("b", 10, 0)});
  BenchReport after = before;
  EXPECT_THAT(compare(before, after).remarks, IsEmpty());
  for (BenchedTile& tile : after.tiles) tile.peak->gops = 80;
  EXPECT_THAT(compare(before, after).remarks,
              ElementsAre(HasSubstr("fma itself ran at 0.80 times")));
  after.cpu = "Another CPU";
  EXPECT_THAT(compare(before, after).remarks,
              ElementsAre(HasSubstr("different CPUs: A CPU (core) and Another"),
                          HasSubstr("0.80")));
}

TEST(CompareReports, NothingToCompareIsAnError) {
  BenchReport a = reportOf({tileOf("a", 10, 0)});
  Expected<Comparison> none = compareReports(a, reportOf({tileOf("b", 10, 0)}));
  ASSERT_FALSE(bool(none));
  EXPECT_THAT(toString(none.takeError()),
              HasSubstr("nothing to compare: no tile is in both"));
  BenchReport cold = a;
  cold.cold = true;
  Expected<Comparison> states = compareReports(a, cold);
  ASSERT_FALSE(bool(states));
  EXPECT_THAT(toString(states.takeError()), HasSubstr("--cache"));
}

TEST(CompareReports, AChangedBodyIsShown) {
  BenchedTile byHand = tileOf("a", 10, 0);
  byHand.origin = "hand-written";
  Comparison comparison =
      compare(reportOf({byHand}), reportOf({tileOf("a", 10, 0)}));
  std::string text;
  raw_string_ostream os(text);
  printComparisonText(comparison, os);
  EXPECT_THAT(text, HasSubstr("same     a (generated, was hand-written)"));
}

TEST(BenchJson, IsReadAsItWasWritten) {
  BenchReport report = reportOf({tileOf("a", 12.5, 0.25), tileOf("b", 10, 0)});
  report.cold = true;
  report.tiles[1].peak.reset();
  report.tiles[0].isaPeak = PeakShare{"mul", "generic", 50, 82};
  const std::string text = printBenchJson(report);
  Expected<BenchReport> read = parseBenchJson(text, "f");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(printBenchJson(*read), text);
  EXPECT_TRUE(read->cold);
  EXPECT_FALSE(read->tiles[1].peak);
  EXPECT_EQ(read->tiles[0].isaPeak->sequence, "mul");
}

/// What the reader says of `text`, in which `from` was replaced by `to`.
std::string complaint(std::string text, const std::string& from,
                      const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  Expected<BenchReport> read = parseBenchJson(text, "f.json");
  EXPECT_FALSE(bool(read)) << text;
  return read ? "" : toString(read.takeError());
}

TEST(BenchJson, OtherFilesAreRefused) {
  const std::string good =
      printBenchJson(reportOf({tileOf("a", 12.5, 0.25), tileOf("b", 10, 0)}));
  const std::string start =
      "'f.json' is not what 'tilewright bench --json' writes: ";
  EXPECT_THAT(complaint("x", "x", "nonsense"), HasSubstr(start));
  EXPECT_THAT(complaint("x", "x", "[]"), HasSubstr("expected object"));
  EXPECT_THAT(complaint(good, "tilewright-bench-1", "tilewright-bench-2"),
              HasSubstr("expected \"tilewright-bench-1\""));
  EXPECT_THAT(complaint(good, "\"least_ns\": 12.5", "\"least_ns\": 0"),
              HasSubstr("expected a number above 0"));
  EXPECT_THAT(complaint(good, "\"least_ns\": 12.5", "\"least_ns\": \"1\""),
              HasSubstr("tiles[0].least_ns"));
  EXPECT_THAT(complaint(good, "\"least_ns\"", "\"most_ns\""),
              HasSubstr("least_ns"));
  EXPECT_THAT(complaint(good, "\"hot\"", "\"warm\""),
              HasSubstr("expected \"hot\" or \"cold\""));
  EXPECT_THAT(complaint(good, "\"name\": \"b\"", "\"name\": \"a\""),
              HasSubstr("a name that stands above already"));
  EXPECT_THAT(complaint(good, "\"cores\": 2", "\"cores\": 0"),
              HasSubstr("cores"));
}

}  // namespace
}  // namespace tilewright
