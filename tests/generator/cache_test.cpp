// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include "tests/generator/scratch_dir.h"
#include "tilewright/Resolve/TileCache.h"

namespace tilewright {
namespace {

using llvm::SmallVector;

class TileCacheTest : public ::testing::Test {
 protected:
  TileCache open() {
    llvm::Expected<TileCache> cache = TileCache::openOrMake(dir_.path());
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
  // Why there is no cache in `directory`.
  static std::string whyNot(const std::string& directory,
                            bool mayMake = false) {
    llvm::Expected<TileCache> cache =
        mayMake ? TileCache::openOrMake(directory) : TileCache::open(directory);
    return cache ? "" : llvm::toString(cache.takeError());
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    std::error_code ec;
    for (llvm::sys::fs::directory_iterator it(dir_.path(), ec), end;
         it != end && !ec; it.increment(ec))
      names.insert(llvm::sys::path::filename(it->path()).str());
    return names;
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
  const std::string file = cache.path("a"), good = readFile(file);
  for (size_t size = 0; size < good.size(); ++size) {
    writeFile(file, good.substr(0, size));
    EXPECT_EQ(lookup(cache, "a"), "(none)") << "truncated to " << size;
  }
  writeFile(file, good + "x");
  EXPECT_EQ(lookup(cache, "a"), "(none)") << "too long";
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x10;
    writeFile(file, bad);
    EXPECT_EQ(lookup(cache, "a"), "(none)") << "byte " << i << " damaged";
  }
  store(cache, "a", "again");
  EXPECT_EQ(lookup(cache, "a"), "again");
}

TEST_F(TileCacheTest, KeysDependOnEverything) {
  GenerateOptions plain, plan, loops, entry;
  plan.plan = "unroll=2";
  loops.lowering = Lowering::Loops;
  entry.registryEntry = true;
  std::vector<std::string> keys = {
      TileCache::key("f", Emit::Object, plain, "x86_64"),
      TileCache::key("g", Emit::Object, plain, "x86_64"),
      TileCache::key("f", Emit::Bitcode, plain, "x86_64"),
      TileCache::key("f", Emit::Object, plan, "x86_64"),
      TileCache::key("f", Emit::Object, loops, "x86_64"),
      TileCache::key("f", Emit::Object, entry, "x86_64"),
      TileCache::key("f", Emit::Object, plain, "aarch64"),
      TileCache::key("f", Emit::Object, plain, "x86_64", "library"),
      TileCache::key("f", Emit::Object, plain, "x86_64", "", "other build")};
  TileCache cache = open();
  std::set<std::string> paths;
  for (const std::string& key : keys) {
    EXPECT_TRUE(paths.insert(cache.path(key)).second) << key;
    EXPECT_EQ(lookup(cache, key), "(none)") << key;
    store(cache, key, key);
  }
  for (const std::string& key : keys) EXPECT_EQ(lookup(cache, key), key);
  EXPECT_EQ(keys[0], TileCache::key("f", Emit::Object, plain, "x86_64"));
  EXPECT_EQ(keys[0], TileCache::key("f", Emit::Object, plain, "x86_64", "",
                                    TileCache::thisBuild()));
}

// Two builds differ in the bytes of the program.
TEST_F(TileCacheTest, ABuildIsTheProgramsBytes) {
  static int anchor;
  const std::string program =
      llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  EXPECT_EQ(TileCache::thisBuild(),
            llvm::utohexstr(llvm::xxh3_64bits(readFile(program))));
}

// Another key's entry under this key's name: hashes of names are not trusted.
TEST_F(TileCacheTest, AnEntryOfAnotherKeyIsAbsence) {
  TileCache cache = open();
  store(cache, "a", "one");
  store(cache, "b", "two");
  const std::string a = readFile(cache.path("a"));
  writeFile(cache.path("a"), readFile(cache.path("b")));
  writeFile(cache.path("b"), a);
  EXPECT_EQ(lookup(cache, "a"), "(none)");
  EXPECT_EQ(lookup(cache, "b"), "(none)");
  // What is the key and what the bytes is not the reader's to say.
  writeFile(cache.path("ao"), a);
  EXPECT_EQ(lookup(cache, "ao"), "(none)");
  store(cache, "a", "one");
  store(cache, "b", "two");
  EXPECT_EQ(lookup(cache, "a"), "one");
  EXPECT_EQ(lookup(cache, "b"), "two");
}

// As versions before this one wrote them: a header of 24 bytes, then the bytes.
TEST_F(TileCacheTest, EntriesOfTheFirstFormatAreAbsence) {
  TileCache cache = open();
  const std::string bytes = "a kernel's bytes";
  auto number = [](uint64_t value) {
    std::string text;
    for (int i = 0; i < 8; ++i) text += char(value >> 8 * i);
    return text;
  };
  writeFile(cache.path("a"), "TWTILE01" + number(bytes.size()) +
                                 number(llvm::xxh3_64bits(bytes)) + bytes);
  EXPECT_EQ(lookup(cache, "a"), "(none)");
  store(cache, "a", bytes);
  EXPECT_EQ(lookup(cache, "a"), bytes);
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
  std::set<std::string> kept = {"CACHEDIR.TAG"};
  for (const char* name :
       {"not-ours", "llvmcache-0123456789ABCDEF0123456789ABCDEF01234567",
        "llvmcache-notes", "llvmcache.timestamp"}) {
    writeFile(dir_.path(name), "x");
    kept.insert(name);
  }
  // Of a writer that was killed.
  writeFile(cache.path("c") + ".tmp-0af3c211", "half");
  // What has an entry's name and cannot be one.
  llvm::sys::fs::create_directory(cache.path("d"));
  kept.insert(llvm::sys::path::filename(cache.path("d")).str());
  TileCache::Statistics removed = cantFail(cache.clear());
  EXPECT_EQ(removed.entries, 2u);
  EXPECT_EQ(cantFail(cache.statistics()).entries, 0u);
  EXPECT_EQ(lookup(cache, "a"), "(none)");
  EXPECT_EQ(files(), kept);
}

TEST_F(TileCacheTest, RefusesAFile) {
  const std::string file = dir_.path("file");
  writeFile(file, "x");
  for (bool mayMake : {false, true})
    EXPECT_EQ(whyNot(file, mayMake),
              "cache directory '" + file + "': is not a directory");
}

TEST_F(TileCacheTest, OpensNothingThatIsNotThere) {
  const std::string missing = dir_.path("missing");
  EXPECT_EQ(whyNot(missing),
            "cache directory '" + missing + "': No such file or directory");
  EXPECT_EQ(files(), std::set<std::string>{});
  EXPECT_EQ(whyNot(missing + "/deep", /*mayMake=*/true), "");
  EXPECT_EQ(whyNot(missing + "/deep"), "");
}

TEST_F(TileCacheTest, ForeignDirectoriesAreNoCaches) {
  // Names that resemble: of a ThinLTO cache, too short, another tool's tag.
  for (const char* name :
       {"thesis.tex", "llvmcache-0123456789ABCDEF0123456789ABCDEF01234567",
        "llvmcache-0123", "llvmcache-0123456789abcdef0123456789abcdeX"}) {
    writeFile(dir_.path(name), "x");
    for (bool mayMake : {false, true})
      EXPECT_EQ(whyNot(dir_.path(), mayMake),
                "cache directory '" + dir_.path() +
                    "': is no cache of Tilewright: it has no CACHEDIR.TAG that "
                    "says so, and holds '" +
                    name + "'");
    EXPECT_EQ(files(), std::set<std::string>{name});
    llvm::sys::fs::remove(dir_.path(name));
  }
  writeFile(dir_.path("CACHEDIR.TAG"),
            "Signature: 8a477f597d28d172789f06886806bc55\n# Of ccache.\n");
  EXPECT_NE(whyNot(dir_.path(), /*mayMake=*/true), "");
  EXPECT_EQ(files(), std::set<std::string>{"CACHEDIR.TAG"});
}

TEST_F(TileCacheTest, CachesHaveATag) {
  store(open(), "a", "1");
  EXPECT_EQ(readFile(dir_.path("CACHEDIR.TAG"))
                .find("Signature: 8a477f597d28d172789f06886806bc55\n"),
            0u);
  // It is one, whatever else is put there.
  writeFile(dir_.path("not-ours"), "x");
  EXPECT_EQ(whyNot(dir_.path()), "");
  EXPECT_EQ(lookup(open(), "a"), "1");
}

// As versions before this one left them.
TEST_F(TileCacheTest, CachesWithoutATag) {
  EXPECT_EQ(whyNot(dir_.path()), "");
  TileCache cache = open();
  store(cache, "a", "1");
  llvm::sys::fs::remove(dir_.path("CACHEDIR.TAG"));
  writeFile(dir_.path("llvmcache.timestamp"), "");
  writeFile(cache.path("b") + ".temp-stream-0af3c2", "half");
  EXPECT_EQ(whyNot(dir_.path()), "");
  EXPECT_EQ(lookup(open(), "a"), "1");
  EXPECT_EQ(files().count("CACHEDIR.TAG"), 0u) << "looking makes nothing";
  store(open(), "b", "2");
  EXPECT_EQ(files().count("CACHEDIR.TAG"), 1u);
}

// No other process's temporary file stands in the way of one that comes after.
TEST_F(TileCacheTest, ACacheThatIsBeingMadeIsOne) {
  writeFile(dir_.path("CACHEDIR.TAG.tmp-0af3c211"), "Signature: 8a47");
  EXPECT_EQ(whyNot(dir_.path(), /*mayMake=*/true), "");
}

TEST_F(TileCacheTest, SaysWhyItCannotWrite) {
  TileCache cache = open();
  // Where the entry should go, there is a directory that is not empty.
  llvm::sys::fs::create_directories(cache.path("a") + "/x");
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
