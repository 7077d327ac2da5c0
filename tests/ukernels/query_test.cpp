// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gtest/gtest.h>

#include <set>

#include "tests/ukernels/rows.h"

namespace tilewright::testing {
namespace {

const tw_index_t kExtents[] = {-1, 0, 1, 2, 3, 4, 7, 8, 16, 17, 100, 4096};

// Over every ISA's CPU, every triple and many extents: a tile that is handed
// out is found, runs there, and is none where no row can run.
TEST(QueryTest, HandsOutOnlyTilesThatExistAndCanRun) {
  const auto rows = keyedRows();
  for (const IsaInfo& isa : isas()) {
    const CpuData data = CpuData::of(isa.isa);
    for (const TypeTripleInfo& types : typeTriples()) {
      bool any = false;
      for (const KeyedRow& row : rows)
        any |= row.key.types == types.value &&
               row.key.rounding == Rounding::kOnce && !row.key.vnni &&
               tw_isa_available(row.key.isa, data.words);
      for (tw_index_t m : kExtents)
        for (tw_index_t n : {-1, 1, 16, 100}) {
          tw_tile_sizes_t sizes = {-7, -7, -7};
          const tw_status_t status =
              tw_query_tile_sizes(types.value, m, n, data.words, &sizes);
          ASSERT_EQ(status, any ? TW_STATUS_OK : TW_STATUS_UNSUPPORTED)
              << types.name << " on " << isa.name;
          if (!any) {
            EXPECT_EQ(sizes.M0, -7) << "written in spite of an error";
            continue;
          }
          const TileKey key{types.value, sizes.M0,        sizes.N0,
                            sizes.K0,    Rounding::kOnce, isa.isa};
          const tw_mmt4d_params_t params = findParams(key, data.words);
          tw_tile_info_t found;
          ASSERT_EQ(tw_find_tile(&params, &found), TW_STATUS_OK)
              << found.reason;
        }
    }
  }
}

// The rows of this architecture that the next tests are about.
#if defined(__x86_64__)
constexpr tw_isa_t kF32 = TW_ISA_X86_64_AVX512_BASE;
constexpr int kWideTile = 256;  // elements of its largest f32 tile, at least
struct {
  tw_isa_t isa;
  int k0;
} constexpr kS8[] = {{TW_ISA_X86_64_AVX512_BASE, 2},
                     {TW_ISA_X86_64_AVX512_VNNI, 4}};
#elif defined(__aarch64__)
constexpr tw_isa_t kF32 = TW_ISA_ARM_64_BASE;
constexpr int kWideTile = 96;
struct {
  tw_isa_t isa;
  int k0;
} constexpr kS8[] = {{TW_ISA_ARM_64_BASE, 2},
                     {TW_ISA_ARM_64_DOTPROD, 4},
                     {TW_ISA_ARM_64_I8MM, 8}};
#endif

#if defined(__x86_64__) || defined(__aarch64__)

#ifdef __x86_64__
// Narrow outputs: the sizes also serve who rounds per step.
TEST(QueryTest, Bf16SizesExistInBothRoundings) {
  const CpuData data = CpuData::of(TW_ISA_X86_64_AVX512_BF16);
  for (tw_index_t m : kExtents) {
    tw_tile_sizes_t sizes;
    ASSERT_EQ(
        tw_query_tile_sizes(TW_TYPES_BF16BF16BF16, m, -1, data.words, &sizes),
        TW_STATUS_OK);
    const TileKey key{TW_TYPES_BF16BF16BF16, sizes.M0,      sizes.N0, sizes.K0,
                      Rounding::kPerStep,    TW_ISA_GENERIC};
    const tw_mmt4d_params_t params = findParams(key, data.words);
    tw_tile_info_t found;
    EXPECT_EQ(tw_find_tile(&params, &found), TW_STATUS_OK) << found.reason;
  }
}
#endif

TEST(QueryTest, NarrowMatricesGetNarrowTilesAndWideOnesWide) {
  const CpuData data = CpuData::of(kF32);
  for (tw_index_t m : {1, 2, 4, 8}) {
    tw_tile_sizes_t sizes;
    ASSERT_EQ(
        tw_query_tile_sizes(TW_TYPES_F32F32F32, m, -1, data.words, &sizes),
        TW_STATUS_OK);
    EXPECT_EQ(sizes.M0, m);
  }
  for (tw_index_t m : {-1, 4096}) {
    tw_tile_sizes_t sizes;
    ASSERT_EQ(tw_query_tile_sizes(TW_TYPES_F32F32F32, m, m, data.words, &sizes),
              TW_STATUS_OK);
    EXPECT_GE(sizes.M0 * sizes.N0, kWideTile);
  }
}

TEST(QueryTest, TheBetterInstructionWins) {
  for (const auto& s8 : kS8) {
    tw_tile_sizes_t sizes;
    ASSERT_EQ(tw_query_tile_sizes(TW_TYPES_S8S8S32, -1, -1,
                                  CpuData::of(s8.isa).words, &sizes),
              TW_STATUS_OK);
    EXPECT_EQ(sizes.K0, s8.k0) << info(s8.isa).name;
  }
}

#endif

TEST(QueryTest, NullCpuDataStandsForThisCpu) {
  uint64_t detected[TW_CPU_DATA_WORDS];
  tw_cpu_detect(detected);
  for (const TypeTripleInfo& types : typeTriples()) {
    tw_tile_sizes_t here = {0, 0, 0}, there = {0, 0, 0};
    EXPECT_EQ(tw_query_tile_sizes(types.value, 100, 100, nullptr, &here),
              tw_query_tile_sizes(types.value, 100, 100, detected, &there));
    EXPECT_EQ(here.M0, there.M0);
    EXPECT_EQ(here.N0, there.N0);
    EXPECT_EQ(here.K0, there.K0);
  }
}

TEST(QueryTest, RefusesUnknownTypesAndNull) {
  tw_tile_sizes_t sizes;
  EXPECT_EQ(tw_query_tile_sizes(static_cast<tw_type_triple_t>(0), 1, 1, nullptr,
                                &sizes),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_query_tile_sizes(static_cast<tw_type_triple_t>(0x101), 1, 1,
                                nullptr, &sizes),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tw_query_tile_sizes(TW_TYPES_F32F32F32, 1, 1, nullptr, nullptr),
            TW_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tilewright::testing
