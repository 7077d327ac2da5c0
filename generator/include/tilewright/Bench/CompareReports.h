// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two reports of `tilewright bench`: what became faster, slower, stayed.

#ifndef TILEWRIGHT_BENCH_COMPAREREPORTS_H
#define TILEWRIGHT_BENCH_COMPAREREPORTS_H

#include "tilewright/Bench/BenchReport.h"

namespace tilewright {

enum class Verdict { Same, Faster, Slower };

/// "same", "faster", "slower".
llvm::StringRef verdictName(Verdict verdict);

struct ComparedTile {
  std::string name, oldOrigin, newOrigin;
  double oldNs = 0, newNs = 0;
  /// By how much the times must differ to count.
  double tolerancePercent = 0;
  Verdict verdict = Verdict::Same;

  double ratio() const { return newNs / oldNs; }
};

struct Comparison {
  std::vector<ComparedTile> tiles; ///< in the new report's order
  /// What keeps the two from being comparable, or some of it; a sentence each.
  std::vector<std::string> remarks;
};

/// An error if there is no tile that both measured in the same way.
llvm::Expected<Comparison> compareReports(const BenchReport &before,
                                          const BenchReport &after);

std::string printComparisonJson(const Comparison &comparison);
void printComparisonText(const Comparison &comparison, llvm::raw_ostream &os);

} // namespace tilewright

#endif // TILEWRIGHT_BENCH_COMPAREREPORTS_H
