// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the issue peaks of this CPU.

#include <benchmark/benchmark.h>

#include "bench/support/options.h"
#include "bench/support/report.h"
#include "measure/peaks.h"
#include "measure/slices.h"
#include "tilewright/tilewright.h"

namespace tilewright::bench {
namespace {

int run(int argc, char** argv) {
  Json json;
  CommandLine line;
  line.program = "peak_bench";
  line.usage =
      "Measures the issue peak of each instruction that tiles are built on: "
      "independent\naccumulators in registers, no memory.";
  line.options = {json.option()};
  int exitCode;
  if (!line.parse(argc, argv, &exitCode)) return exitCode;
  tw_cpu_permit_amx(nullptr, 0);  // without it AMX is not detected
  uint64_t cpu[TW_CPU_DATA_WORDS];
  tw_cpu_detect(cpu);
  for (const Peak& peak : peaks()) {
    if (!tw_isa_available(peak.isa, cpu)) continue;
    benchmark::RegisterBenchmark(peak.name,
                                 [&](benchmark::State& state) {
                                   Sliced sliced = slicedPeak(peak, 200e-6);
                                   for (auto _ : state)
                                     state.SetIterationTime(sliced.slice());
                                   state.counters["Gop/s"] =
                                       bestRate(peak, sliced) * 1e-9;
                                 })
        ->UseManualTime()
        ->Iterations(100);
  }
  return runBenchmarks(line, json);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
