// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library with a table of measured tiles that is made up
// (made_up/ukernels/measured_tiles.def): queries, panels, matmuls.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/ukernels/rows.h"
#include "tilewright/prepacked.h"
#include "ukernels/core.h"
#include "ukernels/cpu.h"
#include "ukernels/measured.h"

namespace tilewright::testing {
namespace {

std::vector<tw_measured_tile_t> measuredOn(const CpuData& data) {
  std::vector<tw_measured_tile_t> tiles;
  tw_measured_tile_t tile;
  while (tw_measured_tile_on(data.words, tiles.size(), &tile))
    tiles.push_back(tile);
  return tiles;
}

TEST(MeasuredTilesTest, AreThoseOfTheCore) {
  CpuData data;
  EXPECT_EQ(measuredOn(data).size(), 0u);
  ASSERT_TRUE(tw_set_core("znver3", data.words));
  EXPECT_EQ(measuredOn(data).size(), 0u);
  ASSERT_TRUE(tw_set_core("znver4", data.words));
  const std::vector<tw_measured_tile_t> zen4 = measuredOn(data);
  ASSERT_EQ(zen4.size(), 2u);
  EXPECT_EQ(zen4[0].rows, TW_ROWS_NARROW);
  EXPECT_EQ(zen4[1].rows, TW_ROWS_MANY);
  EXPECT_EQ(zen4[1].per_mille, 800);
  EXPECT_EQ(zen4[1].tile.m0, 16);
  EXPECT_EQ(zen4[1].beside.n0, 32);
  EXPECT_EQ(zen4[1].beside.isa, TW_ISA_X86_64_AVX512_BASE);
  ASSERT_TRUE(tw_set_core("neoverse-v1", data.words));
  const std::vector<tw_measured_tile_t> v1 = measuredOn(data);
  ASSERT_EQ(v1.size(), 1u);
  EXPECT_EQ(v1[0].tile.n0, 2);
  EXPECT_TRUE(v1[0].tile.n0_scalable);
  EXPECT_FALSE(v1[0].beside.n0_scalable);
}

TEST(MeasuredTilesTest, AreOfTypesAndRows) {
  CpuData data;
  tw_measured_tile_t tile;
  EXPECT_FALSE(tw_measured_tile_for(data.words, TW_TYPES_F32F32F32, -1, &tile));
  ASSERT_TRUE(tw_set_core("znver4", data.words));
  ASSERT_TRUE(tw_measured_tile_for(data.words, TW_TYPES_F32F32F32, 16, &tile));
  EXPECT_EQ(tile.per_mille, 900);
  ASSERT_TRUE(tw_measured_tile_for(data.words, TW_TYPES_F32F32F32, 17, &tile));
  EXPECT_EQ(tile.per_mille, 800);
  EXPECT_FALSE(tw_measured_tile_for(data.words, TW_TYPES_F32F32F32, 4, &tile));
  EXPECT_FALSE(tw_measured_tile_for(data.words, TW_TYPES_F64F64F64, -1, &tile));
}

#ifdef __x86_64__
class MeasuredOnZen4Test : public ::testing::Test {
 protected:
  MeasuredOnZen4Test() {
    EXPECT_TRUE(tw_set_core("znver4", zen4_.words));
    EXPECT_TRUE(tw_set_core("znver5", zen5_.words));
  }
  static std::string sizes(const CpuData& cpu, tw_index_t m) {
    tw_tile_sizes_t sizes;
    EXPECT_EQ(tw_query_tile_sizes(TW_TYPES_F32F32F32, m, -1, cpu.words, &sizes),
              TW_STATUS_OK);
    char text[200];
    EXPECT_EQ(tw_query_tile_sizes_explain(TW_TYPES_F32F32F32, m, -1, cpu.words,
                                          &sizes, text, sizeof text),
              TW_STATUS_OK);
    const std::string name = std::to_string(sizes.M0) + "x" +
                             std::to_string(sizes.N0) + "x" +
                             std::to_string(sizes.K0);
    EXPECT_NE(std::string(text).find("f32f32f32_" + name), std::string::npos)
        << text;
    const bool measured =
        std::string(text).rfind("Measured to be the quickest is ", 0) == 0;
    return name + (measured ? " measured" : "");
  }
  CpuData zen4_ = CpuData::of(TW_ISA_X86_64_AVX512_BASE), zen5_ = zen4_;
};

TEST_F(MeasuredOnZen4Test, QueriesFollow) {
  EXPECT_EQ(sizes(zen4_, -1), "16x16x1 measured");
  EXPECT_EQ(sizes(zen4_, 160), "16x16x1 measured");
  EXPECT_EQ(sizes(zen4_, 16), "4x16x1 measured");
  EXPECT_EQ(sizes(zen4_, 3), sizes(zen5_, 3));
  EXPECT_EQ(sizes(zen5_, -1), "12x32x1");
  EXPECT_EQ(sizes(zen5_, 16), "8x32x1");
}

// A rhs is packed for many rows, and multiplied by any number: by tiles of its
// panels alone.
TEST_F(MeasuredOnZen4Test, PanelsFitEveryNumberOfRows) {
  CpuData here;
  tw_cpu_data_of_this_cpu(here.words);
  if (!tw_isa_available(TW_ISA_X86_64_AVX512_BASE, here.words))
    GTEST_SKIP() << "this CPU runs no x86_64_avx512_base";
  constexpr tw_index_t kN = 45, kK = 21, kMost = 50;
  std::vector<float> lhs(kMost * kK), rhs(kK * kN), out(kMost * kN);
  for (size_t i = 0; i < lhs.size(); ++i)
    lhs[i] = static_cast<float>(i % 13) - 6;
  for (size_t i = 0; i < rhs.size(); ++i)
    rhs[i] = static_cast<float>(i % 11) - 5;
  std::vector<char> workspace(1 << 20);
  tw_matmul_params_t p = {};
  p.lhs = lhs.data();
  p.rhs = rhs.data();
  p.out = out.data();
  p.M = kMost;
  p.N = kN;
  p.K = kK;
  p.lhs_stride = kK;
  p.rhs_stride = p.out_stride = kN;
  p.flags = TW_TYPES_F32F32F32;
  p.threads = 1;
  p.workspace = workspace.data();
  p.workspace_bytes = static_cast<tw_index_t>(workspace.size());
  p.cpu_data = zen4_.words;
  tw_index_t bytes = 0;
  ASSERT_EQ(tw_prepacked_size(&p, &bytes), TW_STATUS_OK);
  std::vector<uint64_t> packed(static_cast<size_t>(bytes) / 8 + 1);
  ASSERT_EQ(tw_prepack(&p, packed.data(), bytes, nullptr), TW_STATUS_OK);
  const auto* header = reinterpret_cast<const tw_prepacked_t*>(packed.data());
  EXPECT_EQ(header->N0, 16);
  for (bool prepacked : {false, true}) {
    p.rhs = prepacked ? static_cast<const void*>(packed.data()) : rhs.data();
    p.rhs_bytes = prepacked ? bytes : 0;
    p.flags =
        TW_TYPES_F32F32F32 | (prepacked ? TW_MATMUL_FLAG_RHS_PREPACKED : 0);
    for (tw_index_t m : {1, 3, 8, 16, 17, 50}) {
      p.M = m;
      char text[300];
      ASSERT_EQ(tw_matmul_explain(&p, nullptr, text, sizeof text), TW_STATUS_OK)
          << text;
      ASSERT_EQ(tw_matmul(&p, nullptr), TW_STATUS_OK) << m;
      for (tw_index_t i = 0; i < m; ++i)
        for (tw_index_t j = 0; j < kN; ++j) {
          float want = 0;
          for (tw_index_t k = 0; k < kK; ++k)
            want += lhs[static_cast<size_t>(i * kK + k)] *
                    rhs[static_cast<size_t>(k * kN + j)];
          ASSERT_EQ(out[static_cast<size_t>(i * kN + j)], want)
              << m << " rows: " << i << ", " << j << "; " << text;
        }
    }
  }
}
#endif

}  // namespace
}  // namespace tilewright::testing
