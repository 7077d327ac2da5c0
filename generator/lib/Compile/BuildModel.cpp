// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/BuildModel.h"

#include "Parameters/ParametersFile.h"
#include "Parameters/ScratchFile.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilewright {

Expected<BuildReport> buildModel(MemoryBufferRef source, StringRef outputPath,
                                 const BuildOptions &options,
                                 OutputFiles &outputs) {
  bool asObject = options.output == LinkOutput::Archive;
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

  std::string name =
      (sys::path::stem(outputPath) + (asObject ? ".o" : ".bc")).str();
  LinkOptions link;
  link.output = options.output;
  link.inlineTiles = options.inlineTiles;
  link.withInputs = asObject;
  link.prefixes = {options.model.prefix};
  link.resolve = options.resolve;
  link.buffers = {MemoryBufferRef(
      StringRef(model->bytes.data(), model->bytes.size()), name)};
  link.constants = model->constants;
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
    if (Error error =
            outputs.write(options.headerPath,
                          emitHeader(sys::path::filename(options.headerPath),
                                     model->entries, options.model.instance)))
      return std::move(error);
  return BuildReport{options.model.target.name,
                     options.model.device ? options.model.device->name : "",
                     options.model.prefix, std::move(*model),
                     std::move(*linked)};
}

} // namespace tilewright
