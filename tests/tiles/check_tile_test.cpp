// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker checked: right tiles pass, and every kind of wrong tile is found,
// with a message that says what is wrong.

#include "tests/tiles/check_tile.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/tiles/broken_tiles.h"

namespace tilewright::testing {
namespace {

TileKey keyOf(const std::string& name) {
  ParsedTileKey parsed = parseTileKey(name);
  EXPECT_TRUE(parsed.key.has_value()) << parsed.error;
  return parsed.key.value_or(TileKey{});
}

CheckReport check(const std::string& name, tw_mmt4d_tile_fn_t fn) {
  CheckOptions options;
  options.seed = seedOf(name);
  return checkTiles(keyOf(name), {{"self-test", fn}}, options);
}

struct Mutant {
  const char* what;
  const char* tile;
  tw_mmt4d_tile_fn_t fn;
  const char* message;  // the report must contain it; "" for right tiles
};

std::ostream& operator<<(std::ostream& out, const Mutant& m) {
  return out << m.what;
}

constexpr const char* kF32 = "tw_mmt4d_tile_f32f32f32_3x5x2_generic";
constexpr const char* kS8 = "tw_mmt4d_tile_s8s8s32_3x4x4_generic";
constexpr const char* kBf16 = "tw_mmt4d_tile_bf16bf16bf16_2x3x2_generic";
constexpr const char* kBf16Step =
    "tw_mmt4d_tile_bf16bf16bf16_2x3x2_steprnd_generic";

template <Fault F>
constexpr tw_mmt4d_tile_fn_t f32Tile =
    simpleTile<float, float, float, 3, 5, 2, false, F>;
template <Fault F>
constexpr tw_mmt4d_tile_fn_t s8Tile =
    simpleTile<int8_t, int32_t, int32_t, 3, 4, 4, false, F>;
template <Fault F>
constexpr tw_mmt4d_tile_fn_t bf16Tile =
    simpleTile<uint16_t, uint16_t, float, 2, 3, 2, false, F>;
template <Fault F>
constexpr tw_mmt4d_tile_fn_t bf16StepTile =
    simpleTile<uint16_t, uint16_t, float, 2, 3, 2, true, F>;

constexpr const char* kWrong = "elements are wrong";
// What __builtin_trap is: ud2, or brk.
#ifdef __aarch64__
constexpr const char* kTrapped = "trap";
#else
constexpr const char* kTrapped = "illegal instruction";
#endif

const Mutant kMutants[] = {
    {"F32Right", kF32, f32Tile<Fault::kNone>, ""},
    {"S8Right", kS8, s8Tile<Fault::kNone>, ""},
    {"Bf16Right", kBf16, bf16Tile<Fault::kNone>, ""},
    {"Bf16StepRight", kBf16Step, bf16StepTile<Fault::kNone>, ""},

    {"SwapsTwoColumns", kF32, f32Tile<Fault::kSwapsTwoColumns>, kWrong},
    {"DropsLastStep", kS8, s8Tile<Fault::kDropsLastStep>, kWrong},
    {"ReversesK0", kS8, s8Tile<Fault::kReversesK0>, kWrong},
    {"IgnoresAccumulate", kF32, f32Tile<Fault::kIgnoresAccumulate>,
     " accumulate"},
    {"AlwaysAccumulates", kF32, f32Tile<Fault::kAlwaysAccumulates>, kWrong},
    {"AlwaysAccumulatesIntegers", kS8, s8Tile<Fault::kAlwaysAccumulates>,
     kWrong},
    {"SkipsKZero", kF32, f32Tile<Fault::kSkipsKZero>, "K=0"},
    {"ClearsKZeroAccumulate", kS8, s8Tile<Fault::kClearsKZeroAccumulate>,
     "it changed the out tile"},
    {"AddsZeroAtKZero", kF32, f32Tile<Fault::kAddsZeroAtKZero>,
     "it changed the out tile"},
    {"RoundsAtKZero", kBf16, bf16Tile<Fault::kRoundsAtKZero>,
     "it changed the out tile"},
    {"WritesMinusZero", kF32, f32Tile<Fault::kWritesMinusZero>,
     "something else than +0"},
    {"TakesSignedAsUnsigned", kS8, s8Tile<Fault::kTakesSignedAsUnsigned>,
     kWrong},
    {"Saturates", kS8, s8Tile<Fault::kSaturates>, kWrong},
    {"FlushesDenormals", kF32, f32Tile<Fault::kFlushesDenormals>, "denormal"},
    {"TruncatesOutput", kBf16, bf16Tile<Fault::kTruncatesOutput>, kWrong},
    {"RoundsOnlyOnce", kBf16Step, bf16StepTile<Fault::kRoundsOnlyOnce>, kWrong},
    {"RoundsPerStep", kBf16, bf16Tile<Fault::kRoundsPerStep>, kWrong},
    {"SumsInNarrowType", kF32, f32Tile<Fault::kSumsInNarrowType>, kWrong},
    {"SelectsAroundNaN", kF32, f32Tile<Fault::kSelectsAroundNaN>,
     "accepted NaN"},

    {"ReadsPastLhs", kF32, f32Tile<Fault::kReadsPastLhs>,
     "0 bytes past the end of the lhs panel"},
    {"ReadsBeforeLhs", kS8, s8Tile<Fault::kReadsBeforeLhs>,
     "1 bytes before the lhs panel"},
    {"ReadsPastRhs", kS8, s8Tile<Fault::kReadsPastRhs>,
     "0 bytes past the end of the rhs panel"},
    {"ReadsBeforeRhs", kF32, f32Tile<Fault::kReadsBeforeRhs>,
     "4 bytes before the rhs panel"},
    {"WritesPastOut", kF32, f32Tile<Fault::kWritesPastOut>,
     "0 bytes past the end of the out tile"},
    {"WritesBeforeOut", kS8, s8Tile<Fault::kWritesBeforeOut>,
     "4 bytes before the out tile"},
    {"WritesBetweenRows", kF32, f32Tile<Fault::kWritesBetweenRows>,
     "it wrote between the rows of the out tile"},
    {"IgnoresRowStride", kF32, f32Tile<Fault::kIgnoresRowStride>,
     "it wrote between the rows of the out tile"},
    {"ReadsRowStrideAlways", kF32, f32Tile<Fault::kReadsRowStrideAlways>,
     "0 bytes past the end of the parameters"},
    {"ReadsShapeFromParams", kF32, f32Tile<Fault::kReadsShapeFromParams>,
     kWrong},
    {"WritesLhs", kS8, s8Tile<Fault::kWritesLhs>, "it changed the lhs panel"},
    {"WritesRhs", kS8, s8Tile<Fault::kWritesRhs>, "it changed the rhs panel"},
    {"WritesParams", kF32, f32Tile<Fault::kWritesParams>,
     "it changed the parameters"},
    {"NeedsAlignment", kF32, f32Tile<Fault::kNeedsAlignment>, kTrapped},
    {"Traps", kF32, f32Tile<Fault::kTraps>, kTrapped},
};

class MutantTest : public ::testing::TestWithParam<Mutant> {};

TEST_P(MutantTest, FindsTheFault) {
  const Mutant& mutant = GetParam();
  CheckReport report = check(mutant.tile, mutant.fn);
  if (*mutant.message == '\0') {
    EXPECT_TRUE(report.ok()) << report.text();
    EXPECT_GE(report.cases, 40);
    return;
  }
  EXPECT_FALSE(report.ok()) << mutant.what << " was not found";
  EXPECT_NE(report.text().find(mutant.message), std::string::npos)
      << report.text();
}

std::string nameOf(const ::testing::TestParamInfo<Mutant>& info) {
  return info.param.what;
}

INSTANTIATE_TEST_SUITE_P(Mutants, MutantTest, ::testing::ValuesIn(kMutants),
                         nameOf);

// Where the ABI leaves open whether denormals are kept, either passes, unless
// it is known which.
TEST(CheckTileTest, DenormalsAreKeptOrFlushed) {
  const TileKey key =
      keyOf("tw_mmt4d_tile_bf16bf16f32_2x3x2_x86_64_avx512_bf16");
  auto passes = [&](tw_mmt4d_tile_fn_t fn, Denormals denormals) {
    return checkTiles(key, {{"self-test", fn, denormals}}, {}).ok();
  };
  tw_mmt4d_tile_fn_t keeps =
      simpleTile<uint16_t, float, float, 2, 3, 2, false, Fault::kNone>;
  tw_mmt4d_tile_fn_t flushes = simpleTile<uint16_t, float, float, 2, 3, 2,
                                          false, Fault::kFlushesDenormals>;
  EXPECT_TRUE(passes(keeps, Denormals::kEither));
  EXPECT_TRUE(passes(keeps, Denormals::kKept));
  EXPECT_FALSE(passes(keeps, Denormals::kFlushed));
  EXPECT_TRUE(passes(flushes, Denormals::kEither));
  EXPECT_FALSE(passes(flushes, Denormals::kKept));
  EXPECT_TRUE(passes(flushes, Denormals::kFlushed));
}

// The cases of a sampled check meet every K, kind of data, placement and row
// stride, each with ACCUMULATE and without.
TEST(TileCasesTest, MeetEveryValue) {
  for (const char* tile : {kF32, kS8}) {
    const TileKey key = keyOf(tile);
    CheckOptions options;
    options.seed = seedOf(tile);
    std::set<std::pair<int64_t, bool>> steps, paddings;
    std::set<std::pair<DataKind, bool>> kinds;
    std::set<std::pair<BufferPlacement, bool>> placements;
    for (const TileCase& c : casesFor(key, options)) {
      steps.insert({c.K, c.accumulate});
      kinds.insert({c.data, c.accumulate});
      placements.insert({c.placement, c.accumulate});
      paddings.insert({c.rowPadding, c.accumulate});
    }
    for (int64_t K : {0, 1, 2, 3, 64}) {
      EXPECT_TRUE(steps.count({K, false})) << tile << " K=" << K;
      EXPECT_TRUE(steps.count({K, true})) << tile << " K=" << K;
    }
    EXPECT_EQ(steps.size(), 14u) << tile;
    // And any bits in out tiles that stay as they are.
    EXPECT_EQ(kinds.size(), 2 * dataKindsFor(key).size() + 1) << tile;
    EXPECT_TRUE(kinds.count({DataKind::kAnyBits, true})) << tile;
    EXPECT_EQ(placements.size(), 6u) << tile;
    EXPECT_EQ(paddings.size(), 8u) << tile;
  }
}

// However big the tile, K of 0, 1 and 2 are tried.
TEST(TileCasesTest, BigTilesKeepTheFirstCases) {
  const TileKey key = keyOf("tw_mmt4d_tile_s8s8s32_1024x1024x64_generic");
  std::set<int64_t> steps;
  for (const TileCase& c : casesFor(key, {})) steps.insert(c.K);
  EXPECT_EQ(steps, (std::set<int64_t>{0, 1, 2}));
}

TEST(CheckReportTest, ZeroCasesAreAFailure) {
  EXPECT_FALSE(CheckReport{}.ok());
}

}  // namespace
}  // namespace tilewright::testing
