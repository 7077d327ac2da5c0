// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile shapes in databases of tuning: written, read, merged; which are
// followed; the runtime library's table of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tilewright/Tuning/Shapes.h"
#include "tilewright/Tuning/Tuning.h"
#include "ukernels/measured.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const char k16x16[] = "tw_mmt4d_tile_f32f32f32_16x16x1_x86_64_avx512_base";
const char k12x32[] = "tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base";

ShapeEntry shapeEntry(const char* rows = "many") {
  ShapeEntry entry;
  entry.types = "f32f32f32";
  entry.rows = rows;
  entry.core = "znver4";
  entry.version = tuningVersion();
  entry.tile = k16x16;
  entry.beside = k12x32;
  entry.handWritten = entry.besideHandWritten = "digest";
  entry.ratio = 0.9375;
  entry.low = 0.875;
  entry.high = 0.96875;
  entry.rounds = 128;
  entry.measured = "2026-11-24T12:00:00Z";
  return entry;
}

TuningDatabase databaseOf(std::vector<ShapeEntry> shapes) {
  TuningDatabase database;
  database.shapes = std::move(shapes);
  return database;
}

std::string errorWith(const std::string& from, const std::string& to) {
  std::string text = printTuning(databaseOf({shapeEntry()}));
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  llvm::Expected<TuningDatabase> read = parseTuning(text, "t.json");
  return read ? "" : llvm::toString(read.takeError());
}

TEST(ShapeDatabase, IsReadAsItIsWritten) {
  ShapeEntry few = shapeEntry("2-4");
  few.tile = few.beside;
  few.ratio = few.low = few.high = 1;
  const std::string text = printTuning(databaseOf({shapeEntry(), few}));
  TuningDatabase read = llvm::cantFail(parseTuning(text, "t.json"));
  ASSERT_THAT(read.shapes, SizeIs(2));
  EXPECT_EQ(printTuning(read), text);
  EXPECT_EQ(read.shapes[0].rows, "2-4");
  EXPECT_EQ(read.shapes[1].tile, k16x16);
  EXPECT_EQ(read.shapes[1].beside, k12x32);
  EXPECT_EQ(read.shapes[1].low, 0.875);
  EXPECT_EQ(read.shapes[1].rounds, 128);
}

// What was written before there were shapes.
TEST(ShapeDatabase, TheFirstSchemaHasNone) {
  TuningDatabase read = llvm::cantFail(parseTuning(
      R"({"schema": "tilewright-tuning-1", "entries": []})", "t.json"));
  EXPECT_THAT(read.shapes, IsEmpty());
  EXPECT_THAT(printTuning(read), HasSubstr("tilewright-tuning-2"));
  EXPECT_THAT(errorWith("\"shapes\": [", "\"forms\": ["),
              HasSubstr("missing value at the file.shapes"));
}

TEST(ShapeDatabase, MergesByTypesRowsCoreAndVersion) {
  ShapeEntry newer = shapeEntry(), otherCore = shapeEntry(),
             otherVersion = shapeEntry(), otherTypes = shapeEntry();
  newer.ratio = 0.95;
  otherCore.core = "znver5";
  otherVersion.version = "0.0.9";
  otherTypes.types = "s8s8s32";
  TuningDatabase database = databaseOf({shapeEntry()});
  database.merge(databaseOf(
      {newer, otherCore, otherVersion, otherTypes, shapeEntry("1")}));
  ASSERT_THAT(database.shapes, SizeIs(5));
  EXPECT_EQ(database.shapes[0].ratio, 0.95);
  EXPECT_EQ(database.shapes[1].core, "znver5");
  EXPECT_EQ(database.shapes[4].rows, "1");
}

TEST(ShapeDatabase, SaysWhatIsWrongWhere) {
  EXPECT_THAT(errorWith("\"rows\": \"many\"", "\"rows\": \"\""),
              HasSubstr("not empty at the file.shapes[0].rows"));
  EXPECT_THAT(errorWith("\"beside_hand_written\"", "\"x\""),
              HasSubstr("missing value at the "
                        "file.shapes[0].beside_hand_written"));
  EXPECT_THAT(errorWith("0.875", "0.94"),
              HasSubstr("between which the ratio is at the "
                        "file.shapes[0].interval"));
  const std::string twice =
      printTuning(databaseOf({shapeEntry(), shapeEntry()}));
  EXPECT_THAT(llvm::toString(parseTuning(twice, "t.json").takeError()),
              HasSubstr("that do not stand above at the file.shapes[1]"));
}

/// What is followed of `asked` and `shipped` on `core`, as rows; and what is
/// said of the others.
struct Followed {
  std::vector<std::string> rows;
  std::string said;
};
Followed follow(std::vector<ShapeEntry> asked,
                std::vector<ShapeEntry> shipped = {},
                const char* core = "znver4", const char* digest = "digest") {
  Tuning tuning(databaseOf(std::move(asked)), databaseOf(std::move(shipped)));
  UnfollowedEntries unfollowed;
  Followed followed;
  for (const ShapeEntry* entry : tuning.shapes(
           core,
           [&](const TileKey&) -> llvm::Expected<std::string> {
             return std::string(digest);
           },
           unfollowed))
    followed.rows.push_back(entry->rows + " " + entry->measured);
  followed.said = unfollowed.text();
  return followed;
}

ShapeEntry with(std::string ShapeEntry::* field, const char* value) {
  ShapeEntry entry = shapeEntry();
  entry.*field = value;
  return entry;
}

TEST(Shapes, OfThisCodeAreFollowed) {
  Followed both = follow({shapeEntry(), shapeEntry("1")});
  EXPECT_THAT(both.rows, ElementsAre(HasSubstr("many "), HasSubstr("1 ")));
  EXPECT_EQ(both.said, "");
}

TEST(Shapes, WhatIsNotFollowedIsSaid) {
  const struct {
    ShapeEntry entry;
    const char* why;
  } cases[] = {
      {with(&ShapeEntry::core, "znver5"),
       "it is of znver5, and this is for znver4"},
      {with(&ShapeEntry::version, "0.0.9"), "version 0.0.9 of the tool"},
      {with(&ShapeEntry::handWritten, "x"), "body has changed"},
      {with(&ShapeEntry::besideHandWritten, "x"), "body has changed"},
      {with(&ShapeEntry::rows, "3"), "expected 1, 2-4, 5-16 or many"},
      {with(&ShapeEntry::tile, "tw_mmt4d_tile_s8s8s32_8x8x4_generic"),
       "is no tile of f32f32f32"},
      {with(&ShapeEntry::beside, "tw_pack"), "names no tile of a CPU"},
  };
  for (const auto& it : cases) {
    Followed none = follow({it.entry});
    EXPECT_THAT(none.rows, IsEmpty()) << it.why;
    EXPECT_THAT(none.said,
                AllOf(HasSubstr("1 entry is not followed; f32f32f32, "),
                      HasSubstr(it.why)));
  }
  EXPECT_THAT(follow({shapeEntry()}, {}, "").said,
              HasSubstr("this is for no core in particular"));
  // Of another core goes without saying where there is one of this one.
  EXPECT_EQ(follow({with(&ShapeEntry::core, "znver5"), shapeEntry()}).said, "");
}

TEST(Shapes, WhatIsAskedForComesBeforeWhatIsShipped) {
  const ShapeEntry mine = with(&ShapeEntry::measured, "mine");
  EXPECT_THAT(follow({mine}, {shapeEntry(), shapeEntry("1")}).rows,
              ElementsAre("many mine", HasSubstr("1 ")));
  // As the library has it, which knows no digests.
  EXPECT_THAT(follow({}, {shapeEntry()}, "znver4", "other").rows, SizeIs(1));
  EXPECT_THAT(follow({}, {shapeEntry()}, "znver5").rows, IsEmpty());
  EXPECT_EQ(follow({}, {shapeEntry()}, "znver5").said, "");
  EXPECT_THAT(follow({}, {with(&ShapeEntry::version, "0.0.9")}).rows,
              IsEmpty());
}

TEST(Shapes, PaddingIsNoPartOfWhatTheLibraryKnows) {
  EXPECT_EQ(llvm::cantFail(shapeOf(shapeEntry())).perMille, 938);
  // Of 16 rows 12 x 32 computes 24, and 16 x 16 computes 16.
  EXPECT_EQ(llvm::cantFail(shapeOf(shapeEntry("5-16"))).perMille, 1406);
  for (const MatmulRows& rows : matmulRows()) {
    const auto number = static_cast<tw_rows_t>(&rows - matmulRows().begin());
    EXPECT_EQ(rows.name, tw_rows_name(number));
    EXPECT_EQ(tw_rows_of(rows.most), number);
  }
  EXPECT_EQ(tw_rows_name(TW_ROWS_COUNT), nullptr);
}

std::string table(std::vector<ShapeEntry> shapes) {
  return llvm::cantFail(printMeasuredTiles(databaseOf(std::move(shapes))));
}

TEST(MeasuredTiles, AreThoseThatAreQuicker) {
  ShapeEntry same = shapeEntry("1");
  same.tile = same.beside;
  EXPECT_THAT(
      table({same, shapeEntry(), shapeEntry("5-16")}),
      HasSubstr("\nTW_MEASURED_TILE(ZEN4, NARROW, 1406, "
                "\"tw_mmt4d_tile_f32f32f32_16x16x1_x86_64_avx512_base\",\n"
                "                 "
                "\"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base\")\n"
                "TW_MEASURED_TILE(ZEN4, MANY, 938, "
                "\"tw_mmt4d_tile_f32f32f32_16x16x1_x86_64_avx512_base\",\n"
                "                 "
                "\"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base\")\n"
                "\n#undef"));
  for (const ShapeEntry& out : {same, with(&ShapeEntry::core, "skylake"),
                                with(&ShapeEntry::version, "0.0.9")})
    EXPECT_THAT(table({out}), Not(HasSubstr("TW_MEASURED_TILE(ZEN4")));
  EXPECT_THAT(llvm::toString(printMeasuredTiles(
                                 databaseOf({with(&ShapeEntry::tile, "tw")}))
                                 .takeError()),
              HasSubstr("f32f32f32, many rows, of znver4: 'tw' names no tile"));
}

// Of scalable vectors.
TEST(MeasuredTiles, AreSpelledAsInTheirNames) {
  ShapeEntry sve = shapeEntry();
  sve.core = "neoverse-v1";
  sve.tile = "tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve";
  sve.beside = "tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_base";
  EXPECT_THAT(table({sve}),
              HasSubstr("TW_MEASURED_TILE(NEOVERSE_V1, MANY, 938, "
                        "\"tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve\","));
}

// ukernels/measured_tiles.def is what the files of generator/tuning give.
TEST(MeasuredTiles, OfTheLibraryAreThoseOfTheFiles) {
  std::ifstream file(TW_TEST_MEASURED_TILES);
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_TRUE(file) << TW_TEST_MEASURED_TILES;
  llvm::Expected<std::string> made =
      printMeasuredTiles(llvm::cantFail(shippedTuning()));
  ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
  EXPECT_EQ(*made, text.str())
      << "make it again: tilewright tune --table=ukernels/measured_tiles.def "
         "--from=generator/tuning/<core>.json, for each file there";
}

}  // namespace
}  // namespace tilewright
