// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices and clocks.

#include "measure/slices.h"

#include <time.h>

#include <chrono>
#include <utility>

namespace tilewright::bench {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

double threadNow() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[size_t(q * double(values.size() - 1) + 0.5)];
}

Sliced::Sliced(std::function<void(int64_t)> run, double sliceSeconds,
               double (*clock)())
    : run_(std::move(run)), clock_(clock) {
  // Doubles until a slice is long enough to extrapolate from. This also warms
  // caches and branch predictors.
  for (;;) {
    double start = clock_();
    run_(calls_);
    double seconds = clock_() - start;
    if (seconds >= sliceSeconds / 4) {
      calls_ = std::max<int64_t>(1, int64_t(calls_ * sliceSeconds / seconds));
      return;
    }
    calls_ *= 2;
  }
}

double Sliced::slice() {
  double start = clock_();
  run_(calls_);
  double seconds = (clock_() - start) / double(calls_);
  best_ = std::min(best_, seconds);
  return seconds;
}

}  // namespace tilewright::bench
