// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a machine was quiet enough to measure on.

#ifndef TILEWRIGHT_BENCH_MACHINENOISE_H
#define TILEWRIGHT_BENCH_MACHINENOISE_H

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// What disturbed one thread while it measured. Zero where the system does not
/// say it.
struct MachineNoise {
  unsigned cores = 1;
  /// Of the minute before the run.
  double loadAverage = 0;
  /// How much of the time the thread was ready and did not run.
  double waitingPercent = 0;
  int64_t involuntarySwitches = 0;
  /// How much of all cores' time the hypervisor gave to others.
  double stealPercent = 0;

  /// One phrase for each thing that is more than a quiet machine shows; empty
  /// if the machine was quiet.
  std::vector<std::string> reasons() const;
};

/// Watches the calling thread from construction to stop().
class NoiseMeter {
public:
  NoiseMeter();
  MachineNoise stop() const;

private:
  struct Sample {
    double seconds = 0, cpuSeconds = 0;
    int64_t switches = 0;
    uint64_t steal = 0, total = 0; ///< ticks of all cores
  };
  static Sample sample();

  double loadAverage = 0;
  Sample start;
};

} // namespace tilewright

#endif // TILEWRIGHT_BENCH_MACHINENOISE_H
