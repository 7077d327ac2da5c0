// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Resolve/Resolve.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "llvm/Support/Path.h"
#include "tests/generator/resolve_fixture.h"
#include "tests/generator/scratch_dir.h"
#include "tests/tiles/random_keys.h"
#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Resolve/TileCache.h"

namespace tilewright {
namespace {

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
    EXPECT_EQ(tiles[i].key, FunctionKey(keys_[i]));
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

// A caller's plan is the one that is carried out, and only of its key.
TEST_F(ResolveTest, PlansAreNotChosenAgain) {
  options_.useCache = options_.preferHandWritten = false;
  const TileKey key =
      *parseTileKey("tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma").key;
  const TileKey other =
      *parseTileKey("tw_mmt4d_tile_f32f32f32_4x16x1_x86_64_avx2_fma").key;
  const std::string chosen = printTilePlan(llvm::cantFail(planTile(key)));
  const std::string given =
      printTilePlan(llvm::cantFail(planTile(key, "block=2x1")));
  ASSERT_NE(chosen, given);
  std::vector<ResolvedTile> without = resolve({key, other});
  options_.plans = {{key, chosen}};
  expectSame(without, resolve({key, other}));
  options_.plans = {{key, given}};
  std::vector<ResolvedTile> with = resolve({key, other});
  EXPECT_FALSE(with[0].bytes == without[0].bytes);
  EXPECT_TRUE(with[1].bytes == without[1].bytes);
  // What was asked for comes first.
  options_.generate.plan = chosen;
  EXPECT_TRUE(resolve({key})[0].bytes == without[0].bytes);
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
    if (!info(tile.key.isa).isGpu()) keys.push_back(tile.key);
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

// Tiles of the variant `vnni` that are no rows: made from their template, which
// their place in the cache depends on.
class VnniResolveTest : public ResolveTest {
 protected:
  VnniResolveTest() {
    keys_.clear();
    for (const char* name :
         {"tw_mmt4d_tile_s8s8s32_5x40x64_vnni_x86_64_amx_int8",
          "tw_mmt4d_tile_u8s8s32_33x1x64_vnni_x86_64_amx_bf16",
          "tw_mmt4d_tile_bf16bf16bf16_17x32x32_vnni_x86_64_amx_bf16"})
      keys_.push_back(parseTileKey(name).key.value());
  }
};

TEST_F(VnniResolveTest, SameBytesForAnyNumberOfJobsAndFromTheCache) {
  options_.useCache = false;
  options_.jobs = 1;
  std::vector<ResolvedTile> one = resolve(keys_);
  options_.jobs = 3;
  expectSame(one, resolve(keys_));
  options_.useCache = true;
  for (Origin origin : {Origin::Generated, Origin::Cached}) {
    std::vector<ResolvedTile> tiles = resolve(keys_);
    expectSame(one, tiles);
    for (const ResolvedTile& tile : tiles) EXPECT_EQ(tile.origin, origin);
  }
  // With another template nothing of that is found.
  testing::ScratchDir dir;
  std::ofstream(dir.path("tilewright_amx_template.bc")) << "not bitcode";
  options_.bitcodeDir = dir.path();
  std::string why = errorOf({keys_[0]});
  EXPECT_EQ(why.find(printTileKey(keys_[0]) + ": "), 0u) << why;
}

TEST_F(VnniResolveTest, MissingTemplateIsAnError) {
  options_.bitcodeDir = "/nowhere";
  std::string why = errorOf({keys_[0]});
  EXPECT_EQ(why.find(printTileKey(keys_[0]) +
                     ": no template of tiles by AMX: "
                     "'/nowhere/tilewright_amx_template.bc' does not exist"),
            0u)
      << why;
}

// Whatever is wrong with the cache: the kernels come, and one warning.
class CacheTroubleTest : public ResolveTest {
 protected:
  CacheTroubleTest() {
    options_.preferHandWritten = false;
    options_.jobs = 1;
    keys_.resize(6);
  }
  void expectOneWarning(const std::string& why) {
    std::vector<ResolvedTile> tiles = resolve(keys_);
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_EQ(warnings_[0], "kernels are not cached: cache directory '" +
                                options_.cacheDir + "': " + why);
    options_.useCache = false;
    options_.progress = nullptr;
    expectSame(tiles, resolve(keys_));
  }
};

TEST_F(CacheTroubleTest, NoDirectory) {
  options_.cacheDir = cache_.path("file");
  std::ofstream(options_.cacheDir) << "x";
  expectOneWarning("is not a directory");
}

TEST_F(CacheTroubleTest, CannotBeMade) {
  std::ofstream(cache_.path("file")) << "x";
  options_.cacheDir = cache_.path("file/cache");
  expectOneWarning("cannot make it: Not a directory");
}

TEST_F(CacheTroubleTest, NoCache) {
  std::ofstream(cache_.path("thesis.tex")) << "x";
  expectOneWarning(
      "is no cache of Tilewright: it has no CACHEDIR.TAG that says so, and "
      "holds 'thesis.tex'");
}

TEST_F(CacheTroubleTest, DefaultCannotBeMade) {
  std::ofstream(cache_.path("file")) << "x";
  options_.cacheDir.clear();
  ::unsetenv("TILEWRIGHT_CACHE_DIR");
  ::setenv("XDG_CACHE_HOME", cache_.path("file").c_str(), /*overwrite=*/1);
  EXPECT_EQ(resolve(keys_).size(), keys_.size());
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_EQ(warnings_[0], "kernels are not cached: cache directory '" +
                              cache_.path("file/tilewright") +
                              "': cannot make it: Not a directory");
}

TEST_F(CacheTroubleTest, EntryInTheWay) {
  // Where an entry should go, there is a directory that is not empty.
  TileCache cache = cantFail(TileCache::openOrMake(options_.cacheDir));
  for (const TileKey& key : keys_)
    llvm::sys::fs::create_directories(
        cache.path(cantFail(cacheKey(key, Emit::Object, options_.generate))) +
        "/x");
  expectOneWarning("cannot write: Is a directory");
}

TEST_F(CacheTroubleTest, ReadOnly) {
  // Not for root, who may write everywhere: as nobody, for a while.
  ASSERT_EQ(::chmod(cache_.path().c_str(), 0555), 0);
  const uid_t user = ::geteuid();
  if (user == 0) ASSERT_EQ(::seteuid(65534), 0);
  expectOneWarning("cannot write: Permission denied");
  if (user == 0) ASSERT_EQ(::seteuid(0), 0);
  EXPECT_TRUE(llvm::sys::fs::is_directory(cache_.path()));
}

TEST_F(CacheTroubleTest, RemovedMeanwhile) {
  options_.progress = [&](size_t done, size_t) {
    if (done == 3) llvm::sys::fs::remove_directories(cache_.path());
  };
  expectOneWarning("cannot write: No such file or directory");
}

// As on a full disk or at a quota: writing ends in the middle of an entry.
TEST_F(CacheTroubleTest, NoRoom) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit least = before;
  least.rlim_cur = 600;  // the tag fits
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &least), 0);
  expectOneWarning("cannot write: File too large");
  ::setrlimit(RLIMIT_FSIZE, &before);
  int files = 0;
  std::error_code ec;
  for (llvm::sys::fs::directory_iterator it(cache_.path(), ec), end; it != end;
       it.increment(ec), ++files)
    EXPECT_EQ(llvm::sys::path::filename(it->path()), "CACHEDIR.TAG");
  EXPECT_EQ(files, 1);
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
