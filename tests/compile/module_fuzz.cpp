// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// module_fuzz: random functions of a few operations each, compiled as plain
// loops, with layouts chosen late, early and never, with operands packed whole,
// and after data tiling by its passes alone, run and compared with what they
// have to compute. Some functions make a module, and each module has a process
// of its own, so that what crashes is counted and named.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/common/seed.h"
#include "tests/compile/child_output.h"
#include "tests/compile/jit_model.h"
#include "tests/compile/module_program.h"
#include "tests/compile/tiled_before.h"

namespace cl = llvm::cl;

namespace tilewright::testing {
namespace {

cl::OptionCategory category("module_fuzz");
cl::opt<uint64_t> seedFlag("seed", cl::cat(category),
                           cl::desc("Seed of all modules (default: fixed)"));
cl::opt<int64_t> countFlag("count", cl::cat(category), cl::init(100),
                           cl::desc("How many functions"));
cl::opt<int64_t> firstFlag("first", cl::cat(category), cl::init(0),
                           cl::value_desc("I"),
                           cl::desc("Functions from I on: several processes "
                                    "share what one would do"));
cl::opt<int64_t> onlyFlag("only", cl::cat(category), cl::init(-1),
                          cl::value_desc("I"),
                          cl::desc("Function I alone, and print it"));
cl::opt<std::string> targetFlag(
    "target", cl::cat(category), cl::value_desc("isa"),
    cl::desc("As in tile names (default: the best of this CPU)"));

cl::opt<bool> tilingFlag(
    "tiling", cl::cat(category),
    cl::desc("More multiplications, and what stands between them"));

// A way of compiling.
struct Way {
  const char* name;
  bool isReference = false;
  JitTiling tiling = JitTiling::kLate;
  bool isOnDevices = false;
  bool isInline = false;  // of CPUs alone
  bool isPropagated = false;
  bool isTiledBefore = false;  // by the passes, and by plain loops since
};
constexpr Way kWays[] = {
    {"--reference", true},
    {"on several devices", false, JitTiling::kLate, true},
    {"--data-tiling=late"},
    {"--data-tiling=early", false, JitTiling::kEarly},
    {"--data-tiling=none", false, JitTiling::kNone},
    {"--inline", false, JitTiling::kLate, false, true},
    {"--inline, encodings everywhere", false, JitTiling::kLate, false, true,
     true},
    {"--inline, encodings everywhere, early", false, JitTiling::kEarly, false,
     true, true},
    {"--inline on several devices, encodings everywhere", false,
     JitTiling::kLate, true, true, true},
    {"tw-data-tiling, then --reference", true, JitTiling::kNone, false, false,
     true, true},
};

// Functions of a module; one for a GPU, whose kernels are then its own.
constexpr int64_t kBatch = 20;
// A process that takes longer hangs.
constexpr unsigned kSeconds = 600;
constexpr int kFailuresPrinted = 10;
// After how many functions a line says so.
constexpr int64_t kProgress = 100;

// What the flags say. Linking a code object parses LLVM's options anew, and
// sets all flags back.
struct Settings {
  uint64_t seed = 0;
  std::string target;
  ModuleMix mix = ModuleMix::kAll;
} settings;

bool isForGpu() { return settings.target.rfind("amdgpu", 0) == 0; }

ModuleProgram programOf(int64_t index) {
  return randomModule(
      "f" + std::to_string(index),
      Random(settings.seed ^ Random(static_cast<uint64_t>(index)).next())
          .next(),
      settings.mix);
}

// With some operations on other devices, which values then go to and fro.
std::string withPlaces(std::string text, int64_t index,
                       const std::vector<std::string>& devices) {
  if (devices.empty()) return text;
  Random random(settings.seed + static_cast<uint64_t>(index));
  for (std::string_view operation : {"linalg.generic {", "linalg.matmul "}) {
    size_t at = 0;
    while ((at = text.find(operation, at)) != std::string::npos) {
      bool isInBraces = operation.back() == '{';
      at = isInBraces ? at + operation.size() : text.find("ins(", at);
      if (random.below(4) > 0) continue;
      std::string place =
          "tw.device = \"" + devices[random.below(devices.size())] + "\"";
      text.insert(at, isInBraces ? place + ", " : "{" + place + "} ");
    }
  }
  return text;
}

// Beside the best: a CPU that has less, and one without data tiling; beside a
// GPU a second one, every other time of another target.
std::vector<std::string> otherDevices(int64_t index) {
  if (isForGpu())
    return {"other=" + (index % 2 ? settings.target : "amdgpu_gfx950")};
  std::vector<std::string> isas = runnableIsas();
  return {"less=" + isas[isas.size() / 2], "none=none"};
}

// What operations may say that they run on, beside nothing.
std::vector<std::string> placesOf(const Way& way) {
  if (isForGpu())
    return way.isOnDevices ? std::vector<std::string>{"host", "other"}
                           : std::vector<std::string>{"host"};
  return way.isOnDevices ? std::vector<std::string>{"less", "none"}
                         : std::vector<std::string>();
}

// Functions [first, last) as one module, by one way of compiling it: a line of
// JSON for each; none if the module is refused whole.
void runModule(int64_t first, int64_t last, const Way& way,
               llvm::raw_ostream& os) {
  std::string text, error;
  for (int64_t i = first; i < last; ++i)
    text += withPlaces(programOf(i).text(), i, placesOf(way));
  JitOptions options;
  if (way.isOnDevices) options.others = otherDevices(first);
  options.isa = settings.target;
  options.reference = way.isReference;
  options.tiling = way.tiling;
  options.inlineTiles = way.isInline;
  options.alwaysPropagate = way.isPropagated;
  const int64_t threads[] = {1, 2, 3, 8};
  if (!way.isReference && !isForGpu())
    options.threads = threads[first / kBatch % 4];
  options.leastTask = 1;
  if (way.isTiledBefore)
    text = tiledBefore(text, settings.target, &error).value_or("");
  std::unique_ptr<JitModel> model;
  if (!text.empty()) model = JitModel::compile(text, options, &error);
  if (!model && last - first > 1) return;
  for (int64_t i = first; i < last; ++i) {
    std::string problem =
        model ? programOf(i).check(*model) : "refused: " + error;
    os << llvm::json::Value(llvm::json::Object{
              {"index", i}, {"problem", llvm::json::fixUTF8(problem)}})
       << '\n';
    os.flush();
  }
}

// Whether modules of a batch are compiled this way. Inlining takes longest: of
// its ways each batch has one.
bool isWayOf(int64_t batch, const Way& way) {
  if (way.isTiledBefore)
    return !isForGpu() && settings.mix == ModuleMix::kTiling;
  if (!way.isInline) return true;
  constexpr int64_t kInlined = 4;
  int64_t number = 0;
  for (const Way& other : kWays) {
    if (&other == &way) break;
    number += other.isInline;
  }
  return !isForGpu() && batch % kInlined == number;
}

class Fuzzer {
 public:
  void run(int64_t first, int64_t last) {
    int64_t batch = isForGpu() ? 1 : kBatch, count = last - first;
    for (; first < last; first = std::min(last, (first / batch + 1) * batch)) {
      int64_t end = std::min(last, (first / batch + 1) * batch);
      for (const Way& way : kWays)
        if (isWayOf(first / kBatch, way)) runRange(first, end, way);
      for (int64_t i = first; i < end; ++i) {
        ++total_;
        for (const std::string& operation : programOf(i).operations)
          ++operations_[operation];
        if (total_ % kProgress == 0 && total_ < count)
          llvm::errs() << total_ << " of " << count
                       << " functions, wrong, refused or crashed "
                       << failed_.size() << '\n';
      }
    }
  }

  // True if all is well.
  bool report() {
    llvm::outs() << llvm::formatv(
        "functions {0}, wrong, refused or crashed "
        "{1}\nof their operations",
        total_, failed_.size());
    for (const auto& [name, count] : operations_)
      llvm::outs() << ' ' << name << ' ' << count;
    llvm::outs() << "\nseed " << settings.seed << '\n';
    return failed_.empty();
  }

 private:
  void runRange(int64_t first, int64_t last, const Way& way) {
    std::string how;
    std::set<int64_t> done;
    auto work = [&](llvm::raw_ostream& os) { runModule(first, last, way, os); };
    for (const llvm::json::Object& object :
         objectsOfChild(kSeconds, work, how)) {
      int64_t index = *object.getInteger("index");
      done.insert(index);
      record(index, object.getString("problem")->str(), way);
    }
    bool isWhole = static_cast<int64_t>(done.size()) == last - first;
    if (isWhole && how.empty()) return;
    if (last - first == 1) return record(first, "crashed: " + how, way);
    // One by one, to know which.
    int before = printed_;
    for (int64_t i = first; i < last; ++i)
      if (!done.count(i)) runRange(i, i + 1, way);
    if (printed_ == before)
      record(first,
             "only together with those up to " + std::to_string(last - 1) +
                 ": " + (how.empty() ? "refused" : "crashed: " + how),
             way);
  }

  void record(int64_t index, const std::string& problem, const Way& way) {
    if (problem.empty()) return;
    failed_.insert(index);
    ModuleProgram program = programOf(index);
    llvm::outs() << program.name << ", " << program.describe() << ", "
                 << way.name << "\n  " << problem << '\n';
    if (++printed_ > kFailuresPrinted) return;
    llvm::outs() << "  --seed=" << settings.seed << " --only=" << index
                 << " --target=" << settings.target
                 << (settings.mix == ModuleMix::kTiling ? " --tiling\n" : "\n")
                 << program.text();
  }

  int64_t total_ = 0;
  int printed_ = 0;
  std::set<int64_t> failed_;
  std::map<std::string, int64_t> operations_;
};

int run() {
  settings = {seedFlag.getNumOccurrences() ? seedFlag.getValue()
                                           : seedOf("module_fuzz"),
              targetFlag.empty() ? runnableIsas().front() : targetFlag,
              tilingFlag ? ModuleMix::kTiling : ModuleMix::kAll};
  int64_t only = onlyFlag, first = firstFlag, count = countFlag;
  Fuzzer fuzzer;
  if (only >= 0) {
    llvm::outs() << programOf(only).text();
    fuzzer.run(only, only + 1);
  } else {
    fuzzer.run(first, first + count);
  }
  return fuzzer.report() ? 0 : 1;
}

}  // namespace
}  // namespace tilewright::testing

int main(int argc, char** argv) {
  using namespace tilewright::testing;
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles random functions on tensors, runs them and compares each "
      "element.\nExits with 1 if one is wrong, refused or crashes.\n");
  return run();
}
