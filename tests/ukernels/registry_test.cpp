// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated tiles join the registry through the section `tw_tiles`. The entries
// of this program are what generated objects would carry.

#include <gtest/gtest.h>

#include <cstring>

#include "tests/ukernels/rows.h"

#ifdef __ELF__

namespace tilewright::testing {
namespace {

// A tile function that leaves its mark.
template <int kMark>
void mark(void* out, const void*, const void*, const tw_mmt4d_params_t*) {
  *static_cast<int32_t*>(out) = kMark;
}

#define TW_TEST_ENTRY(variable, name, mark_value) \
  __attribute__((section("tw_tiles"), used))      \
  const tw_tile_entry_t variable = {name, mark<mark_value>};

TW_TEST_ENTRY(kBase, "tw_mmt4d_tile_u8s8s32_7x48x4_generic", 1)
TW_TEST_ENTRY(kVnni, "tw_mmt4d_tile_u8s8s32_7x48x4_x86_64_avx512_vnni", 2)
TW_TEST_ENTRY(kAvx2, "tw_mmt4d_tile_u8s8s32_7x48x4_x86_64_avx2_fma", 3)
TW_TEST_ENTRY(kRounding, "tw_mmt4d_tile_f16f16f16_7x8x1_steprnd_generic", 4)
TW_TEST_ENTRY(kPrefix, "iree_uk_mmt4d_tile_f64f64f64_7x9x1_generic", 5)
// The key of a hand-written row, for the same ISA and for a better one.
TW_TEST_ENTRY(kTwin, "tw_mmt4d_tile_f32f32f32_6x16x1_x86_64_avx2_fma", 6)
TW_TEST_ENTRY(kBetter, "tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx_vnni", 7)
// Nothing that names a tile.
TW_TEST_ENTRY(kNoTypes, "tw_mmt4d_tile_f32f32f16_1x1x1_generic", 90)
TW_TEST_ENTRY(kNoIsa, "tw_mmt4d_tile_f32f32f32_5x5x1_z80", 91)
TW_TEST_ENTRY(kLeadingZero, "tw_mmt4d_tile_f32f32f32_05x5x1_generic", 92)
TW_TEST_ENTRY(kCut, "tw_mmt4d_tile_f32f32f32_5x5", 93)
TW_TEST_ENTRY(kNoTile, "memcpy", 94)
__attribute__((section("tw_tiles"), used)) const tw_tile_entry_t kEmpty = {};

int markOf(tw_mmt4d_tile_fn_t fn) {
  int32_t out = 0;
  fn(&out, nullptr, nullptr, nullptr);
  return out;
}

struct Found {
  tw_status_t status;
  tw_tile_info_t info;
};

Found find(const char* name, const CpuData& data) {
  const tw_mmt4d_params_t params =
      findParams(parseTileKey(name).key.value(), data.words);
  Found found;
  found.status = tw_find_tile(&params, &found.info);
  return found;
}

TEST(RegistryTest, GeneratedTilesAreFoundBestIsaFirst) {
  const char* const name = "tw_mmt4d_tile_u8s8s32_7x48x4_generic";
  const struct {
    CpuData data;
    int mark;
    tw_isa_t isa;
  } cases[] = {
      {CpuData(), 1, TW_ISA_GENERIC},
      {CpuData::of(TW_ISA_X86_64_AVX2_FMA), 3, TW_ISA_X86_64_AVX2_FMA},
      {CpuData::of(TW_ISA_X86_64_AVX512_BASE), 3, TW_ISA_X86_64_AVX2_FMA},
      {CpuData::all(), 2, TW_ISA_X86_64_AVX512_VNNI},
  };
  for (const auto& c : cases) {
    const Found found = find(name, c.data);
    ASSERT_EQ(found.status, TW_STATUS_OK) << found.info.reason;
    EXPECT_EQ(found.info.origin, TW_TILE_ORIGIN_GENERATED);
    EXPECT_EQ(found.info.isa, c.isa);
    EXPECT_EQ(markOf(found.info.fn), c.mark);
    EXPECT_NE(std::strstr(found.info.reason, "Generated"), nullptr)
        << found.info.reason;
  }
}

TEST(RegistryTest, TheRoundingIsPartOfTheKey) {
  Found found =
      find("tw_mmt4d_tile_f16f16f16_7x8x1_steprnd_generic", CpuData());
  ASSERT_EQ(found.status, TW_STATUS_OK);
  EXPECT_EQ(markOf(found.info.fn), 4);
  found = find("tw_mmt4d_tile_f16f16f16_7x8x1_generic", CpuData());
  EXPECT_EQ(found.status, TW_STATUS_UNSUPPORTED);
}

TEST(RegistryTest, ThePrefixDoesNotMatter) {
  const Found found = find("tw_mmt4d_tile_f64f64f64_7x9x1_generic", CpuData());
  ASSERT_EQ(found.status, TW_STATUS_OK);
  EXPECT_EQ(markOf(found.info.fn), 5);
  EXPECT_STREQ(found.info.name, "iree_uk_mmt4d_tile_f64f64f64_7x9x1_generic");
}

#ifdef __x86_64__
TEST(RegistryTest, HandWrittenWinsWithinAnIsaAndLosesToABetterOne) {
  Found found = find("tw_mmt4d_tile_f32f32f32_6x16x1_generic",
                     CpuData::of(TW_ISA_X86_64_AVX2_FMA));
  ASSERT_EQ(found.status, TW_STATUS_OK);
  EXPECT_EQ(found.info.origin, TW_TILE_ORIGIN_HAND_WRITTEN);
  found = find("tw_mmt4d_tile_f32f32f32_8x8x1_generic",
               CpuData::of(TW_ISA_X86_64_AVX_VNNI));
  ASSERT_EQ(found.status, TW_STATUS_OK);
  EXPECT_EQ(found.info.origin, TW_TILE_ORIGIN_GENERATED);
  EXPECT_EQ(markOf(found.info.fn), 7);
}
#endif

TEST(RegistryTest, EntriesThatNameNoTileAreIgnored) {
  for (const char* name : {"tw_mmt4d_tile_f32f32f32_1x1x1_generic",
                           "tw_mmt4d_tile_f32f32f32_5x5x1_generic"})
    EXPECT_EQ(find(name, CpuData::all()).status, TW_STATUS_UNSUPPORTED);
}

TEST(RegistryTest, QueriesSeeGeneratedTiles) {
  const CpuData none;
  tw_tile_sizes_t sizes;
  ASSERT_EQ(tw_query_tile_sizes(TW_TYPES_U8S8S32, -1, -1, none.words, &sizes),
            TW_STATUS_OK);
  EXPECT_EQ(sizes.M0, 7);
  EXPECT_EQ(sizes.N0, 48);
  EXPECT_EQ(sizes.K0, 4);
}

// Sizes that exist only with rounding per step are none for who rounds once.
TEST(RegistryTest, QueriesAreForRoundingOnce) {
  const CpuData none;
  tw_tile_sizes_t sizes;
  EXPECT_EQ(tw_query_tile_sizes(TW_TYPES_F16F16F16, -1, -1, none.words, &sizes),
            TW_STATUS_UNSUPPORTED);
}

}  // namespace
}  // namespace tilewright::testing

#endif  // __ELF__
