// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/CompileModel.h"

#include "Arena/ArenaAttr.h"
#include "Device/DeviceCode.h"
#include "DeviceTargets.h"
#include "DiagnosticLines.h"
#include "Dispatch/DispatchWork.h"
#include "Dispatch/SlowDispatches.h"
#include "ExplainSizes.h"
#include "FrontEnds.h"
#include "ModelConstants.h"
#include "OptimizeModel.h"
#include "Packed/RequestPacked.h"
#include "Parameters/AddInstance.h"
#include "Parameters/BindParameters.h"
#include "Parameters/RunOnce.h"
#include "Parameters/ScratchFile.h"
#include "Pipeline.h"
#include "Program/AddRunner.h"
#include "ReadModel.h"
#include "Relayouts.h"
#include "SharedWeights.h"
#include "TileCalls.h"
#include "Tosa.h"
#include "WriteCode.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Compile/EntrySizes.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Support/Activity.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

using namespace mlir;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace tilewright {
namespace {

class Compilation {
public:
  Compilation(llvm::MemoryBufferRef source, ModelStage stage,
              const ModelOptions &options)
      : options(options),
        ownedContext(std::make_shared<MLIRContext>(
            registry(options.tune), MLIRContext::Threading::DISABLED)),
        context(*ownedContext),
        diagnostics(&context, [this](Diagnostic &d) { collect(d); }) {
    model.stage = stage;
    model.threads = options.threads;
    // Not copied: most of it may be constants.
    sources->AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(source,
                                         /*RequiresNullTerminator=*/false),
        llvm::SMLoc());
  }

  /// Up to the packing of constants, which the caller has filled before the
  /// rest.
  Error pack() {
    WorkingOnInput working(name(), "compiling it");
    if (Error error = read())
      return error;
    return runSteps(ModelStage::Packed);
  }

  Error fill(ScratchFile &scratch) {
    return timed("fill", [&]() -> Error {
      scratch.fillAll();
      return Error::success();
    });
  }

  Expected<CompiledModel> finish() {
    WorkingOnInput working(name(), "compiling it");
    if (Error error = runSteps(ModelStage::LLVM))
      return std::move(error);
    if (!isDone)
      if (Error error = emitCode())
        return std::move(error);
    model.remarks = remarks.lines();
    return std::move(model);
  }

private:
  Error read() {
    if (options.threads > 1 && (options.hasGpu() || options.reference))
      return createStringError(
          options.hasGpu()
              ? "--threads divides the work of a CPU; the kernels of a model "
                "for a GPU are launched by one thread"
              : "--threads divides outlined functions, and --reference "
                "outlines none");
    if (Error error = parse())
      return error;
    return convert();
  }

  /// Those that were not run before, up to `last`.
  Error runSteps(ModelStage last) {
    struct Step {
      ModelStage stage;
      const char *name;
      std::function<void(PassManager &)> add;
    };
    const Step steps[] = {
        {ModelStage::Model, "fuse",
         [&](PassManager &pm) { addModelStep(pm, options); }},
        {ModelStage::Encoded, "encode",
         [&](PassManager &pm) { addEncodeStep(pm, options); }},
        {ModelStage::Packed, "pack",
         [&](PassManager &pm) { addPackStep(pm, options); }},
        {ModelStage::Dispatches, "outline",
         [&](PassManager &pm) { addDispatchStep(pm, options); }},
        {ModelStage::Buffers, "bufferize",
         [&](PassManager &pm) { addBufferStep(pm, options); }},
        {ModelStage::Calls, "call",
         [&](PassManager &pm) { addCallStep(pm, options); }},
        {ModelStage::LLVM, "lower",
         [&](PassManager &pm) { addLLVMStep(pm, options); }},
    };
    for (; !isDone && nextStep < std::size(steps) &&
           steps[nextStep].stage <= last;
         ++nextStep) {
      const Step &step = steps[nextStep];
      if (Error error = runPasses(step.name, step.add))
        return error;
      // Later passes drop these.
      if (step.stage == ModelStage::Model) {
        collectStates();
        collectEntries();
      }
      if (step.stage == ModelStage::Encoded) {
        packsOfModel = tilewright::packsOfModel(*module);
        model.sharedWeights = sharedWeightsOf(*module, options.prefix,
                                              callsContractions(options));
      }
      if (step.stage == ModelStage::Packed) {
        collectEntries(); // what tw-keep-packed has made
        collectPacked();
        collectParameterWork(*module, model);
        model.relayouts = relayoutsOf(*module, packsOfModel);
      }
      if (step.stage == ModelStage::Dispatches)
        collectDispatches();
      if (step.stage == ModelStage::Buffers)
        collectArenas();
      if (step.stage == ModelStage::Calls)
        model.calledTiles = calledTiles(*module);
      if (step.stage == ModelStage::LLVM)
        collectKept(*module, model);
      if (step.stage == model.stage) {
        llvm::raw_svector_ostream os(model.bytes);
        print(os);
        isDone = true;
      }
      if (step.stage == ModelStage::Calls && options.hasGpu() && !isDone)
        if (Error error = emitDeviceCode())
          return error;
      if (model.stage == ModelStage::CodeObject && !deviceCode.empty()) {
        if (Error error = checkOneCodeObject(deviceCode))
          return error;
        model.bytes = std::move(deviceCode.front().bytes);
        isDone = true;
      }
    }
    return Error::success();
  }

  void print(llvm::raw_ostream &os) {
    module->print(
        os,
        OpPrintingFlags().elideLargeElementsAttrs(64).elideLargeResourceString(
            64));
    os << '\n';
  }

  /// What there is after a step, for people.
  Error dump(llvm::StringRef step, llvm::StringRef extension,
             llvm::function_ref<void(llvm::raw_ostream &)> print) {
    if (!options.dump)
      return Error::success();
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os);
    return options.dump(
        llvm::formatv("{0,0+2}-{1}.{2}", ++dumps, step, extension).str(), text);
  }
  Error dumpModule(llvm::StringRef step) {
    return dump(step, "mlir", [&](llvm::raw_ostream &os) { print(os); });
  }
  Error dumpCode(llvm::StringRef step, const llvm::Module &code) {
    return dump(step, "ll",
                [&](llvm::raw_ostream &os) { code.print(os, nullptr); });
  }

  /// The model's file, for messages.
  llvm::StringRef name() const {
    return sources->getMemoryBuffer(sources->getMainFileID())
        ->getBufferIdentifier();
  }

  static DialectRegistry
  registry(const std::function<void(TargetCpu &)> &tune) {
    DialectRegistry registry;
    registerModelDialects(registry, tune);
    registerTosa(registry);
    return registry;
  }

  void collect(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors.add(diagnostic);
    else if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      remarks.add(diagnostic);
  }

  Error failure(const char *what) {
    if (module)
      explainSizes(*module, errors);
    Error all = Error::success();
    for (const std::string &error : errors.lines())
      all = llvm::joinErrors(
          std::move(all),
          createStringError(withFrontEndAdvice(error, module ? "" : text())));
    if (all)
      return all;
    return createStringError("internal error: the step '%s' failed without a "
                             "diagnostic",
                             what);
  }

  Error timed(const char *name, llvm::function_ref<Error()> body) {
    auto start = std::chrono::steady_clock::now();
    Error error = body();
    std::chrono::duration<double, std::milli> ms =
        std::chrono::steady_clock::now() - start;
    model.steps.push_back({name, ms.count()});
    return error;
  }

  /// Nothing of bytecode.
  llvm::StringRef text() const {
    llvm::MemoryBufferRef source =
        *sources->getMemoryBuffer(sources->getMainFileID());
    return isModelBytecode(source) ? "" : source.getBuffer();
  }

  Error parse() {
    return timed("parse", [&]() -> Error {
      ReadingInput reading(name(), "a model in MLIR");
      for (llvm::StringRef dialect : context.getAvailableDialects())
        if (dialect != kTosaDialect)
          context.getOrLoadDialect(dialect);
      module = readModel(sources, context, [&] { errors = {}; });
      if (!module)
        return failure("parse");
      if (mlir::failed(verify(*module)))
        return failure("verify");
      return dumpModule("parse");
    });
  }

  /// What front ends have that the steps do not.
  Error convert() {
    if (context.getLoadedDialect(kTosaDialect))
      if (Error error = runPasses("tosa", addTosaStep))
        return error;
    return timed("bind", [&]() -> Error {
      static const SafeTensors none;
      if (mlir::failed(bindParameters(
              *module, options.parameters ? *options.parameters : none)) ||
          mlir::failed(requestPacked(*module, options.packed)))
        return failure("bind");
      return Error::success();
    });
  }

  Error runPasses(const char *name,
                  const std::function<void(PassManager &)> &add) {
    Error error = timed(name, [&]() -> Error {
      PassManager pm(&context);
      // Once, after the last: verifying a large model takes as long as a pass.
      pm.enableVerifier(false);
      if (options.timing)
        pm.enableTiming();
      add(pm);
      if (mlir::failed(pm.run(*module)) || mlir::failed(verify(*module)))
        return failure(name);
      return Error::success();
    });
    return error ? std::move(error) : dumpModule(name);
  }

  void collectStates() {
    model.parametersInFile = options.parametersInFile;
    if (auto states = (*module)->getAttrOfType<ArrayAttr>(kStatesAttr))
      for (auto state : states.getAsRange<ArrayAttr>()) {
        auto type = cast<RankedTensorType>(cast<TypeAttr>(state[1]).getValue());
        std::string text;
        llvm::raw_string_ostream(text) << type;
        model.states.push_back(
            {cast<StringAttr>(state[0]).str(), std::move(text),
             uint64_t(type.getNumElements()) *
                 llvm::divideCeil(type.getElementTypeBitWidth(), 8)});
      }
    if (model.parametersInFile || !model.states.empty())
      model.instance = options.instance;
  }

  /// Those that are not known yet.
  void collectEntries() {
    auto isKnown = [&](func::FuncOp func) {
      return llvm::any_of(model.entries, [&](const EntryPoint &entry) {
        return entry.name == func.getName();
      });
    };
    for (func::FuncOp func : module->getOps<func::FuncOp>())
      if (func->hasAttr(kCArgumentsAttr) && !isKnown(func)) {
        model.entries.push_back(
            {func.getName().str(), namesOf(func, kCArgumentsAttr),
             namesOf(func, kCResultsAttr), namesOf(func, kCMessagesAttr),
             /*arena=*/{}, stateArguments(func),
             entryValues(func, kArgumentValuesAttr),
             entryValues(func, kResultValuesAttr)});
        if (auto id = func->getAttrOfType<StringAttr>(kPacksAttr))
          model.entries.back().packs = id.str();
      }
  }

  void collectDispatches() {
    model.functions = dispatchesOf(*module);
    judgeDispatches(*module, model.functions);
  }

  void collectArenas() {
    for (EntryPoint &entry : model.entries) {
      Operation *func = module->lookupSymbol(entry.name);
      if (auto arena = func->getAttrOfType<DictionaryAttr>(kArenaAttr))
        entry.arena = arenaOf(arena);
      entry.needsAmx = func->hasAttr(kNeedsAmxAttr);
    }
  }

  void collectPacked() {
    if (auto values = (*module)->getAttrOfType<ArrayAttr>(kPackedValuesAttr))
      packedValues.insert(values.begin(), values.end());
    (*module)->removeAttr(kPackedValuesAttr);
    for (func::FuncOp func : module->getOps<func::FuncOp>())
      for (std::string &line : namesOf(func, kPackedAttr))
        model.packedConstants.push_back(std::move(line));
    model.tiles = tilesIn(*module);
  }

  /// Compiles the kernels and takes them out of the module.
  Error emitDeviceCode() {
    if (auto count = (*module)->getAttrOfType<IntegerAttr>(kDispatchesAttr))
      model.dispatches = count.getInt();
    return timed("kernels", [&]() -> Error {
      for (ModuleOp kernels : kernelModulesOf(*module)) {
        kernels->remove();
        OwningOpRef<ModuleOp> owned(kernels);
        PassManager pm(&context);
        addDeviceLLVMStep(pm);
        if (mlir::failed(pm.run(kernels)))
          return failure("kernels");
        Expected<EmittedCode> code = emitCodeObject(
            kernels, model.tiles,
            {options.prefix, options.preferHandWritten, options.bitcodeDir});
        if (!code)
          return code.takeError();
        llvm::append_range(model.remarks, code->remarks);
        model.codeObjects.push_back(code->description);
        deviceCode.push_back(std::move(*code));
      }
      return Error::success();
    });
  }

  Error emitCode() {
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::Module> code;
    Expected<llvm::Triple> triple =
        targetTriple(options.host().arch, options.triple);
    if (!triple)
      return triple.takeError();
    Expected<std::unique_ptr<Backend>> backend = Backend::create(*triple);
    if (!backend)
      return backend.takeError();
    Error error = timed("translate", [&]() -> Error {
      code = translateModuleToLLVMIR(*module, llvmContext, "model");
      if (!code)
        return failure("translate");
      (*backend)->setTarget(*code, options.host());
      setTargetsOfOthers(*module, *code, **backend);
      if (options.hasGpu())
        definePrograms(*module, *code, deviceCode);
      if (Error error = nameConstants(*module, packedValues, *code, model))
        return error;
      if (options.parametersInFile)
        nameParameters(*module, packedValues, options.instance, model);
      if (!model.instance.empty())
        if (Error error = addInstance(*code, model))
          return error;
      for (const llvm::Function &function : *code)
        if (!function.isDeclaration() && !function.hasLocalLinkage())
          model.functionsForC.push_back(function.getName().str());
      return options.describe ? addRunner(*code, model) : Error::success();
    });
    if (error)
      return error;
    if (Error error = dumpCode("translate", *code))
      return error;
    error = timed("optimize", [&] {
      optimizeModel(*code, (*backend)->targetMachine());
      return Error::success();
    });
    if (error)
      return error;
    if (Error error = dumpCode("optimize", *code))
      return error;
    // Parameters, too, are in the context.
    if (options.constantsApart || options.parametersInFile)
      model.constantsOwner = ownedContext;
    return timed("codegen", [&] {
      return writeCode(*code, **backend, options.constantsApart, model);
    });
  }

  const ModelOptions &options;
  CompiledModel model;
  DiagnosticLines errors, remarks;
  std::shared_ptr<llvm::SourceMgr> sources =
      std::make_shared<llvm::SourceMgr>();
  std::shared_ptr<MLIRContext> ownedContext;
  MLIRContext &context;
  ScopedDiagnosticHandler diagnostics;
  OwningOpRef<ModuleOp> module;
  size_t nextStep = 0;
  bool isDone = false; ///< stopped early
  unsigned dumps = 0;  ///< so far
  std::vector<EmittedCode> deviceCode;
  llvm::DenseSet<Attribute> packedValues; ///< constants packed for tiles
  llvm::DenseSet<Location> packsOfModel;
};

} // namespace

bool isModelBytecode(llvm::MemoryBufferRef source) {
  return isBytecode(source);
}

Expected<CompiledModel> compileModel(llvm::MemoryBufferRef source,
                                     ModelStage stage,
                                     const ModelOptions &options) {
  Expected<std::vector<CompiledModel>> models =
      compileModels(source, stage, options);
  if (!models)
    return models.takeError();
  return std::move(models->front());
}

Expected<std::vector<CompiledModel>>
compileModels(llvm::MemoryBufferRef source, ModelStage stage,
              llvm::ArrayRef<ModelOptions> options) {
  std::vector<std::unique_ptr<Compilation>> compilations;
  for (const ModelOptions &each : options) {
    compilations.push_back(std::make_unique<Compilation>(source, stage, each));
    if (Error error = compilations.back()->pack())
      return std::move(error);
  }
  if (ScratchFile *scratch = ScratchFile::current())
    if (Error error = compilations.front()->fill(*scratch))
      return std::move(error);
  std::vector<CompiledModel> models;
  for (const auto &compilation : compilations) {
    Expected<CompiledModel> model = compilation->finish();
    if (!model)
      return model.takeError();
    models.push_back(std::move(*model));
  }
  return std::move(models);
}

} // namespace tilewright
