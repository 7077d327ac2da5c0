// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long kernels take to make: one by one, by step, in parallel, from the
// cache; and how much memory that takes.

#include <sys/resource.h>

#include <cstdio>
#include <set>

#include "bench/support/options.h"
#include "bench/support/random_keys.h"
#include "bench/support/report.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "measure/slices.h"
#include "tilewright/Codegen/TileGenerator.h"
#include "tilewright/Resolve/Resolve.h"

namespace tilewright::bench {
namespace {

struct Settings {
  std::vector<int64_t> counts = {1, 50, 500};
  int64_t memoryKeys = 2000;
  int64_t seed = 1;
  int64_t slowest = 0;
  std::string isa;
  std::string names;
  bool check = false;
  Json json;
};

// Bounds of --check.
constexpr double kMedianMs = 5, kP99Ms = 20, kCachedMs = 0.2, kGrowth = 1.10;

double peakMiB() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

// The tiles of --names, one to a line. An error at the first that is none.
llvm::Expected<std::vector<TileKey>> namedKeys(const std::string& path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return llvm::createStringError(file.getError(), "--names: '%s': %s",
                                   path.c_str(),
                                   file.getError().message().c_str());
  std::vector<TileKey> keys;
  for (llvm::line_iterator line(**file); !line.is_at_end(); ++line) {
    ParsedTileKey parsed = parseTileKey(std::string(line->trim()));
    if (!parsed.key)
      return llvm::createStringError(
          "--names: '%s', line %lld: %s", path.c_str(),
          (long long)(line.line_number()), parsed.error.c_str());
    keys.push_back(*parsed.key);
  }
  if (keys.empty())
    return llvm::createStringError("--names: '%s' holds no name", path.c_str());
  return keys;
}

// Where keys come from: a list, or a seed.
class Keys {
 public:
  Keys(const Settings& settings, std::vector<TileKey> named)
      : settings_(settings), named_(std::move(named)) {}

  // The first `count`; of a list at most all of it.
  std::vector<TileKey> first(size_t count) const {
    if (named_.empty()) return randomKeys(settings_.seed, count, settings_.isa);
    return {named_.begin(), named_.begin() + std::min(count, named_.size())};
  }
  // Others of the same kinds, if there are others.
  std::vector<TileKey> others(size_t count) const {
    if (!named_.empty()) return first(count);
    return randomKeys(settings_.seed + 1000, count, settings_.isa);
  }

 private:
  const Settings& settings_;
  std::vector<TileKey> named_;
};

struct Made {
  std::vector<TileKey> keys;  // those that could be generated
  std::vector<double> ms;
  std::vector<StepTimes> steps;
  double totalMs = 0;
};

// Generates objects of `keys` one after another. A key that fails is reported,
// once per program, and left out.
Made generateAll(TileGenerator& generator, const std::vector<TileKey>& keys,
                 std::set<TileKey>& failed) {
  Made made;
  for (const TileKey& key : keys) {
    double start = now();
    llvm::Expected<GeneratedTile> tile = generator.generate(key, Emit::Object);
    double ms = (now() - start) * 1e3;
    if (!tile) {
      std::string error = llvm::toString(tile.takeError());
      if (failed.insert(key).second)
        llvm::errs() << "compile_time_bench: " << error << '\n';
      continue;
    }
    made.keys.push_back(key);
    made.ms.push_back(ms);
    made.steps.push_back(tile->times);
    made.totalMs += ms;
  }
  return made;
}

llvm::json::Object stepMeans(const std::vector<StepTimes>& steps) {
  StepTimes sum;
  for (const StepTimes& step : steps) {
    sum.build += step.build;
    sum.lower += step.lower;
    sum.translate += step.translate;
    sum.optimize += step.optimize;
    sum.codegen += step.codegen;
  }
  double n = double(steps.size());
  return llvm::json::Object{{"build", sum.build / n},
                            {"lower", sum.lower / n},
                            {"translate", sum.translate / n},
                            {"optimize", sum.optimize / n},
                            {"codegen", sum.codegen / n}};
}

void printSlowest(const Made& made, int64_t count) {
  std::vector<size_t> order(made.keys.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return made.ms[a] > made.ms[b]; });
  order.resize(std::min<size_t>(order.size(), count));
  for (size_t i : order) {
    const StepTimes& t = made.steps[i];
    llvm::errs() << llvm::formatv(
        "{0,8:f2} ms  build {1:f2} lower {2:f2} translate {3:f2} optimize "
        "{4:f2} codegen {5:f2}  {6}\n",
        made.ms[i], t.build, t.lower, t.translate, t.optimize, t.codegen,
        printTileKey(made.keys[i]));
  }
}

llvm::json::Object summary(const Made& made) {
  return llvm::json::Object{
      {"keys", int64_t(made.keys.size())},
      {"threads", 1},
      {"kernels_per_second", 1e3 * double(made.keys.size()) / made.totalMs},
      {"ms_median", quantile(made.ms, 0.5)},
      {"ms_p99", quantile(made.ms, 0.99)},
      {"ms_max", quantile(made.ms, 1)},
      {"ms_by_step", stepMeans(made.steps)},
      {"peak_rss_mib", peakMiB()}};
}

// All cores without the cache, then twice through the cache.
llvm::Error parallelAndCached(const std::vector<TileKey>& keys,
                              llvm::json::Object& result) {
  int64_t count = int64_t(keys.size());
  ResolveOptions options;
  options.preferHandWritten = false;
  options.useCache = false;
  double start = now();
  auto tiles = resolveTiles(keys, options);
  if (!tiles) return tiles.takeError();
  result["all_cores"] = llvm::json::Object{
      {"keys", count}, {"kernels_per_second", double(count) / (now() - start)}};

  llvm::SmallString<128> directory;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("tw-cache", directory))
    return llvm::errorCodeToError(code);
  options.useCache = true;
  options.cacheDir = std::string(directory);
  options.jobs = 1;
  double ms = 0;
  llvm::Error failed = llvm::Error::success();
  for (int pass = 0; pass < 2 && !failed; ++pass) {
    start = now();
    auto again = resolveTiles(keys, options);
    ms = (now() - start) * 1e3;
    if (!again) {
      failed = joinErrors(std::move(failed), again.takeError());
      continue;
    }
    for (const ResolvedTile& tile : *again)
      if (pass == 1 && tile.origin != Origin::Cached)
        failed = joinErrors(
            std::move(failed),
            llvm::createStringError("%s: was %s, not cached, the second time",
                                    tile.name.c_str(),
                                    originName(tile.origin).str().c_str()));
  }
  llvm::sys::fs::remove_directories(directory);
  if (failed) return failed;
  result["cached"] = llvm::json::Object{
      {"keys", count}, {"threads", 1}, {"ms_each", ms / double(count)}};
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Object> measure(const Settings& settings) {
  llvm::json::Object result{
      {"context", llvm::json::Object{{"tilewright_commit", commit()},
                                     {"seed", settings.seed}}}};
  if (!settings.names.empty() && !settings.isa.empty())
    return llvm::createStringError(
        "--isa and --names: names say their instruction set; give one of both");
  std::vector<TileKey> named;
  if (!settings.names.empty())
    if (llvm::Error error = namedKeys(settings.names).moveInto(named))
      return std::move(error);
  const Keys source(settings, std::move(named));
  if (source.first(1).empty())
    return llvm::createStringError(
        "--isa: no instruction set or architecture is called '%s'; see "
        "'tilewright list isas'",
        settings.isa.c_str());
  std::set<TileKey> failed;
  double start = now();
  TileGenerator generator;
  generateAll(generator, source.first(1), failed);
  result["first_kernel_ms"] = (now() - start) * 1e3;
  generateAll(generator, source.others(20), failed);  // warm
  llvm::json::Array runs;
  Made made;
  size_t most = 0;
  for (int64_t count : settings.counts) {
    std::vector<TileKey> keys = source.first(count);
    most = std::max(most, keys.size());
    made = generateAll(generator, keys, failed);
    if (made.keys.empty())
      return llvm::createStringError("no key could be generated");
    runs.push_back(summary(made));
    if (settings.slowest) printSlowest(made, settings.slowest);
  }
  result["one_thread"] = std::move(runs);

  double before = peakMiB();
  std::vector<TileKey> keys = source.first(settings.memoryKeys);
  if (keys.size() > most) {
    int64_t all = int64_t(keys.size());
    keys.erase(keys.begin(), keys.begin() + most);
    generateAll(generator, keys, failed);
    result["memory"] = llvm::json::Object{{"keys_before", int64_t(most)},
                                          {"peak_rss_mib_before", before},
                                          {"keys_after", all},
                                          {"peak_rss_mib_after", peakMiB()}};
  }
  result["failed"] = int64_t(failed.size());
  if (llvm::Error error = parallelAndCached(made.keys, result))
    return std::move(error);
  return std::move(result);
}

double number(const llvm::json::Object* object, llvm::StringRef name) {
  return object ? object->getNumber(name).value_or(0) : 0;
}

void print(const llvm::json::Object& result) {
  llvm::outs() << llvm::formatv("first kernel, start-up included: {0:f1} ms\n",
                                number(&result, "first_kernel_ms"));
  llvm::outs() << "  keys  kernels/s  median    p99    max   build  lower  "
                  "transl.  opt.  codegen  (ms)  peak MiB\n";
  for (const llvm::json::Value& value : *result.getArray("one_thread")) {
    const llvm::json::Object* run = value.getAsObject();
    const llvm::json::Object* steps = run->getObject("ms_by_step");
    llvm::outs() << llvm::formatv(
        "{0,6:f0} {1,10:f0} {2,7:f2} {3,6:f2} {4,6:f2} {5,7:f2} {6,6:f2} "
        "{7,8:f2} {8,5:f2} {9,8:f2} {10,15:f0}\n",
        number(run, "keys"), number(run, "kernels_per_second"),
        number(run, "ms_median"), number(run, "ms_p99"), number(run, "ms_max"),
        number(steps, "build"), number(steps, "lower"),
        number(steps, "translate"), number(steps, "optimize"),
        number(steps, "codegen"), number(run, "peak_rss_mib"));
  }
  if (const llvm::json::Object* memory = result.getObject("memory"))
    llvm::outs() << llvm::formatv(
        "peak memory: {0:f0} MiB after {1:f0} keys, {2:f0} MiB after {3:f0}\n",
        number(memory, "peak_rss_mib_before"), number(memory, "keys_before"),
        number(memory, "peak_rss_mib_after"), number(memory, "keys_after"));
  llvm::outs() << llvm::formatv(
      "all cores: {0:f0} kernels/s\ncached: {1:f3} ms each\n",
      number(result.getObject("all_cores"), "kernels_per_second"),
      number(result.getObject("cached"), "ms_each"));
}

// Prints each bound that is missed; whether all hold.
bool checkBounds(const llvm::json::Object& result) {
  bool ok = true;
  auto bound = [&](const char* what, double measured, double limit) {
    if (measured <= limit) return;
    llvm::errs() << llvm::formatv(
        "compile_time_bench: {0} is {1:f2}, the bound is {2:f2}\n", what,
        measured, limit);
    ok = false;
  };
  const llvm::json::Object* last =
      result.getArray("one_thread")->back().getAsObject();
  bound("median, ms per key", number(last, "ms_median"), kMedianMs);
  bound("p99, ms per key", number(last, "ms_p99"), kP99Ms);
  bound("ms per cached key", number(result.getObject("cached"), "ms_each"),
        kCachedMs);
  if (const llvm::json::Object* memory = result.getObject("memory"))
    bound("growth of the peak memory",
          number(memory, "peak_rss_mib_after") /
              number(memory, "peak_rss_mib_before"),
          kGrowth);
  return ok;
}

CommandLine describe(Settings& settings) {
  CommandLine line;
  line.program = "compile_time_bench";
  line.usage =
      "Times the generation of random keys (all types, all ISAs, 1...1024): "
      "one thread, warm,\nby step; all cores; from the cache; and the memory "
      "it takes.";
  line.options = {
      {"counts", "N,N", "numbers of keys, ascending, default 1,50,500",
       setIntegers(&settings.counts, 1)},
      {"memory-keys", "N",
       "go on to this many keys and compare the peak memory, default 2000; 0: "
       "do not",
       setInteger(&settings.memoryKeys, 0)},
      {"seed", "N", "seed of the keys, default 1",
       setInteger(&settings.seed, 0, INT64_MAX)},
      {"isa", "NAME",
       "only keys of this instruction set or architecture (arm_64)",
       setString(&settings.isa)},
      {"names", "FILE",
       "the tiles that FILE names, one to a line, instead of random ones: the "
       "same ones\nfor another version",
       setString(&settings.names)},
      {"slowest", "N", "also print the N slowest keys",
       setInteger(&settings.slowest, 0)},
      {"check", "",
       "exit with 1 unless, over the last count, the median is at most 5 ms "
       "and p99 20 ms,\na cached key takes at most 0.2 ms, and the peak memory "
       "grows by at most 10 %",
       setSwitch(&settings.check)},
      settings.json.option(),
  };
  line.options.back().help =
      "write JSON to FILE; without a value, to standard output instead of the "
      "table";
  return line;
}

int run(int argc, char** argv) {
  Settings settings;
  CommandLine line = describe(settings);
  int exitCode;
  if (!line.parse(argc, argv, &exitCode)) return exitCode;
  llvm::Expected<llvm::json::Object> result = measure(settings);
  if (!result) {
    llvm::errs() << "compile_time_bench: " << llvm::toString(result.takeError())
                 << '\n';
    return 1;
  }
  bool ok = (!settings.check || checkBounds(*result)) &&
            number(&*result, "failed") == 0;
  if (!settings.json.toStandardOutput()) print(*result);
  llvm::json::Value json(std::move(*result));
  return finish(line.program, settings.json, llvm::formatv("{0:2}\n", json),
                ok ? 0 : 1);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
