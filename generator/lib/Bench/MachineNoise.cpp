// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Bench/MachineNoise.h"

#include "measure/slices.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sys/resource.h>
#include <thread>

using namespace llvm;

namespace tilewright {
namespace {

double secondsOf(const timeval &time) {
  return time.tv_sec + time.tv_usec * 1e-6;
}

} // namespace

std::vector<std::string> MachineNoise::reasons() const {
  std::vector<std::string> result;
  // One core is this program's. A core that is alone has none to spare, but a
  // minute of average still knows the shell that started the run.
  if (loadAverage > std::max(cores - 1.0, 0.5))
    result.push_back(formatv("the load average was {0:f1} on {1} core{2}",
                             loadAverage, cores, cores == 1 ? "" : "s"));
  if (waitingPercent > 2)
    result.push_back(
        formatv("it waited for a core {0:f1} % of the time ({1} involuntary "
                "context switches)",
                waitingPercent, involuntarySwitches));
  if (stealPercent > 1)
    result.push_back(formatv(
        "the hypervisor gave {0:f1} % of the cores' time away", stealPercent));
  return result;
}

NoiseMeter::NoiseMeter() : start(sample()) {
  if (getloadavg(&loadAverage, 1) != 1)
    loadAverage = 0;
}

NoiseMeter::Sample NoiseMeter::sample() {
  Sample now;
  now.seconds = bench::now();
#ifdef RUSAGE_THREAD
  rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) == 0) {
    now.cpuSeconds = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
    now.switches = usage.ru_nivcsw;
  }
#endif
  // "cpu <user> <nice> <system> <idle> <iowait> <irq> <softirq> <steal> ..."
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  uint64_t ticks = 0;
  for (int field = 0; field < 8 && file >> ticks; ++field) {
    now.total += ticks;
    if (field == 7)
      now.steal = ticks;
  }
  return now;
}

MachineNoise NoiseMeter::stop() const {
  const Sample end = sample();
  MachineNoise noise;
  noise.cores = std::max(1u, std::thread::hardware_concurrency());
  noise.loadAverage = loadAverage;
  noise.involuntarySwitches = end.switches - start.switches;
  const double seconds = end.seconds - start.seconds;
  const double ran = end.cpuSeconds - start.cpuSeconds;
  if (end.cpuSeconds > 0 && seconds > 0)
    noise.waitingPercent = std::max(0.0, 100 * (1 - ran / seconds));
  if (end.total > start.total)
    noise.stealPercent = 100.0 * double(end.steal - start.steal) /
                         double(end.total - start.total);
  return noise;
}

} // namespace tilewright
