// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner of arenas, on random lifetimes.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <random>

#include "tilewright/Compile/PlanOffsets.h"

namespace tilewright::testing {
namespace {

struct Buffers {
  std::vector<Lifetime> lifetimes;
  std::vector<int64_t> sizes;
};

// `reach` is how many others a buffer lives beside, roughly.
Buffers randomBuffers(std::mt19937& random, int64_t count, int64_t reach) {
  auto below = [&](int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
  };
  Buffers buffers;
  for (int64_t i = 0; i < count; ++i) {
    int64_t first = below(count + 1);
    buffers.lifetimes.push_back({first, first + below(reach)});
    // Of many magnitudes, empty ones among them.
    buffers.sizes.push_back(64 * (below(int64_t{1} << below(12)) + below(2)));
  }
  return buffers;
}

void expectApart(const Buffers& buffers, const OffsetPlan& plan) {
  for (size_t i = 0; i < buffers.sizes.size(); ++i) {
    int64_t begin = plan.offsets[i], end = begin + buffers.sizes[i];
    ASSERT_GE(begin, 0);
    ASSERT_EQ(begin % 64, 0);
    ASSERT_LE(end, plan.bytes);
    for (size_t j = 0; j < i; ++j) {
      if (!buffers.lifetimes[i].overlaps(buffers.lifetimes[j])) continue;
      int64_t other = plan.offsets[j];
      ASSERT_TRUE(end <= other || other + buffers.sizes[j] <= begin)
          << "buffers " << i << " and " << j;
    }
  }
}

TEST(PlanOffsetsTest, RandomLifetimes) {
  std::mt19937 random(20240917);
  double worst = 1, sum = 0;
  int counted = 0;
  for (int round = 0; round < 2000; ++round) {
    auto count = static_cast<int64_t>(random() % 60);
    auto reach = static_cast<int64_t>(1 + random() % 20);
    Buffers buffers = randomBuffers(random, count, reach);
    OffsetPlan plan = planOffsets(buffers.lifetimes, buffers.sizes);
    expectApart(buffers, plan);
    int64_t least = mostBytesInUse(buffers.lifetimes, buffers.sizes);
    ASSERT_GE(plan.bytes, least);
    ASSERT_LE(plan.bytes, std::accumulate(buffers.sizes.begin(),
                                          buffers.sizes.end(), int64_t{0}));
    if (!least) continue;
    double ratio = static_cast<double>(plan.bytes) / static_cast<double>(least);
    worst = std::max(worst, ratio);
    sum += ratio;
    ++counted;
  }
  RecordProperty("worst", std::to_string(worst));
  RecordProperty("mean", std::to_string(sum / counted));
  EXPECT_LT(worst, 1.5);
  EXPECT_LT(sum / counted, 1.02);
}

TEST(PlanOffsetsTest, AChainNeedsTwo) {
  Buffers chain;
  for (int64_t i = 0; i < 100; ++i) {
    chain.lifetimes.push_back({i, i + 1});
    chain.sizes.push_back(640);
  }
  OffsetPlan plan = planOffsets(chain.lifetimes, chain.sizes);
  expectApart(chain, plan);
  EXPECT_EQ(plan.bytes, 2 * 640);
}

TEST(PlanOffsetsTest, UnusedBuffersNeedNoPlaceOfTheirOwn) {
  std::vector<Lifetime> lifetimes = {{0, 5}, {0, -1}, {0, -1}};
  std::vector<int64_t> sizes = {64, 64, 64};
  EXPECT_EQ(planOffsets(lifetimes, sizes).bytes, 64);
  EXPECT_EQ(planOffsets({}, {}).bytes, 0);
}

TEST(PlanOffsetsTest, SlotsOfRandomLifetimes) {
  std::mt19937 random(7);
  double sum = 0;
  const int kRounds = 1000;
  for (int round = 0; round < kRounds; ++round) {
    auto count = static_cast<int64_t>(1 + random() % 60);
    Buffers buffers = randomBuffers(random, count, 10);
    for (int64_t& size : buffers.sizes) size += 64;
    std::vector<unsigned> slots = planSlots(buffers.lifetimes, buffers.sizes);
    std::map<unsigned, int64_t> largest;
    for (size_t i = 0; i < slots.size(); ++i) {
      largest[slots[i]] = std::max(largest[slots[i]], buffers.sizes[i]);
      for (size_t j = 0; j < i; ++j)
        ASSERT_FALSE(slots[i] == slots[j] &&
                     buffers.lifetimes[i].overlaps(buffers.lifetimes[j]))
            << "buffers " << i << " and " << j;
    }
    // Numbered without gaps.
    ASSERT_EQ(largest.rbegin()->first + 1, largest.size());
    int64_t bytes = 0;
    for (auto [slot, size] : largest) bytes += size;
    sum += static_cast<double>(bytes) / static_cast<double>(mostBytesInUse(
                                            buffers.lifetimes, buffers.sizes));
  }
  EXPECT_LT(sum / kRounds, 1.2);
}

// What a large model has, in well under a second even under a sanitizer.
TEST(PlanOffsetsTest, ThousandsOfBuffers) {
  std::mt19937 random(1);
  for (int64_t reach : {3, 100, 3000}) {
    Buffers buffers = randomBuffers(random, 3000, reach);
    auto start = std::chrono::steady_clock::now();
    OffsetPlan plan = planOffsets(buffers.lifetimes, buffers.sizes);
    planSlots(buffers.lifetimes, buffers.sizes);
    std::chrono::duration<double, std::milli> ms =
        std::chrono::steady_clock::now() - start;
    RecordProperty("ms_reach_" + std::to_string(reach),
                   std::to_string(ms.count()));
    EXPECT_LT(ms.count(), 1000);
    expectApart(buffers, plan);
  }
}

}  // namespace
}  // namespace tilewright::testing
