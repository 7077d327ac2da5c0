// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AmxTile.h"

#include "RegistryEntry.h"
#include "StepTimer.h"
#include "UndefinedSymbols.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/ContextErrors.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilewright {
namespace {

Error checkOptions(Emit kind, const GenerateOptions &options) {
  if (kind == Emit::Plan || kind == Emit::Linalg || kind == Emit::Vector ||
      kind == Emit::CodeObject)
    return createStringError("a tile of the variant 'vnni' has no such stage; "
                             "expected keys, llvm, asm, bitcode or obj");
  if (!options.plan.empty())
    return createStringError(
        "a tile of the variant 'vnni' has no plan to override");
  if (options.lowering != Lowering::Plan)
    return createStringError("a tile of the variant 'vnni' has one way to be "
                             "made, and none by plain loops");
  return Error::success();
}

/// The function of the template for the types of `key`, alone in a module.
Expected<std::unique_ptr<Module>> takeBody(MemoryBufferRef buffer,
                                           StringRef bodyName,
                                           LLVMContext &context,
                                           ContextErrors &errors) {
  ReadingInput reading(buffer.getBufferIdentifier(),
                       "the template of tiles by AMX");
  auto source = getLazyBitcodeModule(buffer, context);
  if (!source)
    return createFileError(buffer.getBufferIdentifier(), source.takeError());
  const Function *body = (*source)->getFunction(bodyName);
  if (!body || body->isDeclaration())
    return createStringError("'" + buffer.getBufferIdentifier() +
                             "' is of another version than this tool");
  auto module = std::make_unique<Module>(bodyName, context);
  module->setDataLayout((*source)->getDataLayout());
  module->setTargetTriple((*source)->getTargetTriple());
  Function::Create(body->getFunctionType(), GlobalValue::ExternalLinkage,
                   bodyName, *module);
  if (Linker::linkModules(*module, std::move(*source), Linker::LinkOnlyNeeded))
    return createStringError("'" + buffer.getBufferIdentifier() +
                             "': " + errors.take());
  // The backend's own are set instead.
  if (NamedMDNode *flags = module->getModuleFlagsMetadata())
    flags->eraseFromParent();
  return module;
}

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

Error write(Module &module, Emit kind, Backend &backend,
            SmallVectorImpl<char> &bytes) {
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
    return checkUndefinedSymbols(bytes);
  }
}

} // namespace

AmxTemplate::AmxTemplate(StringRef dir) : file(dir, amxTemplatePath) {}

Error AmxTemplate::generate(const TileKey &key, Emit kind,
                            const GenerateOptions &options, Backends &backends,
                            SmallVectorImpl<char> &bytes, StepTimes &times) {
  std::string name = printTileKey(key, options.prefix);
  CurrentTile current(name);
  if (Error error = checkOptions(kind, options))
    return error;
  if (kind == Emit::Keys) {
    raw_svector_ostream(bytes) << name << '\n';
    return Error::success();
  }
  Expected<MemoryBufferRef> buffer = file.read();
  if (!buffer)
    return buffer.takeError();
  Expected<Triple> triple = targetTriple(info(key.isa), options.triple);
  if (!triple)
    return triple.takeError();
  Expected<Backend *> backend = backends.get(*triple);
  if (!backend)
    return backend.takeError();

  LLVMContext context;
  ContextErrors errors(context);
  std::unique_ptr<Module> module;
  {
    StepTimer timer(times.build);
    std::string bodyName =
        "tw_amx_template_" + std::string(info(key.types).name);
    Expected<std::unique_ptr<Module>> taken =
        takeBody(*buffer, bodyName, context, errors);
    if (!taken)
      return taken.takeError();
    module = std::move(*taken);
    module->setModuleIdentifier(name);
    module->setSourceFileName(name);
    Expected<Function *> function =
        bindSizes(*module, *module->getFunction(bodyName), key, name);
    if (!function)
      return function.takeError();
    (*backend)->setTarget(*module, info(key.isa));
    if (options.registryEntry)
      addRegistryEntry(*module, **function);
    std::string invalid;
    raw_string_ostream os(invalid);
    if (verifyModule(*module, &os))
      return createStringError("'" + buffer->getBufferIdentifier() +
                               "' gave invalid IR: " + invalid);
  }
  {
    StepTimer timer(times.optimize);
    optimizeAsC(*module, **backend);
  }
  StepTimer timer(times.codegen);
  if (Error error = write(*module, kind, **backend, bytes))
    return error;
  return errors.any() ? errors.takeError() : Error::success();
}

} // namespace tilewright
