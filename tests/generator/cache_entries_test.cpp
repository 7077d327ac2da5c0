// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cache of real kernels, with entries exchanged and damaged: none is used.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "tests/common/seed.h"
#include "tests/generator/scratch_dir.h"
#include "tests/tiles/random_keys.h"
#include "tilewright/Resolve/Resolve.h"
#include "tilewright/Resolve/TileCache.h"

namespace tilewright {
namespace {

using testing::Random;
using testing::randomKeys;
using testing::seedOf;
using testing::seedText;

constexpr int kEntries = 50;

std::string readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}
void writeFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

class CacheEntriesTest : public ::testing::Test {
 protected:
  struct Entry {
    std::string key, path, file;
  };

  static void SetUpTestSuite() {
    dir_ = new testing::ScratchDir();
    tiles_ = new std::vector<ResolvedTile>(resolve());
    cache_ = new TileCache(llvm::cantFail(TileCache::open(dir_->path())));
    entries_ = new std::vector<Entry>();
    for (const ResolvedTile& tile : *tiles_) {
      const std::string key =
          llvm::cantFail(cacheKey(tile.key, options().kind, {}));
      const std::string path = cache_->path(key);
      entries_->push_back({key, path, readFile(path)});
    }
  }
  static void TearDownTestSuite() {
    delete entries_;
    delete cache_;
    delete tiles_;
    delete dir_;
  }

  static ResolveOptions options() {
    ResolveOptions options;
    options.cacheDir = dir_->path();
    options.preferHandWritten = false;
    options.jobs = 2;
    return options;
  }
  static std::vector<ResolvedTile> resolve() {
    return llvm::cantFail(resolveTiles(
        randomKeys(TW_ISA_X86_64_AVX2_FMA, kEntries, seedOf("CacheEntries")),
        options()));
  }
  static bool isUsed(const Entry& entry) {
    return cache_->lookup(entry.key).has_value();
  }
  static void restore(const Entry& entry) { writeFile(entry.path, entry.file); }
  // Every key's own kernel, made or found.
  static void expectRightKernels(Origin origin) {
    std::vector<ResolvedTile> tiles = resolve();
    ASSERT_EQ(tiles.size(), tiles_->size());
    for (size_t i = 0; i < tiles.size(); ++i) {
      EXPECT_EQ(tiles[i].origin, origin) << tiles[i].name;
      EXPECT_TRUE(tiles[i].bytes == (*tiles_)[i].bytes) << tiles[i].name;
    }
  }

  static testing::ScratchDir* dir_;
  static TileCache* cache_;
  static std::vector<ResolvedTile>* tiles_;
  static std::vector<Entry>* entries_;
};
testing::ScratchDir* CacheEntriesTest::dir_;
TileCache* CacheEntriesTest::cache_;
std::vector<ResolvedTile>* CacheEntriesTest::tiles_;
std::vector<CacheEntriesTest::Entry>* CacheEntriesTest::entries_;

TEST_F(CacheEntriesTest, EveryPairExchanged) {
  ASSERT_EQ(entries_->size(), size_t{kEntries});
  int pairs = 0, used = 0;
  for (const Entry& a : *entries_)
    for (const Entry& b : *entries_) {
      if (&b <= &a) continue;
      ASSERT_TRUE(isUsed(a) && isUsed(b));
      writeFile(a.path, b.file);
      writeFile(b.path, a.file);
      used += isUsed(a) + isUsed(b);
      restore(a);
      restore(b);
      ++pairs;
    }
  EXPECT_EQ(used, 0);
  EXPECT_EQ(pairs, kEntries * (kEntries - 1) / 2);
  expectRightKernels(Origin::Cached);
}

// All at once, as a run meets them: the kernels are made again, and stored.
TEST_F(CacheEntriesTest, AllExchangedAreMadeAgain) {
  for (size_t i = 0; i < entries_->size(); ++i)
    writeFile((*entries_)[i].path,
              (*entries_)[(i + 1) % entries_->size()].file);
  expectRightKernels(Origin::Generated);
  expectRightKernels(Origin::Cached);
}

TEST_F(CacheEntriesTest, FlippedBytes) {
  const uint64_t seed = seedOf("CacheEntriesTest.FlippedBytes");
  SCOPED_TRACE(seedText(seed));
  Random random(seed);
  // Format, sizes, digest, key and kernel in turn.
  constexpr size_t kFormat = 8, kSizes = 16, kDigest = 32;
  int used = 0, flips = 0;
  for (; flips < 1000; ++flips) {
    const Entry& entry = (*entries_)[random.below(entries_->size())];
    const size_t parts[] = {kFormat, kSizes, kDigest, entry.key.size()};
    size_t begin = 0, size;
    const int part = flips % 5;
    for (int i = 0; i < part; ++i) begin += parts[i];
    size = part < 4 ? parts[part] : entry.file.size() - begin;
    ASSERT_LE(begin + size, entry.file.size());
    const size_t at = begin + random.below(size);
    std::string damaged = entry.file;
    damaged[at] ^= char(1 + random.below(255));
    writeFile(entry.path, damaged);
    if (isUsed(entry)) {
      ++used;
      ADD_FAILURE() << "used with another byte " << at << " of "
                    << damaged.size();
    }
    restore(entry);
  }
  EXPECT_EQ(used, 0);
  EXPECT_EQ(flips, 1000);
  expectRightKernels(Origin::Cached);
}

TEST_F(CacheEntriesTest, TruncatedAndExtended) {
  for (const Entry& entry : *entries_) {
    for (size_t size : {size_t{0}, size_t{7}, size_t{55}, entry.file.size() / 2,
                        entry.file.size() - 1}) {
      writeFile(entry.path, entry.file.substr(0, size));
      EXPECT_FALSE(isUsed(entry)) << size << " of " << entry.file.size();
    }
    for (const std::string& more : {std::string(1, '\0'), entry.file}) {
      writeFile(entry.path, entry.file + more);
      EXPECT_FALSE(isUsed(entry)) << more.size() << " more";
    }
    restore(entry);
  }
  expectRightKernels(Origin::Cached);
}

// Another build of the generator may make another kernel.
TEST_F(CacheEntriesTest, OfAnotherBuild) {
  const Entry& entry = entries_->front();
  const std::string::size_type at = entry.key.find("triple=") + 7;
  const std::string triple =
      entry.key.substr(at, entry.key.find('\n', at) - at);
  auto keyOfBuild = [&](llvm::StringRef build) {
    return TileCache::key(tiles_->front().name, options().kind, {}, triple, "",
                          build);
  };
  ASSERT_EQ(keyOfBuild(TileCache::thisBuild()), entry.key);
  const std::string theirs = keyOfBuild("0123456789ABCDEF");
  llvm::cantFail(cache_->store(theirs, tiles_->back().bytes));
  ASSERT_TRUE(cache_->lookup(theirs));
  expectRightKernels(Origin::Cached);
  // Had their key the same name.
  writeFile(entry.path, readFile(cache_->path(theirs)));
  EXPECT_FALSE(isUsed(entry));
  restore(entry);
}

}  // namespace
}  // namespace tilewright
