// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running Google Benchmark.

#include "bench/support/report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>

#include "bench/commit.h"
#include "bench/support/output.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"

namespace tilewright::bench {
namespace {

bool failed = false;

// What Google Benchmark prints, unless the JSON is printed, and the JSON. It
// would write its --benchmark_out in place.
class TableAndJson : public benchmark::BenchmarkReporter {
 public:
  explicit TableAndJson(bool table) {
    if (table) table_.reset(benchmark::CreateDefaultDisplayReporter());
    json_.SetOutputStream(&text_);
    json_.SetErrorStream(&std::cerr);
  }
  bool ReportContext(const Context& context) override {
    return (!table_ || table_->ReportContext(context)) &&
           json_.ReportContext(context);
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    if (table_) table_->ReportRuns(runs);
    json_.ReportRuns(runs);
  }
  void Finalize() override {
    if (table_) table_->Finalize();
    json_.Finalize();
  }
  std::string text() const { return text_.str(); }

 private:
  std::unique_ptr<benchmark::BenchmarkReporter> table_;
  benchmark::JSONReporter json_;
  std::ostringstream text_;
};

// Prints `last`. What was printed through any of the three ways to print has
// arrived; an error, or "".
std::string printAll(const std::string& last) {
  std::cout.flush();
  errno = 0;
  std::fputs(last.c_str(), stdout);
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout)
    return flushPrinted();
  return "cannot write standard output" +
         (errno ? std::string(": ") + std::strerror(errno) : "");
}

}  // namespace

Option Json::option() {
  return {"json", "FILE",
          "write Google Benchmark's JSON to FILE; without a value, to standard "
          "output instead of the table",
          [this](std::string_view value) -> std::string {
            wanted = true;
            file = value;
            return file.empty() ? "" : checkOutputFile(file);
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

int finish(const std::string& program, const Json& json,
           const std::string& text, int status) {
  std::string error = printAll(json.toStandardOutput() ? text : "");
  if (error.empty() && !json.file.empty())
    error = writeOutputFile(json.file, text);
  if (error.empty()) return status;
  std::fprintf(stderr, "%s: %s\n", program.c_str(), error.c_str());
  return 2;
}

int runBenchmarks(const CommandLine& commandLine, const Json& json) {
  std::vector<std::string> flags = commandLine.benchmarkFlags;
  std::vector<char*> arguments;
  for (std::string& flag : flags) arguments.push_back(flag.data());
  int count = int(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  benchmark::AddCustomContext("tilewright_commit", commit());
  benchmark::AddCustomContext("tilewright_isas", availableIsas());
  TableAndJson reporter(/*table=*/!json.toStandardOutput());
  if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0) {
    std::fprintf(stderr, "%s: no benchmark matches\n",
                 commandLine.program.c_str());
    return 2;
  }
  benchmark::Shutdown();
  return finish(commandLine.program, json, reporter.text(), failed ? 1 : 0);
}

}  // namespace tilewright::bench
