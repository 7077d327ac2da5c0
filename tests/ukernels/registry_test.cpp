// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated tiles join the registry through the section `tw_tiles`. The entries
// of this program are what generated objects would carry.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <string>

#include "tests/ukernels/rows.h"
#include "ukernels/core.h"

// Two ISAs of this architecture, the better first, and one between them.
#if defined(__x86_64__)
#define TW_TEST_BEST "x86_64_avx512_vnni"
#define TW_TEST_BETTER "x86_64_avx512_base"
#define TW_TEST_GOOD "x86_64_avx2_fma"
#define TW_TEST_FOREIGN "arm_64_sve"
#elif defined(__aarch64__)
#define TW_TEST_BEST "arm_64_i8mm"
#define TW_TEST_BETTER "arm_64_fp16fml"
#define TW_TEST_GOOD "arm_64_base"
#define TW_TEST_FOREIGN "x86_64_avx2_fma"
#elif defined(__riscv)
#define TW_TEST_BEST "riscv_64_zvfbfwma"
#define TW_TEST_BETTER "riscv_64_zvfh"
#define TW_TEST_GOOD "riscv_64_v"
#define TW_TEST_FOREIGN "x86_64_avx2_fma"
#endif

#if defined(__ELF__) && defined(TW_TEST_BEST)

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
TW_TEST_ENTRY(kBest, "tw_mmt4d_tile_u8s8s32_7x48x4_" TW_TEST_BEST, 2)
TW_TEST_ENTRY(kGood, "tw_mmt4d_tile_u8s8s32_7x48x4_" TW_TEST_GOOD, 3)
TW_TEST_ENTRY(kForeign, "tw_mmt4d_tile_f8e5m2f8e5m2f32_7x11x1_" TW_TEST_FOREIGN,
              8)
TW_TEST_ENTRY(kRounding, "tw_mmt4d_tile_f16f16f16_7x8x1_steprnd_generic", 4)
TW_TEST_ENTRY(kPrefix, "iree_uk_mmt4d_tile_f64f64f64_7x9x1_generic", 5)
// The key of a hand-written tile, for the same ISA and for a better one.
#ifdef __x86_64__
TW_TEST_ENTRY(kTwin, "tw_mmt4d_tile_f32f32f32_6x16x1_x86_64_avx2_fma", 6)
TW_TEST_ENTRY(kBetter, "tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx_vnni", 7)
#endif
#ifdef __aarch64__
// Of sizes that depend on the machine, in one and in both dimensions.
TW_TEST_ENTRY(kSve, "tw_mmt4d_tile_s32s32s32_7x3vlx1_arm_64_sve", 10)
TW_TEST_ENTRY(kSme, "tw_mmt4d_tile_s32s32s32_1vlx5vlx1_arm_64_sme", 11)
TW_TEST_ENTRY(kSve2, "tw_mmt4d_tile_s32s32s32_7x3vlx1_arm_64_sve2", 12)
TW_TEST_ENTRY(kF64, "tw_mmt4d_tile_f64f64f64_13x7vlx1_arm_64_sve", 13)
// Equal sizes on vectors of 128 bits.
TW_TEST_ENTRY(kNeon, "tw_mmt4d_tile_f16f16f32_13x28x1_arm_64_base", 14)
TW_TEST_ENTRY(kVector, "tw_mmt4d_tile_f16f16f32_13x7vlx1_arm_64_sve", 15)
#endif
// Nothing that names a tile.
TW_TEST_ENTRY(kNoTypes, "tw_mmt4d_tile_f32f32f16_1x1x1_generic", 90)
TW_TEST_ENTRY(kNoIsa, "tw_mmt4d_tile_f32f32f32_5x5x1_z80", 91)
TW_TEST_ENTRY(kLeadingZero, "tw_mmt4d_tile_f32f32f32_05x5x1_generic", 92)
TW_TEST_ENTRY(kCut, "tw_mmt4d_tile_f32f32f32_5x5", 93)
TW_TEST_ENTRY(kNoTile, "memcpy", 94)
__attribute__((section("tw_tiles"), used)) const tw_tile_entry_t kEmpty = {};

// One behind more than the library remembers of (registry.c).
struct Many {
  tw_tile_entry_t none[600];
  tw_tile_entry_t last[2];
};
__attribute__((section("tw_tiles"), used))
const Many kMany = {{},
                    {{"tw_mmt4d_tile_s16s8s32_11x13x1_generic", mark<20>},
                     {"tw_mmt4d_tile_s16s8s32_11x17x1_generic", mark<21>}}};

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
  const tw_isa_t good = findIsa(TW_TEST_GOOD)->isa;
  const tw_isa_t best = findIsa(TW_TEST_BEST)->isa;
  const struct {
    CpuData data;
    int mark;
    tw_isa_t isa;
  } cases[] = {
      {CpuData(), 1, TW_ISA_GENERIC},
      {CpuData::of(good), 3, good},
      {CpuData::of(findIsa(TW_TEST_BETTER)->isa), 3, good},
      {CpuData::all(), 2, best},
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

TEST(RegistryTest, TilesOfAnotherArchitectureAreNot) {
  const Found found =
      find("tw_mmt4d_tile_f8e5m2f8e5m2f32_7x11x1_generic", CpuData::all());
  EXPECT_EQ(found.status, TW_STATUS_UNSUPPORTED);
  tw_tile_sizes_t sizes;
  EXPECT_EQ(tw_query_tile_sizes(TW_TYPES_F8E5M2F8E5M2F32, 7, 11,
                                CpuData::all().words, &sizes),
            TW_STATUS_UNSUPPORTED);
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

TEST(RegistryTest, ThereIsNoMostNumberOfEntries) {
  Found found = find("tw_mmt4d_tile_s16s8s32_11x13x1_generic", CpuData());
  ASSERT_EQ(found.status, TW_STATUS_OK) << found.info.reason;
  EXPECT_EQ(markOf(found.info.fn), 20);
  found = find("tw_mmt4d_tile_s16s8s32_11x17x1_generic", CpuData());
  ASSERT_EQ(found.status, TW_STATUS_OK) << found.info.reason;
  EXPECT_EQ(markOf(found.info.fn), 21);
  const CpuData none;
  tw_tile_sizes_t sizes;
  ASSERT_EQ(tw_query_tile_sizes(TW_TYPES_S16S8S32, -1, 13, none.words, &sizes),
            TW_STATUS_OK);
  EXPECT_EQ(sizes.N0, 13);
}

// Not even one that would write its mark into a page that is only to be read.
TEST(RegistryTest, KOfZeroWithAccumulateCallsNoTile) {
  void* page = mmap(nullptr, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  const CpuData none;
  tw_mmt4d_params_t params = findParams(
      parseTileKey("tw_mmt4d_tile_u8s8s32_7x48x4_generic").key.value(),
      none.words);
  params.M = params.N = 1;
  params.out_buffer = page;
  params.flags |= TW_MMT4D_FLAG_ACCUMULATE;
  EXPECT_EQ(tw_mmt4d(&params, nullptr), TW_STATUS_OK);
  munmap(page, 1);
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

#ifdef __aarch64__

CpuData withLengths(tw_isa_t isa, uint64_t sveBits, uint64_t smeBits) {
  CpuData data = CpuData::of(isa);
  data.setLengths(sveBits, smeBits);
  return data;
}

Found findSizes(tw_type_triple_t types, int m0, int n0, const CpuData& data) {
  const TileKey key{types, m0, n0, 1, Rounding::kOnce, TW_ISA_GENERIC};
  const tw_mmt4d_params_t params = findParams(key, data.words);
  Found found;
  found.status = tw_find_tile(&params, &found.info);
  return found;
}

TEST(RegistryTest, ScalableTilesHaveTheSizesOfTheirVectors) {
  for (int bits : {128, 256, 512, 1024, 2048}) {
    const CpuData data = withLengths(TW_ISA_ARM_64_SVE, bits, 0);
    Found found = findSizes(TW_TYPES_S32S32S32, 7, 3 * bits / 32, data);
    ASSERT_EQ(found.status, TW_STATUS_OK) << found.info.reason;
    EXPECT_EQ(markOf(found.info.fn), 10);
    EXPECT_STREQ(found.info.name, "tw_mmt4d_tile_s32s32s32_7x3vlx1_arm_64_sve");
    const std::string length = " with " + std::to_string(bits) + "-bit vectors";
    EXPECT_NE(std::string(found.info.reason).find(length), std::string::npos)
        << found.info.reason;
    // Elements of the accumulator count.
    found = findSizes(TW_TYPES_F64F64F64, 13, 7 * bits / 64, data);
    ASSERT_EQ(found.status, TW_STATUS_OK) << found.info.reason;
    EXPECT_EQ(markOf(found.info.fn), 13);
  }
}

TEST(RegistryTest, StreamingVectorsHaveALengthOfTheirOwn) {
  const CpuData data = withLengths(TW_ISA_ARM_64_SME, 256, 512);
  EXPECT_EQ(findSizes(TW_TYPES_S32S32S32, 16, 80, data).status, TW_STATUS_OK);
  EXPECT_EQ(findSizes(TW_TYPES_S32S32S32, 8, 40, data).status,
            TW_STATUS_UNSUPPORTED);
  // Both dimensions have the same length.
  EXPECT_EQ(findSizes(TW_TYPES_S32S32S32, 16, 40, data).status,
            TW_STATUS_UNSUPPORTED);
}

// The other size counts as well: 8 rows are not 7.
TEST(RegistryTest, AScalableTileHasTwoSizes) {
  const CpuData data = withLengths(TW_ISA_ARM_64_SVE, 256, 0);
  EXPECT_EQ(findSizes(TW_TYPES_S32S32S32, 7, 24, data).status, TW_STATUS_OK);
  EXPECT_EQ(findSizes(TW_TYPES_S32S32S32, 8, 24, data).status,
            TW_STATUS_UNSUPPORTED);
}

TEST(RegistryTest, TheBestIsaAlsoWinsAmongScalableTiles) {
  const Found found = findSizes(TW_TYPES_S32S32S32, 7, 24,
                                withLengths(TW_ISA_ARM_64_SVE2, 256, 0));
  ASSERT_EQ(found.status, TW_STATUS_OK) << found.info.reason;
  EXPECT_EQ(markOf(found.info.fn), 12);
}

TEST(RegistryTest, TheMissingVectorLengthIsNamed) {
  Found found = findSizes(TW_TYPES_S32S32S32, 7, 24,
                          withLengths(TW_ISA_ARM_64_SVE, 128, 0));
  EXPECT_EQ(found.status, TW_STATUS_UNSUPPORTED);
  EXPECT_STREQ(found.info.reason,
               "No tw_mmt4d_tile_s32s32s32_7x24x1 that can run: it needs "
               "256-bit vectors, for 7x3vlx1 of arm_64_sve; cpu_data says "
               "128.");
  found = findSizes(TW_TYPES_S32S32S32, 7, 24,
                    withLengths(TW_ISA_ARM_64_SVE, 0, 0));
  EXPECT_EQ(found.status, TW_STATUS_UNSUPPORTED);
  EXPECT_NE(std::strstr(found.info.reason, "cpu_data says no length."), nullptr)
      << found.info.reason;
  found = findSizes(TW_TYPES_S32S32S32, 7, 24, CpuData());
  EXPECT_NE(std::strstr(found.info.reason, "which cpu_data lacks"), nullptr)
      << found.info.reason;
  // 24 and a half vectors of no length.
  found = findSizes(TW_TYPES_S32S32S32, 7, 25,
                    withLengths(TW_ISA_ARM_64_SVE, 256, 0));
  EXPECT_NE(std::strstr(found.info.reason, "linked in for any"), nullptr)
      << found.info.reason;
}

// A Neoverse V1 completes twice as many fmla of NEON as of SVE, here of the
// same length. A core that is not known prefers nothing.
TEST(RegistryTest, TheCoreDecidesBetweenTilesOfEqualSizes) {
  CpuData data = withLengths(TW_ISA_ARM_64_SVE, 128, 0);
  Found found = findSizes(TW_TYPES_F16F16F32, 13, 28, data);
  ASSERT_EQ(found.status, TW_STATUS_OK) << found.info.reason;
  EXPECT_EQ(markOf(found.info.fn), 15);
  ASSERT_TRUE(tw_set_core("neoverse-v1", data.words));
  found = findSizes(TW_TYPES_F16F16F32, 13, 28, data);
  ASSERT_EQ(found.status, TW_STATUS_OK) << found.info.reason;
  EXPECT_EQ(markOf(found.info.fn), 14);
  EXPECT_STREQ(found.info.reason,
               "Generated, for arm_64_base: neoverse-v1 is quicker with its "
               "`fmla .4s` than with the `fmla z.s` of arm_64_sve.");
}

TEST(RegistryTest, QueriesGiveConcreteSizes) {
  tw_tile_sizes_t sizes;
  for (int bits : {128, 256, 512}) {
    const CpuData data = withLengths(TW_ISA_ARM_64_SVE, bits, 0);
    ASSERT_EQ(
        tw_query_tile_sizes(TW_TYPES_S32S32S32, 7, -1, data.words, &sizes),
        TW_STATUS_OK);
    EXPECT_EQ(sizes.M0, 7);
    EXPECT_EQ(sizes.N0, 3 * bits / 32);
    EXPECT_EQ(sizes.K0, 1);
  }
  EXPECT_EQ(
      tw_query_tile_sizes(TW_TYPES_S32S32S32, 7, -1,
                          withLengths(TW_ISA_ARM_64_SVE, 0, 0).words, &sizes),
      TW_STATUS_UNSUPPORTED);
}

#endif  // __aarch64__

}  // namespace
}  // namespace tilewright::testing

#endif  // __ELF__
