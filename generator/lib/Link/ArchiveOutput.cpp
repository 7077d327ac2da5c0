// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArchiveOutput.h"
#include "InputError.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Sets the binding in place: the one byte st_info of the symbol.
template <class ELFT>
Expected<bool> weaken(object::ELFObjectFile<ELFT> &object, StringRef name) {
  for (object::ELFSymbolRef symbol : object.symbols()) {
    Expected<StringRef> symbolName = symbol.getName();
    if (!symbolName)
      return symbolName.takeError();
    if (*symbolName != name || symbol.getBinding() == ELF::STB_LOCAL)
      continue;
    auto entry = object.getSymbol(symbol.getRawDataRefImpl());
    if (!entry)
      return entry.takeError();
    if ((*entry)->isUndefined())
      continue;
    // The buffer behind it is the caller's, and mutable.
    auto *writable = const_cast<typename ELFT::Sym *>(*entry);
    writable->setBindingAndType(ELF::STB_WEAK, (*entry)->getType());
    return true;
  }
  return false;
}

Expected<bool> weakenAny(object::ObjectFile &object, StringRef name) {
  if (auto *elf = dyn_cast<object::ELF64LEObjectFile>(&object))
    return weaken(*elf, name);
  if (auto *elf = dyn_cast<object::ELF32LEObjectFile>(&object))
    return weaken(*elf, name);
  if (auto *elf = dyn_cast<object::ELF64BEObjectFile>(&object))
    return weaken(*elf, name);
  if (auto *elf = dyn_cast<object::ELF32BEObjectFile>(&object))
    return weaken(*elf, name);
  return createStringError("is not an ELF object");
}

} // namespace

Error weakenDefinition(SmallVectorImpl<char> &object, StringRef name) {
  MemoryBufferRef buffer(StringRef(object.data(), object.size()), name);
  Expected<std::unique_ptr<object::ObjectFile>> parsed =
      object::ObjectFile::createObjectFile(buffer);
  if (!parsed)
    return inputError(name, parsed.takeError());
  Expected<bool> found = weakenAny(**parsed, name);
  if (!found)
    return inputError(name, found.takeError());
  if (!*found)
    return inputError(name,
                      "the object that it was resolved to does not define it");
  return Error::success();
}

Error writeTileArchive(const InputFiles *inputs,
                       MutableArrayRef<ResolvedTile> tiles, raw_ostream &os) {
  std::vector<std::string> names;
  names.reserve(tiles.size()); // members refer to them
  std::vector<NewArchiveMember> members;
  if (inputs)
    for (const InputModule &module : inputs->modules())
      if (!module.duplicate)
        members.emplace_back(
            MemoryBufferRef(module.bytes.getBuffer(), module.baseName));
  for (ResolvedTile &tile : tiles) {
    if (Error error = weakenDefinition(tile.bytes, tile.name))
      return error;
    names.push_back(tile.name + ".o");
    members.emplace_back(MemoryBufferRef(
        StringRef(tile.bytes.data(), tile.bytes.size()), names.back()));
  }
  return writeArchiveToStream(os, members, SymtabWritingMode::NormalSymtab,
                              object::Archive::K_GNU, /*Deterministic=*/true,
                              /*Thin=*/false);
}

} // namespace tilewright
