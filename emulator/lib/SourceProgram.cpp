// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program as it is given.

#include "SourceProgram.h"
#include "TypeRemapper.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace llvm;

namespace tilewright::emulator {

static Expected<MemoryBufferRef> findBitcode(MemoryBufferRef input) {
  if (!input.getBuffer().starts_with("\x7f"
                                     "ELF"))
    return input;
  auto object = object::ObjectFile::createELFObjectFile(input);
  if (!object)
    return object.takeError();
  for (const object::SectionRef &section : (*object)->sections()) {
    auto name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != ".llvmbc")
      continue;
    auto contents = section.getContents();
    if (!contents)
      return contents.takeError();
    return MemoryBufferRef(*contents, input.getBufferIdentifier());
  }
  return createStringError(
      "emulator: " + input.getBufferIdentifier() +
      " has no section .llvmbc: a code object is emulated from the bitcode "
      "embedded in it (clang -fembed-bitcode=all, or our own code objects)");
}

Expected<std::unique_ptr<Module>> loadSource(MemoryBufferRef input,
                                             LLVMContext &context) {
  auto bitcode = findBitcode(input);
  if (!bitcode)
    return bitcode.takeError();
  SMDiagnostic diagnostic;
  auto module = parseIR(*bitcode, diagnostic, context);
  if (!module) {
    std::string text;
    raw_string_ostream os(text);
    diagnostic.print("", os, /*ShowColors=*/false);
    return createStringError("emulator: " + StringRef(text).trim());
  }
  if (!module->getTargetTriple().isAMDGCN())
    return createStringError(
        formatv("emulator: {0} is for '{1}', not for amdgcn",
                input.getBufferIdentifier(), module->getTargetTriple().str()));
  return module;
}

SmallVector<char, 0> writeSource(const Module &module) {
  SmallVector<char, 0> bitcode;
  raw_svector_ostream os(bitcode);
  WriteBitcodeToFile(module, os);
  return bitcode;
}

Expected<Target> targetOf(const Module &module, StringRef gfx) {
  for (const Function &function : module) {
    if (!gfx.empty())
      break;
    if (!function.isDeclaration())
      gfx = function.getFnAttribute("target-cpu").getValueAsString();
  }
  if (gfx.empty())
    return createStringError(
        "emulator: " + module.getModuleIdentifier() +
        ": no function has a target-cpu; name the target: " + targetNames());
  // gfx942:sramecc+:xnack- is gfx942.
  if (auto target = findTarget(gfx.split(':').first))
    return *target;
  return createStringError("emulator: unknown target '" + gfx +
                           "'; known are " + targetNames());
}

unsigned waveSizeOf(const Function &function, const Target &target) {
  StringRef features =
      function.getFnAttribute("target-features").getValueAsString();
  if (features.contains("+wavefrontsize64"))
    return 64;
  if (features.contains("+wavefrontsize32"))
    return 32;
  return target.waveSize;
}

static bool usesFatPointers(const Module &module) {
  auto isFat = [](const Type *type) {
    return type->isPtrOrPtrVectorTy() &&
           type->getPointerAddressSpace() == kBufferFatPointer;
  };
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function)) {
      if (isFat(instruction.getType()))
        return true;
      for (const Value *operand : instruction.operands())
        if (isFat(operand->getType()))
          return true;
    }
  return false;
}

/// LLVM's own pass, which the back end runs as well.
static Error lowerFatPointers(Module &module, const Target &target) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
  });
  std::string problem;
  const Triple &triple = module.getTargetTriple();
  const llvm::Target *backend = TargetRegistry::lookupTarget(triple, problem);
  if (!backend)
    return createStringError("emulator: " + problem);
  std::unique_ptr<TargetMachine> machine(backend->createTargetMachine(
      triple, target.name, "", TargetOptions(), std::nullopt));
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  if (Error failure =
          builder.parsePassPipeline(passes, "amdgpu-lower-buffer-fat-pointers"))
    return failure;
  passes.run(module, modules);
  return Error::success();
}

Error prepareSource(Module &module, const Target &target) {
  for (StringRef name : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors",
                         "llvm.global_dtors"})
    if (GlobalVariable *variable = module.getNamedGlobal(name))
      variable->eraseFromParent();
  unsigned number = 0;
  for (GlobalVariable &variable : module.globals())
    if (!variable.hasName())
      variable.setName(formatv("constant.{0}", number++).str());
  if (usesFatPointers(module))
    return lowerFatPointers(module, target);
  return Error::success();
}

HiddenArguments::HiddenArguments(Dim3 grid, Dim3 block, uint32_t dynamicLds)
    : blockCount{grid.x, grid.y, grid.z},
      groupSize{uint16_t(block.x), uint16_t(block.y), uint16_t(block.z)},
      gridDimensions(grid.z * block.z > 1   ? 3
                     : grid.y * block.y > 1 ? 2
                                            : 1),
      dynamicLdsSize(dynamicLds) {}

} // namespace tilewright::emulator
