// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running Google Benchmark.

#include "bench/support/report.h"

#include <cstdio>

#include "bench/commit.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"

namespace tilewright::bench {
namespace {
bool failed = false;
}

Option Json::option() {
  return {"json", "FILE",
          "write Google Benchmark's JSON to FILE; without a value, to standard "
          "output instead of the table",
          [this](std::string_view value) -> std::string {
            wanted = true;
            file = value;
            return "";
          }};
}

const char* commit() { return TW_BENCH_COMMIT; }

std::string availableIsas() {
  uint64_t cpu[TW_CPU_DATA_WORDS];
  tw_cpu_detect(cpu);
  std::string result;
  for (const IsaInfo& isa : isas())
    if (tw_isa_available(isa.isa, cpu)) {
      if (!result.empty()) result += ' ';
      result += isa.name;
    }
  return result;
}

void fail(benchmark::State& state, const std::string& message) {
  failed = true;
  state.SkipWithError(message.c_str());
}

int runBenchmarks(const CommandLine& commandLine, const Json& json) {
  std::vector<std::string> flags = commandLine.benchmarkFlags;
  if (json.wanted && json.file.empty())
    flags.push_back("--benchmark_format=json");
  if (!json.file.empty()) {
    flags.push_back("--benchmark_out=" + json.file);
    flags.push_back("--benchmark_out_format=json");
  }
  std::vector<char*> arguments;
  for (std::string& flag : flags) arguments.push_back(flag.data());
  int count = int(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  benchmark::AddCustomContext("tilewright_commit", commit());
  benchmark::AddCustomContext("tilewright_isas", availableIsas());
  if (benchmark::RunSpecifiedBenchmarks() == 0) {
    std::fprintf(stderr, "%s: no benchmark matches\n",
                 commandLine.program.c_str());
    return 2;
  }
  benchmark::Shutdown();
  return failed ? 1 : 0;
}

}  // namespace tilewright::bench
