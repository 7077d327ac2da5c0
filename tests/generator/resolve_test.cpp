// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Codegen/Resolve.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/generator/scratch_dir.h"
#include "tests/tiles/random_keys.h"
#include "tilewright/Codegen/TileCache.h"
#include "tilewright/Registry/Registry.h"

namespace tilewright {
namespace {

using testing::randomKeys;
using testing::seedOf;

class ResolveTest : public ::testing::Test {
 protected:
  ResolveTest() {
    options_.cacheDir = cache_.path();
    options_.jobs = 2;
    options_.warn = [this](llvm::StringRef text) {
      warnings_.push_back(text.str());
    };
  }
  std::vector<ResolvedTile> resolve(const std::vector<TileKey>& keys) {
    llvm::Expected<std::vector<ResolvedTile>> tiles =
        resolveTiles(keys, options_);
    if (!tiles) {
      ADD_FAILURE() << llvm::toString(tiles.takeError());
      return {};
    }
    return std::move(*tiles);
  }
  std::string errorOf(const std::vector<TileKey>& keys) {
    llvm::Expected<std::vector<ResolvedTile>> tiles =
        resolveTiles(keys, options_);
    return tiles ? "" : llvm::toString(tiles.takeError());
  }

  std::vector<TileKey> keys_ =
      randomKeys(TW_ISA_X86_64_AVX2_FMA, 24, seedOf("resolve"));
  testing::ScratchDir cache_;
  ResolveOptions options_;
  std::vector<std::string> warnings_;
};

void expectSame(const std::vector<ResolvedTile>& a,
                const std::vector<ResolvedTile>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_TRUE(a[i].bytes == b[i].bytes) << a[i].name;
  }
}

TEST_F(ResolveTest, EachKeyOnceInOrder) {
  std::vector<TileKey> twice = keys_;
  twice.insert(twice.end(), keys_.rbegin(), keys_.rend());
  std::vector<ResolvedTile> tiles = resolve(twice);
  ASSERT_EQ(tiles.size(), keys_.size());
  for (size_t i = 0; i < keys_.size(); ++i) {
    EXPECT_EQ(tiles[i].key, keys_[i]);
    EXPECT_EQ(tiles[i].name, printTileKey(keys_[i]));
    EXPECT_GT(tiles[i].ms, 0);
  }
}

TEST_F(ResolveTest, SameBytesForAnyNumberOfJobs) {
  options_.useCache = false;
  options_.jobs = 1;
  std::vector<ResolvedTile> one = resolve(keys_);
  for (unsigned jobs : {2, 3, 0}) {
    options_.jobs = jobs;
    expectSame(one, resolve(keys_));
  }
}

TEST_F(ResolveTest, SecondTimeFromTheCache) {
  options_.preferHandWritten = false;
  for (Emit kind : {Emit::Object, Emit::Bitcode}) {
    options_.kind = kind;
    std::vector<ResolvedTile> first = resolve(keys_), second = resolve(keys_);
    expectSame(first, second);
    for (const ResolvedTile& tile : first) {
      EXPECT_EQ(tile.origin, Origin::Generated);
      EXPECT_GT(tile.times.codegen, 0);
    }
    for (const ResolvedTile& tile : second) {
      EXPECT_EQ(tile.origin, Origin::Cached) << tile.name;
      EXPECT_EQ(tile.times.total(), 0);
    }
  }
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(ResolveTest, DamagedEntriesAreMadeAgain) {
  options_.preferHandWritten = false;
  std::vector<ResolvedTile> first = resolve(keys_);
  std::error_code ec;
  int damaged = 0;
  for (llvm::sys::fs::directory_iterator it(cache_.path(), ec), end; it != end;
       it.increment(ec)) {
    if (it->path().find("llvmcache-") == std::string::npos) continue;
    std::ofstream(it->path(), std::ios::trunc) << "damage";
    ++damaged;
  }
  EXPECT_EQ(damaged, int(keys_.size()));
  std::vector<ResolvedTile> second = resolve(keys_);
  expectSame(first, second);
  for (const ResolvedTile& tile : second)
    EXPECT_EQ(tile.origin, Origin::Generated);
  for (const ResolvedTile& tile : resolve(keys_))
    EXPECT_EQ(tile.origin, Origin::Cached);
}

TEST_F(ResolveTest, HandWrittenTilesComeAlone) {
  ASSERT_FALSE(handWrittenTiles().empty());
  std::vector<TileKey> keys;
  // Those of GPUs have tests of their own: tests/amdgpu.
  for (const HandWrittenTile& tile : handWrittenTiles())
    if (!info(tile.key.isa).isAmdgpu()) keys.push_back(tile.key);
  for (Emit kind : {Emit::Bitcode, Emit::Object, Emit::Object}) {
    options_.kind = kind;
    std::vector<ResolvedTile> tiles = resolve(keys);
    ASSERT_EQ(tiles.size(), keys.size());
    for (const ResolvedTile& tile : tiles) {
      EXPECT_EQ(tile.origin, Origin::HandWritten) << tile.name;
      EXPECT_FALSE(tile.bytes.empty()) << tile.name;
    }
  }
  options_.preferHandWritten = false;
  EXPECT_EQ(resolve({keys[0]})[0].origin, Origin::Generated);
}

TEST_F(ResolveTest, AllErrorsAreReported) {
  options_.generate.plan = "idiom=nonsense";
  options_.preferHandWritten = false;
  std::string why = errorOf({keys_[0], keys_[1]});
  for (int i : {0, 1})
    EXPECT_NE(why.find(printTileKey(keys_[i]) + ": "), std::string::npos)
        << why;
}

TEST_F(ResolveTest, MissingBitcodeLibraryIsAnError) {
  options_.bitcodeDir = "/nowhere";
  const HandWrittenTile& tile = handWrittenTiles().front();
  std::string why = errorOf({tile.key});
  EXPECT_EQ(why.find(tile.name + ": no bitcode library"), 0u) << why;
}

TEST_F(ResolveTest, BitcodeLibraryOfAnotherVersionIsAnError) {
  testing::ScratchDir dir;
  const HandWrittenTile& tile = handWrittenTiles().front();
  std::ofstream(dir.path("tilewright_ukernels_" +
                         std::string(info(tile.key.isa).name) + ".bc"))
      << "not bitcode";
  options_.bitcodeDir = dir.path();
  std::string why = errorOf({tile.key});
  EXPECT_EQ(why.find(tile.name + ": "), 0u) << why;
}

TEST_F(ResolveTest, CacheDirectoryAskedForMustExist) {
  std::ofstream(cache_.path("file")) << "x";
  options_.cacheDir = cache_.path("file");
  EXPECT_EQ(errorOf(keys_),
            "cache directory '" + options_.cacheDir + "': is not a directory");
}

TEST_F(ResolveTest, CacheThatCannotBeWrittenIsAWarning) {
  options_.preferHandWritten = false;
  // Where the entry should go, there is a directory that is not empty.
  std::string entry =
      cantFail(cacheEntryName(keys_[0], Emit::Object, options_.generate));
  llvm::sys::fs::create_directories(cache_.path("llvmcache-" + entry + "/x"));
  EXPECT_EQ(resolve({keys_[0]})[0].origin, Origin::Generated);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("cannot write"), std::string::npos)
      << warnings_[0];
}

TEST_F(ResolveTest, ReportsProgress) {
  std::vector<size_t> counts;
  options_.progress = [&](size_t done, size_t total) {
    EXPECT_EQ(total, keys_.size());
    counts.push_back(done);
  };
  resolve(keys_);
  std::vector<size_t> expected;
  for (size_t i = 1; i <= keys_.size(); ++i) expected.push_back(i);
  EXPECT_EQ(counts, expected);
}

TEST_F(ResolveTest, PrefixNamesBothOrigins) {
  options_.generate.prefix = "iree_uk";
  TileKey key = handWrittenTiles().front().key;
  ResolvedTile handWritten = resolve({key})[0];
  options_.preferHandWritten = false;
  ResolvedTile generated = resolve({key})[0];
  for (const ResolvedTile& tile : {handWritten, generated}) {
    std::string name = printTileKey(key, "iree_uk");
    EXPECT_EQ(tile.name, name);
    EXPECT_NE(std::string(tile.bytes.begin(), tile.bytes.end()).find(name),
              std::string::npos);
  }
}

}  // namespace
}  // namespace tilewright
