// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Codegen/TemplateBitcode.h"

#include "UndefinedSymbols.h"
#include "tilewright/Codegen/StepTimer.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Support/Activity.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright {

Expected<MemoryBufferRef> TemplateBitcode::read() {
  std::lock_guard<std::mutex> lock(mutex);
  if (buffer)
    return buffer->getMemBufferRef();
  Expected<std::string> path = traits.pathOf(dir);
  if (!path)
    return path.takeError();
  auto file = MemoryBuffer::getFile(*path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return createFileError(*path, file.getError());
  buffer = std::move(*file);
  return buffer->getMemBufferRef();
}

Expected<std::string> TemplateBitcode::hash() {
  Expected<MemoryBufferRef> bytes = read();
  if (!bytes)
    return bytes.takeError();
  return utohexstr(xxh3_64bits(bytes->getBuffer()));
}

Error TemplateBitcode::checkOptions(Emit kind,
                                    const GenerateOptions &options) const {
  if (kind == Emit::Plan || kind == Emit::Linalg || kind == Emit::Vector ||
      kind == Emit::CodeObject)
    return createStringError(traits.function + " has no such stage; expected "
                                               "keys, llvm, asm, bitcode or "
                                               "obj");
  if (!options.plan.empty())
    return createStringError(traits.function + " has no plan to override");
  if (options.lowering != Lowering::Plan)
    return createStringError(traits.function +
                             " has one way to be made, and none by plain "
                             "loops");
  return Error::success();
}

Error TemplateBitcode::otherVersion(const Making &making) const {
  return createStringError("'" + making.buffer.getBufferIdentifier() +
                           "' is of another version than this tool");
}

Error TemplateBitcode::verify(const Making &making,
                              const Module &module) const {
  std::string invalid;
  raw_string_ostream os(invalid);
  if (verifyModule(module, &os))
    return createStringError("'" + making.buffer.getBufferIdentifier() +
                             "' gave invalid IR: " + invalid);
  return Error::success();
}

Error TemplateBitcode::write(Module &module, Emit kind, Backend &backend,
                             SmallVectorImpl<char> &bytes) const {
  raw_svector_ostream os(bytes);
  switch (kind) {
  case Emit::LLVM:
    os << module;
    return Error::success();
  case Emit::Bitcode:
    WriteBitcodeToFile(module, os);
    return Error::success();
  case Emit::Asm:
    return backend.emit(module, CodeGenFileType::AssemblyFile,
                        CodegenPasses::All, bytes);
  default:
    if (Error error = backend.emit(module, CodeGenFileType::ObjectFile,
                                   CodegenPasses::All, bytes))
      return error;
    return checkUndefinedSymbols(bytes, traits.mayCall);
  }
}

Error TemplateBitcode::generate(const FunctionKey &key, Emit kind,
                                const GenerateOptions &options,
                                Backends &backends,
                                SmallVectorImpl<char> &bytes,
                                StepTimes &times) {
  std::string name = printFunctionKey(key, options.prefix);
  CurrentTile current(name);
  if (Error error = checkOptions(kind, options))
    return error;
  if (kind == Emit::Keys) {
    raw_svector_ostream(bytes) << name << '\n';
    return Error::success();
  }
  Expected<MemoryBufferRef> file = read();
  if (!file)
    return file.takeError();
  Expected<Triple> triple = targetTriple(info(isaOf(key)), options.triple);
  if (!triple)
    return triple.takeError();
  Expected<Backend *> backend = backends.get(*triple);
  if (!backend)
    return backend.takeError();

  LLVMContext context;
  ContextErrors errors(context);
  Expected<std::unique_ptr<Module>> module =
      make({*file, key, name, options, **backend, context, errors, times});
  if (!module)
    return module.takeError();
  StepTimer timer(times.codegen);
  if (Error error = write(**module, kind, **backend, bytes))
    return error;
  return errors.any() ? errors.takeError() : Error::success();
}

} // namespace tilewright
