// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Link/Link.h"
#include "ArchiveOutput.h"
#include "InputError.h"
#include "ModuleLinker.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Support/Activity.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <sys/resource.h>

using namespace llvm;

namespace tilewright {
namespace {

/// Milliseconds since the last call.
class Stopwatch {
public:
  double lap() {
    auto now = Clock::now();
    std::chrono::duration<double, std::milli> elapsed = now - last;
    last = now;
    return elapsed.count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last = Clock::now();
};

uint64_t peakResidentBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  return usage.ru_maxrss;
#else
  return uint64_t(usage.ru_maxrss) * 1024; // Linux counts KiB
#endif
}

Error checkOptions(const LinkOptions &options) {
  bool archive = options.output == LinkOutput::Archive;
  if (archive && options.inlineTiles)
    return createStringError(
        "tiles cannot be inlined into an archive of objects; ask for an object "
        "or bitcode output");
  if (!archive && options.withInputs)
    return createStringError("only an archive output can hold the inputs as "
                             "they are; object and bitcode outputs always hold "
                             "the bitcode inputs");
  if (!options.constants.empty() && options.buffers.size() != 1)
    return createStringError("constants are those of one module in memory, but "
                             "there are %zu",
                             options.buffers.size());
  return Error::success();
}

/// In the order of `wanted`: one resolveTiles per prefix.
Expected<std::vector<ResolvedTile>> resolveWanted(const Wanted &wanted,
                                                  ResolveOptions options) {
  // `generic` tiles must follow the inputs.
  if (options.generate.triple.empty())
    options.generate.triple = defaultTriple(wanted.arch).str();
  MapVector<StringRef, std::vector<size_t>> byPrefix;
  for (size_t i = 0; i < wanted.tiles.size(); ++i)
    byPrefix[wanted.tiles[i].prefix].push_back(i);

  std::vector<ResolvedTile> result(wanted.tiles.size());
  Error errors = Error::success();
  for (auto &[prefix, indices] : byPrefix) {
    std::vector<FunctionKey> keys;
    for (size_t i : indices)
      keys.push_back(wanted.tiles[i].key);
    options.generate.prefix = prefix.str();
    Expected<std::vector<ResolvedTile>> tiles = resolveFunctions(keys, options);
    if (!tiles) {
      errors = joinErrors(std::move(errors), tiles.takeError());
      continue;
    }
    if (tiles->size() != indices.size())
      return createStringError("resolving returned " + Twine(tiles->size()) +
                               " tiles for " + Twine(indices.size()));
    for (auto [i, tile] : zip_equal(indices, *tiles))
      result[i] = std::move(tile);
  }
  if (errors)
    return std::move(errors);
  return result;
}

class Linking {
public:
  Linking(const LinkOptions &options, OutputFiles &outputs)
      : options(options), outputs(outputs) {}

  Expected<LinkReport> run(ArrayRef<std::string> inputPaths,
                           StringRef outputPath) {
    WorkingOnInput working(together(inputPaths), "linking it");
    if (Error error = gather(inputPaths))
      return std::move(error);
    report.gatherMs = stopwatch.lap();
    Error error = options.output == LinkOutput::Archive
                      ? linkArchive(outputPath)
                      : linkModule(outputPath);
    if (error)
      return std::move(error);
    for (ResolvedTile &tile : report.tiles)
      tile.bytes.clear();
    report.peakBytes = peakResidentBytes();
    return std::move(report);
  }

private:
  Error gather(ArrayRef<std::string> paths) {
    Expected<InputFiles> opened = InputFiles::open(paths, options.buffers);
    Expected<InputFiles> providers = InputFiles::open(options.providers);
    if (!opened || !providers)
      return joinErrors(opened.takeError(), providers.takeError());
    for (const InputFiles *files : {&*opened, &*providers})
      for (const std::string &path : files->memberFiles())
        if (Error error = outputs.addInput(path))
          return error;
    inputs = std::move(*opened);
    GatherOptions gatherOptions;
    gatherOptions.prefixes = options.prefixes;
    gatherOptions.known = &options.known;
    gatherOptions.providers = &*providers;
    return gatherWanted(inputs, gatherOptions).moveInto(report.wanted);
  }

  Error resolve(Emit kind) {
    ResolveOptions resolveOptions = options.resolve;
    resolveOptions.kind = kind;
    // A registry entry would keep every tile alive, and name one that has no
    // address once it is inlined.
    if (kind == Emit::Bitcode)
      resolveOptions.generate.registryEntry = false;
    if (Error error =
            resolveWanted(report.wanted, resolveOptions).moveInto(report.tiles))
      return error;
    report.resolveMs = stopwatch.lap();
    return Error::success();
  }

  /// `content` makes the beginning of the file and gives back the rest.
  Error
  write(StringRef outputPath,
        function_ref<Expected<FileTail>(SmallVectorImpl<char> &)> content) {
    SmallVector<char, 0> bytes;
    Expected<FileTail> tail = content(bytes);
    if (!tail)
      return tail.takeError();
    std::vector<StringRef> pieces = {StringRef(bytes.data(), bytes.size())};
    append_range(pieces, tail->pieces());
    report.outputBytes = bytes.size() + tail->size();
    SmallVector<char, 0> finished;
    if (options.finishObject) {
      if (Error error = options.finishObject(pieces).moveInto(finished))
        return error;
      pieces = {StringRef(finished.data(), finished.size())};
      report.outputBytes = finished.size();
    }
    report.linkMs += stopwatch.lap();
    if (Error error = outputs.writePieces(outputPath, pieces))
      return error;
    report.writeMs = stopwatch.lap();
    return Error::success();
  }

  /// For messages about all inputs together: "a.o and 3 more".
  std::string together(ArrayRef<std::string> paths) const {
    if (paths.empty())
      return options.buffers.empty()
                 ? ""
                 : options.buffers.front().getBufferIdentifier().str();
    if (paths.size() == 1)
      return paths.front();
    return (paths.front() + " and " + Twine(paths.size() - 1) + " more").str();
  }

  /// What is wanted of it. Objects are compiled when Tilewright is built, for
  /// it takes seconds.
  Expected<std::vector<SupportFunction>> readSupport(StringRef extension) {
    std::vector<SupportFunction> functions;
    for (const auto &[name, fromObject] : report.wanted.support) {
      Expected<std::string> path = supportPath(
          name, report.wanted.arch, extension, options.resolve.bitcodeDir);
      if (!path)
        return path.takeError();
      auto buffer = MemoryBuffer::getFile(*path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
      if (!buffer)
        return createFileError(*path, buffer.getError());
      StringRef bytes = (*buffer)->getBuffer();
      functions.push_back(
          {name, SmallVector<char, 0>(bytes.begin(), bytes.end())});
    }
    return std::move(functions);
  }

  Error linkArchive(StringRef outputPath) {
    if (Error error = resolve(Emit::Object))
      return error;
    Expected<std::vector<SupportFunction>> support = readSupport(".o");
    if (!support)
      return support.takeError();
    return write(outputPath, [&](SmallVectorImpl<char> &bytes) {
      return writeTileArchive(options.withInputs ? &inputs : nullptr,
                              options.constants, report.tiles, *support, bytes);
    });
  }

  Error linkModule(StringRef outputPath) {
    ModuleLinker linker(report.wanted);
    Error errors = Error::success();
    for (const InputModule &module : inputs.modules())
      if (module.kind == InputKind::Bitcode && !module.duplicate)
        errors = joinErrors(std::move(errors), linker.addInput(module));
    if (errors)
      return errors;
    report.linkMs = stopwatch.lap();
    if (Error error = resolve(Emit::Bitcode))
      return error;
    for (size_t i = 0; i < report.tiles.size(); ++i)
      if (Error error = linker.addTile(i, report.tiles[i]))
        return error;
    bool asObject = options.output == LinkOutput::Object && linker.isElf();
    Expected<std::vector<SupportFunction>> support =
        readSupport(asObject ? ".o" : ".bc");
    if (!support)
      return support.takeError();
    for (SupportFunction &function : *support)
      if (Error error = asObject
                            ? weakenDefinition(function.bytes, function.name)
                            : linker.addSupport(function))
        return error;
    Expected<ModuleLinker::Calls> calls = linker.finish(options.inlineTiles);
    if (!calls)
      return calls.takeError();
    report.inlinedCalls = calls->inlined;
    report.remainingCalls = calls->remaining;
    return write(outputPath, [&](SmallVectorImpl<char> &bytes) {
      return options.output == LinkOutput::Object
                 ? linker.writeObject(bytes, options.constants,
                                      asObject ? ArrayRef(*support)
                                               : ArrayRef<SupportFunction>())
                 : linker.writeBitcode(bytes, options.constants);
    });
  }

  const LinkOptions &options;
  OutputFiles &outputs;
  Stopwatch stopwatch;
  InputFiles inputs;
  LinkReport report;
};

} // namespace

unsigned LinkReport::count(Origin origin) const {
  return count_if(
      tiles, [&](const ResolvedTile &tile) { return tile.origin == origin; });
}

Error addLinkFiles(ArrayRef<std::string> inputs, StringRef outputPath,
                   const LinkOptions &options, OutputFiles &outputs) {
  for (ArrayRef<std::string> paths : {inputs, ArrayRef(options.providers)})
    for (const std::string &path : paths)
      if (Error error = outputs.addInput(path))
        return error;
  return outputs.add(outputPath, options.withInputs
                                     ? OutputFiles::Input::Replaced
                                     : OutputFiles::Input::Refused);
}

Expected<LinkReport> linkTiles(ArrayRef<std::string> inputs,
                               StringRef outputPath, const LinkOptions &options,
                               OutputFiles &outputs) {
  if (Error error = checkOptions(options))
    return std::move(error);
  return Linking(options, outputs).run(inputs, outputPath);
}

Expected<LinkReport> linkTiles(ArrayRef<std::string> inputs,
                               StringRef outputPath,
                               const LinkOptions &options) {
  OutputFiles outputs;
  if (Error error = addLinkFiles(inputs, outputPath, options, outputs))
    return std::move(error);
  Expected<LinkReport> report = linkTiles(inputs, outputPath, options, outputs);
  if (!report)
    return report;
  if (Error error = outputs.commit())
    return std::move(error);
  return report;
}

} // namespace tilewright
