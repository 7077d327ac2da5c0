// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/ErrorHandling.h"
#include "tests/tiles/random_keys.h"
#include "tilewright/Codegen/TileGenerator.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/FatalErrors.h"

#if defined(__SANITIZE_ADDRESS__)  // gcc
#define TEST_ADDRESS_SANITIZER
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
#define TEST_ADDRESS_SANITIZER
#endif
#endif

namespace tilewright {
namespace {

using testing::randomKeys;
using testing::seedOf;

TileKey keyOf(const std::string& name) {
  ParsedTileKey parsed = parseTileKey(name);
  EXPECT_TRUE(parsed.key) << parsed.error;
  return *parsed.key;
}

std::string generate(TileGenerator& generator, const TileKey& key,
                     Emit kind = Emit::Object,
                     const GenerateOptions& options = {}) {
  llvm::Expected<GeneratedTile> tile = generator.generate(key, kind, options);
  if (!tile) return "error: " + llvm::toString(tile.takeError());
  return std::string(tile->bytes.begin(), tile->bytes.end());
}

std::vector<const IsaInfo*> cpuIsas() {
  std::vector<const IsaInfo*> result;
  for (const IsaInfo& isa : isas())
    if (!isa.isGpu()) result.push_back(&isa);
  return result;
}

// Keys of every CPU ISA and, over the whole list, of every type triple.
std::vector<TileKey> keysOfAllIsas(int perIsa, std::string_view seedName) {
  std::vector<TileKey> keys;
  for (const IsaInfo* isa : cpuIsas())
    for (const TileKey& key : randomKeys(isa->isa, perIsa, seedOf(seedName)))
      keys.push_back(key);
  return keys;
}

size_t residentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

const char kKey[] = "tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma";

TEST(TileGeneratorTest, SameBytesWhateverWasGeneratedBefore) {
  std::vector<TileKey> keys = keysOfAllIsas(3, "determinism");
  TileGenerator warm;
  std::vector<std::string> first, second;
  for (const TileKey& key : keys) first.push_back(generate(warm, key));
  for (size_t i = keys.size(); i-- > 0;)
    second.insert(second.begin(), generate(warm, keys[i]));
  for (size_t i = 0; i < keys.size(); ++i) {
    TileGenerator fresh;
    EXPECT_EQ(first[i].substr(0, 6),
              "\x7f"
              "ELF\2\1")
        << first[i];
    EXPECT_TRUE(first[i] == second[i]) << printTileKey(keys[i]);
    EXPECT_TRUE(first[i] == generate(fresh, keys[i])) << printTileKey(keys[i]);
  }
}

TEST(TileGeneratorTest, MemoryStaysFlat) {
#ifdef TEST_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer keeps what is freed";
#endif
  TileGenerator generator;
  // ISAs in turn: the first kernels set up the code generators of all of them.
  constexpr int kPerIsa = 100;
  const std::vector<TileKey> byIsa = keysOfAllIsas(kPerIsa, "memory");
  ASSERT_EQ(byIsa.size(), kPerIsa * cpuIsas().size());
  std::vector<TileKey> keys;
  for (int i = 0; i < kPerIsa; ++i)
    for (size_t isa = 0; isa < cpuIsas().size(); ++isa)
      keys.push_back(byIsa[isa * kPerIsa + i]);
  // The first context's worth of kernels fills every pool there is.
  size_t i = 0;
  for (; i < 600; ++i) generate(generator, keys[i]);
  size_t before = residentBytes();
  for (; i < keys.size(); ++i) generate(generator, keys[i]);
  size_t after = residentBytes();
  EXPECT_LT(after, before + (size_t{8} << 20))
      << "grew by " << (after - before) / 1024 << " KiB over "
      << keys.size() - 600 << " kernels";
}

TEST(TileGeneratorTest, ObjectsDefineOneFunctionAndNeedNothing) {
  TileGenerator generator;
  for (Lowering lowering : {Lowering::Plan, Lowering::Loops})
    for (const TileKey& key : keysOfAllIsas(10, "symbols")) {
      GenerateOptions options;
      options.lowering = lowering;
      std::string bytes = generate(generator, key, Emit::Object, options);
      auto file = llvm::object::ObjectFile::createObjectFile(
          llvm::MemoryBufferRef(bytes, "object"));
      ASSERT_TRUE(bool(file)) << bytes;
      std::set<std::string> global;
      for (llvm::object::SymbolRef symbol : (*file)->symbols()) {
        uint32_t flags = cantFail(symbol.getFlags());
        EXPECT_FALSE(flags & llvm::object::SymbolRef::SF_Undefined &&
                     !(flags & llvm::object::SymbolRef::SF_FormatSpecific));
        if (flags & llvm::object::SymbolRef::SF_Global)
          global.insert(cantFail(symbol.getName()).str());
      }
      EXPECT_EQ(global, std::set<std::string>{printTileKey(key)});
      for (llvm::object::SectionRef section : (*file)->sections())
        EXPECT_NE(cantFail(section.getName()), ".eh_frame");
    }
}

TEST(TileGeneratorTest, RegistryEntryIsRetained) {
  TileGenerator generator;
  GenerateOptions options;
  options.registryEntry = true;
  std::string bytes = generate(generator, keyOf(kKey), Emit::Object, options);
  auto file = cantFail(llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, "object")));
  const auto& elf = llvm::cast<llvm::object::ELF64LEObjectFile>(*file);
  int found = 0;
  for (llvm::object::ELFSectionRef section : elf.sections()) {
    if (cantFail(section.getName()) != "tw_tiles") continue;
    ++found;
    EXPECT_EQ(section.getSize(), 16u);
    EXPECT_TRUE(section.getFlags() & llvm::ELF::SHF_GNU_RETAIN);
    EXPECT_TRUE(section.getFlags() & llvm::ELF::SHF_ALLOC);
  }
  EXPECT_EQ(found, 1);
  EXPECT_NE(bytes.find(std::string(kKey) + '\0'), std::string::npos);
}

TEST(TileGeneratorTest, EveryStagePrints) {
  TileGenerator generator;
  TileKey key = keyOf(kKey);
  EXPECT_EQ(generate(generator, key, Emit::Keys), std::string(kKey) + "\n");
  EXPECT_EQ(generate(generator, key, Emit::Plan).substr(0, 6), "idiom=");
  auto contains = [&](Emit kind, const std::string& text) {
    std::string printed = generate(generator, key, kind);
    EXPECT_NE(printed.find(text), std::string::npos) << printed;
  };
  contains(Emit::Linalg, "linalg.mmt4d");
  contains(Emit::Vector, "vector.fma");
  contains(Emit::LLVM, std::string("define void @") + kKey);
  contains(Emit::Asm, "vfmadd231ps");
  EXPECT_EQ(generate(generator, key, Emit::Bitcode).substr(0, 2), "BC");
}

// 512-bit vectors stay whole, though the baseline CPU prefers none that wide.
TEST(TileGeneratorTest, VectorsAreNotSplit) {
  TileGenerator generator;
  std::string text = generate(
      generator, keyOf("tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base"),
      Emit::Asm);
  EXPECT_NE(text.find("%zmm"), std::string::npos) << text;
  EXPECT_EQ(text.find("%ymm"), std::string::npos) << text;
}

TEST(TileGeneratorTest, ErrorsNameTheKey) {
  TileGenerator generator;
  TileKey key = keyOf(kKey);
  GenerateOptions options;
  options.triple = "riscv64-unknown-linux-gnu";
  EXPECT_EQ(generate(generator, key, Emit::Object, options),
            std::string("error: ") + kKey +
                ": target triple 'riscv64-unknown-linux-gnu' is not of the "
                "instruction set's architecture, x86_64");
  options.triple = "nonsense";
  std::string why = generate(generator, key, Emit::Object, options);
  EXPECT_EQ(why.find(std::string("error: ") + kKey + ": target triple"), 0u)
      << why;
  options = {};
  options.plan = "idiom=nonsense";
  why = generate(generator, key, Emit::Object, options);
  EXPECT_EQ(why.find(std::string("error: ") + kKey), 0u) << why;
  // A generator that has failed still works.
  EXPECT_EQ(generate(generator, key).substr(1, 3), "ELF");
  key.k0 = 65;
  EXPECT_EQ(generate(generator, key),
            "error: invalid tile key: K0 is 65, but must be in 1..64");
}

TEST(TileGeneratorTest, OtherArchitectures) {
  TileGenerator generator;
  TileKey key = keyOf("tw_mmt4d_tile_f16f16f32_8x8x2_generic");
  GenerateOptions options;
  for (const char* triple : {"aarch64-linux-gnu", "powerpc64le-linux-gnu",
                             "riscv64-linux-gnu", "loongarch64-linux-gnu",
                             "x86_64-pc-windows-msvc", "arm64-apple-macosx"}) {
    options.triple = triple;
    std::string bytes = generate(generator, key, Emit::Object, options);
    EXPECT_EQ(bytes.find("error"), std::string::npos) << bytes;
  }
}

TEST(FatalErrorsDeathTest, NameTheTool_TheTileAndTheReason) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        installFatalErrorHandler("some-tool");
        CurrentTile tile("the_tile");
        llvm::report_fatal_error("the reason");
      },
      ::testing::ExitedWithCode(1),
      "some-tool: error: the_tile: LLVM's back end refuses it: the reason");
}

TEST(ActivityTest, Nests) {
  EXPECT_EQ(Activity::current(), nullptr);
  CurrentTile outer("outer");
  {
    CurrentTile inner("inner");
    EXPECT_EQ(Activity::current()->name, "inner");
  }
  EXPECT_EQ(Activity::current()->name, "outer");
}

}  // namespace
}  // namespace tilewright
