// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices and clocks.

#include "measure/slices.h"

#include <chrono>
#include <utility>

namespace tilewright::bench {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

Sliced::Sliced(std::function<void(int64_t)> run, double sliceSeconds)
    : run_(std::move(run)) {
  // Doubles until a slice is long enough to extrapolate from. This also warms
  // caches and branch predictors.
  for (;;) {
    double start = now();
    run_(calls_);
    double seconds = now() - start;
    if (seconds >= sliceSeconds / 4) {
      calls_ = std::max<int64_t>(1, int64_t(calls_ * sliceSeconds / seconds));
      return;
    }
    calls_ *= 2;
  }
}

double Sliced::slice() {
  double start = now();
  run_(calls_);
  double seconds = (now() - start) / double(calls_);
  best_ = std::min(best_, seconds);
  return seconds;
}

}  // namespace tilewright::bench
