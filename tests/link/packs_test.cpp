// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pack functions are gathered, made once and linked as tiles are.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/link/link_test_support.h"
#include "tilewright/Link/Link.h"

namespace tilewright {
namespace {

using ::testing::HasSubstr;

constexpr char kPack[] = "tw_pack_tile_32_cols_48x1_x86_64_avx2_fma";
constexpr char kUnpack[] = "tw_unpack_tile_8_rows_3x5_generic";
constexpr char kTile[] = "tw_mmt4d_tile_f32f32f32_3x8x1_x86_64_avx2_fma";

// A module in which `caller` calls each of `packs`.
std::string packCallerIr(const std::vector<std::string>& packs,
                         const std::string& caller,
                         const std::string& attributes = "",
                         const std::string& arguments =
                             "ptr %a, ptr %b, "
                             "ptr %p") {
  std::string declarations, calls;
  for (const std::string& name : packs) {
    declarations += "declare void @" + name + "(" + arguments + ")\n";
    calls += "  call void @" + name + "(" + arguments + ")\n";
  }
  return "target triple = \"x86_64-unknown-linux-gnu\"\n" + declarations +
         "define void @" + caller + "(" + arguments + ") " + attributes +
         " {\n" + calls + "  ret void\n}\n";
}

class PacksTest : public LinkTest {
 protected:
  void SetUp() override {
    LinkTest::SetUp();
    options_.resolve = resolveOptions();
  }

  llvm::Expected<LinkReport> link(const std::vector<std::string>& inputs,
                                  const std::string& output) {
    return linkTiles(inputs, path(output), options_);
  }

  LinkOptions options_;
};

TEST_F(PacksTest, OnceEachBesideTiles) {
  auto report = link({object("a.o", packCallerIr({kPack, kUnpack}, "fa")),
                      bitcode("b.bc", packCallerIr({kPack}, "fb")),
                      object("c.o", callerIr({kTile}, "fc"))},
                     "out.a");
  ASSERT_TRUE(bool(report)) << errorText(report.takeError());
  ASSERT_EQ(report->tiles.size(), 3u);
  EXPECT_EQ(report->wanted.references, 4u);
  EXPECT_EQ(report->count(Origin::Generated), 3u);
  const std::string bytes = readFile(path("out.a"));
  EXPECT_EQ(report->tiles[0].name, kPack);
  EXPECT_THAT(bytes, HasSubstr(std::string(kPack) + ".o"));
  // The report lists them as it does tiles.
  std::string text;
  llvm::raw_string_ostream os(text);
  printReportAsText(*report, os);
  EXPECT_THAT(text, HasSubstr(std::string(kPack) + "      generated"));
  EXPECT_THAT(text, HasSubstr("wanted 4 in 3 modules, unique 3"));
}

TEST_F(PacksTest, FromTheCacheTheSecondTime) {
  options_.resolve.useCache = true;
  options_.resolve.cacheDir = path("cache");
  const std::string input = object("a.o", packCallerIr({kPack, kUnpack}, "f"));
  auto first = link({input}, "first.a"), second = link({input}, "second.a");
  ASSERT_TRUE(bool(first)) << errorText(first.takeError());
  ASSERT_TRUE(bool(second)) << errorText(second.takeError());
  EXPECT_EQ(first->count(Origin::Generated), 2u);
  EXPECT_EQ(second->count(Origin::Cached), 2u);
  EXPECT_EQ(readFile(path("first.a")), readFile(path("second.a")));
}

TEST_F(PacksTest, InOneModule) {
  options_.output = LinkOutput::Object;
  options_.inlineTiles = true;
  auto report =
      link({bitcode("a.bc",
                    packCallerIr({kPack}, "f",
                                 "\"target-features\"=\"+avx2,+fma,+f16c\""))},
           "out.o");
  ASSERT_TRUE(bool(report)) << errorText(report.takeError());
  EXPECT_EQ(report->inlinedCalls, 1u);
}

TEST_F(PacksTest, CallersNeedFeaturesAndTheRightType) {
  options_.output = LinkOutput::Bitcode;
  EXPECT_THAT(
      errorText(link({bitcode("a.bc", packCallerIr({kPack}, "f"))}, "out.bc")),
      HasSubstr("cannot link '" + std::string(kPack) +
                "' into its caller 'f', which lacks the features avx2, fma, "
                "f16c"));
  EXPECT_THAT(errorText(link(
                  {bitcode("b.bc", packCallerIr({kUnpack}, "f", "", "ptr %a"))},
                  "out.bc")),
              HasSubstr("declares '" + std::string(kUnpack) +
                        "' as 'void (ptr)', but an unpack function's type is "
                        "tw_unpack_tile_fn_t, 'void (ptr, ptr, ptr)'"));
}

TEST_F(PacksTest, MalformedNamesAreRefused) {
  EXPECT_THAT(
      errorText(link({object("a.o", packCallerIr({"tw_pack_tile_8_row_4x4_"
                                                  "generic"},
                                                 "f"))},
                     "out.a")),
      HasSubstr("a.o': 'tw_pack_tile_8_row_4x4_generic' is not the name of a "
                "pack function: unknown orientation 'row'"));
  EXPECT_THAT(
      errorText(link({object("b.o", packCallerIr({"tw_pack_tile_8_rows_4x4_"
                                                  "arm_64_base"},
                                                 "f"))},
                     "out.a")),
      HasSubstr("is for x86_64, but wants "
                "'tw_pack_tile_8_rows_4x4_arm_64_base'"));
}

}  // namespace
}  // namespace tilewright
