// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the linker finds in its inputs, and what it refuses.

#include "tilewright/Link/Gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/ADT/STLExtras.h"
#include "tests/link/link_test_support.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kA[] = "tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma";
constexpr char kB[] = "tw_mmt4d_tile_s8s8s32_7x48x4_x86_64_avx512_vnni";
constexpr char kIree[] = "iree_uk_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma";

std::string define(const std::string& name) {
  return "target triple = \"x86_64-unknown-linux-gnu\"\n"
         "define void @" +
         name + "(ptr %o, ptr %l, ptr %r, ptr %p) { ret void }\n";
}

class GatherTest : public LinkTest {
 protected:
  llvm::Expected<Wanted> gather(const std::vector<std::string>& paths,
                                const GatherOptions& options = {}) {
    llvm::Expected<InputFiles> inputs = InputFiles::open(paths);
    if (!inputs) return inputs.takeError();
    return gatherWanted(*inputs, options);
  }

  // The names wanted; fails the test on an error.
  std::vector<std::string> names(const std::vector<std::string>& paths,
                                 const GatherOptions& options = {}) {
    std::vector<std::string> result;
    llvm::Expected<Wanted> wanted = gather(paths, options);
    if (!wanted) {
      ADD_FAILURE() << errorText(wanted.takeError());
      return result;
    }
    for (const WantedTile& tile : wanted->tiles) result.push_back(tile.name);
    return result;
  }

  std::string refusal(const std::vector<std::string>& paths) {
    return errorText(gather(paths));
  }
};

TEST_F(GatherTest, FindsNamesInBitcodeObjectsAndArchives) {
  std::string bc = bitcode("a.bc", callerIr({kA}, "fa"));
  std::string o = object("b.o", callerIr({kB, kA}, "fb"));
  EXPECT_THAT(names({bc}), ElementsAre(kA));
  EXPECT_THAT(names({o}), ElementsAre(kB, kA));
  EXPECT_THAT(names({archive("l.a", {o, bc})}), ElementsAre(kB, kA));
  EXPECT_THAT(names({archive("thin.a", {bc, o}, true)}), ElementsAre(kA, kB));
}

TEST_F(GatherTest, EachNameOnceWithItsUsers) {
  std::string a = bitcode("a.bc", callerIr({kA}, "fa"));
  std::string b = object("b.o", callerIr({kA, kB}, "fb"));
  llvm::Expected<Wanted> wanted = gather({a, b});
  ASSERT_TRUE(bool(wanted)) << errorText(wanted.takeError());
  ASSERT_EQ(wanted->tiles.size(), 2u);
  EXPECT_EQ(wanted->tiles[0].references, 2u);
  EXPECT_EQ(wanted->tiles[0].firstUser, a);
  EXPECT_TRUE(wanted->tiles[0].fromObject);
  EXPECT_EQ(wanted->references, 3u);
  EXPECT_EQ(wanted->modules, 2u);
  EXPECT_EQ(std::get<TileKey>(wanted->tiles[0].key).m0, 8);
}

// What a caller knows is not read off the name.
TEST_F(GatherTest, KnownNamesAreNotParsed) {
  std::string bc = bitcode("a.bc", callerIr({kA, kB}, "fa"));
  const TileKey known = *parseTileKey(kB).key;
  const std::map<std::string, FunctionKey> names = {{kA, known}};
  GatherOptions options;
  options.known = &names;
  llvm::Expected<Wanted> wanted = gather({bc}, options);
  ASSERT_TRUE(bool(wanted)) << errorText(wanted.takeError());
  ASSERT_EQ(wanted->tiles.size(), 2u);
  EXPECT_EQ(wanted->tiles[0].name, kA);
  for (const WantedTile& tile : wanted->tiles)
    EXPECT_EQ(tile.key, FunctionKey(known));
}

TEST_F(GatherTest, DefinedNamesAreNotWanted) {
  std::string user = object("user.o", callerIr({kA, kB}));
  std::string objectDef = object("def.o", define(kA));
  std::string bitcodeDef = bitcode("def.bc", define(kA));
  EXPECT_THAT(names({user, objectDef}), ElementsAre(kB));
  EXPECT_THAT(names({bitcodeDef, user}), ElementsAre(kB));
  InputFiles providers = llvm::cantFail(
      InputFiles::open({archive("libtilewright.a", {objectDef})}));
  GatherOptions options;
  options.providers = &providers;
  EXPECT_THAT(names({user}, options), ElementsAre(kB));
}

TEST_F(GatherTest, AnInternalDefinitionIsNobodyElses) {
  std::string ir = define(kA);
  ir.replace(ir.find("define void"), 11, "define internal void");
  ir += "@keep = global ptr @" + std::string(kA) + "\n";
  std::string user = object("user.o", callerIr({kA}));
  EXPECT_THAT(names({object("local.o", ir), user}), ElementsAre(kA));
  EXPECT_THAT(names({bitcode("local.bc", ir), user}), ElementsAre(kA));
}

TEST_F(GatherTest, WeakReferencesAskForNothing) {
  std::string ir = callerIr({kA});
  ir.replace(ir.find("declare void"), 12, "declare extern_weak void");
  EXPECT_THAT(names({bitcode("weak.bc", ir)}), ElementsAre());
  EXPECT_THAT(names({object("weak.o", ir)}), ElementsAre());
}

TEST_F(GatherTest, OtherSymbolsAreNoneOfOurBusiness) {
  EXPECT_THAT(names({object("a.o", callerIr({"memcpy", "tw_mmt4d"}))}),
              ElementsAre());
}

TEST_F(GatherTest, PrefixesAreAnOption) {
  std::string o = object("a.o", callerIr({kIree, kA}));
  EXPECT_THAT(names({o}), ElementsAre(kA));
  GatherOptions options;
  options.prefixes.push_back("iree_uk");
  EXPECT_THAT(names({o}, options), ElementsAre(kIree, kA));
}

TEST_F(GatherTest, DuplicateInputsCountOnce) {
  std::string o = object("a.o", callerIr({kA}));
  std::string copy = object("copy.o", callerIr({kA}));
  std::string lib = archive("l.a", {o});
  llvm::Expected<Wanted> wanted = gather({o, o, path("./a.o"), copy, lib});
  ASSERT_TRUE(bool(wanted)) << errorText(wanted.takeError());
  EXPECT_EQ(wanted->tiles.size(), 1u);
  EXPECT_EQ(wanted->references, 1u);
  EXPECT_EQ(wanted->modules, 1u);
  EXPECT_EQ(wanted->duplicates, 4u);
}

TEST_F(GatherTest, MalformedNamesAreErrorsThatNameTheModule) {
  std::string o = object(
      "a.o", callerIr({"tw_mmt4d_tile_f32f32f32_08x8x1_x86_64_avx2_fma",
                       "tw_mmt4d_tile_f32f32f33_8x8x1_x86_64_avx2_fma"}));
  std::string text = refusal({archive("l.a", {o})});
  EXPECT_THAT(text, HasSubstr("l.a(a.o)'"));
  EXPECT_THAT(text, HasSubstr("'08' has a leading zero"));
  EXPECT_THAT(text, HasSubstr("unknown element types 'f32f32f33'"));
}

TEST_F(GatherTest, ForeignArchitecturesAreRefused) {
  std::string ir = callerIr({kA});
  size_t at = ir.find("x86_64-unknown");
  ir.replace(at, 6, "aarch64");
  ir.erase(0, ir.find("target triple"));
  std::string foreign = bitcode("arm.bc", ir);
  EXPECT_THAT(refusal({foreign}),
              HasSubstr("is for aarch64, but wants '" + std::string(kA)));
  EXPECT_THAT(refusal({object("x86.o", callerIr({})), foreign}),
              HasSubstr("arm.bc': is for aarch64, but '"));
}

TEST_F(GatherTest, FilesThatAreNoInputs) {
  EXPECT_THAT(refusal({path("missing.o")}), HasSubstr("missing.o': No such"));
  EXPECT_THAT(refusal({path("")}), HasSubstr("is a directory"));
  EXPECT_THAT(refusal({writeFile("empty.o", "")}),
              HasSubstr("empty.o': the file is empty"));
  EXPECT_THAT(refusal({writeFile("notes.txt", "not an object\n")}),
              HasSubstr("notes.txt': is neither LLVM bitcode"));
  EXPECT_THAT(refusal({writeFile("a.wasm", std::string("\0asm\1\0\0\0", 8))}),
              HasSubstr("of a binary kind that is not supported"));
  // All of them are reported, not only the first.
  std::string both = refusal({path("missing.o"), path("absent.o")});
  EXPECT_THAT(both, HasSubstr("missing.o"));
  EXPECT_THAT(both, HasSubstr("absent.o"));
}

TEST_F(GatherTest, LinkedElfFilesAreRefused) {
  std::string bytes = objectBytes(callerIr({kA}));
  bytes[16] = 2;  // e_type: ET_EXEC
  EXPECT_THAT(refusal({writeFile("program", bytes)}),
              HasSubstr("program': is an ELF executable, whose own link"));
  bytes[16] = 3;  // ET_DYN
  EXPECT_THAT(refusal({writeFile("lib.so", bytes)}),
              HasSubstr("is an ELF shared library or executable"));
}

TEST_F(GatherTest, GccsIntermediateCodeIsRefused) {
  std::string ir = callerIr({}) + "@__gnu_lto_slim = common global i8 0\n";
  EXPECT_THAT(refusal({object("slim.o", ir)}),
              HasSubstr("slim.o': holds only GCC's intermediate code"));
}

TEST_F(GatherTest, TruncatedFilesAreErrorsAtEveryLength) {
  std::string lib = readFile(archive(
      "l.a", {object("a.o", callerIr({kA})), bitcode("b.bc", callerIr({kB}))}));
  // Lengths in every header, table and member. The shortest are an archive's
  // magic alone, which is a valid empty archive, and less than that.
  for (size_t length = 9; length + 8 < lib.size(); length += 61) {
    std::string text = refusal({writeFile("cut.a", lib.substr(0, length))});
    EXPECT_THAT(text, HasSubstr("cut.a")) << length << " of " << lib.size();
  }
  for (const std::string& whole :
       {objectBytes(callerIr({kA})), bitcodeBytes(callerIr({kA}))}) {
    for (size_t length = 1; length + 8 < whole.size(); length += 37) {
      std::string text = refusal({writeFile("cut.o", whole.substr(0, length))});
      EXPECT_THAT(text, HasSubstr("cut.o'")) << length;
    }
  }
}

TEST_F(GatherTest, ArchiveMembersAreNamedInErrors) {
  std::string o = object("a.o", callerIr({kA}));
  std::string text = writeFile("readme.txt", "hello, this is no object\n");
  EXPECT_THAT(refusal({archive("l.a", {o, text})}),
              HasSubstr("l.a(readme.txt)': is neither LLVM bitcode"));
  std::string thin = archive("thin.a", {o}, true);
  llvm::cantFail(llvm::errorCodeToError(llvm::sys::fs::remove(o)));
  EXPECT_THAT(refusal({thin}), HasSubstr("thin.a(a.o)'"));
}

}  // namespace
}  // namespace tilewright
