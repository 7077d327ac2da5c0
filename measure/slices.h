// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timing that holds up on a noisy machine: many short slices, alternating
// between the things compared, and the least time of each.

#ifndef MEASURE_SLICES_H_
#define MEASURE_SLICES_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace tilewright::bench {

// Seconds on a monotonic clock.
double now();
// Seconds that the calling thread has run, on a clock that stands still while
// others have its core: for calls longer than a time slice of a busy machine.
double threadNow();

// The value that a part `q` of `values`, at least one, does not exceed: 0.5 for
// the median (of an even number the upper one), 1 for the greatest.
double quantile(std::vector<double> values, double q);

// Times a callable in slices of about `sliceSeconds`. `run(n)` does n calls, on
// the calling thread alone where `clock` is threadNow.
class Sliced {
 public:
  Sliced(std::function<void(int64_t)> run, double sliceSeconds,
         double (*clock)() = now);
  // One slice; returns its seconds per call and remembers the least.
  double slice();
  int64_t callsPerSlice() const { return calls_; }
  // Least seconds per call seen so far.
  double best() const { return best_; }

 private:
  std::function<void(int64_t)> run_;
  double (*clock_)();
  int64_t calls_ = 1;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace tilewright::bench

#endif  // MEASURE_SLICES_H_
