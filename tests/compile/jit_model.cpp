// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/jit_model.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "tests/compile/jit_emulation.h"
#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Resolve/Resolve.h"
#include "tilewright/contraction.h"
#include "tilewright/tilewright.h"
#include "ukernels/hip/api.h"
#include "ukernels/hip/program.h"
#include "ukernels/thin.h"

namespace tilewright::testing {
namespace {

std::atomic<int64_t> live_allocations = 0, all_allocations = 0;
std::atomic<bool> fail_allocations = false;

// New memory holds garbage, so that a model that relies on zeros is found out.
void* countedMalloc(size_t size) {
  if (fail_allocations) return nullptr;
  ++all_allocations;
  void* memory = std::malloc(size);
  if (memory) {
    ++live_allocations;
    std::memset(memory, 0xA5, size);
  }
  return memory;
}

void countedFree(void* memory) {
  if (memory) --live_allocations;
  std::free(memory);
}

// Two devices of each kind, for whatever is compiled in this process.
void useEmulatedHip() {
  setenv("TW_HIP_LIBRARY", TW_EMULATED_HIP, /*overwrite=*/0);
  std::string devices;
  for (const IsaInfo& isa : isas())
    if (isa.isGpu())
      for (int i = 0; i < 2; ++i)
        devices += (devices.empty() ? "" : ",") +
                   std::string(isa.name.substr(isa.name.rfind('_') + 1));
  setenv("TW_EMULATED_HIP_DEVICE", devices.c_str(), /*overwrite=*/0);
}

// Programs that have begun. A closed one opens again with its next call.
std::set<tw_hip_program_t*> programs;
std::mutex programs_mutex;

void recordedBeginAll(tw_hip_program_t* const* all, const void* parameters,
                      int64_t count) {
  {
    std::lock_guard<std::mutex> lock(programs_mutex);
    programs.insert(all, all + count);
  }
  tw_hip_begin_all(all, parameters, count);
}

void recordedBegin(tw_hip_program_t* program, const void* parameters) {
  recordedBeginAll(&program, parameters, 1);
}

std::atomic<int64_t> uploads = 0, downloads = 0, transfers = 0;

void countedUpload(tw_hip_program_t* program, void* to, const void* from,
                   int64_t bytes) {
  ++uploads;
  tw_hip_upload(program, to, from, bytes);
}

void countedDownload(tw_hip_program_t* program, void* to, const void* from,
                     int64_t bytes) {
  ++downloads;
  tw_hip_download(program, to, from, bytes);
}

void countedTransfer(tw_hip_program_t* to_program, void* to,
                     tw_hip_program_t* from_program, const void* from,
                     int64_t bytes) {
  ++transfers;
  tw_hip_transfer(to_program, to, from_program, from, bytes);
}

void closePrograms() {
  std::lock_guard<std::mutex> lock(programs_mutex);
  for (tw_hip_program_t* program : programs) tw_hip_close(program);
  programs.clear();
}

llvm::Error addObject(llvm::orc::LLJIT& jit, llvm::ArrayRef<char> bytes,
                      llvm::StringRef name) {
  return jit.addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(bytes.data(), bytes.size()), name));
}

// How often each function of the object refers to one of the tiles, by its
// relocations; what was split off `f` is called `f.<something>`.
llvm::Expected<std::map<std::string, int64_t>> countTileCalls(
    llvm::ArrayRef<char> bytes, const std::vector<TileKey>& tiles) {
  using namespace llvm::object;
  std::set<std::string> names;
  for (const TileKey& key : tiles) names.insert(printTileKey(key));
  auto object = ObjectFile::createObjectFile(llvm::MemoryBufferRef(
      llvm::StringRef(bytes.data(), bytes.size()), "model"));
  if (!object) return object.takeError();
  // Where functions begin, by section and offset.
  std::map<uint64_t, std::map<uint64_t, std::string>> functions;
  for (const SymbolRef& symbol : (*object)->symbols()) {
    auto type = symbol.getType();
    if (!type) return type.takeError();
    if (*type != SymbolRef::ST_Function) continue;
    auto name = symbol.getName();
    auto section = symbol.getSection();
    auto address = symbol.getAddress();
    if (!name) return name.takeError();
    if (!section) return section.takeError();
    if (!address) return address.takeError();
    if (*section != (*object)->section_end())
      functions[(*section)->getIndex()][*address] = name->split('.').first;
  }
  // Calls of tiles, and of the model's own functions, each of which has a
  // section of its own.
  std::map<std::string, int64_t> result;
  std::map<std::string, std::vector<std::string>> callees;
  for (const SectionRef& section : (*object)->sections())
    for (const RelocationRef& relocation : section.relocations()) {
      auto code = section.getRelocatedSection();
      if (!code) return code.takeError();
      const auto& starts = functions[(*code)->getIndex()];
      auto next = starts.upper_bound(relocation.getOffset());
      if (next == starts.begin()) continue;
      const std::string& caller = std::prev(next)->second;
      auto name = relocation.getSymbol()->getName();
      if (!name) return name.takeError();
      auto target = relocation.getSymbol()->getSection();
      if (!target) return target.takeError();
      if (names.count(name->str()))
        ++result[caller];
      else if (*target != (*object)->section_end())
        for (const auto& callee : functions[(*target)->getIndex()])
          callees[caller].push_back(callee.second);
    }
  std::function<int64_t(const std::string&)> add =
      [&](const std::string& name) -> int64_t {
    int64_t& total = result[name];
    std::vector<std::string> called = std::move(callees[name]);
    callees[name].clear();
    for (const std::string& callee : called)
      if (callee != name) total += add(callee);
    return total;
  };
  for (const auto& start : functions)
    for (const auto& function : start.second) add(function.second);
  return result;
}

// By the name that an object wants, the one of the function that it gets.
using Aliases = std::map<std::string, std::string>;

// The pack functions that an object wants, each made once in this process,
// which tests many models of few layouts; with `aliases`, such as this CPU can
// run.
llvm::Expected<std::vector<const ResolvedTile*>> resolvePacks(
    llvm::ArrayRef<char> bytes, const ResolveOptions& resolve,
    Aliases* aliases) {
  static std::map<std::string, ResolvedTile> made;
  auto object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef({bytes.data(), bytes.size()}, "model"));
  if (!object) return object.takeError();
  std::vector<const ResolvedTile*> result;
  for (const llvm::object::SymbolRef& symbol : (*object)->symbols()) {
    auto name = symbol.getName();
    if (!name) return name.takeError();
    ParsedPackKey parsed = parsePackKey(name->str());
    if (!parsed.key) continue;
    if (aliases) parsed.key = runnablePack(*parsed.key);
    const std::string function = printPackKey(*parsed.key);
    if (function != *name) (*aliases)[name->str()] = function;
    auto known = made.find(function);
    if (known == made.end()) {
      auto functions = resolveFunctions({*parsed.key}, resolve);
      if (!functions) return functions.takeError();
      known = made.emplace(function, std::move(functions->front())).first;
    }
    if (!llvm::is_contained(result, &known->second))
      result.push_back(&known->second);
  }
  return result;
}

template <size_t... I>
int64_t callWithEach(const JitModel& model, const std::string& name,
                     const std::vector<int64_t>& words,
                     std::index_sequence<I...> /*indices*/) {
  return model.callSize(name, words[I]...);
}

template <size_t... N>
int64_t callWithAll(const JitModel& model, const std::string& name,
                    const std::vector<int64_t>& words,
                    std::index_sequence<N...> /*lengths*/) {
  int64_t status = -1;
  auto callIf = [&](auto length) {
    if (words.size() == length)
      status =
          callWithEach(model, name, words, std::make_index_sequence<length>());
  };
  (callIf(std::integral_constant<size_t, N>()), ...);
  return status;
}

}  // namespace

struct JitModel::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

JitModel::JitModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JitModel::~JitModel() { closePrograms(); }

int64_t JitModel::liveAllocations() { return live_allocations; }
int64_t JitModel::allocations() { return all_allocations; }
JitCopies JitModel::copies() { return {uploads, downloads, transfers}; }
void JitModel::failAllocations(bool fail) { fail_allocations = fail; }

bool JitModel::hasWorkspace(const std::string& name) const {
  return find(name + "_workspace_bytes") && find(name + "_with_workspace");
}

std::string JitModel::deviceMessage() { return tw_hip_message(); }

std::vector<std::string> runnableIsas() {
  uint64_t cpu[TW_CPU_DATA_WORDS] = {};
  tw_cpu_detect(cpu);
  std::vector<std::string> result;
  for (const IsaInfo& isa : isas())
    if (tw_isa_available(isa.isa, cpu)) result.emplace_back(isa.name);
  return result;
}

std::unique_ptr<JitModel> JitModel::compile(std::string_view model,
                                            const JitOptions& options,
                                            std::string* error) {
  auto fail = [&](llvm::Error e) -> std::unique_ptr<JitModel> {
    *error = llvm::toString(std::move(e));
    return nullptr;
  };
  ModelOptions modelOptions;
  llvm::Expected<TargetCpu> target = parseTargetCpu(options.isa);
  if (!target) return fail(target.takeError());
  bool isGpu = target->best().isGpu();
  useEmulatedHip();
  std::vector<std::string> devices = {
      "host=" + (isGpu ? runnableIsas().front() : options.isa)};
  if (isGpu) devices.push_back("gpu=" + options.isa);
  devices.insert(devices.end(), options.others.begin(), options.others.end());
  llvm::Expected<std::vector<ModelDevice>> named = modelDevices({}, devices);
  if (!named) return fail(named.takeError());
  modelOptions.devices = std::move(*named);
  const bool is_emulated = isEmulated(options.isa);
  // Its tiles stay those of the target.
  if (is_emulated) modelOptions.devices.front().cpu = hostTargetCpu();
  modelOptions.reference = options.reference;
  modelOptions.dataTiling =
      options.tiling == JitTiling::kLate    ? DataTiling::Late
      : options.tiling == JitTiling::kEarly ? DataTiling::Early
                                            : DataTiling::None;
  modelOptions.inlineTiles = options.inlineTiles;
  modelOptions.alwaysPropagate = options.alwaysPropagate;
  modelOptions.threads = options.threads;
  modelOptions.leastTask = options.leastTask;
  modelOptions.planCore = options.core;
  modelOptions.bitcodeDir = TW_BITCODE_DIR;
  std::string text(model);  // with a zero byte behind it
  llvm::Expected<CompiledModel> compiled =
      compileModel(llvm::MemoryBufferRef(text, "test.mlir"), ModelStage::Object,
                   modelOptions);
  if (!compiled) return fail(compiled.takeError());

  ResolveOptions resolve;
  resolve.bitcodeDir = TW_BITCODE_DIR;
  resolve.cacheDir = TW_TEST_CACHE_DIR;
  std::vector<TileKey> hostTiles;
  for (const TileKey& key : compiled->tiles)
    if (!info(key.isa).isGpu()) hostTiles.push_back(key);
  std::vector<TileKey> ownTiles, emulatedTiles;
  for (const TileKey& key : hostTiles)
    (is_emulated && isForeign(key.isa) ? emulatedTiles : ownTiles)
        .push_back(key);
  llvm::Expected<std::vector<ResolvedTile>> tiles =
      resolveTiles(ownTiles, resolve);
  if (!tiles) return fail(tiles.takeError());

  Aliases aliases;
  auto packs =
      resolvePacks(compiled->bytes, resolve, is_emulated ? &aliases : nullptr);
  if (!packs) return fail(packs.takeError());

  auto calls = countTileCalls(compiled->bytes, hostTiles);
  if (!calls) return fail(calls.takeError());

  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) return fail(jit.takeError());
  llvm::orc::SymbolMap runtime;
  auto define = [&](const char* name, auto* function) {
    runtime[(*jit)->mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  define("malloc", countedMalloc);
  define("free", countedFree);
  define(kContractFunction.data(), TW_CONTRACT);
  size_t thinCount = 0;
  const tw_thin_variant_t* thin = tw_thin_variants(&thinCount);
  for (size_t i = 0; i < thinCount; ++i)
    if (std::string name = thinFunction(thin[i].isa); !name.empty())
      define(name.c_str(), thin[i].fn);
  define(kMayUseAmxFunction.data(), mayUseAmx);
  for (const TileKey& key : emulatedTiles) {
    llvm::Expected<tw_mmt4d_tile_fn_t> fn = emulatedTile(key);
    if (!fn) return fail(fn.takeError());
    define(printTileKey(key).c_str(), *fn);
  }
  define("tw_hip_begin", recordedBegin);
  define("tw_hip_end", tw_hip_end);
  define("tw_hip_begin_all", recordedBeginAll);
  define("tw_hip_end_all", tw_hip_end_all);
  define("tw_hip_allocate", tw_hip_allocate);
  define("tw_hip_release", tw_hip_release);
  define("tw_hip_constant", tw_hip_constant);
  define("tw_hip_upload", countedUpload);
  define("tw_hip_download", countedDownload);
  define("tw_hip_transfer", countedTransfer);
  define("tw_hip_copy", tw_hip_copy);
  define("tw_hip_launch", tw_hip_launch);
  llvm::orc::JITDylib& main = (*jit)->getMainJITDylib();
  if (llvm::Error e = main.define(llvm::orc::absoluteSymbols(runtime)))
    return fail(std::move(e));
  if (llvm::Error e = addObject(**jit, compiled->bytes, "model"))
    return fail(std::move(e));
  for (const ResolvedTile& tile : *tiles)
    if (llvm::Error e = addObject(**jit, tile.bytes, tile.name))
      return fail(std::move(e));
  for (const ResolvedTile* pack : *packs)
    if (llvm::Error e = addObject(**jit, pack->bytes, pack->name))
      return fail(std::move(e));
  llvm::orc::SymbolAliasMap others;
  for (const auto& [wanted, function] : aliases)
    others[(*jit)->mangleAndIntern(wanted)] = {
        (*jit)->mangleAndIntern(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (llvm::Error e = main.define(llvm::orc::symbolAliases(others)))
    return fail(std::move(e));

  auto impl = std::make_unique<Impl>();
  impl->jit = std::move(*jit);
  std::unique_ptr<JitModel> result(new JitModel(std::move(impl)));
  for (const TileKey& key : compiled->tiles)
    result->tiles_.push_back(printTileKey(key));
  for (const ResolvedTile* pack : *packs)
    result->pack_functions_.push_back(pack->name);
  result->tile_calls_ = std::move(*calls);
  for (const CodeObject& code : compiled->codeObjects) {
    result->code_objects_.push_back(code.kernels);
    result->kernels_.insert(result->kernels_.end(), code.kernels.begin(),
                            code.kernels.end());
  }
  for (const Relayout& relayout : compiled->relayouts) {
    if (relayout.fewRows) continue;
    if (relayout.what == "relayout") ++result->relayouts_;
    result->laid_out_.push_back({relayout.what, relayout.rule});
  }
  result->dispatches_ = compiled->dispatches;
  result->packed_ = compiled->packedConstants;
  result->remarks_ = compiled->remarks;
  result->header_ = emitHeader("test.h", *compiled);
  result->threads_ = options.threads;
  for (const EntryPoint& entry : compiled->entries)
    if (options.alwaysPropagate && entry.arena && !entry.arena->others.empty())
      result->allocating_.insert(entry.name);
  for (const EntryPoint& entry : compiled->entries)
    if (!result->find(entry.name))
      return fail(llvm::createStringError("entry point " + entry.name +
                                          " cannot be linked"));
  return result;
}

int64_t JitModel::callWords(const std::string& name,
                            const std::vector<int64_t>& words) const {
  return callWithAll(*this, name, words, std::make_index_sequence<41>());
}

int64_t JitModel::tileCalls(const std::string& name) const {
  auto calls = tile_calls_.find(name);
  return calls == tile_calls_.end() ? 0 : calls->second;
}

void* JitModel::find(const std::string& name) const {
  auto address = impl_->jit->lookup(name);
  if (address) return address->toPtr<void*>();
  llvm::consumeError(address.takeError());
  return nullptr;
}

}  // namespace tilewright::testing
