// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Databases of tuning: written, read, merged, refused; which entries are
// followed, and what is said of the others.

#include "tilewright/Tuning/Tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/Planning/TilePlan.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const char kName[] = "tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma";
const char kOther[] = "tw_mmt4d_tile_f32f32f32_4x8x1_generic";

TileKey keyOf(const std::string& name) {
  ParsedTileKey parsed = parseTileKey(name);
  EXPECT_TRUE(parsed.key) << parsed.error;
  return *parsed.key;
}

std::string planOf(const std::string& name, const char* overrides = "") {
  return printTilePlan(llvm::cantFail(planTile(keyOf(name), overrides)));
}

TuningEntry entryOf(const std::string& name) {
  TuningEntry entry;
  entry.name = name;
  entry.core = "znver4";
  entry.version = tuningVersion();
  entry.generator = generatorDigest();
  entry.handWritten = "digest";
  entry.plan = planOf(name, "unroll=2");
  entry.code = codeDigest({});
  entry.ratio = 0.9375;
  entry.low = 0.875;
  entry.high = 0.96875;
  entry.rounds = 128;
  entry.measured = "2026-11-24T12:00:00Z";
  return entry;
}

TuningDatabase databaseOf(std::vector<TuningEntry> entries) {
  TuningDatabase database;
  database.entries = std::move(entries);
  return database;
}

std::string errorOf(const std::string& text) {
  llvm::Expected<TuningDatabase> read = parseTuning(text, "t.json");
  return read ? "" : llvm::toString(read.takeError());
}

/// A database of one entry, in which `from` is replaced.
std::string textWith(const std::string& from, const std::string& to) {
  std::string text = printTuning(databaseOf({entryOf(kName)}));
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << text;
  return text.replace(at, from.size(), to);
}

TEST(TuningDatabase, IsReadAsItIsWritten) {
  TuningEntry byHand = entryOf(kOther);
  byHand.isHandWritten = true;
  byHand.plan = byHand.code = "";
  byHand.ratio = byHand.low = byHand.high = 1;
  TuningEntry none = entryOf("tw_mmt4d_tile_f32f32f32_5x7x1_generic");
  none.handWritten = "";
  const std::string text =
      printTuning(databaseOf({entryOf(kName), byHand, none}));
  TuningDatabase read = llvm::cantFail(parseTuning(text, "t.json"));
  ASSERT_THAT(read.entries, SizeIs(3));
  EXPECT_EQ(printTuning(read), text);
  // Sorted by name.
  EXPECT_TRUE(read.entries[0].isHandWritten);
  EXPECT_EQ(read.entries[0].plan, "");
  EXPECT_EQ(read.entries[1].handWritten, "");
  EXPECT_EQ(read.entries[2].name, kName);
  EXPECT_EQ(read.entries[2].plan, planOf(kName, "unroll=2"));
  EXPECT_EQ(read.entries[2].low, 0.875);
  EXPECT_EQ(read.entries[2].rounds, 128);
}

TEST(TuningDatabase, MergesByTileCoreAndVersion) {
  TuningEntry newer = entryOf(kName), otherCore = entryOf(kName),
              otherVersion = entryOf(kName);
  newer.generator = "newer";
  otherCore.core = "znver5";
  otherVersion.version = "0.0.9";
  TuningDatabase database = databaseOf({entryOf(kName)});
  database.merge(databaseOf({newer, otherCore, otherVersion, entryOf(kOther)}));
  ASSERT_THAT(database.entries, SizeIs(4));
  EXPECT_EQ(database.entries[0].generator, "newer");
  EXPECT_EQ(database.entries[1].core, "znver5");
  EXPECT_EQ(database.entries[2].version, "0.0.9");
  EXPECT_EQ(database.entries[3].name, kOther);
}

TEST(TuningDatabase, SaysWhatIsWrongWhere) {
  EXPECT_THAT(errorOf("{"), AllOf(HasSubstr("'t.json' is not what 'tilewright "
                                            "tune' writes: [1:1"),
                                  HasSubstr("byte=1")));
  EXPECT_THAT(errorOf("[]"), HasSubstr("expected object"));
  EXPECT_THAT(errorOf("{\"schema\": \"tilewright-tuning-3\"}"),
              HasSubstr("expected \"tilewright-tuning-2\" or "
                        "\"tilewright-tuning-1\" at the file.schema"));
  EXPECT_THAT(errorOf("{\"schema\": \"tilewright-tuning-1\"}"),
              HasSubstr("missing value at the file.entries"));
  const struct {
    const char *from, *to, *error;
  } cases[] = {
      {"\"rounds\": 128", "\"rounds\": \"x\"",
       "expected integer at the file.entries[0].rounds"},
      {"\"rounds\": 128", "\"rounds\": -1",
       "expected how many pairs were measured at the file.entries[0].rounds"},
      {"\"core\": \"znver4\"", "\"core\": \"\"",
       "expected a text that is not empty at the file.entries[0].core"},
      {"\"body\": \"generated\"", "\"body\": \"jit\"",
       "expected \"hand-written\" or \"generated\" at the "
       "file.entries[0].body"},
      {"\"plan\": ", "\"plan\": null, \"old\": ",
       "expected the plan of the generated body at the file.entries[0].plan"},
      {"0.875", "0.94",
       "between which the ratio is at the file.entries[0].interval"},
      {"0.96875", "0.93", "between which the ratio is"},
      {"0.875", "0", "expected two numbers above 0"},
      {"\"measured\"", "\"when\"",
       "missing value at the file.entries[0].measured"},
  };
  for (const auto& it : cases)
    EXPECT_THAT(errorOf(textWith(it.from, it.to)), HasSubstr(it.error))
        << it.to;
  EXPECT_THAT(
      errorOf(printTuning(databaseOf({entryOf(kName), entryOf(kName)}))),
      HasSubstr("expected a tile, core and version that do not stand above "
                "at the file.entries[1]"));
}

TEST(TuningDatabase, HasAPlanBesideTheHandWrittenBody) {
  TuningEntry entry = entryOf(kName);
  entry.isHandWritten = true;
  TuningDatabase read =
      llvm::cantFail(parseTuning(printTuning(databaseOf({entry})), "t.json"));
  EXPECT_TRUE(read.entries[0].isHandWritten);
  EXPECT_EQ(read.entries[0].plan, planOf(kName, "unroll=2"));
  entry.plan = "";
  entry.code = "LLVM 22 0123";
  EXPECT_THAT(errorOf(printTuning(databaseOf({entry}))),
              HasSubstr("expected null where there is no plan at the "
                        "file.entries[0].code"));
}

TEST(TuningDatabase, OfAFileThatIsMissing) {
  llvm::Expected<TuningDatabase> read = readTuning("/no/such.json");
  EXPECT_FALSE(read);
  EXPECT_THAT(llvm::toString(read.takeError()), HasSubstr("/no/such.json"));
}

/// What is found of `name`, of which the digest of the hand-written body is
/// "digest".
TunedBody find(const Tuning& tuning, const std::string& name = kName,
               const char* core = "znver4") {
  return tuning.find(keyOf(name), core,
                     []() -> llvm::Expected<std::string> { return "digest"; });
}

TunedBody findOne(TuningEntry entry) {
  // The entry that is pointed at goes with the tuning.
  Tuning tuning(databaseOf({std::move(entry)}), {});
  TunedBody body = find(tuning);
  EXPECT_EQ(body.entry, nullptr);
  EXPECT_NE(body.unfollowed, nullptr);
  body.unfollowed = nullptr;
  return body;
}

TEST(Tuning, FollowsWhatWasMeasuredOfThisCode) {
  Tuning tuning(databaseOf({entryOf(kName)}), {});
  TunedBody body = find(tuning);
  ASSERT_NE(body.entry, nullptr);
  EXPECT_EQ(body.entry->plan, planOf(kName, "unroll=2"));
  EXPECT_EQ(body.unfollowed, nullptr);
  EXPECT_EQ(find(tuning, kOther).entry, nullptr);
  EXPECT_EQ(find(tuning, kOther).unfollowed, nullptr);
  EXPECT_EQ(tuning.unusable().text(), "");
}

TEST(Tuning, SaysWhatItDoesNotFollow) {
  TuningEntry entry = entryOf(kName);
  entry.core = "znver5";
  EXPECT_EQ(findOne(entry).why, Unfollowed::OtherCore);
  EXPECT_EQ(findOne(entry).reason, "it is of znver5, and this is for znver4");

  entry = entryOf(kName);
  entry.version = "0.0.9";
  EXPECT_EQ(findOne(entry).why, Unfollowed::OtherVersion);
  EXPECT_THAT(findOne(entry).reason, HasSubstr("version 0.0.9 of the tool"));

  entry = entryOf(kName);
  entry.generator = "0123";
  EXPECT_EQ(findOne(entry).why, Unfollowed::OtherGenerator);
  EXPECT_THAT(findOne(entry).reason, HasSubstr("generator has changed"));

  entry = entryOf(kName);
  entry.handWritten = "0123";
  EXPECT_EQ(findOne(entry).why, Unfollowed::OtherHandWritten);
  EXPECT_THAT(findOne(entry).reason, HasSubstr("body has changed"));

  entry = entryOf(kName);
  entry.plan = "idiom=dpbusd";
  EXPECT_EQ(findOne(entry).why, Unfollowed::Plan);
  EXPECT_THAT(findOne(entry).reason, HasSubstr("dpbusd"));

  // The planner would choose the other parts, perhaps otherwise tomorrow.
  entry = entryOf(kName);
  entry.plan = "unroll=2";
  EXPECT_EQ(findOne(entry).why, Unfollowed::Plan);
  EXPECT_THAT(findOne(entry).reason, HasSubstr("is not one in full, 'idiom="));
}

TEST(Tuning, OfAnUnknownCore) {
  Tuning tuning(databaseOf({entryOf(kName)}), {});
  EXPECT_EQ(find(tuning, kName, "").entry, nullptr);
  EXPECT_EQ(find(tuning, kName, "").reason,
            "it is of znver4, and this is for no core in particular");
}

TEST(Tuning, OfAHandWrittenBodyThatIsNotAtHand) {
  Tuning tuning(databaseOf({entryOf(kName)}), {});
  TunedBody body =
      tuning.find(keyOf(kName), "znver4", []() -> llvm::Expected<std::string> {
        return llvm::createStringError("no library");
      });
  EXPECT_EQ(body.entry, nullptr);
  EXPECT_EQ(body.why, Unfollowed::OtherHandWritten);
  EXPECT_THAT(body.reason, HasSubstr("no library"));
}

TEST(Tuning, EntriesThatAreOfNoTile) {
  TuningEntry nothing = entryOf(kName), gpu = entryOf(kName);
  nothing.name = "tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx1024";
  gpu.name = "tw_mmt4d_tile_f16f16f32_16x16x16_amdgpu_gfx942";
  Tuning tuning(databaseOf({nothing, gpu, entryOf(kOther)}), {});
  EXPECT_EQ(tuning.unusable().text(),
            "tuning: 2 entries are not followed; " + nothing.name +
                " and 1 more: it names no tile of a CPU");
  EXPECT_NE(find(tuning, kOther).entry, nullptr);
}

TEST(Tuning, TakesTheOneThatFitsAmongSeveral) {
  TuningEntry otherCore = entryOf(kName), stale = entryOf(kName);
  otherCore.core = "znver5";
  stale.version = "0.0.9";
  Tuning tuning(databaseOf({otherCore, stale, entryOf(kName)}), {});
  ASSERT_NE(find(tuning).entry, nullptr);
  EXPECT_EQ(find(tuning).entry->version, tuningVersion());
  // Without it, what comes closest is said.
  Tuning without(databaseOf({stale, otherCore}), {});
  EXPECT_EQ(find(without).why, Unfollowed::OtherVersion);
}

TEST(Tuning, WhatIsAskedForComesBeforeWhatIsShipped) {
  TuningEntry shipped = entryOf(kName);
  shipped.plan = planOf(kName, "unroll=1");
  Tuning both(databaseOf({entryOf(kName)}), databaseOf({shipped}));
  EXPECT_EQ(find(both).entry->plan, planOf(kName, "unroll=2"));
  TuningEntry stale = entryOf(kName);
  stale.generator = "0123";
  Tuning second(databaseOf({stale}), databaseOf({shipped}));
  ASSERT_NE(find(second).entry, nullptr);
  EXPECT_EQ(find(second).entry->plan, shipped.plan);
  // That it is of other cores goes without saying; what is stale is looked for.
  stale.code = "LLVM 21.1.8 0123456789abcdef";
  Tuning third({}, databaseOf({stale}));
  EXPECT_EQ(find(third).entry, nullptr);
  EXPECT_EQ(find(third).why, Unfollowed::OtherGenerator);
  EXPECT_EQ(find(third).reason, "its code was made by LLVM 21.1.8");
  UnfollowedEntries said;
  said.add(find(third));
  EXPECT_EQ(said.text(), "");
  EXPECT_EQ(find(third, kName, "znver5").unfollowed, nullptr);
  TuningEntry foreign = entryOf(kName);
  foreign.core = "znver5";
  Tuning fourth(databaseOf({foreign}), databaseOf({stale}));
  EXPECT_EQ(find(fourth).why, Unfollowed::OtherCore);
  said.add(find(fourth));
  EXPECT_THAT(said.text(), HasSubstr("it is of znver5"));
}

TEST(Tuning, WhatIsShippedOutlivesItsGenerator) {
  TuningEntry shipped = entryOf(kName), byHand = entryOf(kOther);
  shipped.generator = byHand.generator = "0123";
  byHand.isHandWritten = true;
  byHand.plan = byHand.code = "";
  Tuning tuning({}, databaseOf({shipped, byHand}));
  ASSERT_NE(find(tuning).entry, nullptr);
  EXPECT_EQ(find(tuning).entry->plan, shipped.plan);
  EXPECT_NE(find(tuning, kOther).entry, nullptr);
  shipped.code = "";
  Tuning without({}, databaseOf({shipped}));
  EXPECT_EQ(find(without).why, Unfollowed::OtherGenerator);
  EXPECT_EQ(find(without).reason, "its code was made by an unknown LLVM");
  shipped.code = codeDigest({});
  shipped.handWritten = "another";
  Tuning changed({}, databaseOf({shipped}));
  EXPECT_EQ(find(changed).why, Unfollowed::OtherHandWritten);
}

TEST(UnfollowedEntries, AreCountedByReason) {
  UnfollowedEntries entries;
  EXPECT_EQ(entries.text(), "");
  TuningEntry a = entryOf(kName), b = entryOf(kOther);
  entries.add({});
  EXPECT_EQ(entries.text(), "");
  entries.add({nullptr, &a, Unfollowed::OtherGenerator, "old", false});
  EXPECT_EQ(entries.text(),
            std::string("tuning: 1 entry is not followed; ") + kName + ": old");
  entries.add({nullptr, &b, Unfollowed::OtherGenerator, "old", false});
  entries.add({nullptr, &b, Unfollowed::OtherCore, "foreign", false});
  EXPECT_EQ(entries.text(),
            std::string("tuning: 3 entries are not followed; ") + kOther +
                ": foreign; " + kName + " and 1 more: old");
}

TEST(ShippedTuning, IsRead) {
  llvm::Expected<TuningDatabase> shipped = shippedTuning();
  ASSERT_TRUE(bool(shipped)) << llvm::toString(shipped.takeError());
  Tuning tuning(*shipped, {});
  EXPECT_EQ(tuning.unusable().text(), "");
}

TEST(ShippedTuning, IsPutInAsTheFilesAre) {
  const struct {
    const char *name, *text;
  } files[] = {
#include "embedded_tuning.inc"
  };
  ASSERT_EQ(std::size(files), 1u);
  EXPECT_STREQ(files[0].name, "example.json");
  TuningDatabase read =
      llvm::cantFail(parseTuning(files[0].text, files[0].name));
  ASSERT_THAT(read.entries, SizeIs(1));
  EXPECT_EQ(read.entries[0].name, kName);
  EXPECT_EQ(read.entries[0].high, 0.95);
}

TEST(GeneratorDigest, IsOneOfSources) {
  EXPECT_THAT(generatorDigest().str(), SizeIs(16));
  EXPECT_EQ(tuningVersion(), TW_TEST_VERSION);
}

}  // namespace
}  // namespace tilewright
