// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/cross/emulated_tiles.h"

#include <cstdlib>
#include <sstream>

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/tiles/tile_loader.h"
#include "tilewright/Codegen/Backend.h"

namespace tilewright::testing {

using namespace llvm;

namespace {

// Long enough for the slowest list on a busy machine; ctest has its own limit.
constexpr unsigned kSeconds = 900;

Error writeFile(const std::string& path, StringRef bytes) {
  std::error_code code;
  raw_fd_ostream file(path, code);
  if (code) return createStringError(path + ": " + code.message());
  file << bytes;
  file.close();
  if (file.has_error())
    return createStringError(path + ": " + file.error().message());
  return Error::success();
}

std::string contentsOf(const std::string& path) {
  auto buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

// Runs a program; its output goes to `log`. An error has what it printed.
Error run(const std::vector<std::string>& command,
          std::optional<ArrayRef<StringRef>> environment,
          const std::string& log) {
  const std::vector<StringRef> arguments(command.begin(), command.end());
  const StringRef null("/dev/null"), out(log);
  const std::optional<StringRef> redirects[] = {null, out, out};
  std::string problem;
  const int status = sys::ExecuteAndWait(command[0], arguments, environment,
                                         redirects, kSeconds, 0, &problem);
  if (status == 0) return Error::success();
  return createStringError(
      command[0] + ": " +
      (problem.empty() ? "exit status " + std::to_string(status) : problem) +
      "\n" + contentsOf(log));
}

// Beside a tile of the largest sizes, all others take no time.
bool isNotLargest(const TileKey& key) {
  constexpr int64_t kMostVolume = 1 << 22;
  return int64_t{key.m0} * key.n0 * key.k0 <= kMostVolume;
}

// The outcome that the runner printed, for `wanted` keys.
EmulatedTiles::Outcome parse(const std::string& output, int wanted) {
  EmulatedTiles::Outcome outcome;
  std::istringstream lines(output);
  std::string current;
  bool ended = false;
  for (std::string line; std::getline(lines, line);) {
    const StringRef text(line);
    if (text.starts_with("begin ")) {
      current = line.substr(6);
    } else if (text.starts_with("ok ")) {
      ++outcome.checked;
      current.clear();
    } else if (text.starts_with("fail ")) {
      ++outcome.checked;
      outcome.failures.push_back(current + ": " + line.substr(5));
      current.clear();
    } else if (text.starts_with("end ")) {
      ended = std::stoi(line.substr(4)) == wanted;
    }
  }
  if (!current.empty())
    outcome.failures.push_back(current + ": the process died of it");
  if (!ended || outcome.checked != wanted)
    outcome.failures.push_back("only " + std::to_string(outcome.checked) +
                               " of " + std::to_string(wanted) +
                               " keys were checked; the output:\n" + output);
  return outcome;
}

}  // namespace

std::vector<const CpuModel*> modelsFor(const IsaInfo& isa) {
  std::vector<const CpuModel*> models;
  for (const CpuModel& model : kCpuModels) {
    SmallVector<StringRef, 8> isas;
    StringRef(model.isas).split(isas, ' ');
    if (is_contained(isas, StringRef(isa.name))) models.push_back(&model);
  }
  return models;
}

Expected<std::string> inspectedObject(TileGenerator& generator,
                                      const TileKey& key, Lowering lowering,
                                      const std::string& plan) {
  GenerateOptions options;
  options.plan = plan;
  options.lowering = lowering;
  auto tile = generator.generate(key, Emit::Object, options);
  if (!tile) return tile.takeError();  // names the key
  std::string object(tile->bytes.data(), tile->bytes.size());
  std::string problem = inspectObject(object, tile->name);
  if (problem.empty()) {
    const IsaInfo& isa = info(key.isa);
    problem = foreignInstruction(
        object, isa,
        featuresWithBaseline(Triple(StringRef(isa.architecture->triple)),
                             isa.llvmFeatures()));
    if (!problem.empty())
      problem = "it has an instruction that the ISA lacks: " + problem;
  }
  if (problem.empty()) return object;
  return createStringError(tile->name + ": bad object: " + problem);
}

void EmulatedTiles::add(const TileKey& key, uint64_t seed, int64_t budget,
                        std::vector<EmulatedSource> sources) {
  keys_.push_back({key, seed, budget, std::move(sources)});
}

Error EmulatedTiles::link(const std::string& directory) {
  directory_ = directory;
  sys::fs::remove_directories(directory);
  if (std::error_code code = sys::fs::create_directories(directory))
    return createStringError(directory + ": " + code.message());
  std::map<std::string, std::vector<std::string>> objects;  // by label
  for (const Key& key : keys_)
    for (const EmulatedSource& source : key.sources) {
      if (source.object.empty()) continue;
      const std::string path =
          directory + "/" + printTileKey(key.key) + "." + source.label + ".o";
      if (Error error = writeFile(path, source.object)) return error;
      objects[source.label].push_back(path);
    }
  for (const auto& [label, paths] : objects) {
    const std::string library = directory + "/" + label + ".so";
    std::vector<std::string> command = {TW_TEST_LLD, "-shared",
                                        "--no-undefined", "-o", library};
    command.insert(command.end(), paths.begin(), paths.end());
    if (Error error = run(command, std::nullopt, library + ".log"))
      return error;
    for (const std::string& path : paths) sys::fs::remove(path);
    libraries_[label] = library;
  }
  return Error::success();
}

Expected<EmulatedTiles::Outcome> EmulatedTiles::check(
    const CpuModel& model,
    function_ref<bool(const TileKey& key, size_t number)> wanted) const {
  std::string text;
  int count = 0;
  for (size_t number = 0; number < keys_.size(); ++number) {
    const Key& key = keys_[number];
    if (!wanted(key.key, number)) continue;
    ++count;
    text += printTileKey(key.key) + ' ' + std::to_string(key.seed) + ' ' +
            std::to_string(key.budget);
    for (const EmulatedSource& source : key.sources)
      text += ' ' + source.label + '=' +
              (source.object.empty() ? "" : libraries_.at(source.label));
    text += '\n';
  }
  if (count == 0) return Outcome{};
  const std::string list = directory_ + "/" + model.name + ".list";
  const std::string log = directory_ + "/" + model.name + ".log";
  if (Error error = writeFile(list, text)) return std::move(error);
  const std::string cpu = std::string("QEMU_CPU=") + model.qemu;
  const StringRef environment[] = {cpu};
  if (Error error = run({TW_TEST_QEMU, "-L", TW_TEST_SYSROOT,
                         TW_TEST_TILE_CHECK_RUNNER, list},
                        ArrayRef<StringRef>(environment), log)) {
    // A crash is a key's fault: the log says which.
    const std::string output = contentsOf(log);
    if (output.find("begin ") == std::string::npos) return std::move(error);
    Outcome outcome = parse(output, count);
    outcome.failures.push_back(toString(std::move(error)));
    return outcome;
  }
  return parse(contentsOf(log), count);
}

Expected<EmulatedTiles::Outcome> EmulatedTiles::checkOnModels(
    const IsaInfo& isa, const std::string& directory) {
  if (Error error = link(directory)) return std::move(error);
  const std::vector<const CpuModel*> models = modelsFor(isa);
  if (models.empty())
    return createStringError("no CPU model for " + std::string(isa.name));
  const bool isSoak = std::getenv("TILEWRIGHT_TEST_EFFORT") != nullptr;
  Outcome total;
  for (size_t m = 0; m < models.size(); ++m) {
    auto wanted = [&](const TileKey& key, size_t number) {
      if (m == 0 || key.isScalable()) return true;
      return isa.scaling == TW_SCALING_NONE && isNotLargest(key) &&
             (isSoak || number % (models.size() - 1) == m - 1);
    };
    auto outcome = check(*models[m], wanted);
    if (!outcome) return outcome.takeError();
    if (m == 0) total.checked = outcome->checked;
    for (const std::string& failure : outcome->failures)
      total.failures.push_back(std::string("on ") + models[m]->name + ": " +
                               failure);
  }
  return total;
}

}  // namespace tilewright::testing
