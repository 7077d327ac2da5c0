// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/BuildModel.h"

#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilewright {

Expected<BuildReport> buildModel(MemoryBufferRef source, StringRef outputPath,
                                 const BuildOptions &options,
                                 OutputFiles &outputs) {
  bool asObject = options.output == LinkOutput::Archive;
  Expected<CompiledModel> model =
      compileModel(source, asObject ? ModelStage::Object : ModelStage::Bitcode,
                   options.model);
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
  Expected<LinkReport> linked = linkTiles({}, outputPath, link, outputs);
  if (!linked)
    return linked.takeError();
  model->bytes.clear();
  if (!options.headerPath.empty())
    if (Error error =
            outputs.write(options.headerPath,
                          emitHeader(sys::path::filename(options.headerPath),
                                     model->entries)))
      return std::move(error);
  return BuildReport{options.model.target.name,
                     options.model.device ? options.model.device->name : "",
                     options.model.prefix, std::move(*model),
                     std::move(*linked)};
}

} // namespace tilewright
