// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether other bodies are quicker than the one that there is: a sequence of
// pairs of timings, and when it is enough. Nothing here looks at a clock.

#ifndef TILEWRIGHT_TUNING_COMPAREPAIRS_H
#define TILEWRIGHT_TUNING_COMPAREPAIRS_H

#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace tilewright {

/// Two runs of one program differ by up to a percent by where their memory
/// lies.
constexpr double kTuningTie = 0.99;

/// The median of samples, and an interval that holds, but for one case in a
/// thousand, the median of what they are drawn from, whatever its distribution.
struct MedianInterval {
  double median = 1, low = 0, high = std::numeric_limits<double>::infinity();
};
/// At least one sample. Of fewer than eleven the interval is all numbers.
MedianInterval medianInterval(std::vector<double> samples);

enum class Standing {
  Open,     ///< not known when time was up
  Quicker,  ///< than PairTiming::tie of the default's time, also at the least
  NoQuicker ///< than that, or than another challenger
};

/// "open", "quicker", "no quicker".
llvm::StringRef standingName(Standing standing);

struct Challenger {
  MedianInterval ratio; ///< of its time by the default's
  /// Of its least time by the default's. Others on the machine, such as the
  /// core's other thread, slow one body down more than another; the least times
  /// are those of moments without them.
  double leastRatio = 1;
  int64_t rounds = 0;

  /// The worse of both ratios.
  double surelyTakes() const { return std::max(ratio.median, leastRatio); }
  Standing standing = Standing::Open;
};

struct PairTiming {
  /// Times one slice of a body, 0 for the default, 1 for the first challenger,
  /// and gives its seconds per call.
  std::function<double(size_t body)> slice;
  /// A clock, in seconds.
  std::function<double()> now;
  double budgetSeconds = 0;
  /// A challenger must take less than this of the default's time.
  double tie = kTuningTie;
  /// Decides the order within and among pairs.
  uint64_t seed = 0;
};

/// Times each challenger beside the default, in turns, until it is known of
/// each whether it is quicker, or the budget is spent; at least one round.
std::vector<Challenger> comparePairs(size_t challengers,
                                     const PairTiming &timing);

/// The quickest of those that are quicker than the default.
std::optional<size_t> quickest(llvm::ArrayRef<Challenger> challengers);

} // namespace tilewright

#endif // TILEWRIGHT_TUNING_COMPAREPAIRS_H
