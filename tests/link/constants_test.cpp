// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants behind an object, as its sections.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "tests/link/link_test_support.h"
#include "tilewright/Codegen/ExternalConstants.h"
#include "tilewright/Link/Link.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ELF = llvm::object::ELF64LE;

ExternalConstant constantOf(const std::string& bytes, uint64_t size) {
  return {externalConstantName(bytes, size), bytes, size};
}

// A module with a table of the symbols' addresses.
std::string moduleOf(const std::vector<ExternalConstant>& constants,
                     const std::string& triple = "x86_64-unknown-linux-gnu") {
  std::string ir = "target triple = \"" + triple + "\"\n", table;
  for (const ExternalConstant& constant : constants) {
    ir += "@" + constant.name + " = external hidden constant [" +
          std::to_string(constant.size) + " x i8], align 64\n";
    table += (table.empty() ? "ptr @" : ", ptr @") + constant.name;
  }
  return ir + "@table = constant [" + std::to_string(constants.size()) +
         " x ptr] [" + table + "]\n";
}

struct Section {
  std::string bytes;
  uint64_t flags, alignment, offset;
  std::string group;  // its COMDAT group's name
  uint8_t binding, visibility, type;
};

// Every symbol in a section of constants, by its name; everything about the
// file that a linker relies on is checked.
std::map<std::string, Section> definitions(const std::string& file) {
  std::map<std::string, Section> result;
  auto elf = llvm::cantFail(llvm::object::ELFFile<ELF>::create(file));
  auto sections = llvm::cantFail(elf.sections());
  const ELF::Shdr* table = nullptr;
  for (const ELF::Shdr& section : sections) {
    // In the file, where its alignment wants it, and after its group.
    EXPECT_EQ(section.sh_offset % std::max<uint64_t>(section.sh_addralign, 1),
              0u);
    if (section.sh_type != llvm::ELF::SHT_NOBITS)
      EXPECT_LE(section.sh_offset + section.sh_size, file.size());
    if (section.sh_type == llvm::ELF::SHT_SYMTAB) table = &section;
  }
  std::map<uint32_t, std::string> groups;
  auto symbols = llvm::cantFail(elf.symbols(table));
  auto strings = llvm::cantFail(elf.getStringTableForSymtab(*table));
  for (const ELF::Shdr& section : sections) {
    if (section.sh_type != llvm::ELF::SHT_GROUP) continue;
    auto words =
        llvm::cantFail(elf.getSectionContentsAsArray<ELF::Word>(section));
    EXPECT_EQ(words.size(), 2u);
    EXPECT_EQ(words[0], uint32_t{llvm::ELF::GRP_COMDAT});
    EXPECT_GT(words[1], &section - sections.begin());
    groups[words[1]] =
        llvm::cantFail(symbols[section.sh_info].getName(strings)).str();
  }
  for (const ELF::Sym& symbol : symbols) {
    std::string name = llvm::cantFail(symbol.getName(strings)).str();
    if (name.rfind("tw.constant.", 0) != 0 || symbol.isUndefined()) continue;
    const ELF::Shdr& section = sections[symbol.st_shndx];
    EXPECT_EQ(llvm::cantFail(elf.getSectionName(section)),
              ".rodata.tw_constant");
    EXPECT_EQ(symbol.st_value, 0u);
    EXPECT_EQ(symbol.st_size, section.sh_size);
    auto bytes = llvm::cantFail(elf.getSectionContents(section));
    result[name] = {std::string(bytes.begin(), bytes.end()),
                    section.sh_flags,
                    section.sh_addralign,
                    section.sh_offset,
                    groups[symbol.st_shndx],
                    symbol.getBinding(),
                    symbol.getVisibility(),
                    symbol.getType()};
  }
  return result;
}

llvm::Expected<std::string> append(
    const std::string& object, const std::vector<ExternalConstant>& constants) {
  llvm::SmallVector<char, 0> bytes(object.begin(), object.end());
  llvm::Expected<FileTail> tail = appendConstants(bytes, constants);
  if (!tail) return tail.takeError();
  std::string file(bytes.begin(), bytes.end());
  for (llvm::StringRef piece : tail->pieces()) file += piece;
  EXPECT_EQ(file.size(), bytes.size() + tail->size());
  return file;
}

TEST(Constants, NamesAreThoseOfTheBytes) {
  std::string ones(5000, '\1'), twos(5000, '\2');
  std::string name = externalConstantName(ones, 5000);
  EXPECT_THAT(name, testing::StartsWith("tw.constant."));
  EXPECT_EQ(name.size(), 12u + 32u);
  EXPECT_EQ(externalConstantName(ones.substr(0, 1), 5000), name);
  EXPECT_EQ(externalConstantName(ones.substr(0, 3), 5000), name);
  EXPECT_NE(externalConstantName(twos, 5000), name);
  EXPECT_NE(externalConstantName(ones.substr(0, 1), 5001), name);
}

TEST(Constants, BecomeReadOnlySectionsInGroups) {
  std::string odd = "0123456789", pattern = "ab", page(4096, 'p');
  for (int i = 0; i < 4096; ++i) odd += static_cast<char>(i * 7);
  for (const char* triple :
       {"x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"}) {
    SCOPED_TRACE(triple);
    std::vector<ExternalConstant> constants = {constantOf(odd, odd.size()),
                                               constantOf(pattern, 200001),
                                               constantOf(page, page.size())};
    std::string object = objectBytes(moduleOf(constants, triple));
    EXPECT_THAT(definitions(object), IsEmpty());
    auto file = append(object, constants);
    ASSERT_TRUE(bool(file)) << errorText(file.takeError());
    auto defined = definitions(*file);
    ASSERT_EQ(defined.size(), 3u);
    EXPECT_EQ(defined[constants[0].name].bytes, odd);
    EXPECT_EQ(defined[constants[2].name].bytes, page);
    const std::string& repeated = defined[constants[1].name].bytes;
    ASSERT_EQ(repeated.size(), 200001u);
    for (size_t i = 0; i < repeated.size(); ++i)
      ASSERT_EQ(repeated[i], pattern[i % 2]) << i;
    for (auto& [name, section] : defined) {
      EXPECT_EQ(section.alignment, kConstantAlignment);
      EXPECT_EQ(section.flags,
                uint64_t{llvm::ELF::SHF_ALLOC | llvm::ELF::SHF_GROUP});
      EXPECT_EQ(section.group, name);
      EXPECT_EQ(section.binding, llvm::ELF::STB_WEAK);
      EXPECT_EQ(section.visibility, llvm::ELF::STV_HIDDEN);
      EXPECT_EQ(section.type, llvm::ELF::STT_OBJECT);
    }
    // Nothing else has changed its place or meaning.
    auto parsed = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(*file, "file")));
    auto before = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(object, "object")));
    auto section = parsed->section_begin();
    for (const llvm::object::SectionRef& old : before->sections()) {
      EXPECT_EQ(llvm::cantFail(old.getName()),
                llvm::cantFail(section->getName()));
      if (llvm::object::ELFSectionRef(old).getType() != llvm::ELF::SHT_SYMTAB)
        EXPECT_EQ(llvm::cantFail(old.getContents()),
                  llvm::cantFail(section->getContents()));
      ++section;
    }
  }
}

TEST(Constants, WhatIsNotUsedIsLeftOut) {
  std::string a(4096, 'a'), b(4096, 'b');
  std::string object = objectBytes(moduleOf({constantOf(a, 4096)}));
  auto both = append(object, {constantOf(b, 4096), constantOf(a, 4096)});
  ASSERT_TRUE(bool(both)) << errorText(both.takeError());
  EXPECT_THAT(definitions(*both),
              ElementsAre(testing::Key(constantOf(a, 4096).name)));
  auto none = append(object, {constantOf(b, 4096)});
  ASSERT_TRUE(bool(none)) << errorText(none.takeError());
  EXPECT_EQ(*none, object);
}

TEST(Constants, OtherFilesAreRefused) {
  std::string a(4096, 'a');
  std::vector<ExternalConstant> constants = {constantOf(a, 4096)};
  EXPECT_THAT(errorText(append("", constants)), HasSubstr("invalid buffer"));
  EXPECT_THAT(errorText(append(std::string(4096, 'x'), constants)),
              HasSubstr("relocatable 64-bit little-endian ELF object"));
  EXPECT_THAT(
      errorText(append(objectBytes(moduleOf(constants, "x86_64-apple-macosx")),
                       constants)),
      HasSubstr("relocatable 64-bit little-endian ELF object"));
}

TEST(Constants, AsManyAsAnObjectHasNumbersFor) {
  std::vector<std::string> bytes;
  std::vector<ExternalConstant> constants;
  for (int i = 0; i < 33000; ++i) bytes.push_back(std::to_string(i) + " ");
  for (const std::string& each : bytes)
    constants.push_back(constantOf(each, 64));
  EXPECT_THAT(errorText(append(objectBytes(moduleOf(constants)), constants)),
              HasSubstr("the model has 33000 constants of 4 KiB or more; an "
                        "object holds at most 326"));
  constants.resize(32000);
  auto file = append(objectBytes(moduleOf(constants)), constants);
  ASSERT_TRUE(bool(file)) << errorText(file.takeError());
  auto defined = definitions(*file);
  ASSERT_EQ(defined.size(), 32000u);
  EXPECT_EQ(defined[constants[31999].name].bytes.substr(0, 12), "31999 31999 ");
}

// The member with the constants is the last one, of even and of odd size.
class ConstantsLinkTest : public LinkTest {};

TEST_F(ConstantsLinkTest, AnArchiveEndsWithThem) {
  for (uint64_t size : {4096, 4097, 5000}) {
    SCOPED_TRACE(size);
    std::string bytes(size, 'c');
    std::vector<ExternalConstant> constants = {constantOf(bytes, size)};
    const char tile[] = "tw_mmt4d_tile_f32f32f32_3x8x1_x86_64_avx2_fma";
    std::string ir = moduleOf(constants) + "declare void @" + tile +
                     "(ptr, ptr, ptr, ptr)\ndefine void @g(ptr %p) {\n"
                     "  call void @" +
                     tile + "(ptr %p, ptr %p, ptr %p, ptr %p)\n  ret void\n}\n";
    std::string object = objectBytes(ir);
    LinkOptions options;
    options.resolve = resolveOptions();
    options.withInputs = true;
    options.buffers = {llvm::MemoryBufferRef(object, "model.o")};
    options.constants = constants;
    std::string output = path("out.a");
    llvm::Expected<LinkReport> report = linkTiles({}, output, options);
    ASSERT_TRUE(bool(report)) << errorText(report.takeError());
    std::string file = readFile(output);
    EXPECT_EQ(report->outputBytes, file.size());
    EXPECT_EQ(file.size() % 2, 0u);
    auto archive = llvm::cantFail(
        llvm::object::Archive::create(llvm::MemoryBufferRef(file, "output")));
    std::vector<std::string> names;
    llvm::Error walk = llvm::Error::success();
    for (const auto& child : archive->children(walk)) {
      names.push_back(llvm::cantFail(child.getName()).str());
      if (names.back() != "model.o") continue;
      auto defined = definitions(llvm::cantFail(child.getBuffer()).str());
      ASSERT_EQ(defined.size(), 1u);
      EXPECT_EQ(defined[constants[0].name].bytes, bytes);
    }
    EXPECT_EQ(errorText(std::move(walk)), "");
    EXPECT_THAT(names, ElementsAre(std::string(tile) + ".o", "model.o"));
    for (const char* symbol : {"table", "g", tile})
      EXPECT_TRUE(llvm::cantFail(archive->findSym(symbol)).has_value());
  }
}

TEST_F(ConstantsLinkTest, TheyAreOfOneModule) {
  std::string bytes(4096, 'c');
  std::vector<ExternalConstant> constants = {constantOf(bytes, 4096)};
  LinkOptions options;
  options.resolve = resolveOptions();
  options.withInputs = true;
  options.constants = constants;
  EXPECT_THAT(errorText(linkTiles({}, path("out.a"), options)),
              HasSubstr("constants are those of one module in memory, but "
                        "there are 0"));
}

}  // namespace
}  // namespace tilewright
