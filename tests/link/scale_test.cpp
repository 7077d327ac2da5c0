// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1000 call sites of 50 names in 100 bitcode modules. The bound asserted here
// only catches a wrong order of growth, on any machine; bench measures the real
// one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/Archive.h"
#include "tests/link/link_test_support.h"
#include "tilewright/Link/Link.h"

namespace tilewright {
namespace {

constexpr int kModules = 100;
constexpr int kSitesPerModule = 10;
constexpr int kNames = 50;
constexpr double kBoundMs = 20000;

std::string tileName(int index) {
  int m0 = 1 + index % 25;
  return index < 25 ? "tw_mmt4d_tile_f32f32f32_" + std::to_string(m0) +
                          "x8x1_x86_64_avx2_fma"
                    : "tw_mmt4d_tile_f32f32f32_" + std::to_string(m0) +
                          "x16x1_x86_64_avx512_base";
}

class ScaleTest : public LinkTest {
 protected:
  void SetUp() override {
    LinkTest::SetUp();
    options_.resolve = resolveOptions();
    options_.resolve.useCache = true;
    options_.resolve.cacheDir = path("cache");
    for (int module = 0; module < kModules; ++module) {
      std::vector<std::string> tiles;
      for (int site = 0; site < kSitesPerModule; ++site)
        tiles.push_back(tileName((module * 7 + site * 3) % kNames));
      std::string caller = "caller" + std::to_string(module);
      inputs_.push_back(
          bitcode(caller + ".bc",
                  callerIr(tiles, caller, "\"target-cpu\"=\"x86-64-v4\"")));
    }
  }

  // Links and prints how long that took.
  LinkReport link(const std::string& what, const std::string& output) {
    auto start = std::chrono::steady_clock::now();
    llvm::Expected<LinkReport> report =
        linkTiles(inputs_, path(output), options_);
    double ms = std::chrono::duration<double, std::milli>(
                    std::chrono::steady_clock::now() - start)
                    .count();
    if (!report) {
      ADD_FAILURE() << errorText(report.takeError());
      return {};
    }
    std::cout << what << ": " << ms << " ms (gather " << report->gatherMs
              << ", resolve " << report->resolveMs << ", link "
              << report->linkMs << ", write " << report->writeMs << "), cached "
              << report->count(Origin::Cached) << ", generated "
              << report->count(Origin::Generated) << ", hand-written "
              << report->count(Origin::HandWritten) << "\n";
    EXPECT_LT(ms, kBoundMs);
    EXPECT_EQ(report->wanted.tiles.size(), size_t{kNames});
    EXPECT_EQ(report->wanted.modules, unsigned{kModules});
    return std::move(*report);
  }

  int definitionsInBitcode(const std::string& output) {
    std::string bytes = readFile(path(output));
    llvm::LLVMContext context;
    auto module = llvm::cantFail(
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, output), context));
    int count = 0;
    for (const llvm::Function& function : *module)
      count += !function.isDeclaration() &&
               looksLikeTileName(function.getName().str());
    return count;
  }

  std::vector<std::string> inputs_;
  LinkOptions options_;
};

TEST_F(ScaleTest, FiftyObjectsForAThousandCallSites) {
  LinkReport cold = link("archive, empty cache", "cold.a");
  EXPECT_EQ(cold.count(Origin::Cached), 0u);
  LinkReport warm = link("archive, warm cache", "warm.a");
  EXPECT_EQ(warm.count(Origin::Generated), 0u);
  EXPECT_EQ(readFile(path("cold.a")), readFile(path("warm.a")));

  std::string bytes = readFile(path("warm.a"));
  auto archive = llvm::cantFail(
      llvm::object::Archive::create(llvm::MemoryBufferRef(bytes, "warm.a")));
  std::multiset<std::string> symbols;
  for (const auto& symbol : archive->symbols())
    symbols.insert(symbol.getName().str());
  EXPECT_EQ(symbols.size(), size_t{kNames});
  for (int i = 0; i < kNames; ++i) EXPECT_EQ(symbols.count(tileName(i)), 1u);
}

TEST_F(ScaleTest, FiftyDefinitionsInOneModule) {
  options_.output = LinkOutput::Bitcode;
  LinkReport cold = link("bitcode, empty cache", "out.bc");
  EXPECT_EQ(cold.remainingCalls, unsigned{kModules * kSitesPerModule});
  link("bitcode, warm cache", "out.bc");
  EXPECT_EQ(definitionsInBitcode("out.bc"), kNames);
  options_.output = LinkOutput::Object;
  link("object, warm cache", "out.o");
}

TEST_F(ScaleTest, InlinedEverywhere) {
  options_.output = LinkOutput::Bitcode;
  options_.inlineTiles = true;
  LinkReport report = link("bitcode, inlined, empty cache", "out.bc");
  EXPECT_EQ(report.inlinedCalls, unsigned{kModules * kSitesPerModule});
  EXPECT_EQ(report.remainingCalls, 0u);
  EXPECT_EQ(definitionsInBitcode("out.bc"), 0);
}

}  // namespace
}  // namespace tilewright
