// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright bench: how fast tiles are on this CPU, and compared with before.

#include "Commands.h"
#include "ToolSupport.h"

#include "tilewright/Bench/CompareReports.h"
#include "tilewright/Bench/LoadedTiles.h"
#include "tilewright/Bench/MeasureTile.h"
#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Resolve/ChooseBody.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

cl::SubCommand benchOptions("bench", "Measure tiles on this CPU, compare "
                                     "measurements");

enum class CacheState { Hot, Cold };

MeasureFlags measureFlags(benchOptions);
cl::list<std::string> compared(
    "compare", cl::sub(benchOptions), cl::multi_val(2),
    cl::value_desc("old.json new.json"),
    cl::desc("Measure nothing; say of each tile in two files of --json whether "
             "it became faster, slower or stayed the same"));
cl::opt<Prefer> prefer(
    "prefer", cl::sub(benchOptions), cl::init(Prefer::HandWritten),
    cl::desc("Which body to measure (default: hand-written)"),
    cl::values(clEnumValN(Prefer::HandWritten, "hand-written",
                          "the hand-written one where there is one"),
               clEnumValN(Prefer::Generated, "generated", "always generate")));
cl::opt<std::string> plan("plan", cl::sub(benchOptions),
                          cl::value_desc("parts"),
                          cl::desc("Override parts of generated tiles' plans"));
cl::opt<CacheState> cacheState(
    "cache", cl::sub(benchOptions), cl::init(CacheState::Hot),
    cl::desc("Where the panels are (default: hot)"),
    cl::values(clEnumValN(CacheState::Hot, "hot",
                          "in the first cache, the same for each call"),
               clEnumValN(CacheState::Cold, "cold",
                          "in memory, others for each call")));
cl::opt<unsigned> kSteps("k", cl::sub(benchOptions), cl::value_desc("n"),
                         cl::desc("K steps per call (default: what fills three "
                                  "quarters of the first cache)"));
cl::opt<unsigned>
    rounds("rounds", cl::sub(benchOptions), cl::init(150), cl::value_desc("n"),
           cl::desc("How often tile, peaks and plain loops take turns, 0.2 ms "
                    "each (default: 150)"));
cl::opt<std::string> prefix("prefix", cl::sub(benchOptions),
                            cl::init(std::string(kDefaultPrefix)),
                            cl::value_desc("prefix"),
                            cl::desc("Prefix of the names (default: tw)"));
TuningFlags tuningFlags(benchOptions);
TuneCpuFlag tuneCpu(benchOptions);

const char benchHelp[] = R"(
Each tile is made as 'gen' and 'link' make it, checked, and timed in short
slices that take turns with the issue peak and with plain loops in C. Read:

  least ns  the least time of a call: noise only ever adds to it
  spread    by how much the least times of parts of the run differ from it
  Gop/s     multiplications and additions, at the least time
  of peak   how much that is of the fastest exact sequence of instructions that
            this CPU has for these types; all that it has are measured
  x plain   how often faster than plain loops

'@file' stands for the names in a file, '-' for those on standard input; '#'
begins a comment. A busy machine is said. docs/bench-command.md has the rest.

Examples:
  tilewright bench tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma
  tilewright bench --prefer=generated @names.txt --json=old.json
  tilewright bench --plan=unroll=4 tw_mmt4d_tile_f32f32f32_1x16x1_generic
  tilewright bench --cache=cold tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma
  tilewright bench --compare old.json new.json
)";

constexpr unsigned kMostSteps = 1 << 20, kMostRounds = 1000000;

/// A tile that is ready to be measured.
struct Subject {
  TileKey key; ///< without scalable sizes
  tw_mmt4d_tile_fn_t fn = nullptr;
  BenchedTile tile;
};

/// Makes bodies of names, and functions of bodies.
class Maker {
public:
  static Expected<Maker> create() {
    Expected<LoadedTiles> loaded = LoadedTiles::create();
    if (!loaded)
      return loaded.takeError();
    Maker maker(std::move(*loaded));
    if (Error error = tuningFlags.read().moveInto(maker.options.tuning))
      return std::move(error);
    return maker;
  }

  Expected<Subject> make(const TileKey &key) {
    Subject subject;
    BenchedTile &tile = subject.tile;
    tile.name = printTileKey(key, prefix);
    const ChosenBody body = chooseBody(key, options);
    tile.reason = body.why;
    SmallVector<char, 0> object;
    Error failed = body.handWritten ? extract(*body.handWritten, tile, object)
                                    : generate(key, body.plan, tile, object);
    if (failed)
      return std::move(failed);
    Expected<tw_mmt4d_tile_fn_t> fn = loaded.load(tile.name, object);
    if (!fn)
      return createStringError(tile.name + ": " + toString(fn.takeError()));
    subject.fn = *fn;
    Expected<TileKey> here = keyHere(key, tile.name);
    if (!here)
      return here.takeError();
    subject.key = *here;
    WorkingOnInput running(tile.name, "running it");
    Expected<std::string> checked = checkResult(*here, tile.name, *fn);
    if (!checked)
      return checked.takeError();
    tile.checked = std::move(*checked);
    return subject;
  }

private:
  explicit Maker(LoadedTiles loaded) : loaded(std::move(loaded)) {
    options.jobs = 1;
    options.useCache = false;
    options.bitcodeDir = measureFlags.bitcode.dir;
    options.preferHandWritten = prefer == Prefer::HandWritten;
    options.generate.prefix = prefix;
    options.generate.plan = plan;
    // checkOptions has looked at it.
    options.generate.tuneCpu = cantFail(tuneCpu.get());
    options.core = options.generate.tuneCpu.empty() ? hostCoreName()
                                                    : options.generate.tuneCpu;
  }

  Error extract(const HandWrittenTile &row, BenchedTile &tile,
                SmallVectorImpl<char> &object) {
    ResolveOptions untuned = options;
    untuned.tuning = nullptr;
    Expected<std::vector<ResolvedTile>> tiles =
        resolveTiles({row.key}, untuned);
    if (!tiles)
      return tiles.takeError();
    tile.origin = originName(Origin::HandWritten).str();
    tile.body = "family " + row.family;
    tile.madeMs = tiles->front().ms;
    object.assign(tiles->front().bytes.begin(), tiles->front().bytes.end());
    return Error::success();
  }

  Error generate(const TileKey &key, const std::string &overrides,
                 BenchedTile &tile, SmallVectorImpl<char> &object) {
    if (key.vnni)
      return bindSizes(key, tile, object);
    GenerateOptions how = options.generate;
    how.plan = overrides;
    Expected<TilePlan> chosen = planTile(key, planParts(key, how));
    if (!chosen)
      return createStringError(tile.name + ": " + toString(chosen.takeError()));
    tile.origin = originName(Origin::Generated).str();
    tile.body = "plan " + printTilePlan(*chosen);
    // The first tile of a process pays for what all others use.
    for (int run = 0; run < 2; ++run) {
      Expected<GeneratedTile> made = generator.generate(key, Emit::Object, how);
      if (!made)
        return made.takeError();
      if (run == 0 || made->times.total() < tile.madeMs)
        tile.madeMs = made->times.total();
      object.assign(made->bytes.begin(), made->bytes.end());
    }
    return Error::success();
  }

  Error bindSizes(const TileKey &key, BenchedTile &tile,
                  SmallVectorImpl<char> &object) {
    ResolveOptions how = options;
    how.preferHandWritten = false;
    Expected<std::vector<ResolvedTile>> tiles = resolveTiles({key}, how);
    if (!tiles)
      return tiles.takeError();
    tile.origin = originName(Origin::Generated).str();
    tile.body = "the body of the hand-written ones with its sizes bound";
    tile.madeMs = tiles->front().times.total();
    object.assign(tiles->front().bytes.begin(), tiles->front().bytes.end());
    return Error::success();
  }

  LoadedTiles loaded;
  TileGenerator generator;
  ResolveOptions options;
};

Error checkOptions() {
  if (Error error = tuneCpu.get().takeError())
    return error;
  if (!compared.empty()) {
    if (compared.size() != 2)
      return createStringError("--compare takes two files, once");
    if (!measureFlags.names.empty())
      return createStringError("--compare measures nothing: give it no names, "
                               "or leave it out");
  }
  if (rounds < 1 || rounds > kMostRounds)
    return createStringError("--rounds is " + Twine(rounds.getValue()) +
                             ", but must be in 1.." + Twine(kMostRounds));
  if (kSteps.getNumOccurrences() && (kSteps < 1 || kSteps > kMostSteps))
    return createStringError("--k is " + Twine(kSteps.getValue()) +
                             ", but must be in 1.." + Twine(kMostSteps));
  return Error::success();
}

/// Makes and checks all tiles before it times any: what is wrong is said at
/// once, and nothing else runs while time is taken.
Expected<BenchReport> measure(ArrayRef<TileKey> keys) {
  Progress progress("making tiles");
  Expected<Maker> maker = Maker::create();
  if (!maker)
    return maker.takeError();
  std::vector<Subject> subjects;
  Error all = Error::success();
  for (const TileKey &key : keys) {
    progress.update("making tiles", subjects.size(), keys.size());
    Expected<Subject> subject = maker->make(key);
    if (subject)
      subjects.push_back(std::move(*subject));
    else
      all = joinErrors(std::move(all), subject.takeError());
  }
  if (all)
    return std::move(all);

  MeasureOptions options;
  options.cold = cacheState == CacheState::Cold;
  options.k = kSteps;
  options.rounds = rounds;
  BenchReport report = describeCpu(keys);
  report.version = TILEWRIGHT_VERSION;
  report.cold = options.cold;
  report.rounds = options.rounds;
  NoiseMeter noise;
  for (Subject &subject : subjects) {
    WorkingOnInput running(subject.tile.name, "running it");
    progress.update("measuring", report.tiles.size(), subjects.size());
    if (Error error =
            measureTile(subject.key, subject.fn, options, subject.tile))
      return std::move(error);
    report.tiles.push_back(std::move(subject.tile));
  }
  report.noise = noise.stop();
  return report;
}

Expected<BenchReport> readReport(const std::string &path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return createFileError(path, file.getError());
  ReadingInput reading(path, "what 'tilewright bench --json' writes");
  return parseBenchJson((*file)->getBuffer(), path);
}

Error runCompare(OutputFiles &outputs) {
  Expected<BenchReport> before = readReport(compared[0]);
  if (!before)
    return before.takeError();
  Expected<BenchReport> after = readReport(compared[1]);
  if (!after)
    return after.takeError();
  Expected<Comparison> comparison = compareReports(*before, *after);
  if (!comparison)
    return comparison.takeError();
  std::string table;
  raw_string_ostream os(table);
  printComparisonText(*comparison, os);
  return measureFlags.write(table, printComparisonJson(*comparison), outputs);
}

Error runBench() {
  if (Error error = checkOptions())
    return error;
  OutputFiles outputs;
  std::vector<std::string> read = tuningFlags.files();
  append_range(read, compared);
  if (Error error = measureFlags.addTo(outputs, std::move(read)))
    return error;
  if (!compared.empty())
    return runCompare(outputs);

  Expected<std::vector<TileKey>> parsed =
      parseNames(measureFlags.names, prefix);
  if (!parsed)
    return parsed.takeError();
  Expected<std::vector<TileKey>> keys = runnableKeys(*parsed, prefix);
  if (!keys)
    return keys.takeError();
  Expected<BenchReport> report = measure(*keys);
  if (!report)
    return report.takeError();
  if (std::vector<std::string> busy = report->noise.reasons(); !busy.empty())
    printWarning("the machine was busy: " + join(busy, "; ") +
                 ". Least times bear that best; to be sure, repeat it, or give "
                 "it more --rounds");
  std::string table;
  raw_string_ostream os(table);
  printBenchText(*report, os);
  return measureFlags.write(table, printBenchJson(*report), outputs);
}

} // namespace

const Command benchCommand = {&benchOptions, benchHelp, runBench};

} // namespace tilewright
