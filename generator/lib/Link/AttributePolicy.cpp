// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Link/AttributePolicy.h"
#include "InputError.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include <tuple>

using namespace llvm;

namespace tilewright {
namespace {

constexpr StringLiteral kCpu = "target-cpu";
constexpr StringLiteral kFeatures = "target-features";
constexpr StringLiteral kTune = "tune-cpu";

std::string attribute(const Function &function, StringRef name) {
  return function.getFnAttribute(name).getValueAsString().str();
}

void setAttribute(Function &function, StringRef name, StringRef value) {
  function.removeFnAttr(name);
  if (!value.empty())
    function.addFnAttr(name, value);
}

/// What a function that is asked for by name is declared as.
struct FunctionContract {
  StringRef what; ///< "a tile function"
  StringRef name; ///< of its type in C
  StringRef type; ///< in LLVM IR
  unsigned params;
  unsigned globalParams; ///< of them, those in a GPU's global memory
};

FunctionContract contractOf(const FunctionKey &key) {
  if (const auto *pack = std::get_if<PackKey>(&key))
    return {pack->unpack ? "an unpack function" : "a pack function",
            pack->unpack ? "tw_unpack_tile_fn_t" : "tw_pack_tile_fn_t",
            "void (ptr, ptr, ptr)", 3, 0};
  if (info(isaOf(key)).isGpu())
    return {"a tile function", "tw_mmt4d_tile_fn_t",
            "void (ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), ptr)",
            4, 3};
  return {"a tile function", "tw_mmt4d_tile_fn_t", "void (ptr, ptr, ptr, ptr)",
          4, 0};
}

bool keeps(const Function &declaration, const FunctionContract &contract) {
  FunctionType *type = declaration.getFunctionType();
  if (type->isVarArg() || !type->getReturnType()->isVoidTy() ||
      type->getNumParams() != contract.params)
    return false;
  for (auto [i, param] : enumerate(type->params())) {
    unsigned space = i < contract.globalParams ? 1 : 0;
    if (!param->isPointerTy() || param->getPointerAddressSpace() != space)
      return false;
  }
  return true;
}

Error wrongType(const Function &declaration, StringRef moduleId,
                const FunctionContract &contract) {
  std::string type;
  raw_string_ostream os(type);
  declaration.getFunctionType()->print(os);
  return inputError(moduleId, "declares '" + declaration.getName() + "' as '" +
                                  type + "', but " + contract.what +
                                  "'s type is " + contract.name + ", '" +
                                  contract.type + "'");
}

/// A GPU's code is for exactly one target.
Error otherProcessor(const Function &caller, StringRef moduleId, StringRef tile,
                     StringRef processor) {
  std::string own = attribute(caller, kCpu);
  return inputError(moduleId, "cannot link '" + tile + "' into its caller '" +
                                  caller.getName() + "', which is for " +
                                  (own.empty() ? "no target-cpu" : own) +
                                  "; compile the caller for " + processor);
}

Error lacksFeatures(const Function &caller, StringRef moduleId, StringRef tile,
                    const IsaInfo &isa,
                    const std::vector<std::string> &missing) {
  return inputError(
      moduleId, "cannot link '" + tile + "' into its caller '" +
                    caller.getName() + "', which lacks the features " +
                    join(missing, ", ") + "; compile the caller with them (" +
                    targetOf(isa).compilerFlags(missing) +
                    "), or link tiles as an archive of objects, where only the "
                    "machine that runs a call needs its features");
}

} // namespace

TargetAttributes TargetAttributes::of(const Function &function) {
  return {attribute(function, kCpu), attribute(function, kFeatures),
          attribute(function, kTune)};
}

void TargetAttributes::applyTo(Function &function) const {
  setAttribute(function, kCpu, cpu);
  setAttribute(function, kFeatures, features);
  setAttribute(function, kTune, tune);
}

bool TargetAttributes::operator<(const TargetAttributes &other) const {
  return std::tie(cpu, features, tune) <
         std::tie(other.cpu, other.features, other.tune);
}

Error checkTargets(Module &module, const MCSubtargetInfo &known,
                   StringRef moduleId) {
  auto isFeature = [&](StringRef name) {
    return any_of(known.getAllProcessorFeatures(),
                  [&](const SubtargetFeatureKV &f) { return name == f.Key; });
  };
  std::set<TargetAttributes> checked;
  for (Function &function : module) {
    const TargetAttributes attributes = TargetAttributes::of(function);
    SmallVector<StringRef> features, kept;
    StringRef(attributes.features).split(features, ',', -1, false);
    for (StringRef feature : features)
      if (feature.starts_with("+") || isFeature(feature.drop_front()))
        kept.push_back(feature);
    if (kept.size() < features.size())
      setAttribute(function, kFeatures, join(kept, ","));
    if (!checked.insert(attributes).second)
      continue;
    auto unknown = [&](StringRef what, StringRef name) {
      return inputError(moduleId, "compiles '" + function.getName() +
                                      "' for the " + what + " '" + name +
                                      "', which this LLVM does not know of " +
                                      module.getTargetTriple().str());
    };
    for (StringRef cpu :
         {StringRef(attributes.cpu), StringRef(attributes.tune)})
      if (!cpu.empty() && !known.isCPUStringValid(cpu))
        return unknown("CPU", cpu);
    for (StringRef feature : kept)
      if (!isFeature(feature.drop_front()))
        return unknown("feature", feature.drop_front());
  }
  return Error::success();
}

Expected<std::vector<std::string>>
AttributePolicy::missingFeatures(const Function &caller, const IsaInfo &isa) {
  TargetAttributes attributes = TargetAttributes::of(caller);
  auto &subtarget = subtargets[attributes.cpu + ";" + attributes.features];
  if (!subtarget) {
    const Triple &triple = caller.getParent()->getTargetTriple();
    std::string error;
    const llvm::Target *target = TargetRegistry::lookupTarget(triple, error);
    if (!target)
      return createStringError(error);
    subtarget.reset(target->createMCSubtargetInfo(triple, attributes.cpu,
                                                  attributes.features));
    if (!subtarget)
      return createStringError("this LLVM knows no features of " +
                               triple.str());
  }
  std::vector<std::string> missing;
  for (const CpuFeatureInfo *feature : isa.features)
    if (!subtarget->checkFeatures(("+" + feature->llvmName).str()))
      missing.push_back(std::string(feature->llvmName));
  return missing;
}

Error AttributePolicy::checkUses(const Function &declaration,
                                 const FunctionKey &key, StringRef moduleId,
                                 TileUse &use) {
  const IsaInfo &isa = info(isaOf(key));
  const FunctionContract contract = contractOf(key);
  if (!keeps(declaration, contract))
    return wrongType(declaration, moduleId, contract);
  std::set<const Function *> callers;
  for (const Use &operand : declaration.uses()) {
    auto *call = dyn_cast<CallBase>(operand.getUser());
    // A call through another type than the declared one cannot be inlined and
    // is not what the function expects.
    if (call && call->isCallee(&operand) &&
        call->getFunctionType() != declaration.getFunctionType())
      return inputError(moduleId,
                        "calls '" + declaration.getName() + "' in '" +
                            call->getFunction()->getName() +
                            "' with arguments that are not those of " +
                            contract.name);
    if (!call || !call->isCallee(&operand)) {
      use.escapes = true;
      continue;
    }
    ++use.calls;
    callers.insert(call->getFunction());
  }
  Error errors = Error::success();
  // In module order, so that messages are the same each time.
  for (const Function &caller : *declaration.getParent()) {
    if (!callers.count(&caller))
      continue;
    use.callers.insert(TargetAttributes::of(caller));
    if (isa.isGpu()) {
      if (attribute(caller, kCpu) != processorOf(isa.isa))
        errors =
            joinErrors(std::move(errors),
                       otherProcessor(caller, moduleId, declaration.getName(),
                                      processorOf(isa.isa)));
      continue;
    }
    Expected<std::vector<std::string>> missing = missingFeatures(caller, isa);
    if (!missing)
      errors = joinErrors(std::move(errors),
                          inputError(moduleId, missing.takeError()));
    else if (!missing->empty())
      errors = joinErrors(std::move(errors),
                          lacksFeatures(caller, moduleId, declaration.getName(),
                                        isa, *missing));
  }
  return errors;
}

TargetAttributes AttributePolicy::choose(const FunctionKey &key,
                                         const TileUse &use) {
  if (!use.escapes && use.callers.size() == 1)
    return *use.callers.begin();
  const IsaInfo &isa = info(isaOf(key));
  if (isa.isGpu())
    return {processorOf(isa.isa).str(), "", ""};
  return {"", isa.llvmFeatures(), ""};
}

} // namespace tilewright
