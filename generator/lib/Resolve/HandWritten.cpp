// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HandWritten.h"

#include "tilewright/Codegen/Backend.h"
#include "tilewright/Codegen/DeviceTile.h"
#include "tilewright/Codegen/StepTimer.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/ContextErrors.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright {

Expected<const HandWrittenBitcode::Library *>
HandWrittenBitcode::library(tw_isa_t isa) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = libraries.find(isa);
  if (it != libraries.end())
    return &it->second;
  Expected<std::string> path = handWrittenBitcodePath(isa, dir);
  if (!path)
    return path.takeError();
  auto buffer = MemoryBuffer::getFile(*path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createFileError(*path, buffer.getError());
  Library library;
  library.hash = utohexstr(xxh3_64bits((*buffer)->getBuffer()));
  library.buffer = std::move(*buffer);
  return &libraries.emplace(isa, std::move(library)).first->second;
}

Expected<std::string> HandWrittenBitcode::hash(tw_isa_t isa) {
  Expected<const Library *> found = library(isa);
  if (!found)
    return found.takeError();
  return (*found)->hash;
}

Expected<std::string> HandWrittenBitcode::digest(const HandWrittenTile &tile,
                                                 Backends &backends) {
  StepTimes times;
  Expected<SmallVector<char, 0>> bytes =
      extract(tile, Emit::Bitcode, GenerateOptions(), backends, times);
  if (!bytes)
    return bytes.takeError();
  return utohexstr(xxh3_64bits(StringRef(bytes->data(), bytes->size())),
                   /*LowerCase=*/true, 16);
}

Expected<SmallVector<char, 0>>
HandWrittenBitcode::extract(const HandWrittenTile &tile, Emit kind,
                            const GenerateOptions &options, Backends &backends,
                            StepTimes &times) {
  CurrentTile current(tile.name);
  Expected<const Library *> found = library(tile.key.isa);
  if (!found)
    return found.takeError();
  MemoryBufferRef buffer = (*found)->buffer->getMemBufferRef();

  WorkingOnInput working(buffer.getBufferIdentifier(),
                         "taking " + tile.name + " from it");
  LLVMContext context;
  ContextErrors errors(context);
  std::unique_ptr<Module> module;
  {
    StepTimer timer(times.build);
    ReadingInput reading(buffer.getBufferIdentifier(),
                         "a bitcode library of hand-written tiles");
    // Only what the tile needs is ever read.
    auto source = getLazyBitcodeModule(buffer, context);
    if (!source)
      return createFileError(buffer.getBufferIdentifier(), source.takeError());
    const Function *function = (*source)->getFunction(tile.name);
    if (!function || function->isDeclaration())
      return createStringError(
          "bitcode library '" + buffer.getBufferIdentifier() +
          "' does not define the hand-written tile '" + tile.name +
          "': it is of another version than this tool");
    module = std::make_unique<Module>(tile.name, context);
    module->setSourceFileName(tile.name);
    module->setTargetTriple((*source)->getTargetTriple());
    module->setDataLayout((*source)->getDataLayout());
    Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage,
                     tile.name, *module);
    if (Linker::linkModules(*module, std::move(*source),
                            Linker::LinkOnlyNeeded))
      return createStringError(
          "cannot extract hand-written tile '" + tile.name + "' from '" +
          buffer.getBufferIdentifier() + "': " + errors.take());
    std::string broken;
    raw_string_ostream os(broken);
    if (verifyModule(*module, &os))
      return createStringError("bitcode library '" +
                               buffer.getBufferIdentifier() +
                               "' holds invalid IR: " + broken);
    // Where assembly stands in a header says nothing, and would be another body
    // whenever a comment before it changes.
    for (Function &part : *module)
      for (Instruction &instruction : instructions(part))
        instruction.setMetadata("srcloc", nullptr);
    module->getFunction(tile.name)->setName(
        printTileKey(tile.key, options.prefix));
  }
  SmallVector<char, 0> bytes;
  StepTimer timer(times.codegen);
  if (info(tile.key.isa).isGpu()) {
    if (Error error = checkDeviceKind(kind))
      return std::move(error);
    Expected<std::unique_ptr<DeviceBackend>> backend =
        DeviceBackend::create(tile.key.isa);
    if (!backend)
      return backend.takeError();
    Function *function =
        module->getFunction(printTileKey(tile.key, options.prefix));
    if (Error error = emitDeviceTile(*module, *function, tile.key.isa,
                                     **backend, kind, bytes))
      return std::move(error);
    return bytes;
  }
  if (kind == Emit::Bitcode) {
    raw_svector_ostream os(bytes);
    WriteBitcodeToFile(*module, os);
    return bytes;
  }
  Expected<Triple> triple = targetTriple(info(tile.key.isa), options.triple);
  if (!triple)
    return triple.takeError();
  Expected<Backend *> backend = backends.get(*triple);
  if (!backend)
    return backend.takeError();
  module->setTargetTriple(*triple);
  if (Error error = (*backend)->emit(*module, CodeGenFileType::ObjectFile,
                                     CodegenPasses::All, bytes))
    return error;
  if (errors.any())
    return errors.takeError();
  return bytes;
}

} // namespace tilewright
