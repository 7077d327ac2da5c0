// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way to the emulator finds what it is there to find.

#include "tests/cross/emulated_tiles.h"

#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "tests/common/seed.h"
#include "tilewright/Codegen/TileGenerator.h"

namespace tilewright::testing {
namespace {

// As the tests of random keys have it.
constexpr int64_t kBudget = 500'000;

bool always(const TileKey&, size_t) { return true; }

TileKey keyOf(const std::string& name) {
  const ParsedTileKey parsed = parseTileKey(name);
  EXPECT_TRUE(parsed.key.has_value()) << parsed.error;
  return parsed.key.value_or(TileKey{});
}

std::string objectOf(const TileKey& key) {
  TileGenerator generator;
  auto tile = generator.generate(key, Emit::Object);
  EXPECT_TRUE(bool(tile)) << llvm::toString(tile.takeError());
  return tile ? std::string(tile->bytes.data(), tile->bytes.size()) : "";
}

// Where `object` has instructions that compute with vectors, load or store
// them: those that a mistake in a kernel would be in. (What counts the steps is
// left alone: without it a loop may not end.)
std::vector<size_t> vectorInstructions(const std::string& object) {
  std::vector<size_t> offsets;
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(object, "object"));
  EXPECT_TRUE(bool(file)) << llvm::toString(file.takeError());
  for (const auto& section : (*file)->sections()) {
    if (!section.isText()) continue;
    const llvm::StringRef code = llvm::cantFail(section.getContents());
    for (size_t at = 0; at + 4 <= code.size(); at += 4) {
      const uint32_t word = llvm::support::endian::read32le(code.data() + at);
      const uint32_t group = word >> 25 & 0xF;
      const bool computes = (group & 7) == 7, moves = (group & 7) == 6;
      if (computes || moves)
        offsets.push_back(code.data() + at - object.data());
    }
  }
  return offsets;
}

// Where the code of `object` begins.
size_t codeOffset(const std::string& object) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(object, "object"));
  EXPECT_TRUE(bool(file)) << llvm::toString(file.takeError());
  for (const auto& section : (*file)->sections())
    if (section.isText() && section.getSize() != 0)
      return llvm::cantFail(section.getContents()).data() - object.data();
  ADD_FAILURE() << "the object has no code";
  return 0;
}

struct Mutated {
  const char* name;
  const char* model;
};

std::ostream& operator<<(std::ostream& out, const Mutated& mutated) {
  return out << mutated.name;
}

class MutatedTileTest : public ::testing::TestWithParam<Mutated> {};

// Each vector instruction in turn becomes a no-op. The checker need not find
// that: what a no-op replaces may be redundant, or matter for large K only.
TEST_P(MutatedTileTest, IsFound) {
  const TileKey key = keyOf(GetParam().name);
  const std::string object = objectOf(key);
  EmulatedTiles tiles;
  tiles.add(key, 1, kBudget, {{"right", object}});
  const std::vector<size_t> offsets = vectorInstructions(object);
  ASSERT_GT(offsets.size(), 10u);
  for (size_t i = 0; i < offsets.size(); ++i) {
    std::string mutant = object;
    llvm::support::endian::write32le(&mutant[offsets[i]], 0xd503201f);
    tiles.add(key, 1, kBudget, {{"nop" + std::to_string(i), mutant}});
  }
  llvm::Error problem =
      tiles.link(std::string(TW_TEST_SCRATCH) + "/mutated_" + GetParam().name);
  ASSERT_FALSE(bool(problem)) << llvm::toString(std::move(problem));
  const CpuModel* model = nullptr;
  for (const CpuModel& candidate : kCpuModels)
    if (std::string(candidate.name) == GetParam().model) model = &candidate;
  ASSERT_NE(model, nullptr);
  auto outcome = tiles.check(*model, always);
  ASSERT_TRUE(bool(outcome)) << llvm::toString(outcome.takeError());
  EXPECT_EQ(outcome->checked, static_cast<int>(offsets.size()) + 1);
  std::set<std::string> found;
  for (const std::string& failure : outcome->failures) {
    EXPECT_EQ(failure.find("(right)"), std::string::npos) << failure;
    found.insert(failure);
  }
  std::cout << found.size() << " of " << offsets.size() << " found\n";
  EXPECT_GE(found.size(), offsets.size() * 4 / 5);
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, MutatedTileTest,
    ::testing::Values(
        Mutated{"tw_mmt4d_tile_f32f32f32_6x8x1_arm_64_base", "base"},
        Mutated{"tw_mmt4d_tile_s8s8s32_4x8x4_arm_64_dotprod", "dotprod"},
        Mutated{"tw_mmt4d_tile_f32f32f32_4x2vlx1_arm_64_sve", "sve256"}),
    [](const ::testing::TestParamInfo<Mutated>& test) {
      return std::string(test.param.name);
    });

TEST(ForeignInstructionTest, IsNamed) {
  const IsaInfo& sve = info(TW_ISA_ARM_64_SVE);
  const std::string object =
      objectOf(keyOf("tw_mmt4d_tile_f32f32f32_4x2vlx1_arm_64_sve"));
  EXPECT_EQ(foreignInstruction(object, sve, "+neon,+fullfp16,+sve"), "");
  EXPECT_NE(foreignInstruction(object, sve, "+neon,+fullfp16").find("0x"),
            std::string::npos);
}

TEST(EmulatedTilesTest, NamesTheKeyThatKillsTheProcess) {
  // Faults are caught; an exit is not.
  const TileKey key = keyOf("tw_mmt4d_tile_f32f32f32_4x4x1_arm_64_base");
  std::string object = objectOf(key);
  // mov x8, #94; svc #0: exit_group, where the code begins.
  const size_t code = codeOffset(object);
  llvm::support::endian::write32le(&object[code], 0xd2800bc8);
  llvm::support::endian::write32le(&object[code + 4], 0xd4000001);
  EmulatedTiles tiles;
  tiles.add(key, 1, kBudget, {{"generated", object}});
  llvm::Error problem =
      tiles.link(std::string(TW_TEST_SCRATCH) + "/kills_the_process");
  ASSERT_FALSE(bool(problem)) << llvm::toString(std::move(problem));
  auto outcome = tiles.check(*modelsFor(info(key.isa)).front(), always);
  ASSERT_TRUE(bool(outcome)) << llvm::toString(outcome.takeError());
  ASSERT_FALSE(outcome->failures.empty());
  EXPECT_NE(outcome->failures[0].find(printTileKey(key)), std::string::npos);
  EXPECT_NE(outcome->failures[0].find("the process died"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::testing
