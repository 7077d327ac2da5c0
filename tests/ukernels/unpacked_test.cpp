// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unpacked matmuls: every variant by itself, f32 and f64, in all shapes of
// tiles, against the reference of a tile function.

#include "ukernels/unpacked.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/common/seed.h"
#include "tests/tiles/operands.h"
#include "tests/ukernels/plain_case.h"
#include "tests/ukernels/rows.h"
#include "tilewright/tilewright.h"
#include "ukernels/core.h"

namespace tilewright::testing {
namespace {

std::vector<tw_unpacked_variant_t> variants() {
  size_t count = 0;
  const tw_unpacked_variant_t* first = tw_unpacked_variants(&count);
  return {first, first + count};
}

class UnpackedTest : public ::testing::TestWithParam<tw_unpacked_variant_t> {
 protected:
  void SetUp() override {
    uint64_t cpu[TW_CPU_DATA_WORDS];
    tw_cpu_detect(cpu);
    if (!tw_isa_available(GetParam().isa, cpu))
      GTEST_SKIP() << "this CPU lacks " << tw_isa_name(GetParam().isa);
  }
  void run(tw_type_triple_t types, const PlainLayout& layout, DataKind kind,
           uint64_t seed) {
    SCOPED_TRACE(std::string(info(types).name) + " " + describe(layout) + " " +
                 dataKindName(kind) + " " + seedText(seed));
    Random random(seed);
    PlainCase plain(types, layout, kind, random);
    const int64_t bytes = plain.out().bits / 8;
    tw_unpacked_t u = {};
    u.type = plain.types().accumulator;
    u.accumulate = layout.accumulate;
    u.M = layout.M;
    u.N = layout.N;
    u.K = layout.K;
    u.lhs = plain.lhs().buffer.as<char>();
    u.rhs = plain.rhs().buffer.as<char>();
    u.out = plain.out().buffer.as<char>();
    u.lhs_row = plain.lhs().rowStride * bytes;
    u.rhs_row = plain.rhs().rowStride * bytes;
    u.out_row = plain.out().rowStride * bytes;
    u.rhs_tile = GetParam().tile_bytes;
    GetParam().fn(&u);
    plain.check();
  }
};

constexpr tw_type_triple_t kTypes[] = {TW_TYPES_F32F32F32, TW_TYPES_F64F64F64};

// One row of tiles of each height, two and three of them; one vector, two, all
// lanes of them and some; loops over K that end anywhere.
TEST_P(UnpackedTest, EveryTile) {
  for (tw_type_triple_t types : kTypes)
    for (int64_t M = 1; M <= 26; ++M)
      for (int64_t N : {1, 3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 65})
        for (int64_t K : {1, 3, 4, 9}) {
          PlainLayout l;
          l.M = M;
          l.N = N;
          l.K = K;
          l.accumulate = (M + N + K) % 2 == 0;
          if (N % 3 == 0) l.placement = Placement::kLeading;
          run(types, l, DataKind::kSmallIntegers, 5);
          if (HasFatalFailure()) return;
        }
}

// Rows of the rhs that begin anywhere in a line, all of them there or not.
TEST_P(UnpackedTest, EveryPlaceInALine) {
  for (tw_type_triple_t types : kTypes)
    for (int64_t slack = 0; slack < 16; ++slack)
      for (int64_t N : {160, 177, 192}) {
        PlainLayout l;
        l.M = 13;
        l.N = N;
        l.K = 6;
        l.slack = slack;
        // The last element ends at a page.
        l.placement = Placement::kTrailing;
        run(types, l, DataKind::kSmallIntegers, 6);
        if (HasFatalFailure()) return;
      }
}

TEST_P(UnpackedTest, RandomShapesAndData) {
  for (tw_type_triple_t types : kTypes) {
    Random random(
        seedOf(std::string("UnpackedTest.") + info(types).name.data()));
    for (DataKind kind :
         dataKindsFor({types, 4, 4, 1, Rounding::kOnce, TW_ISA_GENERIC})) {
      if (kind == DataKind::kAnyBits) continue;  // needs K of 0
      for (int i = 0; i < 40; ++i) {
        PlainLayout l;
        l.M = random.between(1, 50);
        l.N = random.between(1, 220);
        l.K = random.between(1, 130);
        l.slack = random.chance(0.5) ? random.between(1, 40) : 0;
        l.accumulate = random.chance(0.5);
        if (random.chance(0.5)) l.placement = Placement::kLeading;
        run(types, l, kind, random.next());
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(UnpackedTest, NothingToMultiply) {
  for (tw_type_triple_t types : kTypes)
    for (int64_t M : {0, 7})
      for (int64_t N : {0, 37})
        for (int64_t K : {0, 5}) {
          PlainLayout l;
          l.M = M;
          l.N = N;
          l.K = K;
          run(types, l, DataKind::kSmallIntegers, 7);
          if (HasFatalFailure()) return;
        }
}

// On no other architecture is there one.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UnpackedTest);
INSTANTIATE_TEST_SUITE_P(
    Variants, UnpackedTest, ::testing::ValuesIn(variants()),
    [](const ::testing::TestParamInfo<tw_unpacked_variant_t>& test) {
      return std::string(tw_isa_name(test.param.isa));
    });

TEST(UnpackedFindTest, BestOfWhatCpuDataHas) {
  const std::vector<tw_unpacked_variant_t> all = variants();
#if defined(__x86_64__)
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].isa, TW_ISA_X86_64_AVX512_BASE);
  EXPECT_EQ(all[1].isa, TW_ISA_X86_64_AVX2_FMA);
#endif
  const uint64_t none[TW_CPU_DATA_WORDS] = {};
  EXPECT_EQ(tw_unpacked_find(none), nullptr);
  for (const tw_unpacked_variant_t& variant : all) {
    const tw_unpacked_variant_t* found =
        tw_unpacked_find(CpuData::of(variant.isa).words);
    ASSERT_NE(found, nullptr) << tw_isa_name(variant.isa);
    EXPECT_EQ(found->fn, variant.fn) << tw_isa_name(variant.isa);
  }
}

#if defined(__x86_64__)
CpuData cpuWithCaches() {
  CpuData cpu = CpuData::of(TW_ISA_X86_64_AVX2_FMA);
  cpu.words[TW_CPU_WORD_CACHES] = uint64_t{32} | uint64_t{1024} << 16;
  return cpu;
}

bool needsNoWorkspace(const tw_matmul_params_t& p) {
  tw_index_t bytes = -1;
  EXPECT_EQ(tw_matmul_workspace_size(&p, &bytes), TW_STATUS_OK);
  return bytes == 0;
}

// M x N x K on operands without gaps.
tw_matmul_params_t paramsOf(tw_index_t M, tw_index_t N, tw_index_t K,
                            uint32_t flags, const CpuData& cpu) {
  static double element = 0;  // no other is read
  tw_matmul_params_t p = {};
  p.lhs = p.rhs = p.out = &element;
  p.lhs_stride = flags & TW_MATMUL_FLAG_LHS_TRANSPOSED ? M : K;
  p.rhs_stride = flags & TW_MATMUL_FLAG_RHS_TRANSPOSED ? K : N;
  p.out_stride = flags & TW_MATMUL_FLAG_OUT_TRANSPOSED ? M : N;
  p.M = M;
  p.N = N;
  p.K = K;
  p.flags = flags;
  p.threads = 1;
  p.cpu_data = cpu.words;
  return p;
}

// Whether tw_matmul has nothing packed, on an unknown core or one of that name.
bool isUnpacked(tw_index_t M, tw_index_t N, tw_index_t K, uint32_t flags,
                const char* core = nullptr) {
  CpuData cpu = cpuWithCaches();
  if (core) {
    EXPECT_TRUE(tw_set_core(core, cpu.words)) << core;
  }
  return needsNoWorkspace(paramsOf(M, N, K, flags, cpu));
}

TEST(UnpackedMatmulTest, WhereItIsQuicker) {
  constexpr uint32_t kAll = TW_MATMUL_FLAG_LHS_TRANSPOSED |
                            TW_MATMUL_FLAG_RHS_TRANSPOSED |
                            TW_MATMUL_FLAG_OUT_TRANSPOSED;
  for (uint32_t types :
       {uint32_t{TW_TYPES_F32F32F32}, uint32_t{TW_TYPES_F64F64F64}}) {
    EXPECT_TRUE(isUnpacked(64, 64, 64, types));
    EXPECT_TRUE(isUnpacked(64, 96, 64, types | kAll));
    EXPECT_TRUE(isUnpacked(16, 2048, 512, types));
    // Not where something is transposed, and has to be packed.
    EXPECT_FALSE(isUnpacked(64, 64, 64, types | TW_MATMUL_FLAG_LHS_TRANSPOSED));
    EXPECT_FALSE(isUnpacked(64, 64, 64, types | TW_MATMUL_FLAG_RHS_TRANSPOSED));
    EXPECT_FALSE(isUnpacked(64, 64, 64, types | TW_MATMUL_FLAG_OUT_TRANSPOSED));
    // Many rows, of a rhs beyond L2, whose own are on each other's sets.
    EXPECT_FALSE(isUnpacked(96, 1024, 1024, types));
  }
  // Beyond L2 it depends on the core's L3, unless the rhs is far larger.
  constexpr uint32_t kTypes = TW_TYPES_F32F32F32;
  for (const char* core : {"skylake-avx512", "znver4"})
    EXPECT_FALSE(isUnpacked(512, 512, 512, kTypes, core)) << core;
  EXPECT_TRUE(isUnpacked(512, 512, 512, kTypes, "znver5"));
  EXPECT_TRUE(isUnpacked(512, 500, 500, kTypes, "znver5"));
  EXPECT_FALSE(isUnpacked(512, 1024, 512, kTypes, "znver5"));
  EXPECT_FALSE(isUnpacked(256, 1536, 1536, kTypes, "znver5"));
  EXPECT_FALSE(isUnpacked(64, 64, 64, TW_TYPES_F16F16F32));
  EXPECT_FALSE(isUnpacked(
      64, 64, 64, TW_TYPES_S32S32S32 | TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK));
}

// The lhs of a prepacked rhs, whose panels are as wide as one vector or two.
TEST(UnpackedMatmulTest, WhereItIsQuickerOnPanels) {
  const struct {
    tw_index_t M, N, K;
    bool isQuicker;
  } cases[] = {
      {5, 12, 1024, true},
      {5, 2000, 1024, true},
      {49, 2000, 100, true},
      // Few columns do not make up for packing the lhs, many do.
      {2400, 64, 100, true},
      {2400, 2000, 100, false},
      // Rows of the lhs that are on each other's sets.
      {49, 2000, 1024, false},
      {2400, 64, 1024, true},
      {2400, 128, 1024, false},
  };
  const CpuData cpu = cpuWithCaches();
  for (uint32_t types :
       {uint32_t{TW_TYPES_F32F32F32}, uint32_t{TW_TYPES_F64F64F64}})
    for (const auto& each : cases) {
      tw_matmul_params_t p = paramsOf(each.M, each.N, each.K, types, cpu);
      const std::vector<double> rhs(static_cast<size_t>(each.N * each.K));
      p.rhs = rhs.data();
      tw_index_t bytes = 0;
      ASSERT_EQ(tw_prepacked_size(&p, &bytes), TW_STATUS_OK);
      std::vector<uint64_t> panels(static_cast<size_t>(bytes) / 8 + 1);
      ASSERT_EQ(tw_prepack(&p, panels.data(), bytes, nullptr), TW_STATUS_OK);
      p.rhs = panels.data();
      p.rhs_bytes = bytes;
      p.flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
      EXPECT_EQ(needsNoWorkspace(p), each.isQuicker)
          << each.M << "x" << each.N << "x" << each.K << " types " << types;
    }
}
#endif

}  // namespace
}  // namespace tilewright::testing
