// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/BuildModel.h"

#include "Parameters/ParametersFile.h"
#include "Parameters/ScratchFile.h"
#include "Program/SharedLibrary.h"
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
    break;
  }
  return LinkOutput::Object;
}

Error lacksInstances(StringRef what) {
  return createStringError("a model with " + what +
                           " needs libtilewright_instance.a, which a shared "
                           "library does not have yet; write a .a or .o");
}

/// What a shared library lacks that others link with such a model.
Error checkLibraries(const BuildOptions &options) {
  if (options.model.device)
    return createStringError("a model for a GPU needs libtilewright_hip.a, "
                             "which a shared library does not have yet; write "
                             "a .a or .o");
  if (options.model.parametersInFile)
    return lacksInstances("--parameters-out");
  return Error::success();
}

} // namespace

Expected<BuildReport> buildModel(MemoryBufferRef source, StringRef outputPath,
                                 const BuildOptions &options,
                                 OutputFiles &outputs) {
  bool asObject = options.output == ModelOutput::Archive;
  Expected<Triple> triple =
      targetTriple(options.model.target.arch, options.model.triple);
  if (!triple)
    return triple.takeError();
  if (options.output == ModelOutput::SharedLibrary) {
    if (Error error = checkSharedLibraryTriple(*triple))
      return std::move(error);
    if (Error error = checkLibraries(options))
      return std::move(error);
  }
  ModelOptions modelOptions = options.model;
  modelOptions.constantsApart = true;
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
  if (options.output == ModelOutput::SharedLibrary && !model->states.empty())
    return lacksInstances("mutable globals");

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
  if (options.output == ModelOutput::SharedLibrary)
    link.finishObject = [&](ArrayRef<StringRef> object) {
      return linkSharedLibrary(object,
                               {*triple, sys::path::filename(outputPath).str(),
                                model->functionsForC});
    };
  Expected<LinkReport> linked = linkTiles({}, outputPath, link, outputs);
  if (!linked)
    return linked.takeError();
  if (!options.parametersPath.empty())
    if (Error error = outputs.writePieces(
            options.parametersPath,
            parametersFile(model->parameters, model->parametersIdentity)
                .pieces()))
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
  return BuildReport{options.model.target.name,
                     options.model.device ? options.model.device->name : "",
                     options.model.prefix, std::move(*model),
                     std::move(*linked)};
}

} // namespace tilewright
