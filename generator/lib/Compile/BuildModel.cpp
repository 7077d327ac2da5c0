// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/BuildModel.h"

#include "Parameters/ParametersFile.h"
#include "Parameters/ScratchFile.h"
#include "Program/SystemCompiler.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Compile/FollowShapes.h"
#include "tilewright/Planning/CoreModel.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilewright {
namespace {

LinkOutput linkOutput(ModelOutput output) {
  switch (output) {
  case ModelOutput::Archive:
    return LinkOutput::Archive;
  case ModelOutput::Bitcode:
    return LinkOutput::Bitcode;
  case ModelOutput::Object:
  case ModelOutput::SharedLibrary:
  case ModelOutput::Executable:
    break;
  }
  return LinkOutput::Object;
}

/// Makes a library or a program of a model's object.
class Finisher {
public:
  Finisher(const ProgramOptions &program, const BuildOptions &options,
           const Triple &triple, bool forGpu)
      : options(options),
        isWanted(program.output == ModelOutput::SharedLibrary ||
                 program.output == ModelOutput::Executable) {
    compiler.compiler = options.compiler;
    compiler.triple = triple;
    if (program.output == ModelOutput::SharedLibrary)
      compiler.library = {triple, sys::path::filename(program.path).str(), {}};
    else
      compiler.runtimes.push_back(Runtime::Runner);
    if (options.model.parametersInFile)
      compiler.runtimes.push_back(Runtime::Instance);
    if (forGpu)
      compiler.runtimes.push_back(Runtime::Hip);
  }

  /// Before any work is done.
  Error check() const {
    if (!isWanted)
      return Error::success();
    return byLld() ? checkSharedLibraryTriple(compiler.triple)
                   : checkSystemCompiler(compiler);
  }

  void addTo(LinkOptions &link, const CompiledModel &model) {
    if (!isWanted)
      return;
    // Of a model with state it is known only now.
    if (!model.instance.empty() && !options.model.parametersInFile)
      compiler.runtimes.push_back(Runtime::Instance);
    if (compiler.library)
      compiler.library->exports = model.functionsForC;
    link.finishObject = [this](ArrayRef<StringRef> object) {
      return byLld() ? linkSharedLibrary(object, *compiler.library)
                     : linkBySystemCompiler(object, compiler);
    };
  }

private:
  bool byLld() const { return compiler.runtimes.empty(); }

  const BuildOptions &options;
  bool isWanted;
  SystemCompilerOptions compiler;
};

/// The core that the target names, if plans are made for it.
std::string coreOf(const TargetCpu &target) {
  Expected<const CoreModel *> core = findCore(target.cpu);
  if (core)
    return std::string((*core)->name);
  consumeError(core.takeError());
  return {};
}

/// One program of the model.
class ProgramBuilder {
public:
  ProgramBuilder(const ProgramOptions &program, const BuildOptions &options)
      : program(program), options(options), modelOptions(options.model) {
    modelOptions.devices = program.devices;
    modelOptions.tune = followShapes(options.resolve, program.devices);
    modelOptions.constantsApart = true;
    modelOptions.describe = program.output == ModelOutput::Executable;
    modelOptions.inlineTiles = options.inlineTiles;
    modelOptions.planCore = options.resolve.generate.tuneCpu;
    if (modelOptions.planCore.empty())
      modelOptions.planCore = coreOf(modelOptions.host());
  }

  /// Before any work is done.
  Error check() {
    Expected<Triple> triple =
        targetTriple(modelOptions.host().arch, options.model.triple);
    if (!triple)
      return triple.takeError();
    finisher.emplace(program, options, *triple, modelOptions.hasGpu());
    return finisher->check();
  }

  ModelStage stage() const {
    return isArchive() ? ModelStage::Object : ModelStage::Bitcode;
  }

  Expected<LinkReport> link(const CompiledModel &model, OutputFiles &outputs) {
    std::string name =
        (sys::path::stem(program.path) + (isArchive() ? ".o" : ".bc")).str();
    LinkOptions link;
    link.output = linkOutput(program.output);
    link.inlineTiles = options.inlineTiles;
    link.withInputs = isArchive();
    link.prefixes = {options.model.prefix};
    link.resolve = options.resolve;
    link.resolve.core = link.resolve.generate.tuneCpu;
    if (link.resolve.core.empty()) {
      link.resolve.generate.tuneCpu = modelOptions.planCore;
      link.resolve.core = coreName(modelOptions.host());
    }
    link.buffers = {MemoryBufferRef(
        StringRef(model.bytes.data(), model.bytes.size()), name)};
    link.constants = model.constants;
    // The model knows its tiles: they are neither read off their names again
    // nor planned again.
    for (const CalledTile &tile : model.calledTiles) {
      link.known.emplace(tile.name, tile.key);
      if (!tile.plan.empty())
        link.resolve.plans.emplace(tile.key, tile.plan);
    }
    finisher->addTo(link, model);
    return linkTiles({}, program.path, link, outputs);
  }

  const ProgramOptions &program;
  const BuildOptions &options;
  ModelOptions modelOptions;

private:
  bool isArchive() const { return program.output == ModelOutput::Archive; }

  std::optional<Finisher> finisher;
};

bool haveSameFunctions(const CompiledModel &x, const CompiledModel &y) {
  return x.instance == y.instance && x.states.size() == y.states.size() &&
         std::equal(x.entries.begin(), x.entries.end(), y.entries.begin(),
                    y.entries.end(),
                    [](const EntryPoint &one, const EntryPoint &other) {
                      return one.name == other.name &&
                             one.parameters == other.parameters;
                    });
}

std::string targetsOf(const ModelOptions &options) {
  std::vector<std::string> targets;
  for (const ModelDevice &device : options.devices)
    if (!is_contained(targets, device.target))
      targets.push_back(device.target);
  return join(targets, ", ");
}

Error writeFile(ArrayRef<CompiledModel> models, ArrayRef<ModelOptions> options,
                ScratchFile *scratch, StringRef path, OutputFiles &outputs) {
  std::vector<ProgramParameters> programs;
  for (const auto &[model, of] : zip_equal(models, options))
    programs.push_back({model.parameters, model.parameterOffsets,
                        model.parametersIdentity, targetsOf(of)});
  return writeParameters(programs, scratch, path, outputs);
}

} // namespace

Expected<std::vector<BuildReport>> buildModel(MemoryBufferRef source,
                                              ArrayRef<ProgramOptions> programs,
                                              const BuildOptions &options,
                                              OutputFiles &outputs) {
  std::vector<ProgramBuilder> builders;
  std::vector<ModelOptions> modelOptions;
  builders.reserve(programs.size());
  for (const ProgramOptions &program : programs) {
    ProgramBuilder &builder = builders.emplace_back(program, options);
    if (Error error = builder.check())
      return std::move(error);
    if (builder.stage() != builders.front().stage())
      return createStringError("'" + programs.front().path + "' and '" +
                               program.path +
                               "' are made in two ways; programs of one "
                               "compilation are all .a, or none is");
    modelOptions.push_back(builder.modelOptions);
  }
  std::unique_ptr<ScratchFile> scratch;
  if (!options.parametersPath.empty()) {
    Expected<std::unique_ptr<ScratchFile>> made =
        ScratchFile::besides(options.parametersPath, programs.size());
    if (!made)
      return made.takeError();
    scratch = std::move(*made);
  }
  ScratchFile::Use use(scratch.get());
  Expected<std::vector<CompiledModel>> models =
      compileModels(source, builders.front().stage(), modelOptions);
  if (!models)
    return models.takeError();

  for (const CompiledModel &model : *models)
    if (!haveSameFunctions(model, models->front()))
      return createStringError("the programs have not the same functions, so "
                               "that no header describes all of them; compile "
                               "one by one");

  std::vector<LinkReport> links;
  for (auto [builder, model] : zip_equal(builders, *models)) {
    Expected<LinkReport> linked = builder.link(model, outputs);
    if (!linked)
      return linked.takeError();
    links.push_back(std::move(*linked));
  }
  if (!options.parametersPath.empty())
    if (Error error = writeFile(*models, modelOptions, scratch.get(),
                                options.parametersPath, outputs))
      return std::move(error);
  for (CompiledModel &model : *models) {
    model.bytes.clear();
    model.parameters.clear();
    model.constants.clear();
    model.constantsOwner.reset();
  }
  if (!options.headerPath.empty())
    if (Error error =
            outputs.write(options.headerPath,
                          emitHeader(sys::path::filename(options.headerPath),
                                     models->front())))
      return std::move(error);
  std::vector<BuildReport> reports;
  for (auto [builder, model, linked] : zip_equal(builders, *models, links)) {
    const ModelOptions &options = builder.modelOptions;
    reports.push_back({builder.program.path, options.devices,
                       options.host().name, options.prefix, std::move(model),
                       std::move(linked)});
  }
  return std::move(reports);
}

} // namespace tilewright
