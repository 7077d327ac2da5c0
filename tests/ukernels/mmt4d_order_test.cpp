// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order tw_mmt4d calls tiles, and how much of the operands each block
// of them reads: what ukernels/mmt4d.c promises of caches. The tile is one of
// this program's, which notes its calls and reads nothing, so that the operands
// are addresses only.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include "tests/ukernels/rows.h"
#include "ukernels/core.h"

#if defined(__ELF__)

namespace tilewright::testing {
namespace {

// s32: 4 bytes per element.
constexpr char kName[] = "tw_mmt4d_tile_s32s32s32_11x13x4_generic";
constexpr int64_t kM0 = 11, kN0 = 13, kK0 = 4;
constexpr int64_t kLhsStep = kM0 * kK0 * 4, kRhsStep = kN0 * kK0 * 4;
// Bytes of a row of K, and of a lhs block, at most; and the fewest K steps that
// are worth a call.
constexpr int64_t kRow = 4 << 10, kL3 = 2 << 20, kL1 = 32 << 10;
constexpr int64_t kLeastSteps = 64;

struct Call {
  int64_t lhs, rhs, out;  // addresses
  int64_t K;
  bool accumulates, rhsFar;
  int64_t next = 0, nextStep = 0;  // under NEXT
};
std::vector<Call> calls;

int64_t address(const void* pointer) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer));
}

void note(void* out, const void* lhs, const void* rhs,
          const tw_mmt4d_params_t* params) {
  calls.push_back({address(lhs), address(rhs), address(out), params->K,
                   (params->flags & TW_MMT4D_FLAG_ACCUMULATE) != 0,
                   (params->flags & TW_MMT4D_FLAG_RHS_FAR) != 0});
  if (params->flags & TW_MMT4D_FLAG_NEXT) {
    calls.back().next = address(params->next);
    calls.back().nextStep = params->next_step;
  }
}

__attribute__((section("tw_tiles"), used))
const tw_tile_entry_t kEntry = {kName, note};

// Runs the tasks one after the other, and notes where each begins.
struct Tasks {
  std::vector<size_t> begins;
  static void run(void* self, tw_index_t count,
                  void (*body)(void* context, tw_index_t i), void* context) {
    for (tw_index_t i = 0; i < count; ++i) {
      static_cast<Tasks*>(self)->begins.push_back(calls.size());
      body(context, i);
    }
  }
};

struct Sizes {
  int64_t M, N, K;
};

std::ostream& operator<<(std::ostream& out, const Sizes& sizes) {
  return out << sizes.M << "x" << sizes.N << "x" << sizes.K;
}

constexpr Sizes kSizes[] = {
    {1, 1, 1},      {7, 5, 3},     {500, 3, 10},   {3, 500, 10},
    {100, 100, 28}, {40, 30, 64},  {40, 30, 1000}, {300, 300, 65},
    {2000, 70, 1},  {70, 2000, 1}, {9, 9, 2000},   {1, 300, 400},
    {300, 1, 400},  {1, 19, 301},  {1, 7, 64},     {2, 300, 400},
    {3, 150, 300},  {3, 900, 64},  {4, 90, 100},   {2, 900, 64},
    {4, 150, 300},  {7, 90, 401},  {14, 90, 200}};

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Whether few rows take each panel of the rhs in turn, `steps` of it at a time:
// unless panels stay in L2, of which `half` is a half, or a slice of the lhs in
// L1 and the rhs not too far away.
bool takesPanelsSingly(const Sizes& s, int64_t steps, int64_t half) {
  const int64_t lhsSlice = steps * kLhsStep, rhs = s.N * steps * kRhsStep;
  return s.M > 1 && s.M * lhsSlice <= half && rhs > half &&
         (lhsSlice > kL1 || (s.M >= 3 && rhs > 8 * half));
}

class OrderTest : public ::testing::TestWithParam<Sizes> {
 protected:
  // Operands that lie one after another at addresses that nobody reads.
  void multiply(tw_parallel_for_t* parallelFor, uint64_t l2KiB = 1024,
                const char* core = nullptr) {
    const Sizes& s = GetParam();
    CpuData data;
    if (core) {
      ASSERT_TRUE(tw_set_core(core, data.words));
    }
    data.words[TW_CPU_WORD_CACHES] = TW_CACHES_WORD(32, l2KiB);
    tw_mmt4d_params_t params =
        findParams(parseTileKey(kName).key.value(), data.words);
    params.lhs_buffer = reinterpret_cast<void*>(kLhs);
    params.rhs_buffer = reinterpret_cast<void*>(kRhs);
    params.out_buffer = reinterpret_cast<void*>(kOut);
    params.M = s.M;
    params.N = s.N;
    params.K = s.K;
    params.lhs_stride0 = s.K * kM0 * kK0;
    params.rhs_stride0 = s.K * kN0 * kK0;
    params.out_stride0 = s.N * kM0 * kN0;
    calls.clear();
    ASSERT_EQ(tw_mmt4d(&params, parallelFor), TW_STATUS_OK);
  }

  int64_t row(const Call& call) const {
    return (call.lhs - kLhs) / kLhsStep / GetParam().K;
  }
  int64_t column(const Call& call) const {
    return (call.rhs - kRhs) / kRhsStep / GetParam().K;
  }
  int64_t step(const Call& call) const {
    return (call.lhs - kLhs) / kLhsStep % GetParam().K;
  }

  static constexpr uintptr_t kLhs = uintptr_t{1} << 40;
  static constexpr uintptr_t kRhs = uintptr_t{2} << 40;
  static constexpr uintptr_t kOut = uintptr_t{3} << 40;
};

TEST_P(OrderTest, EveryTileTakesItsKInOrder) {
  const Sizes& s = GetParam();
  multiply(nullptr);
  std::vector<int64_t> done(static_cast<size_t>(s.M * s.N), 0);
  for (const Call& call : calls) {
    const int64_t m = row(call), n = column(call), k = step(call);
    ASSERT_TRUE(m < s.M && n < s.N);
    ASSERT_EQ((call.rhs - kRhs) / kRhsStep % s.K, k);
    ASSERT_EQ(call.out - kOut, (m * s.N + n) * kM0 * kN0 * 4);
    int64_t& next = done[static_cast<size_t>(m * s.N + n)];
    ASSERT_EQ(k, next);
    ASSERT_EQ(call.accumulates, k > 0);
    next += call.K;
  }
  for (int64_t steps : done) ASSERT_EQ(steps, s.K);
}

// The parts of a block: rows of `columns` calls with one lhs slice each, over
// `rows` slices, then the next K block or block.
struct Block {
  int64_t rows, columns, K;
};

TEST_P(OrderTest, BlocksTakeTheirSharesOfTheCaches) {
  const Sizes& s = GetParam();
  for (const int64_t l2KiB : {1024, 256}) {
    multiply(nullptr, static_cast<uint64_t>(l2KiB));
    std::vector<Block> blocks;
    for (size_t i = 0; i < calls.size();) {
      Block block = {0, 0, calls[i].K};
      const int64_t first = column(calls[i]), row0 = row(calls[i]);
      const int64_t step0 = step(calls[i]);
      for (; i < calls.size() && step(calls[i]) == step0 &&
             column(calls[i]) == first && row(calls[i]) == row0 + block.rows;
           ++block.rows) {
        int64_t columns = 0;
        for (const int64_t slice = calls[i].lhs;
             i < calls.size() && calls[i].lhs == slice &&
             column(calls[i]) == first + columns;
             ++i)
          ++columns;
        if (block.rows > 0) {
          ASSERT_EQ(columns, block.columns);
        }
        block.columns = columns;
      }
      blocks.push_back(block);
    }
    const int64_t half = l2KiB << 9;
    int64_t rows = 0, columns = 0, steps = 0;
    for (const Block& block : blocks) {
      EXPECT_TRUE(
          block.K <= std::min(kLeastSteps, s.K) ||
          (block.K * kK0 * 4 <= kRow && block.K * kRhsStep <= half / 4));
      EXPECT_TRUE(block.columns == 1 ||
                  block.columns * block.K * kRhsStep <= half);
      // With all of N and of K in one block the next one cannot be told apart.
      EXPECT_TRUE(block.rows == 1 || block.rows * block.K * kLhsStep <= kL3 ||
                  (block.columns == s.N && block.K == s.K));
      rows = std::max(rows, block.rows);
      columns = std::max(columns, block.columns);
      steps = std::max(steps, block.K);
    }
    // As few as the shares allow, and of even size.
    const int64_t longest = std::min(kRow / (kK0 * 4), half / 4 / kRhsStep);
    const int64_t fit = std::min(std::max(longest, kLeastSteps), s.K);
    EXPECT_EQ(steps, ceilDiv(s.K, ceilDiv(s.K, fit)));
    // Few rows take each panel in turn.
    const int64_t lhsSlice = steps * kLhsStep, rhsSlice = steps * kRhsStep;
    if (takesPanelsSingly(s, steps, half)) {
      EXPECT_EQ(columns, 1);
      EXPECT_EQ(rows, s.M);
      EXPECT_EQ(blocks.size(), static_cast<size_t>(s.N * ceilDiv(s.K, steps)));
      continue;
    }
    const int64_t fitColumns = std::clamp<int64_t>(half / rhsSlice, 1, s.N);
    EXPECT_EQ(columns, ceilDiv(s.N, ceilDiv(s.N, fitColumns)));
    const int64_t fitRows = std::clamp<int64_t>(kL3 / lhsSlice, 1, s.M);
    EXPECT_EQ(rows, columns == s.N && steps == s.K
                        ? s.M
                        : ceilDiv(s.M, ceilDiv(s.M, fitRows)));
  }
}

// With a slow L3 a rhs that is more than half of L2 has blocks of 3/8 of it, or
// of a quarter if there are many rows: the last call of each asks for its part
// of the next quarter.
TEST_P(OrderTest, BlocksOfTheRhsLeaveMoreOfL2WhereL3IsSlow) {
  const Sizes& s = GetParam();
  constexpr int64_t kL2KiB = 256, kHalf = kL2KiB << 9;
  for (const char* core : {"graniterapids", "znver4"}) {
    SCOPED_TRACE(core);
    multiply(nullptr, kL2KiB, core);
    if (s.M <= 2) continue;  // may be read side by side
    int64_t steps = 0;
    for (const Call& call : calls) steps = std::max(steps, call.K);
    if (takesPanelsSingly(s, steps, kHalf)) continue;
    const bool isLarge = s.N * steps * kRhsStep > kHalf;
    const bool isSlow = core[0] == 'g' && isLarge, asks = isSlow && s.M >= 32;
    const int64_t most = asks ? kHalf / 2 : isSlow ? kHalf / 4 * 3 : kHalf;
    const int64_t fit = std::clamp<int64_t>(most / (steps * kRhsStep), 1, s.N);
    const int64_t columns = ceilDiv(s.N, ceilDiv(s.N, fit));
    // Those of the first row.
    int64_t first = 0;
    while (first < static_cast<int64_t>(calls.size()) &&
           calls[static_cast<size_t>(first)].lhs == calls[0].lhs &&
           column(calls[static_cast<size_t>(first)]) == first)
      ++first;
    EXPECT_EQ(first, columns);
    if (!asks || s.M * steps * kLhsStep > kL3) continue;  // one block of rows
    const int64_t each = s.M / columns;
    for (int64_t m = 0; m < each * columns; ++m) {
      const Call& last = calls[static_cast<size_t>(m * columns + columns - 1)];
      const Call& next = calls[static_cast<size_t>(s.M * columns)];
      const int64_t step = ceilDiv(kRhsStep, each);
      ASSERT_EQ(last.next,
                next.rhs + m / each * s.K * kRhsStep + m % each * last.K * step)
          << m;
      ASSERT_EQ(last.nextStep, step);
    }
  }
}

// Many tasks of at least four tiles, or as many as there are of eight.
TEST_P(OrderTest, TasksAreManyButNotSmall) {
  const Sizes& s = GetParam();
  multiply(nullptr);
  const std::vector<Call> serial = calls;
  Tasks tasks;
  tw_parallel_for_t parallelFor = {&Tasks::run, &tasks};
  multiply(&parallelFor);
  EXPECT_EQ(calls.size(), serial.size());
  if (tasks.begins.empty()) {  // one block
    EXPECT_LE(s.M * s.N, 8);
    return;
  }
  int64_t most = 0, steps = 0;
  for (const Call& call : calls) steps += step(call) == 0;
  for (size_t i = 0; i < tasks.begins.size(); ++i) {
    const size_t end =
        i + 1 < tasks.begins.size() ? tasks.begins[i + 1] : calls.size();
    int64_t tiles = 0;
    for (size_t call = tasks.begins[i]; call < end; ++call)
      tiles += step(calls[call]) == 0;
    most = std::max(most, tiles);
  }
  EXPECT_EQ(steps, s.M * s.N);
  EXPECT_TRUE(tasks.begins.size() >= 64 || most <= 8)
      << tasks.begins.size() << " tasks of " << most << " tiles";
  EXPECT_TRUE(s.M * s.N < 4 || most >= 4) << most;
  EXPECT_LE(tasks.begins.size(), 64u * 3);
}

// The first row of a block brings the rhs to L2, unless it was there all along.
TEST_P(OrderTest, FirstRowOfABlockIsToldThatTheRhsIsFar) {
  const Sizes& s = GetParam();
  constexpr int64_t kL2KiB = 64;
  Tasks tasks;
  tw_parallel_for_t parallelFor = {&Tasks::run, &tasks};
  multiply(&parallelFor, kL2KiB);
  const bool isLarge = s.N * s.K * kRhsStep > kL2KiB << 9;
  std::set<std::pair<int64_t, int64_t>> taken;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (std::count(tasks.begins.begin(), tasks.begins.end(), i) > 0)
      taken.clear();
    const bool isFirst =
        taken.insert({column(calls[i]), step(calls[i])}).second;
    ASSERT_EQ(calls[i].rhsFar, isLarge && isFirst);
  }
}

// Each call asks for its part of what a call behind it has from further away
// than L2: of the next row's slice of the lhs, if those of a block do not stay
// in L2, or of the next panel of the rhs, if few rows take panels singly.
TEST_P(OrderTest, CallsAskForTheirPartsOfTheNextSlice) {
  const Sizes& s = GetParam();
  for (const int64_t l2KiB : {1024, 256, 64}) {
    multiply(nullptr, static_cast<uint64_t>(l2KiB));
    const int64_t half = l2KiB << 9;
    int64_t steps = 0;
    for (const Call& call : calls) steps = std::max(steps, call.K);
    const int64_t lhsSlice = std::max<int64_t>(steps, 1) * kLhsStep;
    const int64_t fitRows = std::clamp<int64_t>(kL3 / lhsSlice, 1, s.M);
    const int64_t rows = ceilDiv(s.M, ceilDiv(s.M, fitRows));
    const bool singly = s.M >= 3 && takesPanelsSingly(s, steps, half);
    for (size_t i = 0, end = 0; i < calls.size(); i = end) {
      // The calls of a row.
      while (end < calls.size() && calls[end].lhs == calls[i].lhs &&
             column(calls[end]) ==
                 column(calls[i]) + static_cast<int64_t>(end - i))
        ++end;
      const int64_t columns = static_cast<int64_t>(end - i), m = row(calls[i]);
      const bool isLast = m % rows == rows - 1 || m == s.M - 1;
      int64_t from = 0, step = 0;
      if (singly) {
        ASSERT_EQ(columns, 1);
        const size_t next = i + static_cast<size_t>(s.M - m);
        step = ceilDiv(kRhsStep, s.M);
        if (next < calls.size()) from = calls[next].rhs + m * calls[i].K * step;
      } else if (rows * lhsSlice > half && !isLast) {
        step = ceilDiv(kLhsStep, columns);
        from = calls[end].lhs;
        ASSERT_EQ(row(calls[end]), m + 1);
      }
      for (size_t call = i; call < end; ++call) {
        ASSERT_EQ(calls[call].next, from) << m << " " << call - i;
        if (from == 0) continue;
        ASSERT_EQ(calls[call].nextStep, step);
        from += calls[call].K * step;
      }
    }
  }
}

// Cores with several streams, at most how many rows of tiles read so, and how
// many L2 a rhs has at least.
constexpr struct {
  const char* core;
  int64_t mostRows, caches;
} kStreaming[] = {{"znver3", 1, 32}, {"graniterapids", 2, 16}};

// On such a core a few rows of tiles take slices of a KiB, each of four panels
// in turn, of a large rhs.
TEST_P(OrderTest, FewRowsReadPanelsSideBySide) {
  const Sizes& s = GetParam();
  constexpr int64_t kStreams = 4, kSlice = 1024, kL2KiB = 32;
  for (const auto& [core, mostRows, caches] : kStreaming) {
    SCOPED_TRACE(core);
    multiply(nullptr, kL2KiB, core);
    const bool reads = s.M <= mostRows && s.K * kRhsStep >= 16 << 10 &&
                       s.N * s.K * kRhsStep >= caches * (kL2KiB << 10);
    size_t i = 0;
    for (int64_t first = 0; reads && first < s.N; first += kStreams)
      for (int64_t k = 0; k < s.K; k += calls[i - 1].K)
        for (int64_t n = first; n < std::min(s.N, first + kStreams); ++n)
          for (int64_t m = 0; m < s.M; ++m, ++i) {
            ASSERT_LT(i, calls.size());
            ASSERT_EQ(row(calls[i]), m);
            ASSERT_EQ(column(calls[i]), n);
            ASSERT_EQ(step(calls[i]), k);
            ASSERT_EQ(calls[i].accumulates, k > 0);
            ASSERT_EQ(calls[i].rhsFar, m == 0);
            ASSERT_LT(calls[i].K * kRhsStep, kSlice + kRhsStep);
            // To where a page may end, of the first of them.
            if (n == first && k + calls[i].K < s.K) {
              ASSERT_LT((calls[i].rhs + calls[i].K * kRhsStep) % kSlice,
                        kRhsStep);
            }
          }
    if (reads) {
      EXPECT_EQ(i, calls.size());
      continue;
    }
    EXPECT_EQ(calls.size(),
              static_cast<size_t>(s.M * s.N * ceilDiv(s.K, calls[0].K)));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, OrderTest, ::testing::ValuesIn(kSizes),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace tilewright::testing

#endif
