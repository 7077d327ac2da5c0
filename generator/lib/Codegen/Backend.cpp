// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Backend.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <mutex>

using namespace llvm;

namespace tilewright {
namespace {

/// Registering every target costs milliseconds; most programs need one.
void registerTarget(Triple::ArchType arch) {
  if (arch == Triple::x86_64) {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeX86TargetInfo();
      LLVMInitializeX86Target();
      LLVMInitializeX86TargetMC();
      LLVMInitializeX86AsmPrinter();
    });
    return;
  }
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
  });
}

} // namespace

Expected<Triple> targetTriple(const TileKey &key, StringRef wanted) {
  std::string_view arch = info(key.isa).arch;
  if (wanted.empty()) {
    Triple triple(sys::getDefaultTargetTriple());
    if (arch == "X86_64")
      triple.setArch(Triple::x86_64);
    return triple;
  }
  Triple triple(Triple::normalize(wanted));
  if (arch == "X86_64" && triple.getArch() != Triple::x86_64)
    return createStringError("target triple '%s' is not of the instruction "
                             "set's architecture, x86_64",
                             triple.str().c_str());
  return triple;
}

Expected<std::unique_ptr<Backend>> Backend::create(const Triple &triple) {
  registerTarget(triple.getArch());
  std::string why;
  const Target *target = TargetRegistry::lookupTarget(triple, why);
  if (!target)
    return createStringError("no code generator for target triple '%s': %s",
                             triple.str().c_str(), why.c_str());
  if (!triple.isLittleEndian() || !triple.isArch64Bit())
    return createStringError("target triple '%s': tile functions need a "
                             "little-endian 64-bit target",
                             triple.str().c_str());
  TargetOptions options;
  options.FunctionSections = true;
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple, "", "", options, Reloc::PIC_,
                                  std::nullopt, CodeGenOptLevel::Default));
  if (!machine)
    return createStringError("LLVM has no back end for target triple '%s'",
                             triple.str().c_str());
  return std::unique_ptr<Backend>(new Backend(std::move(machine)));
}

void Backend::setTarget(Module &module, const IsaInfo &isa) const {
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  bool x86 = machine->getTargetTriple().isX86();
  std::string features = isa.llvmFeatures();
  std::string width = std::to_string(isa.vectorBits);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (x86) {
      function.addFnAttr("target-cpu", "x86-64");
      // LLVM must not halve 512-bit vectors, whatever it tunes for.
      function.addFnAttr("prefer-vector-width", width);
      function.addFnAttr("min-legal-vector-width", width);
    }
    if (!features.empty())
      function.addFnAttr("target-features", features);
    function.addFnAttr(Attribute::NoUnwind);
    function.addFnAttr(Attribute::WillReturn);
    function.addFnAttr(Attribute::NoRecurse);
  }
}

void Backend::optimize(Module &module) {
  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cgam;
  ModuleAnalysisManager mam;
  PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  for (Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, fam);
}

Error Backend::emit(Module &module, CodeGenFileType type,
                    SmallVectorImpl<char> &bytes) {
  legacy::PassManager passes;
  raw_svector_ostream os(bytes);
  if (machine->addPassesToEmitFile(passes, os, nullptr, type,
                                   /*DisableVerify=*/true))
    return createStringError("LLVM's back end for '%s' cannot emit this kind "
                             "of file",
                             machine->getTargetTriple().str().c_str());
  passes.run(module);
  return Error::success();
}

} // namespace tilewright
