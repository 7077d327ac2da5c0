// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_mmt4d where it cuts M, N and K into blocks, and the parallel-for.

#include <gtest/gtest.h>

#include <atomic>
#include <ostream>
#include <thread>
#include <vector>

#include "tests/ukernels/rows.h"
#include "tests/ukernels/whole_op.h"
#include "ukernels/core.h"

namespace tilewright::testing {
namespace {

// A parallel-for on three threads that counts how often each index ran.
struct CountingPool {
  std::vector<int> runs;
  int calls = 0;

  static void run(void* self, tw_index_t count,
                  void (*body)(void* context, tw_index_t i), void* context) {
    CountingPool& pool = *static_cast<CountingPool*>(self);
    ++pool.calls;
    pool.runs.assign(static_cast<size_t>(count), 0);
    std::atomic<tw_index_t> next{0};
    auto work = [&] {
      for (tw_index_t i; (i = next++) < count;) {
        ++pool.runs[static_cast<size_t>(i)];
        body(context, i);
      }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
  }
  tw_parallel_for_t parallelFor() { return {&run, this}; }
};

TileKey keyOf(const char* name) { return parseTileKey(name).key.value(); }

// Shapes that exceed every block size in turn: M by the L2 share, N by the L3
// share, K by the L1 share; panels of a wide K0 make that cheap.
struct Shape {
  const char* name;
  int64_t M, N, K;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.name;
}
const Shape kShapes[] = {
    // One K step of 1024 rows and 64 bytes each is 64 KiB.
    {"tw_mmt4d_tile_s8s8s32_1024x8x64_generic", 9, 2, 1},
    {"tw_mmt4d_tile_s8s8s32_8x1024x64_generic", 2, 33, 1},
    {"tw_mmt4d_tile_f32f32f32_8x64x4_generic", 3, 3, 200},
    {"tw_mmt4d_tile_f32f32f32_2x4x1_generic", 50, 60, 33},
    {"tw_mmt4d_tile_bf16bf16bf16_4x512x32_generic", 3, 2, 5},
    {"tw_mmt4d_tile_bf16bf16bf16_4x512x32_steprnd_generic", 3, 2, 5},
};

class BlocksTest : public ::testing::TestWithParam<Shape> {};

TEST_P(BlocksTest, SerialAndParallelAreRight) {
  const Shape& shape = GetParam();
  for (bool parallel : {false, true})
    for (bool accumulate : {false, true}) {
      CountingPool pool;
      const tw_parallel_for_t parallelFor = pool.parallelFor();
      WholeOpOptions options;
      options.M = shape.M;
      options.N = shape.N;
      options.K = shape.K;
      options.accumulate = accumulate;
      options.rowSlack = accumulate ? 5 : -1;
      // How many tasks there are follows from the caches.
      CpuData data = CpuData::all();
      data.words[TW_CPU_WORD_CACHES] = TW_CACHES_WORD(32, 1024);
      options.cpuData = data.words;
      options.parallelFor = parallel ? &parallelFor : nullptr;
      SCOPED_TRACE(std::string(shape.name) + (parallel ? " parallel" : ""));
      WholeOp(keyOf(shape.name), options, seedOf(shape.name)).runAndCheck();
      if (HasFatalFailure()) return;
      if (!parallel) continue;
      EXPECT_EQ(pool.calls, shape.M * shape.N > 8 ? 1 : 0);
      for (int runs : pool.runs) EXPECT_EQ(runs, 1);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BlocksTest, ::testing::ValuesIn(kShapes),
                         [](const auto& test) { return test.param.name; });

// Caches of any size are only another order: smaller than a step, larger than
// everything, and whatever else stands there.
TEST_P(BlocksTest, AnyCachesAreRight) {
  const Shape& shape = GetParam();
  for (uint64_t caches : {uint64_t{TW_CACHES_WORD(1, 1)},
                          uint64_t{TW_CACHES_WORD(0xFFFF, 0xFFFFFFFF)},
                          uint64_t{TW_CACHES_WORD(1, 1 << 20)}, ~uint64_t{0}}) {
    CpuData data = CpuData::all();
    data.words[TW_CPU_WORD_CACHES] = caches;
    WholeOpOptions options;
    options.M = shape.M;
    options.N = shape.N;
    options.K = shape.K;
    options.cpuData = data.words;
    SCOPED_TRACE(std::string(shape.name) + " " + std::to_string(caches));
    WholeOp(keyOf(shape.name), options, seedOf(shape.name)).runAndCheck();
    if (HasFatalFailure()) return;
  }
}

TEST(BlocksTest, ManyTilesBecomeManyTasks) {
  CountingPool pool;
  const tw_parallel_for_t parallelFor = pool.parallelFor();
  WholeOpOptions options;
  options.M = 50;
  options.N = 60;
  options.K = 2;
  options.parallelFor = &parallelFor;
  WholeOp(keyOf("tw_mmt4d_tile_f32f32f32_2x4x1_generic"), options, 1)
      .runAndCheck();
  EXPECT_GE(pool.runs.size(), 64u);
}

// Outputs that round once must not round between K blocks. With products of
// (131/128)^2 a rounding after each block of 64 or more steps loses more than
// one unit of the result.
TEST(BlocksTest, NarrowOutputsRoundOnce) {
  constexpr int64_t kK = 3010;
  // A core that would read the panel in slices of K.
  CpuData data;
  ASSERT_TRUE(tw_set_core("znver3", data.words));
  data.words[TW_CPU_WORD_CACHES] = TW_CACHES_WORD(32, 8);
  const TileKey key = keyOf("tw_mmt4d_tile_bf16bf16bf16_1x64x1_generic");
  const uint16_t value = 0x3F83;
  std::vector<uint16_t> lhs(kK * key.m0, value);
  std::vector<uint16_t> rhs(kK * key.n0, value);
  std::vector<uint16_t> out(key.m0 * key.n0);
  tw_mmt4d_params_t params = findParams(key, data.words);
  params.flags |= TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
  params.lhs_buffer = lhs.data();
  params.rhs_buffer = rhs.data();
  params.out_buffer = out.data();
  params.M = params.N = 1;
  params.K = kK;
  ASSERT_EQ(tw_mmt4d(&params, nullptr), TW_STATUS_OK);
  const double factor = 131.0 / 128.0;
  for (uint16_t bits : out)
    ASSERT_EQ(decodeElement(TW_ELEMENT_BF16, bits),
              roundTo(TW_ELEMENT_BF16, kK * factor * factor));
}

}  // namespace
}  // namespace tilewright::testing
