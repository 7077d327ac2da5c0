// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_matmul and its relatives: every way to be refused, each with a sentence
// that names the field; and workspace at any size.

#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "tests/ukernels/rows.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

constexpr tw_index_t kMax = PTRDIFF_MAX;

// f32, 6 x 7 x 5, where every operand has several rows.
struct Valid {
  Valid() {
    p.lhs = lhs;
    p.rhs = rhs;
    p.out = out;
    p.lhs_stride = 5;
    p.rhs_stride = 7;
    p.out_stride = 7;
    p.M = 6;
    p.N = 7;
    p.K = 5;
    p.flags = TW_TYPES_F32F32F32;
    p.flags |= TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
    p.threads = 1;
    p.workspace = workspace.data();
    p.workspace_bytes = static_cast<tw_index_t>(workspace.size());
  }
  float lhs[30] = {}, rhs[35] = {}, out[42] = {};
  std::vector<char> workspace = std::vector<char>(1 << 20);
  tw_matmul_params_t p = {};
};

struct Refusal {
  const char* name;
  void (*spoil)(tw_matmul_params_t*);
  tw_status_t status;
  // What the sentence begins with, and a part of it.
  const char *field, *says;
};

std::ostream& operator<<(std::ostream& out, const Refusal& refusal) {
  return out << refusal.name;
}

constexpr tw_status_t kInvalid = TW_STATUS_INVALID_ARGUMENT;

void setTypes(tw_matmul_params_t* p, tw_type_triple_t types) {
  p->flags = (p->flags & ~uint32_t{TW_MMT4D_FLAG_TYPE_MASK}) |
             static_cast<uint32_t>(types);
}

const Refusal kRefusals[] = {
    {"UnknownFlag", [](tw_matmul_params_t* p) { p->flags |= 0x80000000u; },
     kInvalid, "flags is", "flags of tw_matmul only"},
    {"OutRowStrideFlag",
     [](tw_matmul_params_t* p) { p->flags |= TW_MMT4D_FLAG_OUT_ROW_STRIDE; },
     kInvalid, "flags is", "flags of tw_matmul only"},
    {"PrepackedAndTransposed",
     [](tw_matmul_params_t* p) {
       p->flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
       p->flags |= TW_MATMUL_FLAG_RHS_TRANSPOSED;
     },
     kInvalid, "flags is", "without one of"},
    {"NoTypes",
     [](tw_matmul_params_t* p) {
       p->flags &= ~uint32_t{TW_MMT4D_FLAG_TYPE_MASK};
     },
     kInvalid, "flags: type triple is 0", "type_triples.def"},
    {"SixBitLhs",
     [](tw_matmul_params_t* p) { setTypes(p, TW_TYPES_F6E2M3FNF6E2M3FNF32); },
     TW_STATUS_UNSUPPORTED, "flags: type triple is 80", "6-bit"},
    {"SixBitRhs",
     [](tw_matmul_params_t* p) { setTypes(p, TW_TYPES_F8E4M3FNF6E2M3FNF32); },
     TW_STATUS_UNSUPPORTED, "flags: type triple is 86", "6-bit"},
    {"NegativeM", [](tw_matmul_params_t* p) { p->M = -1; }, kInvalid, "M is -1",
     "0 or more"},
    {"NegativeN", [](tw_matmul_params_t* p) { p->N = -2; }, kInvalid, "N is -2",
     "0 or more"},
    {"NegativeK", [](tw_matmul_params_t* p) { p->K = -3; }, kInvalid, "K is -3",
     "0 or more"},
    {"NoThreads", [](tw_matmul_params_t* p) { p->threads = 0; }, kInvalid,
     "threads is 0", "1 or more"},
    {"LhsStride", [](tw_matmul_params_t* p) { p->lhs_stride = 4; }, kInvalid,
     "lhs_stride is 4", "length of a row, 5"},
    {"LhsStrideTransposed",
     [](tw_matmul_params_t* p) { p->flags |= TW_MATMUL_FLAG_LHS_TRANSPOSED; },
     kInvalid, "lhs_stride is 5", "length of a row, 6"},
    {"RhsStride", [](tw_matmul_params_t* p) { p->rhs_stride = -7; }, kInvalid,
     "rhs_stride is -7", "length of a row, 7"},
    {"RhsStrideTransposed",
     [](tw_matmul_params_t* p) {
       p->flags |= TW_MATMUL_FLAG_RHS_TRANSPOSED;
       p->rhs_stride = 4;
     },
     kInvalid, "rhs_stride is 4", "length of a row, 5"},
    {"OutStride", [](tw_matmul_params_t* p) { p->out_stride = 6; }, kInvalid,
     "out_stride is 6", "length of a row, 7"},
    {"OutStrideTransposed",
     [](tw_matmul_params_t* p) {
       p->flags |= TW_MATMUL_FLAG_OUT_TRANSPOSED;
       p->out_stride = 5;
     },
     kInvalid, "out_stride is 5", "length of a row, 6"},
    {"OddStrideOf4Bits",
     [](tw_matmul_params_t* p) { setTypes(p, TW_TYPES_S8S4S32); }, kInvalid,
     "rhs_stride is 7", "even for 4-bit"},
    {"LargeLhs", [](tw_matmul_params_t* p) { p->lhs_stride = kMax / 4; },
     TW_STATUS_OVERFLOW, "lhs_stride is", "address space"},
    {"LargeRow",
     [](tw_matmul_params_t* p) {
       p->M = 1;
       p->K = kMax / 8;
     },
     TW_STATUS_OVERFLOW, "lhs_stride is", "address space"},
    {"NoLhs", [](tw_matmul_params_t* p) { p->lhs = nullptr; }, kInvalid,
     "lhs is null", "a buffer"},
    {"NoRhs", [](tw_matmul_params_t* p) { p->rhs = nullptr; }, kInvalid,
     "rhs is null", "a buffer"},
    {"NoOut", [](tw_matmul_params_t* p) { p->out = nullptr; }, kInvalid,
     "out is null", "a buffer"},
    {"NoWorkspace",
     [](tw_matmul_params_t* p) {
       p->flags |= TW_MATMUL_FLAG_OUT_TRANSPOSED;
       p->workspace = nullptr;
     },
     kInvalid, "workspace is null", "a buffer"},
    {"SmallWorkspace",
     [](tw_matmul_params_t* p) {
       tw_index_t bytes = 0;
       p->flags |= TW_MATMUL_FLAG_OUT_TRANSPOSED;
       EXPECT_EQ(tw_matmul_workspace_size(p, &bytes), TW_STATUS_OK);
       EXPECT_GT(bytes, 0);
       p->workspace_bytes = bytes - 1;
     },
     TW_STATUS_OUT_OF_RANGE, "workspace_bytes is", "at least"},
    {"NoPrepackedRhs",
     [](tw_matmul_params_t* p) {
       p->flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
       p->rhs = nullptr;
     },
     kInvalid, "rhs is 0x0", "multiple of 8"},
};

class MatmulStatusTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(MatmulStatusTest, IsRefusedByASentence) {
  Valid valid;
  std::memset(valid.out, 0x5A, sizeof valid.out);
  const std::vector<char> before(reinterpret_cast<char*>(valid.out),
                                 reinterpret_cast<char*>(valid.out + 42));
  const Refusal& refusal = GetParam();
  refusal.spoil(&valid.p);
  char text[300];
  EXPECT_EQ(tw_matmul(&valid.p, nullptr), refusal.status);
  EXPECT_EQ(tw_matmul_explain(&valid.p, nullptr, text, sizeof text),
            refusal.status);
  EXPECT_EQ(std::string(text).find(refusal.field), 0u) << text;
  EXPECT_NE(std::string(text).find(refusal.says), std::string::npos) << text;
  EXPECT_EQ(std::string(text).back(), '.') << text;
  EXPECT_EQ(std::memcmp(before.data(), valid.out, before.size()), 0);
}

INSTANTIATE_TEST_SUITE_P(All, MatmulStatusTest, ::testing::ValuesIn(kRefusals),
                         [](const ::testing::TestParamInfo<Refusal>& refusal) {
                           return std::string(refusal.param.name);
                         });

TEST(MatmulExplainTest, SaysWhatRuns) {
  Valid valid;
  char text[300];
  ASSERT_EQ(tw_matmul_explain(&valid.p, nullptr, text, sizeof text),
            TW_STATUS_OK);
  EXPECT_EQ(std::string(text).find("Runs "), 0u) << text;
  valid.p.M = 3;
  ASSERT_EQ(tw_matmul_explain(&valid.p, nullptr, text, sizeof text),
            TW_STATUS_OK);
  EXPECT_NE(std::string(text).find("unpacked rhs"), std::string::npos) << text;
  valid.p.N = 0;
  ASSERT_EQ(tw_matmul_explain(&valid.p, nullptr, text, sizeof text),
            TW_STATUS_OK);
  EXPECT_EQ(std::string(text), "Nothing to compute.");
  // Cut off where there is no room, and still a string.
  char few[4];
  ASSERT_EQ(tw_matmul_explain(&valid.p, nullptr, few, sizeof few),
            TW_STATUS_OK);
  EXPECT_EQ(std::string(few), "Not");
  EXPECT_EQ(tw_matmul_explain(&valid.p, nullptr, nullptr, 0), TW_STATUS_OK);
}

// A transposed out is the product of the rhs and the lhs where these have one
// type and M fills the columns of tiles, or N is that of few rows.
TEST(MatmulExplainTest, SaysWhetherATransposedOutIsTurned) {
  const auto isTurned = [](tw_index_t M, tw_index_t N, tw_type_triple_t types,
                           uint32_t flags) {
    Valid valid;
    setTypes(&valid.p, types);
    valid.p.flags |= flags;
    valid.p.M = M;
    valid.p.N = N;
    valid.p.lhs_stride = valid.p.rhs_stride = valid.p.out_stride = 200;
    valid.p.workspace_bytes = TW_MATMUL_MOST_WORKSPACE;  // nothing is run
    char text[400];
    EXPECT_EQ(tw_matmul_explain(&valid.p, nullptr, text, sizeof text),
              TW_STATUS_OK)
        << text;
    return std::string(text).find("the rhs by the lhs") != std::string::npos;
  };
  const uint32_t turned = TW_MATMUL_FLAG_OUT_TRANSPOSED;
  EXPECT_TRUE(isTurned(64, 48, TW_TYPES_BF16BF16F32, turned));
  EXPECT_TRUE(isTurned(126, 5, TW_TYPES_BF16BF16F32, turned));
  EXPECT_TRUE(isTurned(33, 4, TW_TYPES_BF16BF16F32, turned));
  EXPECT_FALSE(isTurned(64, 48, TW_TYPES_BF16BF16F32, 0));
  EXPECT_FALSE(
      isTurned(33, 5, TW_TYPES_BF16BF16F32, turned));  // 31 for padding
  EXPECT_FALSE(isTurned(4, 48, TW_TYPES_BF16BF16F32, turned));
  EXPECT_FALSE(isTurned(64, 48, TW_TYPES_U8S8S32, turned));
}

#if defined(__x86_64__)
// What tw_matmul_explain says of a row-major lhs, and of a rhs that is
// transposed or prepacked, on a CPU without AVX-512.
std::string explained(tw_type_triple_t types, tw_index_t M, tw_index_t N,
                      bool prepacked) {
  const CpuData cpu = CpuData::of(TW_ISA_X86_64_AVX2_FMA);
  const tw_index_t K = 8;
  std::vector<float> lhs(M * K), rhs(N * K), out(M * N);
  std::vector<double> panels;
  std::vector<char> workspace(4 << 20);
  tw_matmul_params_t p = {};
  p.lhs = lhs.data();
  p.rhs = rhs.data();
  p.out = out.data();
  p.M = M;
  p.N = N;
  p.K = K;
  p.flags = types | TW_MATMUL_FLAG_RHS_TRANSPOSED;
  p.lhs_stride = p.rhs_stride = K;
  p.out_stride = N;
  p.threads = 1;
  p.cpu_data = cpu.words;
  p.workspace = workspace.data();
  p.workspace_bytes = static_cast<tw_index_t>(workspace.size());
  if (prepacked) {
    EXPECT_EQ(tw_prepacked_size(&p, &p.rhs_bytes), TW_STATUS_OK);
    panels.resize(p.rhs_bytes / sizeof(double) + 1);
    EXPECT_EQ(tw_prepack(&p, panels.data(), p.rhs_bytes, nullptr),
              TW_STATUS_OK);
    p.rhs = panels.data();
    p.flags = types | TW_MATMUL_FLAG_RHS_PREPACKED;
  }
  char text[300];
  EXPECT_EQ(tw_matmul_explain(&p, nullptr, text, sizeof text), TW_STATUS_OK);
  return text;
}

TEST(MatmulExplainTest, NamesTheTileOfTheLastRows) {
  EXPECT_EQ(explained(TW_TYPES_F32F32F32, 14, 32, false),
            "Runs tw_mmt4d_tile_f32f32f32_6x16x1_x86_64_avx2_fma, and for "
            "the last rows tw_mmt4d_tile_f32f32f32_2x16x1_x86_64_avx2_fma.");
}

// bf16 has tiles on this CPU, f8E4M3FN has none.
TEST(MatmulExplainTest, SaysWhereOperandsAreWidened) {
  for (bool prepacked : {false, true}) {
    EXPECT_EQ(explained(TW_TYPES_BF16BF16F32, 12, 32, prepacked),
              "Runs tw_mmt4d_tile_bf16bf16f32_6x16x2_x86_64_avx2_fma.");
    EXPECT_EQ(explained(TW_TYPES_F8E4M3FNF8E4M3FNF32, 12, 32, prepacked),
              "Runs tw_mmt4d_tile_f32f32f32_6x16x1_x86_64_avx2_fma, on widened "
              "operands.");
  }
}
#endif

TEST(MatmulExplainTest, NullParamsAndParallelFor) {
  Valid valid;
  char text[300];
  EXPECT_EQ(tw_matmul(nullptr, nullptr), kInvalid);
  EXPECT_EQ(tw_matmul_explain(nullptr, nullptr, text, sizeof text), kInvalid);
  EXPECT_EQ(std::string(text).find("params is"), 0u) << text;
  const tw_parallel_for_t empty = {nullptr, nullptr};
  EXPECT_EQ(tw_matmul(&valid.p, &empty), kInvalid);
  EXPECT_EQ(tw_matmul_explain(&valid.p, &empty, text, sizeof text), kInvalid);
  EXPECT_EQ(std::string(text).find("parallel_for->run is"), 0u) << text;
}

// s32 x s32 is as wide as anything, and has no hand-written tile on x86-64.
TEST(MatmulExplainTest, TypesWithoutATile) {
  Valid valid;
  setTypes(&valid.p, TW_TYPES_S32S32S32);
  valid.p.flags &= ~uint32_t{TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK};
  const CpuData bare;
  valid.p.cpu_data = bare.words;
  char text[300];
  EXPECT_EQ(tw_matmul(&valid.p, nullptr), TW_STATUS_UNSUPPORTED);
  tw_matmul_explain(&valid.p, nullptr, text, sizeof text);
  EXPECT_NE(std::string(text).find("ALLOW_GENERIC_FALLBACK"), std::string::npos)
      << text;
}

TEST(MatmulWorkspaceTest, IsAtMost4MiBAThread) {
  for (const TypeTripleInfo& types : typeTriples()) {
    if (info(types.lhs).bits == 6 || info(types.rhs).bits == 6) continue;
    for (tw_index_t M : {5, 5000, 1000000})
      for (tw_index_t N : {1, 99, 1000000})
        for (tw_index_t K : {1, 64, 4097, 1000000})
          for (int threads : {1, 3})
            for (uint32_t flags : {0, 0x400000}) {
              Valid valid;
              setTypes(&valid.p, types.value);
              valid.p.flags |= flags;
              valid.p.M = M;
              valid.p.N = N;
              valid.p.K = K;
              valid.p.lhs_stride = valid.p.rhs_stride = valid.p.out_stride =
                  2000000;
              valid.p.threads = threads;
              tw_index_t bytes = -1;
              ASSERT_EQ(tw_matmul_workspace_size(&valid.p, &bytes),
                        TW_STATUS_OK);
              // Row-major f32 and f64 may have nothing packed, nor may a
              // transposed out of few columns, which become rows.
              const bool isPacked = flags != 0
                                        ? N > 4
                                        : (types.value != TW_TYPES_F32F32F32 &&
                                           types.value != TW_TYPES_F64F64F64);
              ASSERT_GT(bytes, isPacked ? 0 : -1);
              ASSERT_LE(bytes, threads * TW_MATMUL_MOST_WORKSPACE)
                  << types.name << ' ' << M << 'x' << N << 'x' << K;
            }
  }
}

TEST(FillMmt4dParamsTest, FillsSizesAndStrides) {
  const tw_tile_sizes_t sizes = {12, 32, 2};
  tw_mmt4d_params_t p;
  ASSERT_EQ(tw_fill_mmt4d_params(TW_TYPES_BF16BF16F32, 25, 33, 7, &sizes, &p),
            TW_STATUS_OK);
  EXPECT_EQ(p.M, 3);
  EXPECT_EQ(p.N, 2);
  EXPECT_EQ(p.K, 4);
  EXPECT_EQ(p.M0, 12);
  EXPECT_EQ(p.N0, 32);
  EXPECT_EQ(p.K0, 2);
  EXPECT_EQ(p.lhs_stride0, 4 * 12 * 2);
  EXPECT_EQ(p.rhs_stride0, 4 * 32 * 2);
  EXPECT_EQ(p.out_stride0, 2 * 12 * 32);
  EXPECT_EQ(p.flags, uint32_t{TW_TYPES_BF16BF16F32} |
                         uint32_t{TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS});
  EXPECT_EQ(p.lhs_buffer, nullptr);
  EXPECT_EQ(p.cpu_data, nullptr);
  const tw_tile_sizes_t none = {0, 32, 2};
  EXPECT_EQ(tw_fill_mmt4d_params(TW_TYPES_BF16BF16F32, 25, 33, 7, &none, &p),
            kInvalid);
  EXPECT_EQ(tw_fill_mmt4d_params(TW_TYPES_BF16BF16F32, -1, 33, 7, &sizes, &p),
            kInvalid);
  EXPECT_EQ(
      tw_fill_mmt4d_params(TW_TYPES_BF16BF16F32, 25, 33, kMax, &sizes, &p),
      TW_STATUS_OVERFLOW);
}

}  // namespace
}  // namespace tilewright::testing
