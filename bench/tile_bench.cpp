// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times tile functions: every hand-written tile, or the names given.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "bench/support/options.h"
#include "bench/support/report.h"
#include "bench/support/single_accumulator.h"
#include "bench/support/tiles.h"
#include "measure/check_tile.h"
#include "measure/operands.h"
#include "measure/peaks.h"
#include "measure/slices.h"

namespace tilewright::bench {
namespace {

enum OriginChoice { kAuto, kHand, kGenerated, kBoth };
enum CacheChoice { kHot, kCold, kHotAndCold };

struct Settings {
  std::vector<std::string> names;
  int origin = kAuto;
  int cache = kHotAndCold;
  int64_t k = 0;
  int64_t slices = 60;
  double sliceMicroseconds = 200;
  bool accumulate = false;
  bool list = false;
  bool reference = false;
  std::string plan;
  Json json;
};

// One tile function to time.
struct Subject {
  TileKey key;
  std::string name;
  const char* origin;
  tw_mmt4d_tile_fn_t fn;
};

int64_t stepsOf(const TileKey& key, const Settings& settings) {
  return settings.k ? settings.k : defaultK(key);
}

void timeTile(benchmark::State& state, const Subject& subject, bool cold,
              const Settings& settings) {
  if (!canRun(subject.key)) {
    state.SkipWithError(
        ("not run: this CPU lacks " + std::string(info(subject.key.isa).name))
            .c_str());
    return;
  }
  std::string wrong = checkTile(subject.key, subject.fn);
  if (!wrong.empty()) return fail(state, wrong);

  int64_t k = stepsOf(subject.key, settings);
  double sliceSeconds = settings.sliceMicroseconds * 1e-6;
  Operands operands(subject.key, k, cold, settings.accumulate);
  Sliced tile([&](int64_t calls) { operands.run(subject.fn, calls); },
              sliceSeconds);
  PeakTimer peaks(peaksOf(subject.key, PeakScope::kIsa), sliceSeconds);
  for (auto _ : state) {
    state.SetIterationTime(tile.slice());
    peaks.slice();
  }
  double rate = operands.operationsPerCall() / tile.best();
  state.counters["Gop/s"] = rate * 1e-9;
  state.counters["best_ns"] = tile.best() * 1e9;
  state.counters["K"] = double(k);
  if (std::optional<PeakTimer::Rate> peak = peaks.fastest()) {
    state.counters["%peak"] = 100 * rate / peak->operationsPerSecond;
    state.counters["peak_Gop/s"] = peak->operationsPerSecond * 1e-9;
    state.SetLabel(peak->peak->name);
  } else {
    state.SetLabel("no peak is defined for these types on this ISA");
  }
  if (cold)
    state.counters["GB/s"] = operands.panelBytesPerCall() / tile.best() * 1e-9;
}

void registerTile(const Subject& subject, const Settings& settings) {
  for (bool cold : {false, true}) {
    if (settings.cache == (cold ? kHot : kCold)) continue;
    std::string name =
        subject.name + "/" + subject.origin + (cold ? "/cold" : "/hot");
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) {
                                   timeTile(state, subject, cold, settings);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kNanosecond)
        ->Iterations(settings.slices);
  }
}

// Adds what `settings` asks for of the tile `key`; an error, or "".
std::string addSubjects(const TileKey& key, bool named, Settings& settings,
                        GeneratedTiles& generated,
                        std::vector<Subject>& subjects) {
  const Row* row = findRow(key);
  std::string name = printTileKey(key);
  bool hand = settings.origin == kHand || settings.origin == kBoth ||
              (settings.origin == kAuto && row);
  bool generate = settings.origin == kGenerated || settings.origin == kBoth ||
                  (settings.origin == kAuto && !row);
  if (named && !canRun(key))
    return name + ": this CPU lacks " + std::string(info(key.isa).name) +
           "; it can run " + availableIsas();
  if (hand && !row)
    return name +
           ": no hand-written tile has this name; --list prints them, "
           "--origin=generated generates it";
  if (hand) subjects.push_back({key, name, "hand", row->fn});
  if (!generate) return "";
  std::string error;
  tw_mmt4d_tile_fn_t fn = generated.get(key, &error, settings.plan);
  if (!fn) return error;
  subjects.push_back({key, name, "generated", fn});
  return "";
}

CommandLine describe(Settings& settings) {
  CommandLine line;
  line.program = "tile_bench";
  line.usage =
      "Times tile functions against the issue peak of the fastest instruction "
      "for their types\nthat their instruction set has, which is "
      "measured\nalternating with them. Without names: every hand-written "
      "row. Each result is checked\nonce, exactly, before it is timed.\n\n"
      "Counters: best_ns and Gop/s of the least of all slices (the Time column "
      "is their mean);\n%peak, the share of peak_Gop/s, the best the "
      "instruction in the last column reached;\nGB/s of panels read (cold).\n\n"
      "  tile_bench --cache=hot --benchmark_filter=f32f32f32\n"
      "  tile_bench --origin=both tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_"
      "avx512_base\n"
      "  tile_bench --json=result.json "
      "tw_mmt4d_tile_s8s8s32_7x48x4_x86_64_avx512_vnni";
  line.positionalHelp = "tile names, the same as --tiles";
  line.options = {
      {"tiles", "NAME,NAME", "the tiles to time, hand-written or not",
       setNames(&settings.names)},
      {"origin", "auto|hand|generated|both",
       "which bodies: auto takes the hand-written tile and generates what has "
       "none",
       setChoice(&settings.origin, {"auto", "hand", "generated", "both"})},
      {"cache", "hot|cold|both",
       "hot: panels stay in L1; cold: each call gets other panels, from a "
       "shuffled ring\ntwice as large as the last cache",
       setChoice(&settings.cache, {"hot", "cold", "both"})},
      {"k", "N", "K steps per call; default: what fills 3/4 of L1, at least 16",
       setInteger(&settings.k, 1, kMostSteps)},
      {"accumulate", "", "time with ACCUMULATE, which reads the out tile",
       setSwitch(&settings.accumulate)},
      {"plan", "PLAN",
       "override the plan of generated tiles (tilewright gen "
       "--plan)",
       setString(&settings.plan)},
      {"slices", "N", "slices per tile, default 60",
       setInteger(&settings.slices, 1)},
      {"slice-us", "MICROSECONDS", "length of a slice, default 200",
       setPositive(&settings.sliceMicroseconds, kMostThings)},
      {"reference", "",
       "also time f32f32f32_1x16x1 for AVX-512 with a single accumulator, what "
       "independent\naccumulators are measured against",
       setSwitch(&settings.reference)},
      {"list", "", "print the names of the hand-written tiles and exit",
       setSwitch(&settings.list)},
      settings.json.option(),
  };
  return line;
}

int run(int argc, char** argv) {
  Settings settings;
  CommandLine line = describe(settings);
  int exitCode;
  if (!line.parse(argc, argv, &exitCode)) return exitCode;
  if (settings.list) {
    for (const Row& row : rows()) std::puts(row.name.c_str());
    return finish(line.program, {}, "", 0);
  }
  settings.names.insert(settings.names.end(), line.positional.begin(),
                        line.positional.end());
  GeneratedTiles generated;
  std::vector<Subject> subjects;
  std::vector<std::string> errors;
  for (const std::string& name : settings.names) {
    TileKey key;
    std::string error;
    if (parseName(name, &key, &error))
      error = addSubjects(key, true, settings, generated, subjects);
    if (!error.empty()) errors.push_back(error);
  }
  if (settings.names.empty())
    for (const Row& row : rows()) {
      std::string error =
          addSubjects(row.key, false, settings, generated, subjects);
      if (!error.empty()) errors.push_back(error);
    }
  if (settings.reference) {
    TileKey key = {TW_TYPES_F32F32F32,       1, 16, 1, Rounding::kOnce,
                   TW_ISA_X86_64_AVX512_BASE};
    if (singleAccumulatorTile)
      subjects.push_back({key, printTileKey(key), "single-accumulator",
                          singleAccumulatorTile});
    else
      errors.push_back("--reference: there is one for x86-64 only");
  }
  for (const Subject& subject : subjects) {
    std::string error = checkMemory(operandBytes(
        subject.key, stepsOf(subject.key, settings), settings.cache != kHot));
    if (!error.empty())
      errors.push_back(subject.name + " with --k=" +
                       std::to_string(stepsOf(subject.key, settings)) + " " +
                       error);
  }
  for (const std::string& error : errors)
    std::fprintf(stderr, "tile_bench: %s\n", error.c_str());
  if (!errors.empty()) return 2;
  for (const Subject& subject : subjects) registerTile(subject, settings);
  return runBenchmarks(line, settings.json);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
