// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of the variant `vnni`: the body of the hand-written ones with a name's
// sizes bound.

#include "RegistryEntry.h"
#include "tilewright/Codegen/StepTimer.h"
#include "tilewright/Codegen/TemplateBitcode.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Support/Activity.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilewright {
namespace {

constexpr TemplateTraits kTraits = {amxTemplatePath,
                                    "a tile of the variant 'vnni'",
                                    "the template of tiles by AMX"};

/// void name(ptr out, ptr lhs, ptr rhs, ptr params) { body(..., M0, N0); }
Expected<Function *> bindSizes(Module &module, Function &body,
                               const TileKey &key, StringRef name) {
  LLVMContext &context = module.getContext();
  PointerType *pointer = PointerType::getUnqual(context);
  auto *type = FunctionType::get(Type::getVoidTy(context),
                                 {pointer, pointer, pointer, pointer}, false);
  if (body.arg_size() != type->getNumParams() + 2)
    return createStringError("the template of tiles by AMX is of another "
                             "version than this tool");
  Function *function =
      Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  IRBuilder<> b(BasicBlock::Create(context, "", function));
  CallInst *call = b.CreateCall(
      &body, {function->getArg(0), function->getArg(1), function->getArg(2),
              function->getArg(3), b.getInt32(key.m0), b.getInt32(key.n0)});
  b.CreateRetVoid();
  InlineFunctionInfo info;
  InlineResult result = InlineFunction(*call, info);
  if (!result.isSuccess())
    return createStringError("the template of tiles by AMX cannot be inlined: "
                             "%s",
                             result.getFailureReason());
  body.eraseFromParent();
  return function;
}

/// As the rows are compiled: the loops over blocks of a small tile go, and with
/// them the bodies of blocks that it has not.
void optimizeAsC(Module &module, Backend &backend) {
  PassBuilder builder(&backend.targetMachine());
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

class AmxTemplate : public TemplateBitcode {
public:
  explicit AmxTemplate(StringRef dir) : TemplateBitcode(dir, kTraits) {}

protected:
  Expected<std::unique_ptr<Module>> make(const Making &making) override;

private:
  Expected<std::unique_ptr<Module>> takeBody(const Making &making,
                                             StringRef bodyName) const;
};

/// The function of the template for the types of the key, alone in a module.
Expected<std::unique_ptr<Module>>
AmxTemplate::takeBody(const Making &making, StringRef bodyName) const {
  MemoryBufferRef buffer = making.buffer;
  ReadingInput reading(buffer.getBufferIdentifier(), traits.bitcode);
  auto source = getLazyBitcodeModule(buffer, making.context);
  if (!source)
    return createFileError(buffer.getBufferIdentifier(), source.takeError());
  const Function *body = (*source)->getFunction(bodyName);
  if (!body || body->isDeclaration())
    return otherVersion(making);
  auto module = std::make_unique<Module>(bodyName, making.context);
  module->setDataLayout((*source)->getDataLayout());
  module->setTargetTriple((*source)->getTargetTriple());
  Function::Create(body->getFunctionType(), GlobalValue::ExternalLinkage,
                   bodyName, *module);
  if (Linker::linkModules(*module, std::move(*source), Linker::LinkOnlyNeeded))
    return createStringError("'" + buffer.getBufferIdentifier() +
                             "': " + making.errors.take());
  // The backend's own are set instead.
  if (NamedMDNode *flags = module->getModuleFlagsMetadata())
    flags->eraseFromParent();
  return module;
}

Expected<std::unique_ptr<Module>> AmxTemplate::make(const Making &making) {
  const auto &key = std::get<TileKey>(making.key);
  std::unique_ptr<Module> module;
  {
    StepTimer timer(making.times.build);
    std::string bodyName =
        "tw_amx_template_" + std::string(info(key.types).name);
    Expected<std::unique_ptr<Module>> taken = takeBody(making, bodyName);
    if (!taken)
      return taken.takeError();
    module = std::move(*taken);
    module->setModuleIdentifier(making.name);
    module->setSourceFileName(making.name);
    Expected<Function *> function =
        bindSizes(*module, *module->getFunction(bodyName), key, making.name);
    if (!function)
      return function.takeError();
    making.backend.setTarget(*module, info(key.isa));
    if (making.options.registryEntry)
      addRegistryEntry(*module, **function);
    if (Error error = verify(making, *module))
      return std::move(error);
  }
  StepTimer timer(making.times.optimize);
  optimizeAsC(*module, making.backend);
  return module;
}

} // namespace

std::unique_ptr<TemplateBitcode> amxTemplate(StringRef dir) {
  return std::make_unique<AmxTemplate>(dir);
}

} // namespace tilewright
