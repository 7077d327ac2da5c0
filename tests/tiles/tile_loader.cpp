// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/tile_loader.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "tests/tiles/intrinsic_emulation.h"

namespace tilewright::testing {

using namespace llvm;

Expected<TileLoader> TileLoader::create(StringRef cpu) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser();
  auto machine = orc::JITTargetMachineBuilder::detectHost();
  if (!machine) return machine.takeError();
  // Of modules: what emulates an instruction takes longer to optimise than to
  // run. Objects are as they came.
  machine->setCodeGenOptLevel(CodeGenOptLevel::None);
  if (!cpu.empty()) {
    machine->setCPU(cpu.str());
    machine->getFeatures() = SubtargetFeatures();
  }
  // Nothing of this process is visible to a tile: it may not need anything.
  auto jit = orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(*machine)
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(orc::setUpInactivePlatform)
                 .create();
  if (!jit) return jit.takeError();
  TileLoader loader;
  loader.jit_ = std::move(*jit);
  return loader;
}

Expected<orc::JITDylib&> TileLoader::newDylib() {
  auto dylib = jit_->createJITDylib("tile" + std::to_string(count_++));
  if (dylib) dylibs_.push_back(&*dylib);
  return dylib;
}

Expected<tw_mmt4d_tile_fn_t> TileLoader::find(orc::JITDylib& dylib,
                                              StringRef name) {
  auto address = jit_->lookup(dylib, name);
  if (!address) return address.takeError();
  return address->toPtr<tw_mmt4d_tile_fn_t>();
}

Expected<tw_mmt4d_tile_fn_t> TileLoader::loadObject(StringRef name,
                                                    StringRef object) {
  auto dylib = newDylib();
  if (!dylib) return dylib.takeError();
  if (Error error = jit_->addObjectFile(
          *dylib, MemoryBuffer::getMemBufferCopy(object, name)))
    return std::move(error);
  return find(*dylib, name);
}

Expected<tw_mmt4d_tile_fn_t> TileLoader::loadBitcode(StringRef name,
                                                     StringRef bitcode) {
  return loadModule(name, bitcode, false);
}

Expected<tw_mmt4d_tile_fn_t> TileLoader::loadEmulated(StringRef name,
                                                      StringRef bitcode) {
  return loadModule(name, bitcode, true);
}

Expected<tw_mmt4d_tile_fn_t> TileLoader::loadModule(StringRef name,
                                                    StringRef bitcode,
                                                    bool emulate) {
  auto context = std::make_unique<LLVMContext>();
  auto module = parseBitcodeFile(MemoryBufferRef(bitcode, name), *context);
  if (!module) return module.takeError();
  // Of a library of tiles, the one: the others would only take time.
  for (Function& other : make_early_inc_range(**module))
    if (!other.isDeclaration() && other.getName() != name && other.use_empty())
      other.eraseFromParent();
  if (emulate)
    if (Error error = emulateForeignIsa(**module)) return std::move(error);
  (*module)->setDataLayout(jit_->getDataLayout());
  auto dylib = newDylib();
  if (!dylib) return dylib.takeError();
  if (Error error = jit_->addIRModule(
          *dylib,
          orc::ThreadSafeModule(std::move(*module), std::move(context))))
    return std::move(error);
  return find(*dylib, name);
}

Error TileLoader::unload() {
  Error errors = Error::success();
  for (orc::JITDylib* dylib : dylibs_)
    errors = joinErrors(std::move(errors),
                        jit_->getExecutionSession().removeJITDylib(*dylib));
  dylibs_.clear();
  return errors;
}

namespace {

std::string inspectSymbols(const object::ELFObjectFileBase& file,
                           StringRef name) {
  bool defined = false;
  for (const object::ELFSymbolRef symbol : file.symbols()) {
    auto symbolName = symbol.getName();
    auto flags = symbol.getFlags();
    if (!symbolName || !flags) return "its symbol table cannot be read";
    if (*flags & object::SymbolRef::SF_FormatSpecific) continue;
    if (*flags & object::SymbolRef::SF_Undefined)
      return "it needs the symbol " + symbolName->str();
    if (!(*flags & object::SymbolRef::SF_Global)) continue;
    if (*symbolName != name || symbol.getELFType() != ELF::STT_FUNC)
      return "it defines the global symbol " + symbolName->str();
    defined = true;
  }
  return defined ? "" : "it does not define " + name.str();
}

}  // namespace

std::string inspectObject(StringRef bytes, StringRef name) {
  auto parsed =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, name));
  if (!parsed) return "not an ELF object: " + toString(parsed.takeError());
  const auto* file = cast<object::ELFObjectFileBase>(parsed->get());
  uint64_t code = 0;
  for (const object::ELFSectionRef section : file->sections()) {
    const uint64_t flags = section.getFlags();
    if (!(flags & ELF::SHF_ALLOC) || section.getSize() == 0) continue;
    auto sectionName = section.getName();
    const std::string what =
        sectionName ? sectionName->str() : std::string("a section");
    if (flags & ELF::SHF_EXECINSTR) code += section.getSize();
    if (flags & ELF::SHF_TLS) return what + " is thread-local";
    if (flags & ELF::SHF_WRITE) return what + " is writable";
  }
  if (code == 0) return "it has no code";
  if (code > kMaxCodeBytes)
    return "it has " + std::to_string(code) + " bytes of code, more than " +
           std::to_string(kMaxCodeBytes);
  return inspectSymbols(*file, name);
}

}  // namespace tilewright::testing
