// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WriteCode.h"

#include "tilewright/Codegen/ExternalConstants.h"
#include "llvm/Bitcode/BitcodeWriter.h"

using namespace llvm;

namespace tilewright {
namespace {

Error append(CompiledModel &model, bool isText) {
  raw_svector_ostream os(model.bytes);
  if (isText) {
    os << constantsAsAssembly(model.constants);
    return Error::success();
  }
  Expected<FileTail> tail = appendConstants(model.bytes, model.constants);
  if (!tail)
    return tail.takeError();
  model.bytes.reserve(model.bytes.size() + tail->size());
  for (StringRef piece : tail->pieces())
    os << piece;
  return Error::success();
}

} // namespace

Error writeCode(Module &code, Backend &backend, bool apart,
                CompiledModel &model) {
  bool isObject = model.stage == ModelStage::Object;
  bool isText = model.stage == ModelStage::Asm;
  apart &= isObject || model.stage == ModelStage::Bitcode;
  // What is no ELF has its constants from LLVM.
  bool appended =
      (isObject || isText) && code.getTargetTriple().isOSBinFormatELF();
  if (!apart && !appended)
    embedConstants(code, model.constants);
  raw_svector_ostream os(model.bytes);
  if (model.stage == ModelStage::LLVMIR) {
    code.print(os, nullptr);
  } else if (model.stage == ModelStage::Bitcode) {
    WriteBitcodeToFile(code, os);
  } else if (Error error = backend.emit(code,
                                        isText ? CodeGenFileType::AssemblyFile
                                               : CodeGenFileType::ObjectFile,
                                        CodegenPasses::All, model.bytes)) {
    return error;
  }
  return appended && !apart ? append(model, isText) : Error::success();
}

} // namespace tilewright
