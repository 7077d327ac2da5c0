// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright tune: which body of a tile is the quickest on this CPU.

#include "Commands.h"
#include "ToolSupport.h"

#include "tilewright/Bench/MeasureTile.h"
#include "tilewright/Bench/TuneTile.h"
#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/Link/Gather.h"
#include "tilewright/Support/Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

cl::SubCommand tuneOptions("tune", "Measure which body of a tile is the "
                                   "quickest on this CPU");

MeasureFlags measureFlags(tuneOptions);
cl::opt<std::string>
    rows("rows", cl::sub(tuneOptions), cl::ValueOptional,
         cl::value_desc("regex"),
         cl::desc("All hand-written tiles that this CPU runs, or those whose "
                  "names the expression is found in"));
cl::opt<std::string>
    shapes("shapes", cl::sub(tuneOptions), cl::ValueOptional,
           cl::value_desc("regex"),
           cl::desc("Which hand-written tile is the quickest of those of each "
                    "type triple, or of those whose names the expression is "
                    "found in, for matmuls of 1, 4, 16 and many rows"));
cl::opt<std::string>
    table("table", cl::sub(tuneOptions), cl::value_desc("file"),
          cl::desc("Measure nothing: write what --from says of shapes as the "
                   "runtime library's table, ukernels/measured_tiles.def"));
cl::list<std::string>
    tableFrom("from", cl::sub(tuneOptions), cl::value_desc("file"),
              cl::desc("A database for --table; may be given several times"));
cl::list<std::string>
    models("model", cl::sub(tuneOptions), cl::value_desc("model.mlir"),
           cl::desc("The tiles that this model calls on this CPU; may be given "
                    "several times"));
cl::opt<std::string>
    output("output", cl::sub(tuneOptions), cl::value_desc("file"),
           cl::desc("Write what was found into this file, beside what it says "
                    "of other tiles and cores, for --tuning"));
cl::opt<unsigned> candidates(
    "candidates", cl::sub(tuneOptions), cl::init(12), cl::value_desc("n"),
    cl::desc("How many plans of each tile to measure (default: 12)"));
cl::opt<double>
    budget("budget", cl::sub(tuneOptions), cl::init(1),
           cl::value_desc("seconds"),
           cl::desc("How long to time each tile at most (default: 1)"));

const char tuneHelp[] = R"(
Of each tile the hand-written body, if there is one, and the planner's best plans
are made, checked, and timed beside what stands for the name now, in pairs, until
it is known which is quicker. A body must be quicker by more than one per cent for
sure, and so must its least time be; else what there is stays. --shapes times
tiles of several shapes instead, beside the one that a query takes, for a matmul
of 1, 4, 16 and many rows; there three per cent are a tie. Read:

  ratio     of the time of what stands for the name now
  interval  that holds the ratio's median, but for one case in a thousand
  rounds    pairs that were timed

'@file' stands for the names in a file, '-' for those on standard input. Measure on
a machine that does nothing else. docs/tuning.md has the rest.

Examples:
  tilewright tune tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma
  tilewright tune --rows=s8s8s32 --output=mine.json
  tilewright tune --model=model.mlir --output=mine.json
  tilewright tune --shapes=f32f32f32 --output=mine.json
  tilewright compile model.mlir -o model.a --tuning=mine.json
)";

constexpr unsigned kMostCandidates = 64;
constexpr double kMostSeconds = 3600;

Error checkOptions() {
  if (candidates < 1 || candidates > kMostCandidates)
    return createStringError("--candidates is " + Twine(candidates.getValue()) +
                             ", but must be in 1.." + Twine(kMostCandidates));
  if (!(budget > 0) || budget > kMostSeconds)
    return createStringError(
        "--budget is %g, but must be more than 0 and at most %g seconds",
        budget.getValue(), kMostSeconds);
  const int asked = !measureFlags.names.empty() +
                    (rows.getNumOccurrences() != 0) + !models.empty() +
                    (shapes.getNumOccurrences() != 0) + !table.empty();
  if (asked > 1)
    return createStringError("names, --rows, --model, --shapes and --table "
                             "each say what to do: give one");
  if (asked == 0)
    return createStringError(
        "no tiles: give names, --rows, --model or --shapes");
  if (table.empty() != tableFrom.empty())
    return createStringError("--table writes what --from says: give both, or "
                             "neither");
  if (!table.empty() &&
      (!output.empty() || measureFlags.json.getNumOccurrences()))
    return createStringError("--table measures nothing; it does not go with "
                             "--output and --json");
  return Error::success();
}

Expected<Regex> expression(const cl::opt<std::string> &option) {
  Regex wanted(option.empty() ? StringRef(".") : StringRef(option));
  std::string why;
  if (!wanted.isValid(why))
    return createStringError("--" + option.ArgStr + ": '" + option +
                             "' is no regular expression: " + why);
  return std::move(wanted);
}

/// Whether there is a choice: those by AMX are all made from one body.
bool hasPlans(const TileKey &key) { return !key.vnni; }

/// What --rows stands for: those that this CPU cannot run are left out.
Expected<std::vector<TileKey>> keysOfRows() {
  Expected<Regex> wanted = expression(rows);
  if (!wanted)
    return wanted.takeError();
  std::vector<TileKey> keys;
  for (const HandWrittenTile &tile : handWrittenTiles()) {
    if (!wanted->match(tile.name) || !hasPlans(tile.key))
      continue;
    if (Error error = checkRunnable(tile.key, tile.name))
      consumeError(std::move(error));
    else
      keys.push_back(tile.key);
  }
  if (keys.empty())
    return createStringError("--rows: no hand-written tile that this CPU runs "
                             "and that has plans to choose from has '" +
                             rows + "' in its name; see 'tilewright list'");
  return keys;
}

/// The tiles that `path`, compiled for this CPU, calls.
Error addKeysOfModel(const std::string &path, std::vector<TileKey> &keys) {
  auto source = MemoryBuffer::getFile(path);
  if (!source)
    return createFileError(path, source.getError());
  ModelOptions options;
  if (Error error = modelDevices({}, {}).moveInto(options.devices))
    return error;
  Expected<CompiledModel> model =
      compileModel((*source)->getMemBufferRef(), ModelStage::Object, options);
  if (!model)
    return model.takeError();
  Expected<InputFiles> object = InputFiles::open(
      {}, {MemoryBufferRef(StringRef(model->bytes.data(), model->bytes.size()),
                           path)});
  if (!object)
    return object.takeError();
  Expected<Wanted> wanted = gatherWanted(*object);
  if (!wanted)
    return wanted.takeError();
  for (const WantedTile &tile : wanted->tiles)
    if (const auto *key = std::get_if<TileKey>(&tile.key);
        key && hasPlans(*key))
      keys.push_back(*key);
  return Error::success();
}

Expected<std::vector<TileKey>> askedKeys() {
  if (rows.getNumOccurrences())
    return keysOfRows();
  std::vector<TileKey> keys;
  if (models.empty()) {
    if (Error error =
            parseNames(measureFlags.names, kDefaultPrefix).moveInto(keys))
      return std::move(error);
    for (const TileKey &key : keys)
      if (!hasPlans(key))
        return createStringError(printTileKey(key, kDefaultPrefix) +
                                 ": a tile of the variant 'vnni' has one body, "
                                 "so there is nothing to tune");
    return std::move(keys);
  }
  for (const std::string &model : models)
    if (Error error = addKeysOfModel(model, keys))
      return std::move(error);
  if (keys.empty())
    return createStringError("no model given calls a tile on this CPU that has "
                             "plans to choose from");
  return keys;
}

TuneOptions tuneOptionsGiven() {
  TuneOptions options;
  options.candidates = candidates;
  options.budgetSeconds = budget;
  options.bitcodeDir = measureFlags.bitcode.dir;
  options.warn = [](StringRef message) { printWarning(message); };
  return options;
}

Error measureTiles(TuneReport &report, Progress &progress) {
  Expected<std::vector<TileKey>> asked = askedKeys();
  if (!asked)
    return asked.takeError();
  Expected<std::vector<TileKey>> keys = runnableKeys(*asked, kDefaultPrefix);
  if (!keys)
    return keys.takeError();
  Expected<std::unique_ptr<TileTuner>> tuner =
      TileTuner::create(tuneOptionsGiven());
  if (!tuner)
    return tuner.takeError();
  for (const TileKey &key : *keys) {
    progress.update("measuring", report.tiles.size(), keys->size());
    Expected<TunedTile> tile = (*tuner)->tune(key);
    if (!tile)
      return tile.takeError();
    report.tiles.push_back(std::move(*tile));
  }
  return Error::success();
}

Error measureShapes(TuneReport &report, Progress &progress) {
  Expected<Regex> wanted = expression(shapes);
  if (!wanted)
    return wanted.takeError();
  std::vector<const TypeTripleInfo *> triples;
  for (const TypeTripleInfo &types : typeTriples())
    if (wanted->match(StringRef(types.name.data(), types.name.size())))
      triples.push_back(&types);
  size_t done = 0;
  for (const TypeTripleInfo *types : triples)
    for (const MatmulRows &rows : matmulRows()) {
      progress.update("measuring", done++,
                      triples.size() * matmulRows().size());
      Expected<std::optional<TunedShape>> shape =
          tuneShape(*types, rows, tuneOptionsGiven());
      if (!shape)
        return shape.takeError();
      if (*shape)
        report.shapes.push_back(std::move(**shape));
    }
  if (report.shapes.empty())
    return createStringError("--shapes: this CPU runs no hand-written tile of "
                             "a type triple that has '" +
                             shapes + "' in its name; see 'tilewright list'");
  return Error::success();
}

Expected<TuneReport> measure(Progress &progress) {
  const BenchReport machine = describeCpu({});
  TuneReport report;
  report.version = TILEWRIGHT_VERSION;
  report.cpu = machine.cpu;
  report.core = hostCoreName();
  NoiseMeter noise;
  if (Error error = shapes.getNumOccurrences() ? measureShapes(report, progress)
                                               : measureTiles(report, progress))
    return std::move(error);
  report.noise = noise.stop();
  return report;
}

/// --table.
Error writeTable() {
  OutputFiles outputs;
  std::vector<std::string> read(tableFrom.begin(), tableFrom.end());
  if (Error error = addInputs(outputs, read))
    return error;
  if (Error error = outputs.add(table))
    return error;
  TuningDatabase all;
  for (const std::string &file : tableFrom) {
    Expected<TuningDatabase> database = readTuning(file);
    if (!database)
      return database.takeError();
    all.merge(std::move(*database));
  }
  Expected<std::string> text = printMeasuredTiles(all);
  if (!text)
    return text.takeError();
  if (Error error = outputs.write(table, *text))
    return error;
  return outputs.commit();
}

/// What `output` says now, with what was found.
Expected<std::string> mergedOutput(const TuneReport &report) {
  TuningDatabase all, found;
  if (sys::fs::exists(output))
    if (Error error = readTuning(output).moveInto(all))
      return std::move(error);
  for (const TunedTile &tile : report.tiles)
    found.entries.push_back(tile.entry);
  for (const TunedShape &shape : report.shapes)
    found.shapes.push_back(shape.entry);
  all.merge(std::move(found));
  return printTuning(std::move(all));
}

Error runTune() {
  if (Error error = checkOptions())
    return error;
  if (!table.empty())
    return writeTable();
  OutputFiles outputs;
  if (Error error = measureFlags.addTo(outputs, {models.begin(), models.end()}))
    return error;
  if (!output.empty()) {
    if (Error error = outputs.add(output))
      return error;
    // Said now, and not when hours have been spent.
    if (sys::fs::exists(output))
      if (Error error = readTuning(output).takeError())
        return error;
  }

  Progress progress("looking for tiles");
  Expected<TuneReport> report = measure(progress);
  if (!report)
    return report.takeError();
  if (std::vector<std::string> busy = report->noise.reasons(); !busy.empty())
    printWarning("the machine was busy: " + join(busy, "; ") +
                 ". Which body is the quickest may be another one beside "
                 "others, and less is known in time; repeat it when it is "
                 "quiet before you keep it");
  if (!output.empty()) {
    Expected<std::string> merged = mergedOutput(*report);
    if (!merged)
      return merged.takeError();
    if (Error error = outputs.write(output, *merged))
      return error;
  }
  std::string text;
  raw_string_ostream os(text);
  printTuneText(*report, os);
  return measureFlags.write(text, printTuneJson(*report), outputs);
}

} // namespace

const Command tuneCommand = {&tuneOptions, tuneHelp, runTune};

} // namespace tilewright
