// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections behind a finished ELF object. What the code generator wrote stays
// where it is, but for the header, the symbols that become defined, and the
// section headers, which move to the end.

#include "tilewright/Codegen/ExternalConstants.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

using ELFT = object::ELF64LE;
using Elf = object::ELFFile<ELFT>;
using Header = ELFT::Ehdr;
using Section = ELFT::Shdr;
using Symbol = ELFT::Sym;

constexpr StringLiteral kSectionName = ".rodata.tw_constant";
constexpr StringLiteral kGroupName = ".group";
constexpr StringLiteral kNamesName = ".shstrtab";

template <class T> std::string bytesOf(const T &value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof(value));
}

class ConstantAppender {
public:
  explicit ConstantAppender(SmallVectorImpl<char> &object) : object(object) {}

  Expected<FileTail> run(ArrayRef<ExternalConstant> constants) {
    for (const ExternalConstant &constant : constants)
      byName[constant.name] = &constant;
    Expected<Elf> elf = Elf::create(StringRef(object.data(), object.size()));
    if (!elf)
      return elf.takeError();
    if (Error error = read(*elf))
      return std::move(error);
    if (Error error = findSymbols(*elf))
      return std::move(error);
    if (wanted.empty())
      return FileTail();
    if (Error error = checkCount())
      return std::move(error);
    addNames();
    for (const Wanted &each : wanted)
      addConstant(each);
    finish();
    return std::move(tail);
  }

private:
  struct Wanted {
    const ExternalConstant *constant;
    Symbol *symbol;
    uint32_t symbolIndex;
  };

  Error read(const Elf &elf) {
    const Header &header = elf.getHeader();
    if (!header.checkMagic() || header.getFileClass() != ELF::ELFCLASS64 ||
        header.getDataEncoding() != ELF::ELFDATA2LSB ||
        header.e_type != ELF::ET_REL)
      return createStringError("constants can only be put behind a relocatable "
                               "64-bit little-endian ELF object");
    Expected<ArrayRef<Section>> read = elf.sections();
    if (!read)
      return read.takeError();
    if (header.e_shnum == 0 || header.e_shstrndx == ELF::SHN_XINDEX)
      return createStringError("the model's object has more than %u sections, "
                               "too many for its constants to be put behind it",
                               unsigned(ELF::SHN_LORESERVE));
    sections.assign(read->begin(), read->end());
    Expected<StringRef> strings = elf.getSectionStringTable(*read);
    if (!strings)
      return strings.takeError();
    names = strings->str();
    return Error::success();
  }

  /// Which constants the object refers to.
  Error findSymbols(const Elf &elf) {
    for (auto [index, section] : enumerate(sections)) {
      if (section.sh_type != ELF::SHT_SYMTAB)
        continue;
      symbolTable = index;
      auto symbols = elf.symbols(&section);
      auto strings = elf.getStringTableForSymtab(section);
      if (!symbols || !strings)
        return joinErrors(symbols.takeError(), strings.takeError());
      for (auto [number, symbol] : enumerate(*symbols)) {
        Expected<StringRef> name = symbol.getName(*strings);
        if (!name)
          return name.takeError();
        const ExternalConstant *constant = byName.lookup(*name);
        // The buffer behind it is this class's to write.
        if (constant && symbol.isUndefined())
          wanted.push_back(
              {constant, const_cast<Symbol *>(&symbol), uint32_t(number)});
      }
    }
    return Error::success();
  }

  /// With more, sections would need numbers in a table of their own.
  Error checkCount() const {
    size_t room = (ELF::SHN_LORESERVE - 1 - sections.size()) / 2;
    if (sections.size() + 3 < ELF::SHN_LORESERVE && wanted.size() <= room)
      return Error::success();
    return createStringError("the model has %zu constants of 4 KiB or more; an "
                             "object holds at most %zu beside its code",
                             wanted.size(), room);
  }

  void addNames() {
    auto add = [&](StringRef name) {
      uint32_t at = names.size();
      names += name;
      names += '\0';
      return at;
    };
    sectionName = add(kSectionName);
    groupName = add(kGroupName);
    namesName = add(kNamesName);
  }

  uint64_t position() const { return object.size() + tail.size(); }

  void align(uint64_t alignment) {
    tail.appendZeros(offsetToAlignment(position(), Align(alignment)));
  }

  /// A group comes before its members.
  void addConstant(const Wanted &each) {
    uint32_t member = sections.size() + 1;
    align(4);
    Section &group = add(groupName, ELF::SHT_GROUP, 8, 4);
    group.sh_link = symbolTable;
    group.sh_info = each.symbolIndex;
    group.sh_entsize = 4;
    tail.appendOwned(bytesOf(support::ulittle32_t(ELF::GRP_COMDAT)) +
                     bytesOf(support::ulittle32_t(member)));

    align(kConstantAlignment);
    const ExternalConstant &constant = *each.constant;
    Section &section =
        add(sectionName, ELF::SHT_PROGBITS, constant.size, kConstantAlignment);
    section.sh_flags = ELF::SHF_ALLOC | ELF::SHF_GROUP;
    tail.appendRepeated(constant.bytes, constant.size);

    // Hidden already: that is how it is declared.
    each.symbol->setBindingAndType(ELF::STB_WEAK, ELF::STT_OBJECT);
    each.symbol->setVisibility(ELF::STV_HIDDEN);
    each.symbol->st_shndx = member;
    each.symbol->st_value = 0;
    each.symbol->st_size = constant.size;
  }

  /// A header for what will be written at this position.
  Section &add(uint32_t name, uint32_t type, uint64_t size,
               uint64_t alignment) {
    Section section = {};
    section.sh_name = name;
    section.sh_type = type;
    section.sh_offset = position();
    section.sh_size = size;
    section.sh_addralign = alignment;
    sections.push_back(section);
    return sections.back();
  }

  void finish() {
    uint32_t namesSection = sections.size();
    add(namesName, ELF::SHT_STRTAB, names.size(), 1);
    tail.appendOwned(std::move(names));
    align(alignof(uint64_t));
    auto *header = reinterpret_cast<Header *>(object.data());
    header->e_shoff = position();
    header->e_shnum = sections.size();
    header->e_shstrndx = namesSection;
    std::string headers;
    for (const Section &section : sections)
      headers += bytesOf(section);
    tail.appendOwned(std::move(headers));
  }

  SmallVectorImpl<char> &object;
  StringMap<const ExternalConstant *> byName;
  std::vector<Section> sections;
  std::vector<Wanted> wanted;
  uint32_t symbolTable = 0;
  std::string names; ///< of sections
  uint32_t sectionName = 0, groupName = 0, namesName = 0;
  FileTail tail;
};

} // namespace

Expected<FileTail> appendConstants(SmallVectorImpl<char> &object,
                                   ArrayRef<ExternalConstant> constants) {
  if (constants.empty())
    return FileTail();
  return ConstantAppender(object).run(constants);
}

} // namespace tilewright
