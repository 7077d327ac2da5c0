// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PackFunction.h"

#include "StepTimer.h"
#include "UndefinedSymbols.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/ContextErrors.h"
#include "tilewright/pack_tile.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilewright {
namespace {

/// What code for any C compiler's output may call.
constexpr StringRef kMemoryFunctions[] = {"memcpy", "memmove", "memset"};

/// One module's worth of analyses.
struct Analyses {
  explicit Analyses(PassBuilder &builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
  }
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
};

/// void name(ptr to, ptr from, ptr params) { template(constants..., to, from,
/// params); }
Function &bindConstants(Module &module, Function &body, const PackKey &key,
                        StringRef name) {
  LLVMContext &context = module.getContext();
  PointerType *pointer = PointerType::getUnqual(context);
  auto *type = FunctionType::get(Type::getVoidTy(context),
                                 {pointer, pointer, pointer}, false);
  Function *function =
      Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  function->setDSOLocal(true);
  for (Argument &argument : function->args()) {
    argument.addAttr(Attribute::NoAlias);
    argument.addAttr(Attribute::NoUndef);
    if (argument.getArgNo() > 0)
      argument.addAttr(Attribute::ReadOnly);
  }
  function->getArg(2)->addAttr(Attribute::getWithDereferenceableBytes(
      context, sizeof(tw_pack_tile_params_t)));
  IRBuilder<> b(BasicBlock::Create(context, "", function));
  b.CreateCall(
      &body, {b.getInt32(key.bits), b.getInt32(key.lines == MatrixLines::kCols),
              b.getInt64(key.r0), b.getInt64(key.c0), function->getArg(0),
              function->getArg(1), function->getArg(2)});
  b.CreateRetVoid();
  return *function;
}

SmallVector<CallBase *> callsOfDefinitions(Function &function) {
  SmallVector<CallBase *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (Function *callee = call->getCalledFunction())
        if (!callee->isDeclaration())
          calls.push_back(call);
  return calls;
}

/// Inlines all that `function` calls, a level at a time from the top: what the
/// constants known by then decide against is gone before it is looked at, so
/// of loops for every layout those of one are ever copied.
Error inlineFromTheTop(Function &function, Analyses &analyses) {
  FunctionPassManager simplify;
  simplify.addPass(SROAPass(SROAOptions::ModifyCFG));
  simplify.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  simplify.addPass(SCCPPass());
  simplify.addPass(InstCombinePass());
  simplify.addPass(SimplifyCFGPass());
  for (;;) {
    SmallVector<CallBase *> calls = callsOfDefinitions(function);
    if (calls.empty())
      return Error::success();
    for (CallBase *call : calls) {
      InlineFunctionInfo info;
      InlineResult result = InlineFunction(*call, info);
      if (!result.isSuccess())
        return createStringError("a function of the template cannot be "
                                 "inlined: %s",
                                 result.getFailureReason());
    }
    analyses.functions.clear();
    simplify.run(function, analyses.functions);
  }
}

/// What makes whole vectors of loops of constant length, and takes out of the
/// other loops what does not change in them. LLVM's own pipeline takes one and
/// a half to two times as long, for loops that come out as fast (ADR 34).
FunctionPassManager loopPasses() {
  LoopPassManager unroll;
  unroll.addPass(IndVarSimplifyPass());
  unroll.addPass(LoopFullUnrollPass());
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass(),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(unroll)));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(ADCEPass());
  return passes;
}

/// Leaves nothing but `function`, without what it has from the template.
void isolate(Module &module, Function &function) {
  for (Function &other : make_early_inc_range(module))
    if (&other != &function && !other.isDeclaration())
      other.deleteBody();
  for (Function &other : make_early_inc_range(module))
    if (other.isDeclaration() && other.use_empty())
      other.eraseFromParent();
  if (NamedMDNode *flags = module.getModuleFlagsMetadata())
    flags->eraseFromParent();
  if (NamedMDNode *ident = module.getNamedMetadata("llvm.ident"))
    ident->eraseFromParent();
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
    return checkUndefinedSymbols(bytes, kMemoryFunctions);
  }
}

Error checkOptions(Emit kind, const GenerateOptions &options) {
  if (kind == Emit::Plan || kind == Emit::Linalg || kind == Emit::Vector ||
      kind == Emit::CodeObject)
    return createStringError("a pack function has no such stage; expected "
                             "keys, llvm, asm, bitcode or obj");
  if (!options.plan.empty())
    return createStringError("a pack function has no plan to override");
  if (options.lowering != Lowering::Plan)
    return createStringError("a pack function has one way to be made, and "
                             "none by plain loops");
  return Error::success();
}

} // namespace

PackTemplate::PackTemplate(StringRef dir) : file(dir, packTemplatePath) {}

Error PackTemplate::generate(const PackKey &key, Emit kind,
                             const GenerateOptions &options, Backends &backends,
                             SmallVectorImpl<char> &bytes, StepTimes &times) {
  std::string name = printPackKey(key, options.prefix);
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
  Function *body;
  {
    StepTimer timer(times.build);
    ReadingInput reading(buffer->getBufferIdentifier(),
                         "the template of pack functions");
    auto parsed = parseBitcodeFile(*buffer, context);
    if (!parsed)
      return createFileError(buffer->getBufferIdentifier(), parsed.takeError());
    module = std::move(*parsed);
    body = module->getFunction(key.unpack ? "tw_unpack_template"
                                          : "tw_pack_template");
    if (!body || body->isDeclaration())
      return createStringError("'" + buffer->getBufferIdentifier() +
                               "' is of another version than this tool");
    module->setModuleIdentifier(name);
    module->setSourceFileName(name);
  }
  // Of the template's target there is nothing in its code: 64-bit pointers,
  // little-endian, and vectors that every target has or splits.
  Function &function = bindConstants(*module, *body, key, name);
  module->setTargetTriple(*triple);
  module->setDataLayout((*backend)->targetMachine().createDataLayout());
  PassBuilder builder(&(*backend)->targetMachine());
  Analyses analyses(builder);
  {
    StepTimer timer(times.lower);
    if (Error error = inlineFromTheTop(function, analyses))
      return error;
    isolate(*module, function);
    std::string invalid;
    raw_string_ostream os(invalid);
    if (verifyModule(*module, &os))
      return createStringError("'" + buffer->getBufferIdentifier() +
                               "' gave invalid IR: " + invalid);
    (*backend)->setTarget(*module, info(key.isa));
  }
  {
    StepTimer timer(times.optimize);
    analyses.functions.clear();
    loopPasses().run(function, analyses.functions);
  }
  StepTimer timer(times.codegen);
  if (Error error = write(*module, kind, **backend, bytes))
    return error;
  return errors.any() ? errors.takeError() : Error::success();
}

} // namespace tilewright
