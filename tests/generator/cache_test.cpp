// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/generator/scratch_dir.h"
#include "tilewright/Codegen/TileCache.h"

namespace tilewright {
namespace {

using llvm::SmallVector;

class TileCacheTest : public ::testing::Test {
 protected:
  TileCache open() {
    llvm::Expected<TileCache> cache = TileCache::open(dir_.path());
    if (!cache) ADD_FAILURE() << llvm::toString(cache.takeError());
    return std::move(*cache);
  }
  static SmallVector<char, 0> bytes(const std::string& text) {
    return SmallVector<char, 0>(text.begin(), text.end());
  }
  static void store(const TileCache& cache, const std::string& entry,
                    const std::string& text) {
    llvm::Error error = cache.store(entry, bytes(text));
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }
  static std::string lookup(const TileCache& cache, const std::string& entry) {
    auto found = cache.lookup(entry);
    return found ? std::string(found->begin(), found->end()) : "(none)";
  }
  std::string file(const std::string& entry) const {
    return dir_.path("llvmcache-" + entry);
  }
  static std::string readFile(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  static void writeFile(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }

  testing::ScratchDir dir_;
};

TEST_F(TileCacheTest, GivesBackWhatWasStored) {
  TileCache cache = open();
  EXPECT_EQ(lookup(cache, "a"), "(none)");
  store(cache, "a", std::string("one\0two", 7));
  store(cache, "b", "");
  EXPECT_EQ(lookup(cache, "a"), std::string("one\0two", 7));
  EXPECT_EQ(lookup(cache, "b"), "");
  store(cache, "a", "three");
  EXPECT_EQ(lookup(open(), "a"), "three");
}

TEST_F(TileCacheTest, DamageIsAbsence) {
  TileCache cache = open();
  store(cache, "a", "a kernel's bytes");
  const std::string good = readFile(file("a"));
  for (size_t size = 0; size < good.size(); ++size) {
    writeFile(file("a"), good.substr(0, size));
    EXPECT_EQ(lookup(cache, "a"), "(none)") << "truncated to " << size;
  }
  writeFile(file("a"), good + "x");
  EXPECT_EQ(lookup(cache, "a"), "(none)") << "too long";
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x10;
    writeFile(file("a"), bad);
    EXPECT_EQ(lookup(cache, "a"), "(none)") << "byte " << i << " damaged";
  }
  store(cache, "a", "again");
  EXPECT_EQ(lookup(cache, "a"), "again");
}

TEST_F(TileCacheTest, EntriesDependOnEverything) {
  GenerateOptions plain, plan, loops, entry;
  plan.plan = "unroll=2";
  loops.lowering = Lowering::Loops;
  entry.registryEntry = true;
  std::vector<std::string> entries = {
      TileCache::entryName("f", Emit::Object, plain, "x86_64"),
      TileCache::entryName("g", Emit::Object, plain, "x86_64"),
      TileCache::entryName("f", Emit::Bitcode, plain, "x86_64"),
      TileCache::entryName("f", Emit::Object, plan, "x86_64"),
      TileCache::entryName("f", Emit::Object, loops, "x86_64"),
      TileCache::entryName("f", Emit::Object, entry, "x86_64"),
      TileCache::entryName("f", Emit::Object, plain, "aarch64"),
      TileCache::entryName("f", Emit::Object, plain, "x86_64", "library")};
  for (size_t i = 0; i < entries.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(entries[i], entries[j]);
  EXPECT_EQ(entries[0],
            TileCache::entryName("f", Emit::Object, plain, "x86_64"));
}

TEST_F(TileCacheTest, PrunesByPolicy) {
  TileCache cache = open();
  for (int i = 0; i < 10; ++i)
    store(cache, std::to_string(i), std::string(1000, 'x'));
  writeFile(dir_.path("not-ours"), "x");
  auto prune = [&](const std::string& policy) {
    llvm::Expected<bool> pruned = cache.prune(policy, /*now=*/true);
    EXPECT_TRUE(bool(pruned)) << llvm::toString(pruned.takeError());
    return cantFail(cache.statistics()).entries;
  };
  EXPECT_EQ(prune("cache_size_files=20"), 10u);
  EXPECT_EQ(prune("cache_size_files=4"), 4u);
  EXPECT_EQ(prune("cache_size_bytes=2200"), 2u);
  EXPECT_TRUE(llvm::sys::fs::exists(dir_.path("not-ours")));
  llvm::Expected<bool> bad = cache.prune("nonsense=1");
  EXPECT_FALSE(bool(bad));
  EXPECT_EQ(llvm::toString(bad.takeError()),
            "cache pruning policy 'nonsense=1': Unknown key: 'nonsense'");
}

TEST_F(TileCacheTest, PrunesAtMostOncePerInterval) {
  TileCache cache = open();
  EXPECT_TRUE(cantFail(cache.prune("prune_interval=1h")));
  EXPECT_FALSE(cantFail(cache.prune("prune_interval=1h")));
  EXPECT_TRUE(cantFail(cache.prune("prune_interval=1h", /*now=*/true)));
}

TEST_F(TileCacheTest, Clears) {
  TileCache cache = open();
  store(cache, "a", "1");
  store(cache, "b", "22");
  TileCache::Statistics removed = cantFail(cache.clear());
  EXPECT_EQ(removed.entries, 2u);
  EXPECT_EQ(cantFail(cache.statistics()).entries, 0u);
  EXPECT_EQ(lookup(cache, "a"), "(none)");
}

TEST_F(TileCacheTest, RefusesAFile) {
  writeFile(dir_.path("file"), "x");
  llvm::Expected<TileCache> cache = TileCache::open(dir_.path("file"));
  ASSERT_FALSE(bool(cache));
  EXPECT_EQ(llvm::toString(cache.takeError()),
            "cache directory '" + dir_.path("file") + "': is not a directory");
}

TEST_F(TileCacheTest, SaysWhyItCannotWrite) {
  TileCache cache = open();
  // Where the entry should go, there is a directory that is not empty.
  llvm::sys::fs::create_directories(file("a") + "/x");
  llvm::Error error = cache.store("a", bytes("x"));
  ASSERT_TRUE(bool(error));
  std::string why = llvm::toString(std::move(error));
  EXPECT_NE(why.find("cache directory '" + dir_.path() + "': cannot write: "),
            std::string::npos)
      << why;
}

// Readers see nothing or one writer's whole entry, never a mixture.
TEST_F(TileCacheTest, ConcurrentWritersAndReaders) {
  // The first to open a cache gets LLVM's signal stack, which must outlive all.
  open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      TileCache cache = open();
      for (int i = 0; i < 50; ++i) {
        std::string entry = std::to_string(i % 5);
        store(cache, entry, std::string(1000 + t, char('a' + t)));
        std::string found = lookup(cache, entry);
        ASSERT_GE(found.size(), 1000u);
        int writer = found.size() - 1000;
        ASSERT_EQ(found, std::string(1000 + writer, char('a' + writer)));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cantFail(open().statistics()).entries, 5u);
}

}  // namespace
}  // namespace tilewright
