// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelBackend.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <mutex>

using namespace llvm;

namespace tilewright {

Expected<std::unique_ptr<ModelBackend>>
ModelBackend::create(const IsaInfo &isa) {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  Triple triple(sys::getDefaultTargetTriple());
  if (isa.arch == "X86_64")
    triple.setArch(Triple::x86_64);
  std::string why;
  const Target *target = TargetRegistry::lookupTarget(triple, why);
  if (!target)
    return createStringError("no code generator for target triple '%s': %s",
                             triple.str().c_str(), why.c_str());
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, triple.isX86() ? "x86-64" : "", isa.llvmFeatures(),
      TargetOptions(), Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
  if (!machine)
    return createStringError("LLVM has no back end for target triple '%s'",
                             triple.str().c_str());
  return std::unique_ptr<ModelBackend>(
      new ModelBackend(isa, std::move(machine)));
}

void ModelBackend::setTarget(Module &module) const {
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (machine->getTargetTriple().isX86()) {
      function.addFnAttr("target-cpu", "x86-64");
      function.addFnAttr("prefer-vector-width", std::to_string(isa.vectorBits));
    }
    if (!isa.llvmFeatures().empty())
      function.addFnAttr("target-features", isa.llvmFeatures());
    function.addFnAttr(Attribute::NoUnwind);
  }
}

void ModelBackend::optimize(Module &module) {
  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cgam;
  ModuleAnalysisManager mam;
  // The loops of a model move elements or do a few operations on each: vectors
  // pay, further unrolling and interleaving of them only takes time to compile.
  PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  tuning.SLPVectorization = false;
  PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2).run(module, mam);
}

Error ModelBackend::emit(Module &module, CodeGenFileType type,
                         SmallVectorImpl<char> &bytes) {
  legacy::PassManager passes;
  raw_svector_ostream os(bytes);
  if (machine->addPassesToEmitFile(passes, os, nullptr, type))
    return createStringError("LLVM's back end for '%s' cannot emit this kind "
                             "of file",
                             machine->getTargetTriple().str().c_str());
  passes.run(module);
  return Error::success();
}

} // namespace tilewright
