// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// contraction_fuzz: random contractions, compiled, run and compared with loops.
// A few thousand functions are compiled in modules of some; each module in a
// process of its own, so that what crashes is counted and named.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/common/seed.h"
#include "tests/compile/child_output.h"
#include "tests/compile/contraction_check.h"
#include "tests/compile/contraction_program.h"
#include "tests/compile/jit_model.h"
#include "tilewright/key.h"

namespace cl = llvm::cl;

namespace tilewright::testing {
namespace {

enum class Device { kCpu, kGpu };

cl::OptionCategory category("Options of contraction_fuzz");
cl::opt<int64_t> countFlag("count", cl::cat(category), cl::init(200),
                           cl::desc("How many contractions"));
cl::opt<uint64_t> seedFlag(
    "seed", cl::cat(category),
    cl::desc("Of all of them; contraction I of a seed is the "
             "same whatever the count"));
cl::opt<Device> deviceFlag("device", cl::cat(category), cl::init(Device::kCpu),
                           cl::desc("What runs them:"),
                           cl::values(clEnumValN(Device::kCpu, "cpu",
                                                 "this CPU, as one of the "
                                                 "targets that it can run"),
                                      clEnumValN(Device::kGpu, "gpu",
                                                 "AMD GPUs, under the emulated "
                                                 "HIP")));
cl::opt<int64_t> onlyFlag("only", cl::cat(category), cl::init(-1),
                          cl::value_desc("I"),
                          cl::desc("Contraction I alone, and print it"));
cl::opt<std::string> targetFlag(
    "target", cl::cat(category), cl::value_desc("isa"),
    cl::desc("Always this target, as in tile names (default: a random one for "
             "each module)"));

cl::opt<bool> referenceFlag(
    "reference", cl::cat(category),
    cl::desc("As plain loops, without tiles: compares the oracle with MLIR's "
             "lowering"));

// The share of contractions with a type triple that has to call a tile.
constexpr int kPercentThroughTiles = 95;
// Functions of a module. A module for a GPU has one, so that its kernels are
// those of that.
constexpr int64_t kCpuBatch = 25;
// A process that takes longer hangs.
constexpr unsigned kSeconds = 900;
// Failures that are printed whole.
constexpr int kFailuresPrinted = 20;

// What the flags say. Linking a code object parses LLVM's options anew, and
// sets all flags back.
struct Settings {
  uint64_t seed = 0;
  Device device = Device::kCpu;
  std::string target;
  bool reference = false;
} settings;

// The seed of contraction `index` of `all`.
uint64_t seedOfCase(uint64_t all, int64_t index) {
  return Random(all ^ Random(static_cast<uint64_t>(index)).next()).next();
}

int64_t batchSize() { return settings.device == Device::kGpu ? 1 : kCpuBatch; }

ContractionProgram programOf(int64_t index) {
  ProgramLimits limits;
  if (settings.device == Device::kGpu) limits = {1 << 11, 2, /*windows=*/false};
  std::string name = "f" + std::to_string(index);
  return randomContraction(name, seedOfCase(settings.seed, index), limits);
}

std::string targetOf(int64_t index) {
  if (!settings.target.empty()) return settings.target;
  std::vector<std::string> targets;
  if (settings.device == Device::kCpu) targets = runnableIsas();
  if (settings.device == Device::kGpu)
    for (const IsaInfo& isa : isas())
      if (isa.isGpu()) targets.emplace_back(isa.name);
  Random random(seedOfCase(~settings.seed, index / batchSize()));
  return targets[random.below(targets.size())];
}

// The core that a module is for: none, or any, for what a core likes is no
// matter of what can run.
std::string coreOf(int64_t index) {
  if (settings.device == Device::kGpu || settings.reference) return "";
  constexpr const char* kCores[] = {
#define TW_CORE(ARCH, ENUM, llvm_cpu) llvm_cpu,
#include "tilewright/cores.def"
  };
  Random random(seedOfCase(~settings.seed + 1, index / batchSize()));
  return random.chance(0.5) ? "" : kCores[random.below(std::size(kCores))];
}

// How many tasks the modules' dispatches are divided into at most.
int64_t threadsOf(int64_t index) {
  if (settings.device == Device::kGpu || settings.reference) return 1;
  const int64_t threads[] = {1, 2, 3, 8};
  return threads[index / batchSize() % 4];
}

enum class Outcome { kRight, kWrong, kRefused, kCrash };
constexpr const char* kOutcomes[] = {"right", "wrong", "refused", "crashed"};

struct Result {
  Outcome outcome = Outcome::kCrash;
  std::string message;
  int64_t tileCalls = 0;
};

// What a child does: contractions [first, last) as one module. Prints one line
// of JSON for each contraction; none if the module is refused whole.
void runModule(int64_t first, int64_t last, llvm::raw_ostream& os) {
  std::string text;
  for (int64_t i = first; i < last; ++i) text += programOf(i).text();
  JitOptions options;
  options.isa = targetOf(first);
  options.reference = settings.reference;
  options.threads = threadsOf(first);
  options.leastTask = 1;
  options.core = coreOf(first);
  std::string error;
  std::unique_ptr<JitModel> model = JitModel::compile(text, options, &error);
  if (!model && last - first > 1) return;
  for (int64_t i = first; i < last; ++i) {
    ContractionProgram program = programOf(i);
    Outcome outcome = Outcome::kRefused;
    int64_t tileCalls = 0;
    if (model) {
      tileCalls = model->tileCalls(program.name);
      for (const std::string& kernel : model->kernels())
        tileCalls += llvm::StringRef(kernel).starts_with("tw_mmt4d_kernel") ||
                     llvm::StringRef(kernel).starts_with("mmt4d_");
      error = checkContraction(program, *model);
      outcome = error.empty() ? Outcome::kRight : Outcome::kWrong;
    }
    os << llvm::json::Value(
              llvm::json::Object{{"index", i},
                                 {"outcome", static_cast<int64_t>(outcome)},
                                 {"message", llvm::json::fixUTF8(error)},
                                 {"tileCalls", tileCalls}})
       << '\n';
    os.flush();
  }
}

class Fuzzer {
 public:
  void run(int64_t first, int64_t last) {
    while (first < last) {
      // Modules begin at multiples of their size, whatever the count.
      int64_t end = std::min(last, (first / batchSize() + 1) * batchSize());
      runRange(first, end);
      first = end;
    }
  }

  // True if all is well.
  bool report(bool checksShare) {
    int64_t total = 0, withTriple = 0, through = 0, failures = 0;
    for (int64_t number : outcomes_) total += number;
    failures = total - outcomes_[0];
    llvm::outs() << llvm::formatv(
        "contractions {0}, wrong {1}, refused {2}, crashed {3}\n", total,
        outcomes_[1], outcomes_[2], outcomes_[3]);
    for (const auto& [types, row] : rows_) {
      if (!row.isTriple) continue;
      withTriple += row.count;
      through += row.through;
      llvm::outs() << llvm::formatv(
          "  {0,-14} through tiles {1,6} of {2,6}  "
          "{3}\n",
          types, row.through, row.count, percent(row.through, row.count));
    }
    int64_t other = total - withTriple - empty_ - outer_ - groups_;
    llvm::outs() << llvm::formatv(
        "through tiles {0} of {1} with a type triple and something to "
        "multiply, {2}\n"
        "beside these: {3} of other types, {4} of a size 0 in their types, "
        "{5} outer products without a sum, {6} convolutions of groups\n",
        through, withTriple, percent(through, withTriple), other, empty_,
        outer_, groups_);
    for (const std::string& line : missed_) llvm::outs() << line;
    llvm::outs() << "seed " << settings.seed << '\n';
    if (!checksShare || withTriple == 0) return failures == 0;
    bool enough = 100 * through >= kPercentThroughTiles * withTriple;
    if (!enough)
      llvm::outs() << "fewer than " << kPercentThroughTiles
                   << " % through tiles\n";
    return failures == 0 && enough;
  }

 private:
  struct Row {
    bool isTriple = false;
    int64_t count = 0, through = 0;
  };

  static std::string percent(int64_t part, int64_t whole) {
    if (whole == 0) return "-";
    return llvm::formatv("{0:F1} %", 100.0 * static_cast<double>(part) /
                                         static_cast<double>(whole));
  }

  void runRange(int64_t first, int64_t last) {
    std::string how;
    std::map<int64_t, Result> results = runInChild(first, last, how);
    // Also if it ended badly after its answer.
    if (last - first == 1 && (!how.empty() || results.empty()))
      results[first] = {Outcome::kCrash, how, 0};
    std::vector<int64_t> missing;
    for (int64_t i = first; i < last; ++i) {
      auto found = results.find(i);
      if (found != results.end())
        record(i, found->second);
      else
        missing.push_back(i);
    }
    if (missing.empty() && how.empty()) return;
    if (last - first == 1) return;
    // One by one, to know which.
    int64_t failures = outcomes_[0];
    for (int64_t i : missing) runRange(i, i + 1);
    failures = outcomes_[0] - failures;
    if (!how.empty() && failures == static_cast<int64_t>(missing.size()))
      record(first, {Outcome::kCrash,
                     "only together with those up to " +
                         std::to_string(last - 1) + ": " + how,
                     0});
  }

  // What the child said; `how` it ended if not well.
  std::map<int64_t, Result> runInChild(int64_t first, int64_t last,
                                       std::string& how) {
    std::map<int64_t, Result> results;
    auto work = [&](llvm::raw_ostream& os) { runModule(first, last, os); };
    for (const llvm::json::Object& object : objectsOfChild(kSeconds, work, how))
      results[*object.getInteger("index")] = {
          static_cast<Outcome>(*object.getInteger("outcome")),
          object.getString("message")->str(), *object.getInteger("tileCalls")};
    return results;
  }

  void record(int64_t index, const Result& result) {
    ContractionProgram program = programOf(index);
    ++outcomes_[static_cast<int>(result.outcome)];
    if (result.outcome != Outcome::kRight) print(index, program, result);
    bool isOuter = true;
    for (char letter : program.letters) isOuter &= !program.isReduced(letter);
    bool isTriple = program.types.isTriple();
    if (isTriple && isOuter)
      ++outer_;
    else if (isTriple && program.isEmpty())
      ++empty_;
    else if (isTriple && program.hasGroups())
      ++groups_;
    else
      count(program, isTriple, result);
  }

  void count(const ContractionProgram& program, bool isTriple,
             const Result& result) {
    Row& row = rows_[program.types.name()];
    row.isTriple = isTriple;
    ++row.count;
    row.through += result.tileCalls > 0;
    if (isTriple && result.tileCalls == 0 &&
        result.outcome != Outcome::kCrash && missed_.size() < 5)
      missed_.push_back("not through tiles: " + program.name + ", " +
                        program.describe() + "\n");
  }

  void print(int64_t index, const ContractionProgram& program,
             const Result& result) {
    llvm::outs() << kOutcomes[static_cast<int>(result.outcome)] << ": " << index
                 << ", " << program.describe() << ", for " << targetOf(index)
                 << "\n  " << result.message << '\n';
    if (++failures_printed_ > kFailuresPrinted) return;
    llvm::outs() << "  --seed=" << settings.seed << " --only=" << index
                 << " --device="
                 << (settings.device == Device::kGpu ? "gpu" : "cpu") << '\n'
                 << program.text();
  }

  int64_t outcomes_[4] = {};
  std::map<std::string, Row> rows_;
  int64_t empty_ = 0, outer_ = 0, groups_ = 0;
  int failures_printed_ = 0;
  std::vector<std::string> missed_;
};

int run() {
  settings = {seedFlag.getNumOccurrences() ? seedFlag.getValue()
                                           : seedOf("contraction_fuzz"),
              deviceFlag, targetFlag, referenceFlag};
  int64_t only = onlyFlag, count = countFlag;
  Fuzzer fuzzer;
  if (only >= 0) {
    llvm::outs() << programOf(only).text();
    fuzzer.run(only, only + 1);
  } else {
    fuzzer.run(0, count);
  }
  return fuzzer.report(/*checksShare=*/only < 0 && !settings.reference) ? 0 : 1;
}

}  // namespace
}  // namespace tilewright::testing

int main(int argc, char** argv) {
  using namespace tilewright::testing;
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles random contractions, runs them and compares each element with "
      "loops.\nExits with 1 if one is wrong, refused or crashes, or if fewer "
      "than 95 % of those with a type\ntriple call a tile.\n");
  return run();
}
