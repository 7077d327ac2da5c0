// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every Google Benchmark program here shares: the --json option, the
// context that makes a number mean something, and the exit status.

#ifndef TILEWRIGHT_BENCH_SUPPORT_REPORT_H_
#define TILEWRIGHT_BENCH_SUPPORT_REPORT_H_

#include <benchmark/benchmark.h>

#include <string>

#include "bench/support/options.h"

namespace tilewright::bench {

// "--json" (to standard output) and "--json=FILE".
struct Json {
  bool wanted = false;
  std::string file;
  Option option();
  bool toStandardOutput() const { return wanted && file.empty(); }
};

// The commit this was built from ("unknown" outside a git checkout).
const char* commit();

// The ISAs of isas.def that this CPU can run, separated by spaces, best first.
std::string availableIsas();

// Makes the run fail in the end, and `state` report `message`.
void fail(benchmark::State& state, const std::string& message);

// The end of a program: writes `text` where `json` says, and returns `status`,
// or 2 with a message if that or anything printed before does not arrive.
int finish(const std::string& program, const Json& json,
           const std::string& text, int status);

// Runs what is registered, with Google Benchmark's flags of `commandLine`.
// Returns the exit status: 0, 1 after fail(), or finish()'s.
int runBenchmarks(const CommandLine& commandLine, const Json& json);

}  // namespace tilewright::bench

#endif  // TILEWRIGHT_BENCH_SUPPORT_REPORT_H_
