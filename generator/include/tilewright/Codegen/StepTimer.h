// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_CODEGEN_STEPTIMER_H
#define TILEWRIGHT_CODEGEN_STEPTIMER_H

#include <chrono>

namespace tilewright {

/// Adds the milliseconds of its own lifetime to `ms`.
class StepTimer {
public:
  explicit StepTimer(double &ms) : ms(ms), start(Clock::now()) {}
  ~StepTimer() {
    ms +=
        std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  StepTimer(const StepTimer &) = delete;
  StepTimer &operator=(const StepTimer &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double &ms;
  Clock::time_point start;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_STEPTIMER_H
