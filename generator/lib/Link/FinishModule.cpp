// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens to the linked module: inlining, dropping, writing.

#include "InputError.h"
#include "ModuleLinker.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Codegen/RunLld.h"
#include "tilewright/Devices/RegisterTarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilewright {
namespace {

std::vector<CallBase *> directCalls(Function &function) {
  std::vector<CallBase *> calls;
  for (Use &use : function.uses())
    if (auto *call = dyn_cast<CallBase>(use.getUser()))
      if (call->isCallee(&use))
        calls.push_back(call);
  return calls;
}

/// An unregistered new pass manager's worth of analyses.
struct Analyses {
  LoopAnalysisManager loop;
  FunctionAnalysisManager function;
  CGSCCAnalysisManager cgscc;
  ModuleAnalysisManager module;

  void registerWith(PassBuilder &builder) {
    builder.registerModuleAnalyses(module);
    builder.registerCGSCCAnalyses(cgscc);
    builder.registerFunctionAnalyses(function);
    builder.registerLoopAnalyses(loop);
    builder.crossRegisterProxies(loop, function, cgscc, module);
  }
};

} // namespace

Error ModuleLinker::createTargetMachine() {
  const Triple &triple = module.getTargetTriple();
  registerTarget(triple.getArch());
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);
  machine.reset(
      target->createTargetMachine(triple, "", featuresWithBaseline(triple, ""),
                                  targetOptions(triple), Reloc::PIC_));
  if (!machine)
    return createStringError("this LLVM cannot generate code for " +
                             triple.str());
  return Error::success();
}

/// Whether `tile` may be inlined into `caller`, which has its features, by what
/// else counts: on AArch64, code for streaming mode, or with ZA for itself,
/// stays in a function of its own.
bool ModuleLinker::modesMatch(const Function &caller, Function &tile) {
  // LLVM compares features as well, and would count as one what a CPU is tuned
  // for.
  TargetAttributes own = TargetAttributes::of(tile);
  TargetAttributes::of(caller).applyTo(tile);
  bool match = machine->getTargetTransformInfo(caller).areInlineCompatible(
      &caller, &tile);
  own.applyTo(tile);
  return match;
}

unsigned ModuleLinker::inlineCalls(Function &tile,
                                   SetVector<Function *> &callers) {
  tile.removeFnAttr(Attribute::NoInline);
  tile.removeFnAttr(Attribute::OptimizeNone);
  tile.addFnAttr(Attribute::AlwaysInline);
  unsigned count = 0;
  for (CallBase *call : directCalls(tile)) {
    if (call->getAttributes().hasFnAttr(Attribute::NoInline))
      continue; // the caller said so at this very call
    Function *caller = call->getFunction();
    if (!modesMatch(*caller, tile))
      continue;
    InlineFunctionInfo info;
    if (!InlineFunction(*call, info, /*MergeAttributes=*/true).isSuccess())
      continue;
    callers.insert(caller);
    ++count;
  }
  return count;
}

void ModuleLinker::simplify(ArrayRef<Function *> functions) {
  // Tiles come optimised; what is to gain is what the call hid: constant sizes,
  // flags and strides, and the parameters' trip through memory. LLVM's
  // whole simplification pipeline takes five times as long (2.7 s against 0.5 s
  // for 1000 calls), and its loop passes would work against the tile plan.
  PassBuilder builder(machine.get());
  Analyses analyses;
  analyses.registerWith(builder);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SCCPPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(ADCEPass());
  for (Function *function : functions)
    if (!function->hasOptNone())
      passes.run(*function, analyses.function);
}

Expected<ModuleLinker::Calls> ModuleLinker::finish(bool inlineTiles) {
  if (firstInput.empty()) { // nothing was linked
    module.setTargetTriple(defaultTriple(Triple::UnknownArch));
    if (Error error = createTargetMachine())
      return std::move(error);
    module.setDataLayout(machine->createDataLayout());
  }
  std::vector<Function *> tiles;
  for (const WantedTile &tile : wanted.tiles)
    if (Function *function = module.getFunction(tile.name))
      tiles.push_back(function);

  Calls calls;
  if (inlineTiles) {
    SetVector<Function *> callers;
    for (Function *tile : tiles)
      calls.inlined += inlineCalls(*tile, callers);
    simplify(callers.getArrayRef());
  }
  for (Function *tile : tiles)
    calls.remaining += directCalls(*tile).size();

  PassBuilder builder(machine.get());
  Analyses analyses;
  analyses.registerWith(builder);
  ModulePassManager passes;
  passes.addPass(GlobalDCEPass());
  passes.run(module, analyses.module);

  std::string broken;
  raw_string_ostream os(broken);
  bool brokenDebugInfo = false;
  if (verifyModule(module, &os, &brokenDebugInfo))
    return inputError(firstInput, "linked with the other inputs it is not "
                                  "valid IR: " +
                                      broken);
  if (brokenDebugInfo)
    StripDebugInfo(module);
  return calls;
}

Expected<FileTail>
ModuleLinker::writeBitcode(SmallVectorImpl<char> &bytes,
                           ArrayRef<ExternalConstant> constants) {
  embedConstants(module, constants);
  raw_svector_ostream os(bytes);
  WriteBitcodeToFile(module, os);
  return FileTail();
}

Expected<FileTail>
ModuleLinker::writeObject(SmallVectorImpl<char> &bytes,
                          ArrayRef<ExternalConstant> constants,
                          ArrayRef<SupportFunction> support) {
  bool isElf = module.getTargetTriple().isOSBinFormatELF();
  if (!isElf)
    embedConstants(module, constants);
  raw_svector_ostream os(bytes);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr,
                                   CodeGenFileType::ObjectFile))
    return createStringError("this LLVM cannot write objects for " +
                             module.getTargetTriple().str());
  passes.run(module);
  if (diagnostics.any())
    return createStringError("while generating code: " + diagnostics.take());
  if (!isElf)
    return FileTail();
  if (!support.empty()) {
    std::vector<StringRef> objects = {StringRef(bytes.data(), bytes.size())};
    for (const SupportFunction &function : support)
      objects.emplace_back(function.bytes.data(), function.bytes.size());
    std::vector<LldInput> inputs;
    for (const StringRef &object : objects)
      inputs.push_back({object, ""});
    if (Error error = runLld({"-r"}, inputs).moveInto(bytes))
      return std::move(error);
  }
  return appendConstants(bytes, constants);
}

} // namespace tilewright
