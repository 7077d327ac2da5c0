// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pack functions: tw_pack's own code with a name's constants bound.

#include "tilewright/Codegen/StepTimer.h"
#include "tilewright/Codegen/TemplateBitcode.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/pack_key.h"
#include "tilewright/pack_tile.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
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

constexpr TemplateTraits kTraits = {packTemplatePath, "a pack function",
                                    "the template of pack functions",
                                    kMemoryFunctions};

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

class PackTemplate : public TemplateBitcode {
public:
  explicit PackTemplate(StringRef dir) : TemplateBitcode(dir, kTraits) {}

protected:
  Expected<std::unique_ptr<Module>> make(const Making &making) override;
};

Expected<std::unique_ptr<Module>> PackTemplate::make(const Making &making) {
  const auto &key = std::get<PackKey>(making.key);
  MemoryBufferRef buffer = making.buffer;
  std::unique_ptr<Module> module;
  Function *body;
  {
    StepTimer timer(making.times.build);
    ReadingInput reading(buffer.getBufferIdentifier(), traits.bitcode);
    auto parsed = parseBitcodeFile(buffer, making.context);
    if (!parsed)
      return createFileError(buffer.getBufferIdentifier(), parsed.takeError());
    module = std::move(*parsed);
    body = module->getFunction(key.unpack ? "tw_unpack_template"
                                          : "tw_pack_template");
    if (!body || body->isDeclaration())
      return otherVersion(making);
    module->setModuleIdentifier(making.name);
    module->setSourceFileName(making.name);
  }
  // Of the template's target there is nothing in its code: 64-bit pointers,
  // little-endian, and vectors that every target has or splits.
  Function &function = bindConstants(*module, *body, key, making.name);
  TargetMachine &machine = making.backend.targetMachine();
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  PassBuilder builder(&machine);
  Analyses analyses(builder);
  {
    StepTimer timer(making.times.lower);
    if (Error error = inlineFromTheTop(function, analyses))
      return std::move(error);
    isolate(*module, function);
    if (Error error = verify(making, *module))
      return std::move(error);
    making.backend.setTarget(*module, info(key.isa));
  }
  StepTimer timer(making.times.optimize);
  analyses.functions.clear();
  loopPasses().run(function, analyses.functions);
  return module;
}

} // namespace

std::unique_ptr<TemplateBitcode> packTemplate(StringRef dir) {
  return std::make_unique<PackTemplate>(dir);
}

} // namespace tilewright
