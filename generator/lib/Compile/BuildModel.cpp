// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/BuildModel.h"

#include "Parameters/ParametersFile.h"
#include "Parameters/ScratchFile.h"
#include "Program/SystemCompiler.h"
#include "tilewright/Codegen/Backend.h"
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

/// Makes a library or a program of the model's object.
class Finisher {
public:
  Finisher(const BuildOptions &options, const Triple &triple, StringRef name)
      : options(options),
        isWanted(options.output == ModelOutput::SharedLibrary ||
                 options.output == ModelOutput::Executable) {
    compiler.compiler = options.compiler;
    compiler.triple = triple;
    if (options.output == ModelOutput::SharedLibrary)
      compiler.library = {triple, name.str(), {}};
    else
      compiler.runtimes.push_back(Runtime::Runner);
    if (options.model.parametersInFile)
      compiler.runtimes.push_back(Runtime::Instance);
    if (options.model.gpu())
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

} // namespace

Expected<BuildReport> buildModel(MemoryBufferRef source, StringRef outputPath,
                                 const BuildOptions &options,
                                 OutputFiles &outputs) {
  bool asObject = options.output == ModelOutput::Archive;
  Expected<Triple> triple =
      targetTriple(options.model.host().arch, options.model.triple);
  if (!triple)
    return triple.takeError();
  Finisher finisher(options, *triple, sys::path::filename(outputPath));
  if (Error error = finisher.check())
    return std::move(error);
  ModelOptions modelOptions = options.model;
  modelOptions.constantsApart = true;
  modelOptions.describe = options.output == ModelOutput::Executable;
  modelOptions.inlineTiles = options.inlineTiles;
  std::unique_ptr<ScratchFile> scratch;
  if (!options.parametersPath.empty()) {
    Expected<std::unique_ptr<ScratchFile>> made =
        ScratchFile::besides(options.parametersPath);
    if (!made)
      return made.takeError();
    scratch = std::move(*made);
  }
  ScratchFile::Use use(scratch.get());
  Expected<CompiledModel> model =
      compileModel(source, asObject ? ModelStage::Object : ModelStage::Bitcode,
                   modelOptions);
  if (!model)
    return model.takeError();

  std::string name =
      (sys::path::stem(outputPath) + (asObject ? ".o" : ".bc")).str();
  LinkOptions link;
  link.output = linkOutput(options.output);
  link.inlineTiles = options.inlineTiles;
  link.withInputs = asObject;
  link.prefixes = {options.model.prefix};
  link.resolve = options.resolve;
  link.buffers = {MemoryBufferRef(
      StringRef(model->bytes.data(), model->bytes.size()), name)};
  link.constants = model->constants;
  finisher.addTo(link, *model);
  Expected<LinkReport> linked = linkTiles({}, outputPath, link, outputs);
  if (!linked)
    return linked.takeError();
  if (!options.parametersPath.empty())
    if (Error error =
            writeParameters(model->parameters, model->parameterOffsets,
                            model->parametersIdentity, scratch.get(),
                            options.parametersPath, outputs))
      return std::move(error);
  model->bytes.clear();
  model->parameters.clear();
  model->constants.clear();
  model->constantsOwner.reset();
  if (!options.headerPath.empty())
    if (Error error = outputs.write(
            options.headerPath,
            emitHeader(sys::path::filename(options.headerPath), *model)))
      return std::move(error);
  return BuildReport{options.model.devices,
                     options.model.host().name,
                     options.model.gpu() ? options.model.gpu()->name : "",
                     options.model.prefix,
                     std::move(*model),
                     std::move(*linked)};
}

} // namespace tilewright
