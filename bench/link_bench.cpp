// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of many modules that share few kernels: how long `tilewright link`
// takes, and that each kernel is defined once.

#include <sys/wait.h>

#include <cstdio>

#include "bench/support/options.h"
#include "bench/support/random_keys.h"
#include "bench/support/report.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "measure/slices.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Support/OutputFiles.h"

namespace tilewright::bench {
namespace {

struct Settings {
  int64_t modules = 100;
  int64_t calls = 1000;
  int64_t names = 50;
  int64_t repetitions = 3;
  int64_t seed = 7;
  std::string isaName = "x86_64_avx512_vnni";
  tw_isa_t isa = TW_ISA_X86_64_AVX512_VNNI;
  std::string tool;
  bool check = false;
  Json json;
};

// Bound of --check.
constexpr double kSeconds = 1;

// Names of one ISA, as a compiler of one program asks for them: the rows of it
// first, then random keys.
std::vector<std::string> chooseNames(const Settings& settings) {
  std::vector<std::string> names;
  auto add = [&](const TileKey& key) {
    std::string name = printTileKey(key);
    if (int64_t(names.size()) < settings.names &&
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  for (const HandWrittenTile& tile : handWrittenTiles())
    if (int64_t(names.size()) < settings.names / 5 &&
        tile.key.isa == settings.isa)
      add(tile.key);
  for (const TileKey& key :
       randomKeys(settings.seed, 4 * settings.names, settings.isaName))
    add(key);
  return names;
}

// Writes modules m0.bc ... whose functions call the names in turn.
llvm::Expected<std::vector<std::string>> writeModules(
    const Settings& settings, llvm::ArrayRef<std::string> names,
    llvm::StringRef directory) {
  std::vector<std::string> paths;
  int64_t call = 0;
  for (int64_t index = 0; index < settings.modules; ++index) {
    llvm::LLVMContext context;
    llvm::Module module("m" + std::to_string(index), context);
    module.setTargetTriple(defaultTriple(architectureOf(info(settings.isa))));
    llvm::Type* pointer = llvm::PointerType::getUnqual(context);
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                {pointer, pointer, pointer, pointer}, false);
    int64_t end = settings.calls * (index + 1) / settings.modules;
    for (; call < end; ++call) {
      auto* caller =
          llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                 "call" + std::to_string(call), module);
      std::string features = info(settings.isa).llvmFeatures();
      caller->addFnAttr("target-features", features);
      llvm::IRBuilder<> builder(
          llvm::BasicBlock::Create(context, "entry", caller));
      std::vector<llvm::Value*> arguments;
      for (llvm::Argument& argument : caller->args())
        arguments.push_back(&argument);
      builder.CreateCall(
          module.getOrInsertFunction(names[call % names.size()], type),
          arguments);
      builder.CreateRetVoid();
    }
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, "m" + std::to_string(index) + ".bc");
    std::string bitcode;
    llvm::raw_string_ostream stream(bitcode);
    llvm::WriteBitcodeToFile(module, stream);
    if (llvm::Error error = writeOutput(path, bitcode)) return std::move(error);
    paths.push_back(std::string(path));
  }
  return paths;
}

// How often each tile name is defined in the archive or bitcode file `path`.
llvm::Expected<std::vector<std::string>> definedTiles(const std::string& path) {
  std::vector<std::string> defined;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) return llvm::createFileError(path, buffer.getError());
  if (llvm::isBitcode((const unsigned char*)(*buffer)->getBufferStart(),
                      (const unsigned char*)(*buffer)->getBufferEnd())) {
    llvm::LLVMContext context;
    auto module = llvm::parseBitcodeFile(**buffer, context);
    if (!module) return module.takeError();
    for (const llvm::Function& function : **module)
      if (!function.isDeclaration() &&
          looksLikeTileName(function.getName().str()))
        defined.push_back(function.getName().str());
    return defined;
  }
  auto archive = llvm::object::Archive::create(**buffer);
  if (!archive) return archive.takeError();
  llvm::Error failed = llvm::Error::success();
  for (const llvm::object::Archive::Child& child :
       (*archive)->children(failed)) {
    auto binary = child.getAsBinary();
    if (!binary) return binary.takeError();
    auto* object = llvm::dyn_cast<llvm::object::ObjectFile>(binary->get());
    if (!object) continue;
    for (const llvm::object::SymbolRef& symbol : object->symbols()) {
      auto flags = symbol.getFlags();
      if (!flags) return flags.takeError();
      auto name = symbol.getName();
      if (!name) return name.takeError();
      if (*flags & llvm::object::SymbolRef::SF_Global &&
          !(*flags & llvm::object::SymbolRef::SF_Undefined) &&
          looksLikeTileName(name->str()))
        defined.push_back(name->str());
    }
  }
  if (failed) return std::move(failed);
  return defined;
}

// One link of `inputs`; seconds of the whole process.
llvm::Expected<double> timeLink(const Settings& settings,
                                llvm::ArrayRef<std::string> inputs,
                                const std::string& emit,
                                const std::string& output,
                                const std::string& cache) {
  std::string emitOption = "--emit=" + emit,
              cacheOption = "--cache-dir=" + cache;
  std::vector<llvm::StringRef> arguments = {settings.tool, "link", emitOption,
                                            cacheOption,   "-o",   output};
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  std::string message;
  double start = now();
  int status = llvm::sys::ExecuteAndWait(settings.tool, arguments, std::nullopt,
                                         {}, 0, 0, &message);
  double seconds = now() - start;
  if (status != 0)
    return llvm::createStringError("%s link failed with status %d %s",
                                   settings.tool.c_str(), status,
                                   message.c_str());
  return seconds;
}

struct Measured {
  std::string emit;
  double coldSeconds = 0, cachedSeconds = 0;
  int64_t definitions = 0;
  bool eachOnce = false;
};

llvm::Expected<Measured> measureEmit(const Settings& settings,
                                     llvm::ArrayRef<std::string> names,
                                     llvm::ArrayRef<std::string> inputs,
                                     const std::string& emit,
                                     const std::string& directory) {
  Measured measured;
  measured.emit = emit;
  std::string output = directory + "/linked." + emit;
  for (int64_t i = 0; i < settings.repetitions; ++i) {
    std::string cache = directory + "/cache-" + emit + std::to_string(i);
    for (double* best : {&measured.coldSeconds, &measured.cachedSeconds}) {
      auto seconds = timeLink(settings, inputs, emit, output, cache);
      if (!seconds) return seconds.takeError();
      *best = i ? std::min(*best, *seconds) : *seconds;
    }
  }
  auto defined = definedTiles(output);
  if (!defined) return defined.takeError();
  measured.definitions = int64_t(defined->size());
  std::vector<std::string> wanted(names);
  std::sort(wanted.begin(), wanted.end());
  std::sort(defined->begin(), defined->end());
  measured.eachOnce = wanted == *defined;
  return measured;
}

llvm::Expected<std::vector<Measured>> measure(const Settings& settings) {
  llvm::SmallString<128> directory;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("tw-link-bench", directory))
    return llvm::errorCodeToError(code);
  std::vector<Measured> results;
  llvm::Error failed = llvm::Error::success();
  std::vector<std::string> names = chooseNames(settings);
  auto inputs = writeModules(settings, names, directory);
  if (!inputs) failed = inputs.takeError();
  for (const char* emit : {"archive", "bitcode"}) {
    if (failed) break;
    auto measured =
        measureEmit(settings, names, *inputs, emit, std::string(directory));
    if (measured)
      results.push_back(*measured);
    else
      failed = measured.takeError();
  }
  llvm::sys::fs::remove_directories(directory);
  if (failed) return std::move(failed);
  return results;
}

CommandLine describe(Settings& settings) {
  CommandLine line;
  line.program = "link_bench";
  line.usage =
      "Writes bitcode modules whose call sites share few tile names, and times "
      "`tilewright link`\non them as a process: with an empty cache, then with "
      "what that left in it.";
  line.options = {
      {"modules", "N", "bitcode modules, default 100",
       setInteger(&settings.modules, 1)},
      {"calls", "N", "call sites in all of them together, default 1000",
       setInteger(&settings.calls, 1)},
      {"names", "N", "distinct tile names, default 50",
       setInteger(&settings.names, 1)},
      {"repetitions", "N", "take the best of this many, default 3",
       setInteger(&settings.repetitions, 1)},
      {"seed", "N", "seed of the names, default 7",
       setInteger(&settings.seed, 0, INT64_MAX)},
      {"isa", "NAME",
       "instruction set of the names, default x86_64_avx512_vnni",
       setString(&settings.isaName)},
      {"tool", "PATH", "the tool; default: tilewright beside this program",
       setString(&settings.tool)},
      {"check", "",
       "exit with 1 unless an archive takes at most 1 s with an empty cache",
       setSwitch(&settings.check)},
      settings.json.option(),
  };
  line.options.back().help =
      "write JSON to FILE; without a value, to standard output instead of the "
      "table";
  return line;
}

llvm::json::Value toJson(const Settings& settings,
                         llvm::ArrayRef<Measured> results) {
  llvm::json::Array links;
  for (const Measured& each : results)
    links.push_back(llvm::json::Object{{"emit", each.emit},
                                       {"cold_seconds", each.coldSeconds},
                                       {"cached_seconds", each.cachedSeconds},
                                       {"definitions", each.definitions},
                                       {"each_once", each.eachOnce}});
  return llvm::json::Object{
      {"context", llvm::json::Object{{"tilewright_commit", commit()}}},
      {"modules", settings.modules},
      {"calls", settings.calls},
      {"names", settings.names},
      {"links", std::move(links)}};
}

int run(int argc, char** argv) {
  Settings settings;
  CommandLine line = describe(settings);
  int exitCode;
  if (!line.parse(argc, argv, &exitCode)) return exitCode;
  const IsaInfo* isa = findIsa(settings.isaName);
  if (!isa) {
    llvm::errs() << "link_bench: --isa: no instruction set is called '"
                 << settings.isaName << "'; see 'tilewright list isas'\n";
    return 2;
  }
  settings.isa = isa->isa;
  if (settings.tool.empty()) {
    llvm::SmallString<128> tool(
        llvm::sys::fs::getMainExecutable(argv[0], (void*)&run));
    llvm::sys::path::remove_filename(tool);
    llvm::sys::path::append(tool, "tilewright");
    settings.tool = std::string(tool);
  }
  auto results = measure(settings);
  if (!results) {
    llvm::errs() << "link_bench: " << llvm::toString(results.takeError())
                 << '\n';
    return 1;
  }
  bool ok = true;
  for (const Measured& each : *results) ok &= each.eachOnce;
  ok &= !settings.check || results->front().coldSeconds <= kSeconds;
  if (!settings.json.toStandardOutput())
    for (const Measured& each : *results)
      llvm::outs() << llvm::formatv(
          "{0} calls of {1} names in {2} modules to {3,-8} empty cache {4:f3} "
          "s, cached {5:f3} s, {6} definitions{7}\n",
          settings.calls, settings.names, settings.modules, each.emit,
          each.coldSeconds, each.cachedSeconds, each.definitions,
          each.eachOnce ? ", each name once" : ": NOT each name once");
  return finish(line.program, settings.json,
                llvm::formatv("{0:2}\n", toJson(settings, *results)),
                ok ? 0 : 1);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
