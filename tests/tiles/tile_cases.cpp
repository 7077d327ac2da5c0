// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which cases a key is tried with.

#include <algorithm>
#include <cfloat>
#include <cstdlib>

#include "tests/tiles/check_tile.h"

namespace tilewright::testing {
namespace {

constexpr BufferPlacement kPlacements[] = {BufferPlacement::kTrailing,
                                           BufferPlacement::kLeading,
                                           BufferPlacement::kMisaligned};
// No OUT_ROW_STRIDE, a stride equal to N0, and strides beyond it.
constexpr int64_t kRowPaddings[] = {-1, 0, 3, 17};

// How many budgets the first cases of a big tile may cost.
constexpr int64_t kMostBudgets = 20;

// TILEWRIGHT_TEST_EFFORT: how many times the usual budget a key gets.
int64_t effortFactor() {
  const char* given = std::getenv("TILEWRIGHT_TEST_EFFORT");
  return given ? std::max(1, std::atoi(given)) : 1;
}

const char* placementName(BufferPlacement placement) {
  switch (placement) {
    case BufferPlacement::kTrailing:
      return "trailing";
    case BufferPlacement::kLeading:
      return "leading";
    case BufferPlacement::kMisaligned:
      return "misaligned";
  }
  return "?";
}

// The K to try, those that must run first: nothing, single steps, the
// remainders of any unrolling, a power of two, something large.
std::vector<int64_t> outerSizes(const TileKey& key, Random& random) {
  const int64_t odd = 5 + 2 * random.between(0, 14);
  const int64_t depth = 512 << random.between(0, 3);
  const int64_t large =
      std::max<int64_t>(65, depth / key.k0 + random.between(0, 7));
  return {0, 1, 2, 3, odd, 64, large};
}

}  // namespace

std::string describe(const TileCase& c) {
  std::string text = "K=" + std::to_string(c.K) + " " + dataKindName(c.data);
  if (c.accumulate) text += " accumulate";
  if (c.rowPadding >= 0) text += " stride=N0+" + std::to_string(c.rowPadding);
  return text + " " + placementName(c.placement) +
         " case-seed=" + std::to_string(c.seed);
}

std::vector<TileCase> casesFor(const TileKey& key,
                               const CheckOptions& options) {
  Random random(options.seed);
  const std::vector<DataKind> kinds = dataKindsFor(key);
  // The f64 reference's long double is about four times as slow; where it is
  // software, on AArch64, forty times.
  constexpr int kLongDouble = LDBL_MANT_DIG == 113 ? 40 : 4;
  const int64_t macs = int64_t{key.m0} * key.n0 * key.k0 *
                       (key.types == TW_TYPES_F64F64F64 ? kLongDouble : 1);
  const int64_t budget = options.budget * effortFactor();
  int64_t left = budget;
  std::vector<TileCase> cases;
  // Taking turns with periods that have no common factor meets all pairs.
  size_t turn = random.below(12);
  for (int64_t K : outerSizes(key, random)) {
    for (DataKind kind : kinds) {
      if (K == 0 && kind != kinds.front()) continue;
      for (bool accumulate : {false, true}) {
        const bool full = options.effort == Effort::kFull || K == 0;
        const size_t variants = full ? 12 : 1;
        for (size_t v = 0; v < variants; ++v, ++turn) {
          // The first cases of K = 0 to 2 run even if they cost some budgets,
          // and one step whatever it costs.
          const int64_t cost = std::max<int64_t>(K, 1) * macs + 1000;
          const bool must =
              K <= 2 && v == 0 && kind == kinds.front() &&
              (cost <= kMostBudgets * budget || (K == 1 && !accumulate));
          if (!must && cost > left) continue;
          left -= cost;
          const DataKind data =
              K == 0 && accumulate ? DataKind::kAnyBits : kind;
          cases.push_back({K, data, accumulate, kRowPaddings[turn % 4],
                           kPlacements[turn % 3], random.next()});
        }
      }
    }
  }
  return cases;
}

}  // namespace tilewright::testing
