// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Tuning/ComparePairs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace llvm;

namespace tilewright {
namespace {

/// Of missing the median, on either side.
constexpr double kMissed = 0.0005;
/// Rounds before the first look, and before looking is given up. Each look is
/// a chance to be wrong, so that they come at twice the rounds each.
constexpr int64_t kFirstLook = 16, kMostRounds = 4096;

/// How many of the least of n samples lie below the interval: the most for
/// which it is less likely than kMissed that the median lies among them.
size_t samplesOutside(size_t n) {
  // The number of samples below the median is binomial, (n, 1/2).
  double log = -double(n) * std::log(2.0), sum = 0;
  size_t outside = 0;
  for (size_t below = 0; below < n / 2; ++below) {
    sum += std::exp(log);
    if (sum > kMissed)
      break;
    outside = below + 1;
    log += std::log(double(n - below)) - std::log(double(below + 1));
  }
  return outside;
}

} // namespace

StringRef standingName(Standing standing) {
  switch (standing) {
  case Standing::Open:
    return "open";
  case Standing::Quicker:
    return "quicker";
  case Standing::NoQuicker:
    return "no quicker";
  }
  llvm_unreachable("all standings are covered");
}

MedianInterval medianInterval(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const size_t n = samples.size(), outside = samplesOutside(n);
  MedianInterval interval;
  interval.median = (samples[(n - 1) / 2] + samples[n / 2]) / 2;
  if (outside == 0)
    return interval;
  interval.low = samples[outside - 1];
  interval.high = samples[n - outside];
  return interval;
}

std::vector<Challenger> comparePairs(size_t count, const PairTiming &timing) {
  std::vector<Challenger> challengers(count);
  std::vector<std::vector<double>> ratios(count);
  std::vector<double> leastTimes(count + 1,
                                 std::numeric_limits<double>::infinity());
  std::vector<size_t> racing(count);
  std::iota(racing.begin(), racing.end(), 0);
  std::mt19937_64 random(timing.seed);

  auto slice = [&](size_t body) {
    const double time = timing.slice(body);
    leastTimes[body] = std::min(leastTimes[body], time);
    return time;
  };
  auto pair = [&](size_t challenger) {
    const bool defaultFirst = random() & 1;
    const double one = slice(defaultFirst ? 0 : challenger + 1);
    const double other = slice(defaultFirst ? challenger + 1 : 0);
    ratios[challenger].push_back(defaultFirst ? other / one : one / other);
  };
  auto look = [&] {
    double leastHigh = std::numeric_limits<double>::infinity();
    for (size_t i : racing) {
      challengers[i].ratio = medianInterval(ratios[i]);
      challengers[i].leastRatio = leastTimes[i + 1] / leastTimes[0];
      challengers[i].rounds = int64_t(ratios[i].size());
      leastHigh = std::min(leastHigh, challengers[i].ratio.high);
    }
    for (size_t i : racing) {
      Challenger &it = challengers[i];
      if (it.ratio.low >= timing.tie || it.ratio.low > leastHigh)
        it.standing = Standing::NoQuicker;
      else if (it.ratio.high < timing.tie && it.leastRatio < timing.tie)
        it.standing = Standing::Quicker;
      else
        it.standing = Standing::Open;
    }
    erase_if(racing, [&](size_t i) {
      return challengers[i].standing == Standing::NoQuicker;
    });
  };
  auto undecided = [&] {
    return any_of(racing, [&](size_t i) {
      return challengers[i].standing == Standing::Open;
    });
  };

  const double end = timing.now() + timing.budgetSeconds;
  int64_t nextLook = kFirstLook;
  for (int64_t round = 1; !racing.empty() && round <= kMostRounds; ++round) {
    std::shuffle(racing.begin(), racing.end(), random);
    for (size_t challenger : racing)
      pair(challenger);
    const bool isOver = timing.now() >= end;
    if (round < nextLook && !isOver)
      continue;
    look();
    if (isOver || !undecided())
      break;
    nextLook = 2 * round;
  }
  return challengers;
}

std::optional<size_t> quickest(ArrayRef<Challenger> challengers) {
  std::optional<size_t> best;
  for (size_t i = 0; i < challengers.size(); ++i)
    if (challengers[i].standing == Standing::Quicker &&
        (!best ||
         challengers[i].surelyTakes() < challengers[*best].surelyTakes()))
      best = i;
  return best;
}

} // namespace tilewright
