// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links into an archive of objects.

#include "llvm/Object/Archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "tests/link/link_test_support.h"
#include "tilewright/Link/Link.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kA[] = "tw_mmt4d_tile_f32f32f32_3x8x1_x86_64_avx2_fma";
constexpr char kB[] = "tw_mmt4d_tile_s8s8s32_7x48x4_x86_64_avx512_vnni";
constexpr char kIree[] = "iree_uk_mmt4d_tile_f32f32f32_3x8x1_x86_64_avx2_fma";

// "member: symbol(binding)" of each tile that the archive's objects define.
std::vector<std::string> definitions(const std::string& bytes) {
  std::vector<std::string> result;
  auto archive = llvm::cantFail(
      llvm::object::Archive::create(llvm::MemoryBufferRef(bytes, "output")));
  llvm::Error walk = llvm::Error::success();
  for (const auto& child : archive->children(walk)) {
    auto object = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
        llvm::cantFail(child.getMemoryBufferRef())));
    std::string name = llvm::cantFail(child.getName()).str();
    auto* elf = llvm::cast<llvm::object::ELFObjectFileBase>(object.get());
    for (llvm::object::ELFSymbolRef symbol : elf->symbols()) {
      if (llvm::cantFail(symbol.getFlags()) &
          llvm::object::SymbolRef::SF_Undefined)
        continue;
      uint8_t binding = symbol.getBinding();
      if (binding == llvm::ELF::STB_LOCAL) continue;
      // Whoever links the object into a shared library offers the tile there.
      EXPECT_EQ(symbol.getOther() & 3, llvm::ELF::STV_DEFAULT);
      result.push_back(
          name + ": " + llvm::cantFail(symbol.getName()).str() +
          (binding == llvm::ELF::STB_WEAK ? "(weak)" : "(strong)"));
    }
  }
  llvm::cantFail(std::move(walk));
  return result;
}

std::string weak(const std::string& name) {
  return name + ".o: " + name + "(weak)";
}

class ArchiveTest : public LinkTest {
 protected:
  void SetUp() override {
    LinkTest::SetUp();
    options_.resolve = resolveOptions();
    output_ = path("out.a");
  }

  std::string linkError(const std::vector<std::string>& inputs) {
    return errorText(linkTiles(inputs, output_, options_));
  }

  LinkOptions options_;
  std::string output_;
};

TEST_F(ArchiveTest, HoldsOneWeakDefinitionPerName) {
  std::vector<std::string> inputs = {
      object("a.o", callerIr({kA, kB}, "fa")),
      archive("l.a", {bitcode("b.bc", callerIr({kB}, "fb"))}, true)};
  llvm::Expected<LinkReport> report = linkTiles(inputs, output_, options_);
  ASSERT_TRUE(bool(report)) << errorText(report.takeError());
  EXPECT_THAT(definitions(readFile(output_)), ElementsAre(weak(kA), weak(kB)));
  EXPECT_EQ(report->wanted.references, 3u);
  EXPECT_EQ(report->tiles.size(), 2u);
  EXPECT_EQ(report->outputBytes, readFile(output_).size());
  EXPECT_GT(report->peakBytes, 0u);
}

TEST_F(ArchiveTest, HasASymbolTable) {
  ASSERT_EQ(linkError({object("a.o", callerIr({kA, kB}))}), "");
  std::string bytes = readFile(output_);
  auto archive = llvm::cantFail(
      llvm::object::Archive::create(llvm::MemoryBufferRef(bytes, "output")));
  EXPECT_TRUE(archive->hasSymbolTable());
  EXPECT_TRUE(llvm::cantFail(archive->findSym(kA)).has_value());
  EXPECT_TRUE(llvm::cantFail(archive->findSym(kB)).has_value());
}

TEST_F(ArchiveTest, SameInputsSameBytes) {
  std::vector<std::string> inputs = {object("a.o", callerIr({kA, kB}))};
  options_.resolve.jobs = 1;
  ASSERT_EQ(linkError(inputs), "");
  std::string first = readFile(output_);
  options_.resolve.jobs = 4;
  output_ = path("again.a");
  ASSERT_EQ(linkError(inputs), "");
  EXPECT_EQ(readFile(output_), first);
}

TEST_F(ArchiveTest, NothingWantedIsAnEmptyArchive) {
  ASSERT_EQ(linkError({object("a.o", callerIr({}))}), "");
  EXPECT_EQ(readFile(output_), "!<arch>\n");
}

TEST_F(ArchiveTest, IreesNamesResolveUnderTheirOwn) {
  options_.prefixes.push_back("iree_uk");
  ASSERT_EQ(linkError({object("a.o", callerIr({kIree, kA}))}), "");
  EXPECT_THAT(definitions(readFile(output_)),
              ElementsAre(weak(kIree), weak(kA)));
}

TEST_F(ArchiveTest, LeavesProvidedNamesOut) {
  std::string user = object("a.o", callerIr({kA, kB}));
  ASSERT_EQ(linkError({user}), "");
  // The first output provides all that the second would hold.
  options_.providers = {output_};
  output_ = path("second.a");
  llvm::Expected<LinkReport> report = linkTiles({user}, output_, options_);
  ASSERT_TRUE(bool(report)) << errorText(report.takeError());
  EXPECT_EQ(report->wanted.provided, 2u);
  EXPECT_TRUE(report->tiles.empty());
}

TEST_F(ArchiveTest, CompletesALibraryInPlace) {
  std::string lib = archive("l.a", {object("a.o", callerIr({kA}, "fa"))});
  output_ = lib;
  EXPECT_THAT(linkError({lib}), HasSubstr("is an input and would be overwri"));
  options_.withInputs = true;
  ASSERT_EQ(linkError({lib}), "");
  std::string complete = readFile(lib);
  EXPECT_THAT(definitions(complete), ElementsAre("a.o: fa(strong)", weak(kA)));
  // Nothing is left to do the second time.
  ASSERT_EQ(linkError({lib}), "");
  EXPECT_EQ(readFile(lib), complete);
}

TEST_F(ArchiveTest, AnErrorLeavesWhatWasThere) {
  std::string user = object("a.o", callerIr({kA}));
  writeFile("out.a", "precious");
  int before = fileCount();
  EXPECT_NE(linkError({user, path("missing.o")}), "");
  EXPECT_NE(linkError({object("bad.o", callerIr({"tw_mmt4d_tile_nonsense"}))}),
            "");
  EXPECT_EQ(readFile(output_), "precious");
  EXPECT_EQ(fileCount(), before + 1);  // bad.o
}

TEST_F(ArchiveTest, UnwritableOutputsAreNamed) {
  std::string user = object("a.o", callerIr({kA}));
  output_ = path("no/such/folder/out.a");
  EXPECT_THAT(linkError({user}), HasSubstr("no/such/folder/out.a'"));
  output_ = path("");
  EXPECT_THAT(linkError({user}), HasSubstr("Is a directory"));
}

TEST_F(ArchiveTest, RefusesContradictoryOptions) {
  std::string user = object("a.o", callerIr({kA}));
  options_.inlineTiles = true;
  EXPECT_THAT(linkError({user}),
              HasSubstr("cannot be inlined into an archive"));
  options_.inlineTiles = false;
  options_.output = LinkOutput::Object;
  options_.withInputs = true;
  EXPECT_THAT(linkError({user}), HasSubstr("only an archive output"));
}

}  // namespace
}  // namespace tilewright
