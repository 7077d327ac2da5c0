// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Target/Amdgpu/CodeObject.h"

#include "tilewright/Devices/RegisterTarget.h"
#include "tilewright/Support/ContextErrors.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tilewright {
namespace {

/// The metadata that HIP's loader reads: version 6, ROCm 6.3 and later.
constexpr int kCodeObjectVersion = 600;

bool isKernel(const Function &function) {
  return function.getCallingConv() == CallingConv::AMDGPU_KERNEL;
}

/// Puts the bitcode of `module` into a section that is not loaded, for tools
/// that run or inspect a code object without a GPU.
void embedBitcode(Module &module) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  WriteBitcodeToFile(module, os);
  Constant *data = ConstantDataArray::get(
      module.getContext(),
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  auto *global = new GlobalVariable(
      module, data->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage,
      data, "llvm.embedded.module", nullptr, GlobalValue::NotThreadLocal,
      module.getDataLayout().getDefaultGlobalsAddressSpace());
  global->setSection(".llvmbc");
  global->setAlignment(Align(1));
  appendToCompilerUsed(module, {global});
}

} // namespace

StringRef processorOf(tw_isa_t isa) {
  StringRef name(info(isa).name.data(), info(isa).name.size());
  name.consume_front("amdgpu_");
  return name;
}

int waveSize(tw_isa_t isa) { return info(isa).vectorBits / 32; }

DeviceBackend::DeviceBackend(tw_isa_t isa,
                             std::unique_ptr<TargetMachine> machine)
    : isa(isa), machine(std::move(machine)) {}
DeviceBackend::~DeviceBackend() = default;

Expected<std::unique_ptr<DeviceBackend>> DeviceBackend::create(tw_isa_t isa) {
  Triple triple("amdgcn-amd-amdhsa");
  registerTarget(triple.getArch());
  std::string why;
  const Target *target = TargetRegistry::lookupTarget(triple, why);
  if (!target)
    return createStringError("this LLVM has no code generator for AMD GPUs: " +
                             why);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, processorOf(isa), "", TargetOptions(), Reloc::PIC_, std::nullopt,
      CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("LLVM has no back end for '%s'",
                             processorOf(isa).str().c_str());
  return std::unique_ptr<DeviceBackend>(
      new DeviceBackend(isa, std::move(machine)));
}

Expected<DeviceBackend *> DeviceBackends::get(tw_isa_t isa) {
  std::unique_ptr<DeviceBackend> &backend = byIsa[isa];
  if (!backend) {
    Expected<std::unique_ptr<DeviceBackend>> created =
        DeviceBackend::create(isa);
    if (!created)
      return created.takeError();
    backend = std::move(*created);
  }
  return backend.get();
}

void DeviceBackend::setTarget(Module &module) const {
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  if (!module.getModuleFlag("amdhsa_code_object_version"))
    module.addModuleFlag(Module::Error, "amdhsa_code_object_version",
                         kCodeObjectVersion);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", processorOf(isa));
    function.addFnAttr(Attribute::NoUnwind);
  }
}

void DeviceBackend::optimize(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() && !isKernel(function))
      function.setLinkage(GlobalValue::InternalLinkage);

  PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

void DeviceBackend::simplify(Module &module) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  FunctionPassManager passes;
  passes.addPass(SimplifyCFGPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  for (Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

Error DeviceBackend::generate(Module &module, CodeGenFileType type,
                              SmallVectorImpl<char> &bytes) {
  legacy::PassManager passes;
  raw_svector_ostream os(bytes);
  if (machine->addPassesToEmitFile(passes, os, nullptr, type,
                                   /*DisableVerify=*/true))
    return createStringError("LLVM's back end for '%s' cannot emit this kind "
                             "of file",
                             processorOf(isa).str().c_str());
  passes.run(module);
  return Error::success();
}

Expected<SmallVector<char, 0>> DeviceBackend::emit(Module &module,
                                                   DeviceFile kind) {
  std::string invalid;
  raw_string_ostream os(invalid);
  if (verifyModule(module, &os))
    return createStringError("the device code is invalid: " + invalid);
  ContextErrors errors(module.getContext());
  optimize(module);
  SmallVector<char, 0> bytes;
  switch (kind) {
  case DeviceFile::Bitcode: {
    raw_svector_ostream os(bytes);
    WriteBitcodeToFile(module, os);
    break;
  }
  case DeviceFile::Assembly:
    if (Error error = generate(module, CodeGenFileType::AssemblyFile, bytes))
      return std::move(error);
    break;
  case DeviceFile::CodeObject: {
    embedBitcode(module);
    SmallVector<char, 0> object;
    if (Error error = generate(module, CodeGenFileType::ObjectFile, object))
      return std::move(error);
    if (Error error = errors.takeError())
      return std::move(error);
    return linkCodeObject(object);
  }
  }
  if (Error error = errors.takeError())
    return std::move(error);
  return bytes;
}

} // namespace tilewright
