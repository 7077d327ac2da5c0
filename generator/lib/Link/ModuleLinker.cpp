// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModuleLinker.h"
#include "BitcodeModules.h"
#include "InputError.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Support/Activity.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;

namespace tilewright {
namespace {

/// The definition of `tile` in its own module.
Function *findDefinition(Module &module, const WantedTile &tile) {
  Function *function = module.getFunction(tile.name);
  // Hand-written bodies have Tilewright's own names, whatever prefix is asked
  // for.
  if (!function)
    function = module.getFunction(printFunctionKey(tile.key));
  return function && !function->isDeclaration() ? function : nullptr;
}

/// Leaves `tile` as the only thing that the module offers, without flags that
/// could contradict the inputs' own.
void isolate(Module &module, Function &tile) {
  for (StringRef name : {"llvm.module.flags", "llvm.ident"})
    if (NamedMDNode *metadata = module.getNamedMetadata(name))
      metadata->eraseFromParent();
  for (GlobalObject &object : module.global_objects()) {
    if (object.isDeclaration())
      continue;
    object.setComdat(nullptr);
    if (&object != &tile && !object.getName().starts_with("llvm.")) {
      object.setVisibility(GlobalValue::DefaultVisibility);
      object.setLinkage(GlobalValue::InternalLinkage);
    }
  }
  tile.setLinkage(GlobalValue::ExternalLinkage);
}

} // namespace

ModuleLinker::ModuleLinker(const Wanted &wanted)
    : wanted(wanted), module("tilewright-link", context), linker(module),
      uses(wanted.tiles.size()) {
  for (size_t i = 0; i < uses.size(); ++i)
    uses[i].escapes = wanted.tiles[i].fromObject;
}

Error ModuleLinker::checkModule(const Module &input, StringRef id) {
  const Triple &triple = input.getTargetTriple();
  if (firstInput.empty()) {
    firstInput = id;
    module.setTargetTriple(triple);
    if (Error error = createTargetMachine())
      return inputError(id, std::move(error));
    module.setDataLayout(machine->createDataLayout());
  }
  if (!triple.isCompatibleWith(module.getTargetTriple()))
    return inputError(id, "is for " + triple.str() + ", but '" + firstInput +
                              "' is for " + module.getTargetTriple().str() +
                              "; link them apart");
  if (!input.getDataLayout().isDefault() &&
      input.getDataLayout() != module.getDataLayout())
    return inputError(id, "has the data layout '" + input.getDataLayoutStr() +
                              "', but " + triple.str() + " has '" +
                              module.getDataLayoutStr() + "'");
  return Error::success();
}

Error ModuleLinker::link(std::unique_ptr<Module> input, StringRef id) {
  input->setTargetTriple(module.getTargetTriple());
  input->setDataLayout(module.getDataLayout());
  if (linker.linkInModule(std::move(input)) || diagnostics.any())
    return inputError(id, Twine(diagnostics.take()));
  return Error::success();
}

Error ModuleLinker::addInput(const InputModule &input) {
  ReadingInput reading(input.id, kAcceptedInputs);
  Expected<std::vector<BitcodeModule>> modules =
      readBitcodeModules(input.bytes);
  if (!modules)
    return inputError(input.id, modules.takeError());
  Error errors = Error::success();
  for (BitcodeModule &bitcode : *modules) {
    Expected<std::unique_ptr<Module>> parsed = bitcode.parseModule(context);
    if (!parsed)
      return joinErrors(std::move(errors),
                        inputError(input.id, parsed.takeError()));
    if (Error error = checkModule(**parsed, input.id))
      return joinErrors(std::move(errors), std::move(error));
    // The reader accepts more than the linker can bear.
    std::string broken;
    raw_string_ostream os(broken);
    bool brokenDebugInfo = false;
    if (verifyModule(**parsed, &os, &brokenDebugInfo))
      return joinErrors(std::move(errors),
                        inputError(input.id, "is not valid IR: " + broken));
    if (brokenDebugInfo) // nothing but a debugger misses it
      StripDebugInfo(**parsed);
    if (Error error =
            checkTargets(**parsed, *machine->getMCSubtargetInfo(), input.id))
      return joinErrors(std::move(errors), std::move(error));
    for (auto [tile, use] : zip_equal(wanted.tiles, uses))
      if (const Function *function = (*parsed)->getFunction(tile.name))
        errors =
            joinErrors(std::move(errors),
                       policy.checkUses(*function, tile.key, input.id, use));
    errors = joinErrors(std::move(errors), link(std::move(*parsed), input.id));
  }
  return errors;
}

Error ModuleLinker::addTile(size_t index, const ResolvedTile &tile) {
  const WantedTile &wantedTile = wanted.tiles[index];
  const TileUse &use = uses[index];
  Expected<std::unique_ptr<Module>> parsed = parseBitcodeFile(
      MemoryBufferRef(StringRef(tile.bytes.data(), tile.bytes.size()),
                      wantedTile.name),
      context);
  if (!parsed)
    return inputError(wantedTile.name, parsed.takeError());
  Function *function = findDefinition(**parsed, wantedTile);
  if (!function)
    return inputError(wantedTile.name,
                      "the bitcode that it was resolved to does not define it");
  if (firstInput.empty()) // all inputs are objects
    if (Error error = checkModule(**parsed, wantedTile.name))
      return error;
  function->setName(wantedTile.name);
  TargetAttributes attributes = AttributePolicy::choose(wantedTile.key, use);
  for (Function &any : **parsed)
    if (!any.isDeclaration())
      attributes.applyTo(any);
  return linkDefinition(std::move(*parsed), wantedTile.name,
                        wantedTile.fromObject);
}

Error ModuleLinker::addSupport(const SupportFunction &function) {
  const auto &[name, bitcode] = function;
  Expected<std::unique_ptr<Module>> parsed = parseBitcodeFile(
      MemoryBufferRef(StringRef(bitcode.data(), bitcode.size()), name),
      context);
  if (!parsed)
    return inputError(name, parsed.takeError());
  return linkDefinition(std::move(*parsed), name, wanted.support.at(name));
}

Error ModuleLinker::linkDefinition(std::unique_ptr<Module> definition,
                                   StringRef name, bool fromObject) {
  isolate(*definition, *definition->getFunction(name));
  if (Error error = link(std::move(definition), name))
    return error;
  // Linked as external, to meet its declaration; now nobody else needs it, or
  // another object that was linked likewise may define it too.
  Function *linked = module.getFunction(name);
  linked->setLinkage(fromObject ? GlobalValue::WeakODRLinkage
                                : GlobalValue::InternalLinkage);
  linked->setDSOLocal(!fromObject);
  return Error::success();
}

} // namespace tilewright
