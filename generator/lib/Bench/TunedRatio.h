// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What entries of bodies and of shapes have alike.

#ifndef TILEWRIGHT_LIB_BENCH_TUNEDRATIO_H
#define TILEWRIGHT_LIB_BENCH_TUNEDRATIO_H

#include "tilewright/Tuning/ComparePairs.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <ctime>

namespace tilewright {

constexpr double kSliceSeconds = 200e-6;

/// When an entry is measured, as it says.
inline std::string timeNow() {
  return llvm::formatv("{0:%Y-%m-%dT%H:%M:%SZ}",
                       llvm::sys::toUtcTime(std::time(nullptr)))
      .str();
}

/// A ratio with the digits that mean something.
inline double rounded(double ratio) { return std::round(ratio * 1e4) / 1e4; }

/// Fills in ratio, interval and rounds; gives the number of the quickest, 0 for
/// the default.
template <typename Entry>
size_t decideRatio(Entry &entry, llvm::ArrayRef<Challenger> results) {
  for (const Challenger &result : results)
    entry.rounds = std::max(entry.rounds, result.rounds);
  std::optional<size_t> best = quickest(results);
  if (!best)
    return 0;
  entry.ratio = rounded(results[*best].ratio.median);
  entry.low = rounded(results[*best].ratio.low);
  entry.high = rounded(results[*best].ratio.high);
  entry.rounds = results[*best].rounds;
  return *best + 1;
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_BENCH_TUNEDRATIO_H
