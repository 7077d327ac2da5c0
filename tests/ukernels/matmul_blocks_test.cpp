// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of the lhs tw_matmul packs at a time, beside a prepacked rhs: what
// the workspace has room for.

#include <gtest/gtest.h>

#include <vector>

#include "tests/ukernels/rows.h"
#include "tilewright/tilewright.h"
#include "ukernels/core.h"

namespace tilewright::testing {
namespace {

#ifdef __x86_64__

struct Matmul {
  tw_type_triple_t types;
  int bytes;  // of an element
  tw_isa_t isa;
  tw_index_t M, N, K;
};

// Of the same caches, 48 KiB and 2 MiB, whatever the core.
tw_index_t workspaceOf(const Matmul& m, const char* core,
                       const void* lhs = nullptr) {
  CpuData data = CpuData::of(m.isa);
  EXPECT_TRUE(tw_set_core(core, data.words));
  data.words[TW_CPU_WORD_CACHES] = TW_CACHES_WORD(48, 2048);
  const std::vector<uint8_t> rhs(static_cast<size_t>(m.N * m.K * m.bytes));
  tw_matmul_params_t p = {};
  p.flags = static_cast<uint32_t>(m.types);
  p.lhs = lhs;
  p.rhs = rhs.data();
  p.M = m.M;
  p.N = m.N;
  p.K = m.K;
  p.lhs_stride = m.K;
  p.rhs_stride = p.out_stride = m.N;
  p.threads = 1;
  p.cpu_data = data.words;
  EXPECT_EQ(tw_prepacked_size(&p, &p.rhs_bytes), TW_STATUS_OK);
  std::vector<uint64_t> panels(static_cast<size_t>(p.rhs_bytes + 7) / 8);
  EXPECT_EQ(tw_prepack(&p, panels.data(), p.rhs_bytes, nullptr), TW_STATUS_OK);
  p.rhs = panels.data();
  p.flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
  tw_index_t bytes = 0;
  EXPECT_EQ(tw_matmul_workspace_size(&p, &bytes), TW_STATUS_OK);
  return bytes;
}

constexpr tw_index_t kKiB = 1024, kSlice = 32 * 4 * kKiB;

// All that there is room for where L3 is quick, else no more than stays in L2.
TEST(MatmulBlocksTest, ASlowL3LeavesTheLhsInL2) {
  const Matmul f32 = {
      TW_TYPES_F32F32F32, 4, TW_ISA_X86_64_AVX512_BASE, 1200, 1024, 1024};
  EXPECT_GT(workspaceOf(f32, "sapphirerapids"), 2048 * kKiB);
  EXPECT_GT(workspaceOf(f32, "graniterapids"), 640 * kKiB);
  EXPECT_LT(workspaceOf(f32, "graniterapids"), 896 * kKiB);
  // Four slices of AMX's 32 rows, beside a tile of out.
  Matmul s8 = {TW_TYPES_S8S8S32, 1, TW_ISA_X86_64_AMX_INT8, 1024, 1024, 4096};
  EXPECT_GT(workspaceOf(s8, "sapphirerapids"), 16 * kSlice);
  EXPECT_GE(workspaceOf(s8, "graniterapids"), 4 * kSlice);
  EXPECT_LT(workspaceOf(s8, "graniterapids"), 5 * kSlice);
  // Eight rows of tiles take panels singly: that many are packed.
  s8.M = 256;
  EXPECT_GE(workspaceOf(s8, "graniterapids"), 8 * kSlice);
}

// A short K by AMX: blocks of out may be as large as those of the lhs have room
// for, 2.5 MiB, instead of 768 KiB.
TEST(MatmulBlocksTest, AShortKPassesOverAsMuchOfTheLhsAsHasRoom) {
  const Matmul s8 = {
      TW_TYPES_S8S8S32, 1, TW_ISA_X86_64_AMX_INT8, 4096, 4096, 512};
  EXPECT_LT(workspaceOf(s8, "sapphirerapids"), 512 * kKiB);
  EXPECT_GE(workspaceOf(s8, "graniterapids"), 2048 * kKiB);
}

// The lhs that is multiplied in place lies on cache lines; where the size is
// asked for nobody knows yet.
TEST(MatmulBlocksTest, TheWorkspaceIsForALhsWhereverItLies) {
  alignas(64) static const uint8_t lines[128] = {};
  const Matmul s8 = {
      TW_TYPES_S8S8S32, 1, TW_ISA_X86_64_AMX_INT8, 4096, 2048, 512};
  const tw_index_t bytes = workspaceOf(s8, "graniterapids");
  EXPECT_GE(bytes, 2048 * kKiB);
  EXPECT_EQ(workspaceOf(s8, "graniterapids", lines), bytes);
  EXPECT_EQ(workspaceOf(s8, "graniterapids", lines + 1), bytes);
}

#endif

}  // namespace
}  // namespace tilewright::testing
