// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Link/Gather.h"
#include "BitcodeModules.h"
#include "InputError.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Devices/RegisterTarget.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Registry/TileNames.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/ContextErrors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ModuleSymbolTable.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace llvm;

namespace tilewright {
namespace {

/// The prefix of `prefixes` with which `name` is that of a tile or pack
/// function, or null.
const std::string *findPrefix(StringRef name, ArrayRef<std::string> prefixes) {
  for (const std::string &prefix : prefixes)
    if (looksLikeFunctionName(name, prefix))
      return &prefix;
  return nullptr;
}

/// Any prefix with which it is one; empty if there is none.
StringRef anyPrefix(StringRef name) {
  for (size_t at = name.find('_'); at != StringRef::npos;
       at = name.find('_', at + 1))
    if (looksLikeFunctionName(name, name.take_front(at)))
      return name.take_front(at);
  return "";
}

/// The symbols of one module with such names.
struct ModuleSymbols {
  Triple::ArchType arch = Triple::UnknownArch;
  std::vector<std::string> undefined;
  std::vector<std::string> defined;
  std::set<std::string> otherPrefixes; ///< see Wanted
  std::set<std::string> supportWanted, supportDefined;

  static bool isRelevant(StringRef name) {
    return !anyPrefix(name).empty() || isSupportFunction(name);
  }

  /// `flags` as in object::BasicSymbolRef. Local and weak undefined symbols are
  /// nobody else's business.
  void add(StringRef name, uint32_t flags, ArrayRef<std::string> prefixes) {
    using object::BasicSymbolRef;
    bool isWeak = flags & BasicSymbolRef::SF_Weak;
    bool isUndefined = flags & BasicSymbolRef::SF_Undefined;
    if (!(flags & BasicSymbolRef::SF_Global) && !isWeak)
      return;
    if (isSupportFunction(name)) {
      if (!isUndefined)
        supportDefined.insert(name.str());
      else if (!isWeak)
        supportWanted.insert(name.str());
    } else if (!findPrefix(name, prefixes)) {
      if (isUndefined)
        otherPrefixes.insert(anyPrefix(name).str());
    } else if (!isUndefined) {
      defined.push_back(name.str());
    } else if (!isWeak) {
      undefined.push_back(name.str());
    }
  }
};

/// By the declarations and definitions of the IR itself, function bodies
/// unread. The symbol table that a bitcode file may carry is for fast linkers
/// of inputs they trust: LLVM reads it without a check of its offsets.
Expected<ModuleSymbols> readBitcodeSymbols(MemoryBufferRef bytes,
                                           ArrayRef<std::string> prefixes) {
  Expected<std::vector<BitcodeModule>> modules = readBitcodeModules(bytes);
  if (!modules)
    return modules.takeError();
  ModuleSymbols symbols;
  for (BitcodeModule &bitcode : *modules) {
    LLVMContext context;
    ContextErrors errors(context);
    Expected<std::unique_ptr<Module>> module = bitcode.getLazyModule(
        context, /*ShouldLazyLoadMetadata=*/true, /*IsImporting=*/false);
    if (!module)
      return module.takeError();
    symbols.arch = (*module)->getTargetTriple().getArch();
    if (!(*module)->getModuleInlineAsm().empty())
      registerTarget(symbols.arch); // to parse it
    ModuleSymbolTable table;
    table.addModule(module->get());
    for (ModuleSymbolTable::Symbol symbol : table.symbols()) {
      std::string name;
      raw_string_ostream os(name);
      table.printSymbolName(os, symbol);
      if (ModuleSymbols::isRelevant(name))
        symbols.add(name, table.getSymbolFlags(symbol), prefixes);
    }
    if (errors.any())
      return errors.takeError();
  }
  return symbols;
}

Expected<ModuleSymbols> readElfSymbols(MemoryBufferRef bytes,
                                       ArrayRef<std::string> prefixes) {
  Expected<std::unique_ptr<object::ObjectFile>> object =
      object::ObjectFile::createELFObjectFile(bytes);
  if (!object)
    return object.takeError();
  ModuleSymbols symbols;
  symbols.arch = (*object)->getArch();
  for (const object::SymbolRef &symbol : (*object)->symbols()) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (*name == "__gnu_lto_slim")
      return createStringError(
          "holds only GCC's intermediate code (-flto), which hides its "
          "undefined names; compile it with -fno-lto or -ffat-lto-objects");
    if (!ModuleSymbols::isRelevant(*name))
      continue;
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    symbols.add(*name, *flags, prefixes);
  }
  return symbols;
}

Expected<ModuleSymbols> readSymbols(const InputModule &module,
                                    ArrayRef<std::string> prefixes) {
  ReadingInput reading(module.id, kAcceptedInputs);
  Expected<ModuleSymbols> symbols =
      module.kind == InputKind::Bitcode
          ? readBitcodeSymbols(module.bytes, prefixes)
          : readElfSymbols(module.bytes, prefixes);
  if (!symbols)
    return inputError(module.id, symbols.takeError());
  return symbols;
}

class Gatherer {
public:
  Gatherer(const GatherOptions &options) : options(options) {}

  Error addDefinitions(const InputModule &module, StringSet<> &names) {
    Expected<ModuleSymbols> symbols = readSymbols(module, options.prefixes);
    if (!symbols)
      return symbols.takeError();
    for (const std::string &name : symbols->defined)
      names.insert(name);
    supportDefined.merge(symbols->supportDefined);
    return Error::success();
  }

  Error addModule(const InputModule &module) {
    Expected<ModuleSymbols> symbols = readSymbols(module, options.prefixes);
    if (!symbols)
      return symbols.takeError();
    ++wanted.modules;
    supportDefined.merge(symbols->supportDefined);
    for (const std::string &name : symbols->supportWanted)
      wanted.support[name] |= module.kind == InputKind::ElfObject;
    for (const std::string &name : symbols->defined)
      defined.insert(name);
    for (const auto &names : {symbols->defined, symbols->undefined})
      for (const std::string &name : names)
        wanted.foundPrefixes.insert(*findPrefix(name, options.prefixes));
    wanted.otherPrefixes.merge(symbols->otherPrefixes);
    Error errors = checkArch(module, symbols->arch);
    for (const std::string &name : symbols->undefined)
      errors = joinErrors(std::move(errors),
                          addUndefined(module, symbols->arch, name));
    return errors;
  }

  Error addProviders() {
    Error errors = Error::success();
    if (options.providers)
      for (const InputModule &module : options.providers->modules())
        errors =
            joinErrors(std::move(errors), addDefinitions(module, provided));
    return errors;
  }

  Wanted take() {
    std::vector<WantedTile> all = std::move(wanted.tiles);
    wanted.tiles.clear();
    for (WantedTile &tile : all) {
      if (defined.contains(tile.name))
        continue;
      if (provided.contains(tile.name)) {
        ++wanted.provided;
        continue;
      }
      wanted.references += tile.references;
      wanted.tiles.push_back(std::move(tile));
    }
    for (const std::string &name : supportDefined)
      wanted.support.erase(name);
    return std::move(wanted);
  }

private:
  Expected<FunctionKey> keyOf(const std::string &name,
                              const std::string &prefix) const {
    if (options.known)
      if (auto it = options.known->find(name); it != options.known->end())
        return it->second;
    return parseFunctionName(name, prefix);
  }

  Error checkArch(const InputModule &module, Triple::ArchType arch) {
    if (wanted.arch == Triple::UnknownArch) {
      wanted.arch = arch;
      archModule = module.id;
    }
    if (arch == wanted.arch)
      return Error::success();
    return inputError(module.id, "is for " + Triple::getArchTypeName(arch) +
                                     ", but '" + archModule + "' is for " +
                                     Triple::getArchTypeName(wanted.arch) +
                                     "; link them apart");
  }

  Error addUndefined(const InputModule &module, Triple::ArchType arch,
                     const std::string &name) {
    auto [it, isNew] = index.try_emplace(name, wanted.tiles.size());
    if (!isNew) {
      if (it->second == kRefused)
        return Error::success();
      WantedTile &tile = wanted.tiles[it->second];
      ++tile.references;
      tile.fromObject |= module.kind == InputKind::ElfObject;
      return Error::success();
    }
    const std::string &prefix = *findPrefix(name, options.prefixes);
    Expected<FunctionKey> key = keyOf(name, prefix);
    if (!key) {
      it->second = kRefused; // said once
      return inputError(module.id, toString(key.takeError()));
    }
    const IsaInfo &isa = info(isaOf(*key));
    if (!isForArchitecture(isa, arch)) {
      it->second = kRefused;
      return inputError(module.id, "is for " + Triple::getArchTypeName(arch) +
                                       ", but wants '" + name + "'");
    }
    WantedTile tile;
    tile.name = name;
    tile.key = *key;
    tile.prefix = prefix;
    tile.references = 1;
    tile.firstUser = module.id;
    tile.fromObject = module.kind == InputKind::ElfObject;
    wanted.tiles.push_back(std::move(tile));
    return Error::success();
  }

  static constexpr size_t kRefused = ~size_t{0};

  const GatherOptions &options;
  Wanted wanted;
  std::string archModule; ///< the module that set wanted.arch
  StringMap<size_t> index;
  StringSet<> defined, provided;
  std::set<std::string> supportDefined;
};

} // namespace

Expected<Wanted> gatherWanted(const InputFiles &inputs,
                              const GatherOptions &options) {
  Gatherer gatherer(options);
  Error errors = gatherer.addProviders();
  for (const InputModule &module : inputs.modules())
    if (!module.duplicate)
      errors = joinErrors(std::move(errors), gatherer.addModule(module));
  if (errors)
    return std::move(errors);
  Wanted wanted = gatherer.take();
  wanted.duplicates = inputs.duplicates();
  return wanted;
}

} // namespace tilewright
