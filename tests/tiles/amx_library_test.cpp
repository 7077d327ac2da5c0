// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library makes of tiles by AMX: mmt4d, queries, pack, matmul.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/tiles/amx_tiles.h"
#include "tests/tiles/operands.h"
#include "tests/ukernels/matmul_case.h"
#include "ukernels/core.h"

namespace tilewright::testing {
namespace {

// ---- The whole mmt4d --------------------------------------------------------

// Out of panels that follow each other; each tile by itself, in order.
std::vector<uint8_t> byTiles(const TileKey& key, tw_mmt4d_tile_fn_t fn,
                             const tw_mmt4d_params_t& whole) {
  const int64_t tileBytes = key.outTileBytes();
  std::vector<uint8_t> out(whole.M * whole.N * tileBytes);
  tw_mmt4d_params_t params = {};
  params.K = whole.K;
  params.flags = key.types;
  for (int64_t m = 0; m < whole.M; ++m)
    for (int64_t n = 0; n < whole.N; ++n)
      fn(out.data() + (m * whole.N + n) * tileBytes,
         static_cast<const char*>(whole.lhs_buffer) +
             m * whole.K * key.lhsStepBytes(),
         static_cast<const char*>(whole.rhs_buffer) +
             n * whole.K * key.rhsStepBytes(),
         &params);
  return out;
}

void runEach(void*, tw_index_t count, void (*task)(void*, tw_index_t),
             void* context) {
  for (tw_index_t i = 0; i < count; ++i) task(context, i);
}

class AmxMmt4dTest : public AmxTest {};

TEST_P(AmxMmt4dTest, BeginsAndEndsItsCalls) {
  SKIP_WITHOUT_AVX512();
  const TileKey key = this->key();
  const TypeTripleInfo& types = info(key.types);
  const CpuData data = CpuData::of(key.isa);
  Random random(seedOf(GetParam().name));
  // K of two blocks, for out tiles of 32 bits.
  const int64_t M = 3, N = 2, K = key.m0 == 32 ? 130 : 9;
  const Operands lhs =
      makeOperands(key, K * M, DataKind::kSmallIntegers, false, random);
  const Operands rhs =
      makeOperands(key, K * N, DataKind::kSmallIntegers, false, random);
  std::vector<uint8_t> out(M * N * key.outTileBytes(), 0xFE);
  tw_mmt4d_params_t params = findParams(key, data.words);
  params.M = M;
  params.N = N;
  params.K = K;
  params.lhs_buffer = lhs.lhs.data();
  params.rhs_buffer = rhs.rhs.data();
  params.out_buffer = out.data();
  params.lhs_stride0 = K * key.m0 * key.k0;
  params.rhs_stride0 = K * key.n0 * key.k0;
  params.out_stride0 = N * key.m0 * key.n0;
  const std::vector<uint8_t> expected = byTiles(key, GetParam().fn, params);
  const tw_parallel_for_t parallelFor = {runEach, nullptr};
  for (const tw_parallel_for_t* parallel :
       {static_cast<const tw_parallel_for_t*>(nullptr), &parallelFor}) {
    std::fill(out.begin(), out.end(), 0xFE);
    const tw_model_counts_t before = tw_model_counts();
    ASSERT_EQ(tw_mmt4d(&params, parallel), TW_STATUS_OK);
    const tw_model_counts_t after = tw_model_counts();
    EXPECT_FALSE(after.configured);
    EXPECT_GT(after.loadconfigs, before.loadconfigs);
    // Once a block, of which there are fewer than tiles.
    if (!parallel) {
      EXPECT_LT(after.loadconfigs - before.loadconfigs, M * N);
    }
    EXPECT_EQ(out, expected);
  }
  // Another layout is another key; nobody finds this tile for it.
  params.flags &= ~TW_MMT4D_FLAG_RHS_VNNI;
  EXPECT_EQ(tw_mmt4d(&params, nullptr), TW_STATUS_UNSUPPORTED);
  // The portable one knows the layout, too. bf16 denormals aside, and there are
  // none, it computes the same.
  params.flags |= TW_MMT4D_FLAG_RHS_VNNI | TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
  const CpuData nothing;
  params.cpu_data = nothing.words;
  std::fill(out.begin(), out.end(), 0xFE);
  ASSERT_EQ(tw_mmt4d(&params, nullptr), TW_STATUS_OK);
  EXPECT_EQ(out, expected) << types.name;
}

INSTANTIATE_TEST_SUITE_P(Rows, AmxMmt4dTest, ::testing::ValuesIn(amxRows()),
                         nameOfRow);

TEST(AmxRefusalsTest, RefusesWhatHasNoSuchPanels) {
  const TileKey key =
      *parseTileKey("tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8").key;
  const CpuData data = CpuData::of(key.isa);
  char text[TW_EXPLANATION_SIZE];
  const auto explain = [&](auto change) {
    tw_mmt4d_params_t params = findParams(key, data.words);
    params.M = params.N = params.K = 0;
    change(params);
    EXPECT_EQ(tw_mmt4d_explain(&params, nullptr, text, sizeof text),
              tw_mmt4d(&params, nullptr));
    return std::string(text);
  };
  EXPECT_EQ(explain([](tw_mmt4d_params_t&) {}).compare(0, 12, "Hand-written"),
            0)
      << text;
  EXPECT_EQ(explain([](tw_mmt4d_params_t& p) { p.K0 = 4; }),
            "params->K0 is 4: it must be a row of 64 bytes for RHS_VNNI, 64.");
  EXPECT_EQ(explain([](tw_mmt4d_params_t& p) {
              p.flags += TW_TYPES_F32F32F32 - TW_TYPES_S8S8S32;
            }),
            "params->flags is 0x40401: it must be without RHS_VNNI, unless "
            "operands are of s8 or u8, or both of bf16.");
  EXPECT_NE(explain([](tw_mmt4d_params_t& p) {
              p.flags |= TW_MMT4D_FLAG_CALLS_BEGUN;
            }).find("a bit that no flag of the CPU entry points has"),
            std::string::npos)
      << text;
  EXPECT_NE(explain([](tw_mmt4d_params_t& p) {
              p.M0 = 31;
            }).find("tw_mmt4d_tile_s8s8s32_31x32x64_vnni"),
            std::string::npos)
      << text;
}

// ---- Tile forms, packing, matmul --------------------------------------------

TEST(AmxQueryTest, HandsOutFormsThatExist) {
  const CpuData data = CpuData::of(TW_ISA_X86_64_AMX_BF16);
  char text[TW_EXPLANATION_SIZE];
  for (const Template& of : kTemplates)
    for (tw_index_t m : {-1, 1, 8, 16, 32, 100}) {
      tw_tile_form_t form = {{-7, -7, -7}, 1};
      ASSERT_EQ(tw_query_tile_form(of.types, m, -1, data.words, &form),
                TW_STATUS_OK);
      if (m < 0 || m > 8) {
        EXPECT_EQ(form.flags, uint32_t{TW_MMT4D_FLAG_RHS_VNNI}) << m;
      }
      if (m < 0 || m == 32) {
        EXPECT_EQ(form.sizes.M0, 32);
      }
      TileKey key{of.types,      form.sizes.M0,   form.sizes.N0,
                  form.sizes.K0, Rounding::kOnce, TW_ISA_GENERIC};
      key.vnni = form.flags != 0;
      const tw_mmt4d_params_t params = findParams(key, data.words);
      tw_tile_info_t found;
      ASSERT_EQ(tw_find_tile(&params, &found), TW_STATUS_OK) << found.reason;
      EXPECT_EQ(tw_query_tile_form_explain(of.types, m, -1, data.words, &form,
                                           text, sizeof text),
                TW_STATUS_OK);
      EXPECT_EQ(std::string(text),
                "The cheapest is " + std::string(found.name) + ".");
    }
  // Who asks for sizes alone gets those of plain panels, as ever.
  tw_tile_sizes_t sizes;
  ASSERT_EQ(tw_query_tile_sizes(TW_TYPES_S8S8S32, -1, -1, data.words, &sizes),
            TW_STATUS_OK);
  EXPECT_EQ(sizes.K0, 4);
  EXPECT_EQ(tw_query_tile_sizes(TW_TYPES_U8U8S32, -1, -1, data.words, &sizes),
            TW_STATUS_UNSUPPORTED);
  // Without AMX both say the same.
  const CpuData lesser = CpuData::of(TW_ISA_X86_64_AVX512_FP16);
  tw_tile_form_t form;
  ASSERT_EQ(tw_query_tile_form(TW_TYPES_S8S8S32, 100, 100, lesser.words, &form),
            TW_STATUS_OK);
  ASSERT_EQ(
      tw_query_tile_sizes(TW_TYPES_S8S8S32, 100, 100, lesser.words, &sizes),
      TW_STATUS_OK);
  EXPECT_EQ(form.flags, 0u);
  EXPECT_EQ(form.sizes.M0, sizes.M0);
  EXPECT_EQ(form.sizes.N0, sizes.N0);
  EXPECT_EQ(form.sizes.K0, sizes.K0);
  EXPECT_EQ(tw_query_tile_form_explain(TW_TYPES_S8S8S32, 1, 1, lesser.words,
                                       nullptr, text, sizeof text),
            TW_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(text, "form is null: it must be a struct to fill.");
}

TEST(AmxMatmulTest, RunsOnTilesOfAmx) {
  SKIP_WITHOUT_AVX512();
  const uint64_t seed = seedOf("AmxMatmulTest");
  SCOPED_TRACE(seedText(seed));
  Random random(seed);
  std::vector<tw_type_triple_t> types = {TW_TYPES_S4S4S32};  // as s8
  for (const Template& of : kTemplates) types.push_back(of.types);
  for (tw_type_triple_t each : types)
    for (int i = 0; i < 12; ++i) {
      MatmulCase c;
      c.types = each;
      c.isa = TW_ISA_X86_64_AMX_BF16;
      c.modelled = true;
      c.M = random.between(9, 120);
      c.N = random.between(1, 120);
      c.K = random.between(1, i == 0 ? 9000 : 300);
      c.lhsTransposed = random.chance(0.3);
      // Rows of whole lines, which are multiplied where they lie.
      if (random.chance(0.4)) {
        c.K = 64 * random.between(1, 6);
        c.lhsSlack = 64 * random.between(0, 2);
        c.lhsTransposed = false;
        c.placement = Placement::kLeading;
      }
      c.rhsTransposed = random.chance(0.5);
      c.outTransposed = random.chance(0.3);
      c.accumulate = random.chance(0.5);
      c.prepacked = random.chance(0.5);
      // Caches so small that blocks of a core with a slow L3 differ.
      if (random.chance(0.5)) {
        c.l2KiB = random.between(1, 64);
        c.core = "graniterapids";
      }
      c.threads = random.chance(0.7) ? 1 : 3;
      const tw_model_counts_t before = tw_model_counts();
      checkMatmul(c, random.next());
      const tw_model_counts_t after = tw_model_counts();
      EXPECT_FALSE(after.configured);
      if (c.threads == 1) {
        EXPECT_GT(after.multiplies, before.multiplies) << c.text();
        EXPECT_EQ(after.loadconfigs, before.loadconfigs + 1) << c.text();
      }
      if (HasFailure()) return;
    }
}

// Where the lhs would be packed to, the workspace stays as it was.
TEST(AmxMatmulTest, ReadsRowsOfWholeLinesWhereTheyLie) {
  SKIP_WITHOUT_AVX512();
  constexpr int kM = 64, kK = 128, kMost = kK + 64, kFew = 40, kMany = 520;
  CpuData data = CpuData::of(TW_ISA_X86_64_AMX_INT8);
  alignas(64) static int8_t lhs[kM * kMost + 64], rhs[kK * kMany];
  Random random(seedOf("AmxMatmulTest.InPlace"));
  for (int8_t& x : lhs) x = static_cast<int8_t>(random.between(-128, 127));
  for (int8_t& x : rhs) x = static_cast<int8_t>(random.between(-128, 127));
  struct Case {
    int offset, stride, columns;
    bool isInPlace;
    int N = kFew;
    uint64_t l1KiB = 48;
  };
  // More than a few columns only by rows that stay in L1.
  for (const Case& c :
       {Case{0, kK, kK, true}, Case{0, kMost, kK, true},
        Case{64, kMost, kK, true}, Case{1, kK, kK, false},
        Case{0, kK + 1, kK, false}, Case{0, kK, kK - 1, false},
        Case{0, kK, kK, true, kMany}, Case{0, kK, kK, false, kMany, 1},
        Case{0, kK, kK, true, kFew, 1}}) {
    data.words[TW_CPU_WORD_CACHES] = TW_CACHES_WORD(c.l1KiB, 2048);
    std::vector<int32_t> out(kM * c.N);
    tw_matmul_params_t p = {};
    p.flags = TW_TYPES_S8S8S32;
    p.lhs = lhs + c.offset;
    p.lhs_stride = c.stride;
    p.rhs = rhs;
    p.rhs_stride = p.out_stride = c.N;
    p.out = out.data();
    p.M = kM;
    p.N = c.N;
    p.K = c.columns;
    p.threads = 1;
    p.cpu_data = data.words;
    ASSERT_EQ(tw_matmul_workspace_size(&p, &p.workspace_bytes), TW_STATUS_OK);
    alignas(64) static uint8_t workspace[1 << 20];
    ASSERT_LE(p.workspace_bytes, static_cast<tw_index_t>(sizeof workspace));
    std::fill(std::begin(workspace), std::end(workspace), 0xAB);
    p.workspace = workspace;
    ASSERT_EQ(tw_matmul(&p, nullptr), TW_STATUS_OK);
    const bool isUntouched =
        std::all_of(workspace, workspace + kM * (c.columns / 64) * 64,
                    [](uint8_t x) { return x == 0xAB; });
    EXPECT_EQ(isUntouched, c.isInPlace) << c.offset << ", " << c.stride;
    for (int m = 0; m < kM; ++m)
      for (int n = 0; n < c.N; ++n) {
        int32_t sum = 0;
        for (int k = 0; k < c.columns; ++k)
          sum += lhs[c.offset + m * c.stride + k] * rhs[k * c.N + n];
        ASSERT_EQ(out[m * c.N + n], sum) << m << ", " << n;
      }
  }
}

TEST(AmxMatmulTest, PrepackedPanelsSayHowTheyLie) {
  const CpuData data = CpuData::of(TW_ISA_X86_64_AMX_INT8);
  std::vector<int8_t> rhs(70 * 40);
  Random random(seedOf("AmxMatmulTest.Prepacked"));
  for (int8_t& x : rhs) x = static_cast<int8_t>(random.between(-128, 127));
  tw_matmul_params_t p = {};
  p.flags = TW_TYPES_S8S8S32;
  p.rhs = rhs.data();
  p.rhs_stride = 40;
  p.K = 70;
  p.N = 40;
  p.threads = 1;
  p.cpu_data = data.words;
  tw_index_t bytes;
  ASSERT_EQ(tw_prepacked_size(&p, &bytes), TW_STATUS_OK);
  std::vector<uint64_t> words((bytes + 7) / 8);
  ASSERT_EQ(tw_prepack(&p, words.data(), bytes, nullptr), TW_STATUS_OK);
  ASSERT_EQ(tw_check_prepacked(words.data(), bytes), TW_STATUS_OK);
  const auto* header = reinterpret_cast<const tw_prepacked_t*>(words.data());
  EXPECT_EQ(header->layout, uint32_t{TW_PREPACKED_LAYOUT_VNNI});
  EXPECT_EQ(header->N0, 32);
  EXPECT_EQ(header->K0, 64);
  EXPECT_STREQ(header->isa, "x86_64_amx_int8");
  const auto* panels = reinterpret_cast<const int8_t*>(header + 1);
  for (int n = 0; n < 64; ++n)
    for (int k = 0; k < 128; ++k)
      EXPECT_EQ(panels[((n / 32 * 2 + k / 64) * 16 + k % 64 / 4) * 128 +
                       n % 32 * 4 + k % 4],
                n < 40 && k < 70 ? rhs[k * 40 + n] : 0)
          << n << ", " << k;
  // A CPU without AMX has no tile for them.
  const CpuData lesser = CpuData::of(TW_ISA_X86_64_AVX512_VNNI);
  std::vector<int8_t> lhs(10 * 70);
  std::vector<int32_t> out(10 * 40);
  p.cpu_data = lesser.words;
  p.flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
  p.rhs = words.data();
  p.rhs_bytes = bytes;
  p.lhs = lhs.data();
  p.lhs_stride = 70;
  p.out = out.data();
  p.out_stride = 40;
  p.M = 10;
  EXPECT_EQ(tw_matmul(&p, nullptr), TW_STATUS_FOREIGN);
}

TEST(AmxPackTest, RefusesWhatHasNoGroups) {
  tw_pack_params_t p = {TW_ELEMENT_S8, TW_PACK_FLAG_VNNI, 5, 70, 70, 32, 64, 0};
  tw_index_t bytes;
  ASSERT_EQ(tw_packed_size(&p, &bytes), TW_STATUS_OK);
  EXPECT_EQ(bytes, 32 * 128);
  char text[TW_EXPLANATION_SIZE];
  p.tile_cols = 6;
  EXPECT_EQ(
      tw_pack_explain(&p, nullptr, nullptr, 0, nullptr, text, sizeof text),
      TW_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(text,
               "params->tile_cols is 6: it must be for VNNI a multiple of the "
               "columns of 4 bytes, 4.");
  p.tile_cols = 64;
  p.type = TW_ELEMENT_F32;
  EXPECT_EQ(tw_packed_size(&p, &bytes), TW_STATUS_INVALID_ARGUMENT);
  p.type = TW_ELEMENT_S4;
  EXPECT_EQ(tw_packed_size(&p, &bytes), TW_STATUS_INVALID_ARGUMENT);
  p.type = TW_ELEMENT_S8;
  p.flags |= 4;
  EXPECT_EQ(tw_packed_size(&p, &bytes), TW_STATUS_INVALID_ARGUMENT);
}

// Against the definition, and back.
TEST(AmxPackTest, PacksAndUnpacksGroups) {
  Random random(seedOf("AmxPackTest"));
  for (tw_element_type_t type : {TW_ELEMENT_U8, TW_ELEMENT_BF16})
    for (bool transpose : {false, true})
      for (int i = 0; i < 20; ++i) {
        const int size = info(type).bits / 8, group = 4 / size;
        const int64_t rows = random.between(1, 80),
                      cols = random.between(1, 200);
        const int32_t tileRows = static_cast<int32_t>(random.between(1, 40));
        const int32_t tileCols =
            group * static_cast<int32_t>(random.between(1, 20));
        const int64_t stride = (transpose ? rows : cols) + random.between(0, 3);
        const int64_t lines = transpose ? cols : rows;
        std::vector<uint8_t> matrix(lines * stride * size);
        for (uint8_t& x : matrix) x = static_cast<uint8_t>(random.next());
        const uint32_t flags =
            TW_PACK_FLAG_VNNI | (transpose ? TW_PACK_FLAG_TRANSPOSE : 0);
        const tw_pack_params_t p = {type,   flags,    rows,     cols,
                                    stride, tileRows, tileCols, 0x7777};
        tw_index_t bytes;
        ASSERT_EQ(tw_packed_size(&p, &bytes), TW_STATUS_OK);
        const int64_t outerRows = (rows + tileRows - 1) / tileRows;
        const int64_t outerCols = (cols + tileCols - 1) / tileCols;
        ASSERT_EQ(bytes, outerRows * outerCols * tileRows * tileCols * size);
        std::vector<uint8_t> packed(bytes), back(matrix.size(), 0x55);
        ASSERT_EQ(tw_pack(&p, matrix.data(), packed.data(), bytes, nullptr),
                  TW_STATUS_OK);
        const auto at = [&](int64_t r, int64_t c) {
          return (transpose ? c * stride + r : r * stride + c) * size;
        };
        for (int64_t r = 0; r < outerRows * tileRows; ++r)
          for (int64_t c = 0; c < outerCols * tileCols; ++c) {
            const int64_t tile = r / tileRows * outerCols + c / tileCols;
            const int64_t inTile =
                (c % tileCols / group * tileRows + r % tileRows) * group +
                c % group;
            const uint8_t* got =
                &packed[(tile * tileRows * tileCols + inTile) * size];
            for (int b = 0; b < size; ++b)
              ASSERT_EQ(got[b],
                        r < rows && c < cols ? matrix[at(r, c) + b] : 0x77);
          }
        ASSERT_EQ(tw_unpack(&p, packed.data(), bytes, back.data(), nullptr),
                  TW_STATUS_OK);
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < cols; ++c)
            for (int b = 0; b < size; ++b)
              ASSERT_EQ(back[at(r, c) + b], matrix[at(r, c) + b]);
      }
}

}  // namespace
}  // namespace tilewright::testing
