// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tuning says of a tile, where tiles are resolved.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include "tests/generator/resolve_fixture.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Resolve/ChooseBody.h"
#include "tilewright/Resolve/TileCache.h"

namespace tilewright {
namespace {

/// What ResolveTest resolves, for a core of which there is tuning.
class TunedTest : public ResolveTest {
 protected:
  TunedTest() { options_.core = "thecore"; }

  TuningEntry entryOf(const TileKey& key, const std::string& plan) {
    TuningEntry entry;
    entry.name = printTileKey(key);
    entry.core = "thecore";
    entry.version = tuningVersion();
    entry.generator = generatorDigest();
    entry.handWritten =
        llvm::cantFail(handWrittenDigest(findHandWrittenTile(key), ""));
    entry.plan = plan;
    entry.ratio = entry.low = entry.high = 0.9;
    return entry;
  }
  void tune(std::vector<TuningEntry> entries) {
    TuningDatabase database;
    database.entries = std::move(entries);
    options_.tuning =
        std::make_shared<const Tuning>(std::move(database), TuningDatabase());
  }
  /// A plan that the planner does not choose by itself.
  static std::string otherPlan(const TileKey& key) {
    return printTilePlan(llvm::cantFail(planCandidates(key, 2))[1]);
  }
  /// The bytes of `key` with an explicit plan, and nothing else asked.
  llvm::SmallVector<char, 0> bytesWithPlan(const TileKey& key,
                                           const std::string& plan) {
    ResolveOptions plain = options_;
    plain.tuning = nullptr;
    plain.useCache = false;
    plain.preferHandWritten = false;
    plain.generate.plan = plan;
    return llvm::cantFail(resolveTiles({key}, plain)).front().bytes;
  }

  const TileKey row_ =
      *parseTileKey("tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma").key;
  const TileKey noRow_ =
      *parseTileKey("tw_mmt4d_tile_f32f32f32_7x9x3_x86_64_avx2_fma").key;
};

TEST_F(TunedTest, TheTunedPlanIsWhatIsGenerated) {
  for (const TileKey& key : {row_, noRow_}) {
    const std::string plan = otherPlan(key);
    tune({entryOf(key, plan)});
    for (Emit kind : {Emit::Object, Emit::Bitcode}) {
      options_.kind = kind;
      std::vector<ResolvedTile> first = resolve({key}), second = resolve({key});
      EXPECT_EQ(first[0].origin, Origin::Generated);
      EXPECT_EQ(second[0].origin, Origin::Cached);
      EXPECT_TRUE(first[0].bytes == second[0].bytes);
      EXPECT_TRUE(first[0].bytes == bytesWithPlan(key, plan));
      EXPECT_FALSE(first[0].bytes == bytesWithPlan(key, ""));
    }
  }
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
}

// What is made of a template is told what all others are: a plan that stands
// for it, here refused, and not one that another tile has.
TEST_F(TunedTest, ATileOfATemplateHasNoPlan) {
  const TileKey vnni =
      *parseTileKey("tw_mmt4d_tile_s8s8s32_5x7x64_vnni_x86_64_amx_int8").key;
  ASSERT_EQ(findHandWrittenTile(vnni), nullptr);
  const std::vector<ResolvedTile> untuned = resolve({vnni});
  tune({entryOf(vnni, otherPlan(noRow_)), entryOf(noRow_, otherPlan(noRow_))});
  const std::vector<ResolvedTile> tuned = resolve({vnni, noRow_});
  EXPECT_TRUE(tuned[0].bytes == untuned[0].bytes);
  EXPECT_TRUE(tuned[1].bytes == bytesWithPlan(noRow_, otherPlan(noRow_)));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("has no plan"), std::string::npos)
      << warnings_[0];
  options_.generate.plan = "unroll=2";
  EXPECT_NE(errorOf({vnni}).find("has no plan to override"), std::string::npos);
}

TEST_F(TunedTest, TheCacheTellsTunedFromUntuned) {
  std::vector<ResolvedTile> untuned = resolve({noRow_});
  tune({entryOf(noRow_, otherPlan(noRow_))});
  std::vector<ResolvedTile> tuned = resolve({noRow_});
  EXPECT_EQ(tuned[0].origin, Origin::Generated);
  EXPECT_FALSE(tuned[0].bytes == untuned[0].bytes);
  options_.tuning = nullptr;
  EXPECT_TRUE(resolve({noRow_})[0].bytes == untuned[0].bytes);
}

TEST_F(TunedTest, AnExplicitPlanAndAPreferenceWin) {
  tune({entryOf(row_, otherPlan(row_))});
  options_.generate.plan = "unroll=8";
  options_.preferHandWritten = false;
  EXPECT_TRUE(resolve({row_})[0].bytes == bytesWithPlan(row_, "unroll=8"));
  options_.generate.plan = "";
  // Generated is asked for, and hand-written is what was measured.
  tune({entryOf(row_, "")});
  EXPECT_TRUE(resolve({row_})[0].bytes == bytesWithPlan(row_, ""));
  options_.preferHandWritten = true;
  EXPECT_EQ(resolve({row_})[0].origin, Origin::HandWritten);
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
}

TEST_F(TunedTest, WhatIsNotFollowedIsSaidOnce) {
  TuningEntry foreign = entryOf(row_, otherPlan(row_)),
              stale = entryOf(noRow_, otherPlan(noRow_));
  foreign.core = "another";
  stale.generator = "0123";
  tune({foreign, stale, entryOf(keys_[0], "")});
  std::vector<ResolvedTile> tiles = resolve({row_, noRow_});
  EXPECT_EQ(tiles[0].origin, Origin::HandWritten);
  EXPECT_TRUE(tiles[1].bytes == bytesWithPlan(noRow_, ""));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_EQ(warnings_[0],
            "tuning: 2 entries are not followed; " + printTileKey(row_) +
                ": it is of another, and this is for thecore; " +
                printTileKey(noRow_) +
                ": the generator has changed since it was measured");
}

TEST_F(TunedTest, ATileThatChangesMakesItsEntryStale) {
  TuningEntry entry = entryOf(row_, otherPlan(row_));
  EXPECT_EQ(entry.handWritten.size(), 16u);
  // It is that of the tile's own code, and not of the library that has both.
  const TileKey other =
      *parseTileKey("tw_mmt4d_tile_f32f32f32_6x16x1_x86_64_avx2_fma").key;
  ASSERT_NE(findHandWrittenTile(other), nullptr);
  EXPECT_NE(entry.handWritten, entryOf(other, "").handWritten);
  entry.handWritten.back() ^= 1;
  tune({entry});
  EXPECT_EQ(resolve({row_})[0].origin, Origin::HandWritten);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("the hand-written body has changed"),
            std::string::npos);
}

// A body's digest is kept with the kernels, for the library that the body is
// in.
TEST_F(TunedTest, DigestsAreLookedUp) {
  auto library = llvm::MemoryBuffer::getFile(
      llvm::cantFail(handWrittenBitcodePath(row_.isa, "")));
  ASSERT_TRUE(bool(library));
  const std::string hash =
      llvm::utohexstr(llvm::xxh3_64bits((*library)->getBuffer()));
  const std::string name = printTileKey(row_);
  const std::string key = TileCache::digestKey(name, hash);
  TuningEntry entry = entryOf(row_, otherPlan(row_));
  tune({entry});
  EXPECT_EQ(resolve({row_})[0].origin, Origin::Generated);
  TileCache cache = llvm::cantFail(TileCache::open(cache_.path()));
  const auto kept = cache.lookup(key);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(std::string(kept->begin(), kept->end()), entry.handWritten);
  // Of another tile, library or build it is another entry.
  EXPECT_NE(key, TileCache::digestKey("tw_x", hash));
  EXPECT_NE(key, TileCache::digestKey(name, "0123"));
  EXPECT_NE(key, TileCache::digestKey(name, hash, "another"));
  // Another one there would be believed.
  llvm::cantFail(cache.store(key, std::vector<char>(16, '0')));
  EXPECT_EQ(resolve({row_})[0].origin, Origin::HandWritten);
  options_.useCache = false;
  EXPECT_EQ(resolve({row_})[0].origin, Origin::Generated);
}

TEST_F(TunedTest, TheChoiceSaysWhy) {
  tune({entryOf(row_, otherPlan(row_))});
  ChosenBody body = chooseBody(row_, options_);
  EXPECT_EQ(body.handWritten, nullptr);
  EXPECT_EQ(body.plan, otherPlan(row_));
  EXPECT_EQ(body.why.find("tuned on thecore: 0.900 of the time of the "
                          "hand-written body (0.900 to 0.900, 0 rounds"),
            0u)
      << body.why;
  options_.core = "another";
  body = chooseBody(row_, options_);
  EXPECT_NE(body.handWritten, nullptr);
  EXPECT_EQ(body.plan, "");
  EXPECT_EQ(body.why,
            "a hand-written tile has this name; tuning is not "
            "followed: it is of thecore, and this is for another");
}

}  // namespace
}  // namespace tilewright
