// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Issue peaks: how many operations per second this core does when nothing but
// the issue of one instruction bounds it. Every %peak is relative to one of
// these, measured in the same run.

#ifndef TILEWRIGHT_BENCH_PEAKS_PEAKS_H_
#define TILEWRIGHT_BENCH_PEAKS_PEAKS_H_

#include <cstdint>
#include <vector>

#include "bench/support/measure.h"
#include "tilewright/key.h"

namespace tilewright::bench {

struct Peak {
  const char* name;  // the row of peaks.def
  tw_isa_t isa;      // what it needs
  int64_t operationsPerIteration;
  // Runs `iterations` > 0 iterations on 128 bytes of operands.
  void (*run)(int64_t iterations, const void* operands);
};

// The rows of peaks.def; empty on other architectures than x86-64.
const std::vector<Peak>& peaks();

// The peak that `key` is measured against (key_peaks.def); null if it has none.
const Peak* peakOf(const TileKey& key);

// A timer of `peak`, one call being one iteration of its loop. Take slices
// alternating with those of what it is compared with.
Sliced slicedPeak(const Peak& peak, double sliceSeconds);

// Operations per second of the best slice so far.
inline double bestRate(const Peak& peak, const Sliced& sliced) {
  return double(peak.operationsPerIteration) / sliced.best();
}

}  // namespace tilewright::bench

#endif  // TILEWRIGHT_BENCH_PEAKS_PEAKS_H_
