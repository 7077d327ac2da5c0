// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every row of ukernels/amdgpu/mmt4d_tiles.def, called directly under the wave
// emulator: the bitcode that is shipped, against the reference. Sharded, so
// that ctest can run the shards side by side.

#include <gtest/gtest.h>

#include "llvm/Support/MemoryBuffer.h"
#include "tests/amdgpu/emulated_tile.h"
#include "tests/tiles/random_keys.h"
#include "tests/tiles/shards.h"
#include "tilewright/Registry/Registry.h"

namespace tilewright::testing {
namespace {

constexpr int kShards = 8;

// Each K with and without ACCUMULATE, the rest taking turns. Tiles have up to
// eight K steps in flight: 7, 9 and 17 are on either side of one and two
// rounds.
std::vector<WaveCase> casesFor(const TileKey& key, uint64_t seed) {
  Random random(seed);
  const std::vector<DataKind> kinds = dataKindsFor(key);
  constexpr int64_t kOdd[] = {3, 5, 7, 9, 17};
  const int64_t odd = kOdd[random.below(std::size(kOdd))];
  size_t turn = random.below(kinds.size());
  std::vector<WaveCase> cases;
  for (int64_t K : {int64_t{0}, int64_t{1}, int64_t{2}, odd, int64_t{64}}) {
    const bool first = random.chance(0.5);
    for (bool accumulate : {first, !first}) {
      // The long one once.
      if (K == 64 && accumulate != first) continue;
      WaveCase c;
      c.K = K;
      c.data = kinds[turn++ % kinds.size()];
      if (K == 0 && accumulate) c.data = DataKind::kAnyBits;
      c.accumulate = accumulate;
      c.rowPadding = random.chance(0.5) ? random.between(0, 9) : -1;
      c.misalignment =
          random.chance(0.5) ? static_cast<int>(random.between(1, 5)) : 0;
      c.schedule = static_cast<unsigned>(cases.size() % 3);
      c.seed = random.next();
      cases.push_back(c);
    }
  }
  return cases;
}

std::vector<const HandWrittenTile*> rowsOf(tw_isa_t isa) {
  std::vector<const HandWrittenTile*> rows;
  for (const HandWrittenTile& tile : handWrittenTiles())
    if (tile.key.isa == isa) rows.push_back(&tile);
  return rows;
}

class HandWrittenWaveTest : public ::testing::TestWithParam<Shard> {};

TEST_P(HandWrittenWaveTest, KeepTheContract) {
  const IsaInfo& isa = info(GetParam().isa);
  llvm::Expected<std::string> path =
      handWrittenBitcodePath(isa.isa, TW_TEST_BITCODE_DIR);
  ASSERT_TRUE(bool(path)) << llvm::toString(path.takeError());
  auto buffer = llvm::MemoryBuffer::getFile(*path);
  ASSERT_TRUE(bool(buffer)) << *path;
  emulator::EmulatorOptions options;
  options.gfx = isa.name.substr(std::string_view("amdgpu_").size());
  auto emulator =
      emulator::Emulator::create((*buffer)->getMemBufferRef(), options);
  ASSERT_TRUE(bool(emulator)) << llvm::toString(emulator.takeError());
  const std::vector<const HandWrittenTile*> rows = rowsOf(isa.isa);
  int checked = 0;
  for (size_t i = GetParam().number; i < rows.size(); i += kShards) {
    const HandWrittenTile& row = *rows[i];
    const uint64_t seed = seedOf(row.name);
    for (const WaveCase& c : casesFor(row.key, seed))
      EXPECT_EQ(checkWaveTile(**emulator, row.name, row.key, c), "")
          << row.name << " " << describe(c) << " " << seedText(seed);
    ++checked;
  }
  EXPECT_GT(checked, 0) << "no row was checked";
}

INSTANTIATE_TEST_SUITE_P(Shards, HandWrittenWaveTest,
                         ::testing::ValuesIn(shardsOf(kShards,
                                                      [](const IsaInfo& isa) {
                                                        return isa.isGpu();
                                                      })),
                         shardName);

}  // namespace
}  // namespace tilewright::testing
