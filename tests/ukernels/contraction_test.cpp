// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled models call for a multiplication, with what they know of their
// core.

#include "tilewright/contraction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/common/seed.h"

namespace tilewright::testing {
namespace {

// The bytes of the rhs that each call of the tile took, in order, whether it
// was told that they are far, and what it was to ask for.
struct Slice {
  const char* rhs;
  int64_t bytes;
  bool far;
  const char* lhs;
  int64_t K;
  int64_t outRowStride;
  const char* next = nullptr;
  int64_t nextStep = 0;
};
std::vector<Slice> slices;

void plainTile(void* out, const void* lhs, const void* rhs,
               const tw_mmt4d_params_t* p) {
  slices.push_back({static_cast<const char*>(rhs),
                    p->K * p->N0 * p->K0 * int64_t{sizeof(float)},
                    (p->flags & TW_MMT4D_FLAG_RHS_FAR) != 0,
                    static_cast<const char*>(lhs), p->K, p->out_row_stride});
  if (p->flags & TW_MMT4D_FLAG_NEXT) {
    slices.back().next = static_cast<const char*>(p->next);
    slices.back().nextStep = p->next_step;
  }
  const auto* a = static_cast<const float*>(lhs);
  const auto* b = static_cast<const float*>(rhs);
  const int64_t stride = p->flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE
                             ? p->out_row_stride
                             : int64_t{p->N0};
  for (int64_t m = 0; m < p->M0; ++m)
    for (int64_t n = 0; n < p->N0; ++n) {
      float& to = static_cast<float*>(out)[m * stride + n];
      float sum = p->flags & TW_MMT4D_FLAG_ACCUMULATE ? to : 0;
      for (int64_t k = 0; k < p->K; ++k)
        for (int64_t i = 0; i < p->K0; ++i)
          sum +=
              a[(k * p->M0 + m) * p->K0 + i] * b[(k * p->N0 + n) * p->K0 + i];
      to = sum;
    }
}

struct Case {
  int64_t M = 1, N = 1, K = 1;
  int32_t M0 = 1, N0 = 1, K0 = 1;
  bool accumulate = false, outTransposed = false;
  bool packsRhs = false;  // [N][K], which the call packs
  tw_known_core_t core = {};
};

// Multiplies small integers by panels of a constant, as a model does, and
// compares every element of out.
void check(const Case& c, Random& random) {
  SCOPED_TRACE(std::to_string(c.M) + " x " + std::to_string(c.N) + " x " +
               std::to_string(c.K) + " by " + std::to_string(c.M0) + " x " +
               std::to_string(c.N0) + " x " + std::to_string(c.K0) +
               ", L2 of " + std::to_string(c.core.l2_kib) + " KiB, " +
               std::to_string(c.core.streams) + " streams");
  auto some = [&](int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values)
      value = static_cast<float>(random.between(-4, 4));
    return values;
  };
  const int64_t panels = (c.N + c.N0 - 1) / c.N0;
  const int64_t steps = (c.K + c.K0 - 1) / c.K0;
  const std::vector<float> lhs = some(c.M * c.K);
  std::vector<float> rhs = some(panels * steps * c.N0 * c.K0);
  auto element = [&](int64_t n, int64_t k) -> float& {
    if (c.packsRhs) return rhs[n * steps * c.K0 + k];
    return rhs[((n / c.N0 * steps + k / c.K0) * c.N0 + n % c.N0) * c.K0 +
               k % c.K0];
  };
  // What is beyond K is padding.
  for (int64_t n = 0; n < panels * c.N0; ++n)
    for (int64_t k = c.K; k < steps * c.K0; ++k) element(n, k) = 0;
  const std::vector<float> before = some(c.M * c.N);
  std::vector<float> out = before;
  const std::unique_ptr<void, decltype(&std::free)> workspace(
      std::aligned_alloc(64, TW_MATMUL_MOST_WORKSPACE), &std::free);

  tw_contraction_t contraction = {};
  tw_matmul_params_t& p = contraction.matmul;
  p.lhs = lhs.data();
  p.rhs = rhs.data();
  p.out = out.data();
  p.lhs_stride = c.K;
  p.out_stride = c.outTransposed ? c.M : c.N;
  p.M = c.M;
  p.N = c.N;
  p.K = c.K;
  p.rhs_stride = steps * c.K0;
  p.flags = TW_TYPES_F32F32F32;
  p.flags |=
      c.packsRhs ? TW_MATMUL_FLAG_RHS_TRANSPOSED : TW_MATMUL_FLAG_RHS_PREPACKED;
  if (c.accumulate) p.flags |= TW_MMT4D_FLAG_ACCUMULATE;
  if (c.outTransposed) p.flags |= TW_MATMUL_FLAG_OUT_TRANSPOSED;
  p.threads = 1;
  p.workspace = workspace.get();
  p.workspace_bytes = TW_MATMUL_MOST_WORKSPACE;
  contraction.tile = plainTile;
  contraction.tile_types = TW_TYPES_F32F32F32;
  contraction.M0 = c.M0;
  contraction.N0 = c.N0;
  contraction.K0 = c.K0;
  contraction.core = c.core;
  slices.clear();
  TW_CONTRACT(&contraction);

  for (int64_t m = 0; m < c.M; ++m)
    for (int64_t n = 0; n < c.N; ++n) {
      const int64_t at = c.outTransposed ? n * c.M + m : m * c.N + n;
      float expected = c.accumulate ? before[at] : 0;
      for (int64_t k = 0; k < c.K; ++k)
        expected += lhs[m * c.K + k] * element(n, k);
      ASSERT_EQ(out[at], expected) << "element (" << m << ", " << n << ")";
    }
}

TEST(ContractionTest, IsRightForAnyCore) {
  Random random(seedOf("ContractionTest"));
  for (int i = 0; i < 200; ++i) {
    Case c;
    c.M = random.between(1, 9);
    c.N = random.between(1, 130);
    c.K = random.between(1, 1300);
    c.M0 = static_cast<int32_t>(random.between(1, 4));
    c.N0 = static_cast<int32_t>(random.between(1, 16));
    c.K0 = static_cast<int32_t>(random.between(1, 3));
    c.accumulate = random.chance(0.5);
    c.outTransposed = random.chance(0.3);
    // So small that whatever has 16 KiB in a panel comes from memory.
    if (random.chance(0.8))
      c.core = {32,
                static_cast<int32_t>(random.between(1, 64)),
                random.chance(0.7) ? 4 : 1,
                static_cast<int32_t>(random.between(1, 3)),
                static_cast<int32_t>(random.between(1, 3)),
                static_cast<int32_t>(random.between(1, 32)),
                random.chance(0.5),
                0};
    check(c, random);
    if (HasFailure()) return;
  }
}

// A core of which only the caches are known, in KiB.
tw_known_core_t withCaches(int32_t l1, int32_t l2) {
  return {l1, l2, 1, 1, 1, 1, 0, 0};
}

// One of a tiny L2 whose 32-fold is 32 KiB, which reads four panels side by
// side by up to `tiles` rows of tiles.
tw_known_core_t sideBySide(int32_t tiles) {
  return {32, 1, 4, 1, tiles, 32, 0, 0};
}

// Eight panels of 70,400 bytes: of four side by side a slice of a KiB each,
// where the core is known to read so, else as much of K as a chunk has.
TEST(ContractionTest, PanelsSideBySideWhereTheCoreReadsThem) {
  Random random(seedOf("ContractionTest.Panels"));
  Case c;
  c.N = 128;
  c.K = 1100;
  c.N0 = 16;
  const int64_t panel = c.K * c.N0 * int64_t{sizeof(float)};
  c.core = sideBySide(1);
  check(c, random);
  ASSERT_GT(slices.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(slices[i].rhs - slices[0].rhs, i * panel);
    EXPECT_LE(slices[i].bytes, 1024);
    // Into a block of accumulators of its own.
    EXPECT_EQ(slices[i].outRowStride, 4 * c.N0);
  }
  EXPECT_EQ(slices[4].rhs, slices[0].rhs + slices[0].bytes);

  for (const tw_known_core_t core :
       {tw_known_core_t{}, tw_known_core_t{32, 1, 1, 1, 1, 32, 0, 0},
        tw_known_core_t{32, 1, 4, c.M0 + 1, 1, 32, 0, 0},
        tw_known_core_t{32, 1, 4, 1, 1, 551, 0, 0}}) {
    c.core = core;
    check(c, random);
    EXPECT_GT(slices[0].bytes, 1024);
  }
  // Three rows of tiles take each slice, if the core gains by that, and the
  // first of them has it from memory.
  c.core = sideBySide(3);
  c.M = 3 * c.M0;
  check(c, random);
  ASSERT_GT(slices.size(), 12u);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(slices[i].rhs - slices[0].rhs, i / 3 * panel);
    EXPECT_LE(slices[i].bytes, 1024);
    EXPECT_EQ(slices[i].far, i % 3 == 0);
  }
  c.M = 4 * c.M0;
  check(c, random);
  EXPECT_GT(slices[0].bytes, 1024);
  EXPECT_TRUE(slices[0].far);
  c.M = c.M0;
  // All panels together are half of L2.
  c.core = withCaches(32, 1100);
  check(c, random);
  for (const Slice& slice : slices) EXPECT_FALSE(slice.far);
  // A slice would be three steps.
  c.core = sideBySide(1);
  c.K0 = 5;
  check(c, random);
  EXPECT_GT(slices[0].bytes, 1024);
}

// A case of tiles of 4x16, `N` columns and two chunks of K.
Case ofTwoChunks(int64_t N, tw_known_core_t core) {
  Case c;
  c.N = N;
  c.K = 1100;
  c.M0 = 4;
  c.N0 = 16;
  c.core = core;
  return c;
}

// Whether call `i` asks for the part of number `part` of what lies at `from`,
// `step` bytes of each K step.
void expectAsks(size_t i, const char* from, size_t part, int64_t step) {
  const Slice& slice = slices[i];
  EXPECT_EQ(slice.nextStep, step);
  EXPECT_EQ(slice.next, from + static_cast<int64_t>(part) * slice.K * step);
}

// Three rows of tiles take panel after panel, and each asks for a third of the
// next one; two rows do not.
TEST(ContractionTest, FewRowsAskForTheNextPanel) {
  Random random(seedOf("ContractionTest.NextPanel"));
  Case c = ofTwoChunks(128, withCaches(1, 128));
  for (const int64_t rows : {3, 2}) {
    c.M = rows * c.M0;
    check(c, random);
    const int64_t panels = c.N / c.N0;
    const auto calls = static_cast<size_t>(rows * panels);
    ASSERT_EQ(slices.size(), 2 * calls);
    for (size_t i = 0; i < slices.size(); ++i) {
      const size_t m = i % static_cast<size_t>(rows);
      const size_t next = i - m + static_cast<size_t>(rows);
      if (rows < 3 || next % calls == 0) {
        EXPECT_EQ(slices[i].next, nullptr);
        continue;
      }
      expectAsks(i, slices[next].rhs, m, (c.N0 * 4 + rows - 1) / rows);
    }
  }
}

// Of a lhs that is more than half of L2 the tiles of a row ask for the next
// row's slice, a part each.
TEST(ContractionTest, RowsAskForTheNextSliceOfALargeLhs) {
  Random random(seedOf("ContractionTest.NextSlice"));
  Case c = ofTwoChunks(112, withCaches(32, 512));
  for (const int64_t rows : {40, 20}) {
    c.M = rows * c.M0;
    check(c, random);
    const size_t columns = static_cast<size_t>(c.N / c.N0);
    const size_t calls = static_cast<size_t>(rows) * columns;
    ASSERT_EQ(slices.size(), 2 * calls);
    for (size_t i = 0; i < slices.size(); ++i) {
      const size_t n = i % columns, next = i - n + columns;
      if (rows == 20 || next % calls == 0) {
        EXPECT_EQ(slices[i].next, nullptr);
        continue;
      }
      expectAsks(i, slices[next].lhs, n, (c.M0 * 4 + 6) / 7);
    }
  }
}

// The last call of each row asks for its part of the next block's panels, where
// L3 is slow: of a rhs of twelve slices of 35,200 bytes, three of which are a
// quarter of L2.
TEST(ContractionTest, RowsAskForTheNextBlocksPanels) {
  Random random(seedOf("ContractionTest.NextBlock"));
  Case c = ofTwoChunks(192, withCaches(32, 420));
  c.core.slow_l3 = 1;
  const int64_t columns = 3, rows = 12;
  c.M = rows * c.M0;
  check(c, random);
  const auto block = static_cast<size_t>(rows * columns);
  ASSERT_EQ(slices.size(), 8 * block);
  for (size_t i = 0; i < slices.size(); ++i) {
    if (i % 3 != 2 || i >= 7 * block) continue;
    const size_t m = i % block / 3, next = i / block * block + block;
    expectAsks(i, slices[next + m / 4].rhs, m % 4, c.N0 * 4 / 4);
  }
}

// From the first byte of the lhs that calls took to the last one's end.
int64_t bytesOfLhs(const Case& c) {
  const auto [first, last] = std::minmax_element(
      slices.begin(), slices.end(),
      [](const Slice& a, const Slice& b) { return a.lhs < b.lhs; });
  return last->lhs - first->lhs + last->K * c.M0 * c.K0 * int64_t{4};
}

// Beside panels from a slow L3 no more of the lhs is packed at a time than 3/8
// of L2, but of a few rows that take panels singly, and no more of K of both
// sides than 2 KiB of a row.
TEST(ContractionTest, BlocksLeaveL2ToWhatPassesThroughASlowL3) {
  Random random(seedOf("ContractionTest.SlowL3"));
  for (const bool slow : {false, true}) {
    Case c = ofTwoChunks(128, withCaches(32, 256));
    c.core.slow_l3 = slow;
    const int64_t slice = c.K / 2 * c.M0 * 4;
    c.M = 40 * c.M0;
    check(c, random);
    EXPECT_EQ(bytesOfLhs(c), (slow ? 10 : 40) * slice);
    c.core.l1_kib = 1;
    c.M = 14 * c.M0;
    check(c, random);
    EXPECT_EQ(bytesOfLhs(c), 14 * slice);

    c.packsRhs = true;
    check(c, random);
    EXPECT_EQ(slices[0].K, slow ? 367 : 550);
  }
}

}  // namespace
}  // namespace tilewright::testing
