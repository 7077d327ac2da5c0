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

/// A member's header: its size as text, at this place in so many columns.
constexpr size_t kMemberHeader = 60, kSizeAt = 48, kSizeColumns = 10;

/// Puts `constants` behind the last member, an object of `size` bytes.
Expected<FileTail> extendLastMember(SmallVectorImpl<char> &archive, size_t size,
                                    ArrayRef<ExternalConstant> constants) {
  size_t start = archive.size() - alignTo(size, 2);
  SmallVector<char, 0> object(archive.begin() + start,
                              archive.begin() + start + size);
  Expected<FileTail> tail = appendConstants(object, constants);
  if (!tail)
    return tail;
  uint64_t extended = object.size() + tail->size();
  std::string text = std::to_string(extended);
  if (text.size() > kSizeColumns)
    return createStringError("the constants are too large for an archive");
  text.resize(kSizeColumns, ' ');
  copy(text, archive.begin() + (start - kMemberHeader + kSizeAt));
  archive.truncate(start);
  archive.append(object.begin(), object.end());
  if (extended % 2)
    tail->append("\n");
  return tail;
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

Expected<FileTail> writeTileArchive(const InputFiles *inputs,
                                    ArrayRef<ExternalConstant> constants,
                                    MutableArrayRef<ResolvedTile> tiles,
                                    MutableArrayRef<SupportFunction> support,
                                    SmallVectorImpl<char> &bytes) {
  std::vector<std::string> names;
  names.reserve(tiles.size() + support.size()); // members refer to them
  std::vector<NewArchiveMember> ofInputs, members;
  if (inputs)
    for (const InputModule &module : inputs->modules())
      if (!module.duplicate)
        ofInputs.emplace_back(
            MemoryBufferRef(module.bytes.getBuffer(), module.baseName));
  if (constants.empty())
    members = std::move(ofInputs);
  else if (ofInputs.size() != 1)
    return createStringError("constants are those of one object, but the "
                             "archive has %zu",
                             ofInputs.size());
  auto addFunction = [&](SmallVectorImpl<char> &object, StringRef name) {
    names.push_back((name + ".o").str());
    members.emplace_back(
        MemoryBufferRef(StringRef(object.data(), object.size()), names.back()));
    return weakenDefinition(object, name);
  };
  for (ResolvedTile &tile : tiles)
    if (Error error = addFunction(tile.bytes, tile.name))
      return std::move(error);
  for (SupportFunction &function : support)
    if (Error error = addFunction(function.bytes, function.name))
      return std::move(error);
  size_t extended = 0;
  if (!constants.empty()) {
    extended = ofInputs.front().Buf->getBufferSize();
    members.push_back(std::move(ofInputs.front()));
  }
  raw_svector_ostream os(bytes);
  if (Error error = writeArchiveToStream(
          os, members, SymtabWritingMode::NormalSymtab, object::Archive::K_GNU,
          /*Deterministic=*/true, /*Thin=*/false))
    return std::move(error);
  if (constants.empty())
    return FileTail();
  return extendLastMember(bytes, extended, constants);
}

} // namespace tilewright
