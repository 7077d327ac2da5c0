// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/ukernels/matmul_case.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <vector>

#include "tests/common/threads.h"
#include "tests/tiles/element_codec.h"
#include "tests/tiles/reference.h"
#include "tests/ukernels/rows.h"
#include "ukernels/core.h"

namespace tilewright::testing {
namespace {

// A matrix as it lies in memory.
class Matrix {
 public:
  Matrix(tw_element_type_t type, int64_t rows, int64_t cols, bool transposed,
         int64_t slack, Placement placement)
      : bits_(info(type).bits),
        rows_(rows),
        cols_(cols),
        transposed_(transposed) {
    const int64_t line = transposed ? rows : cols;
    const int64_t lines = transposed ? cols : rows;
    stride_ = line + slack;
    if (bits_ == 4) stride_ += stride_ % 2;
    const int64_t elements = lines == 0 ? 0 : (lines - 1) * stride_ + line;
    const size_t bytes =
        line == 0 ? 0 : static_cast<size_t>((elements * bits_ + 7) / 8);
    buffer_.emplace_back(bytes, 0, placement);
  }

  void* data() { return buffer_[0].data(); }
  uint8_t* bytes() { return buffer_[0].as<uint8_t>(); }
  size_t size() const { return buffer_[0].size(); }
  int64_t stride() const { return stride_; }
  bool intact() const { return buffer_[0].slackIntact(); }

  int64_t at(int64_t row, int64_t col) const {
    return transposed_ ? col * stride_ + row : row * stride_ + col;
  }
  void set(int64_t row, int64_t col, uint64_t value) {
    storeElement(bytes(), at(row, col), bits_, value);
  }
  uint64_t get(int64_t row, int64_t col) {
    return loadElement(bytes(), at(row, col), bits_);
  }
  // From panels of steps [cols][panelRows], or the other way round.
  void fill(const std::vector<uint8_t>& panel, int64_t panelRows, bool swap) {
    for (int64_t row = 0; row < rows_; ++row)
      for (int64_t col = 0; col < cols_; ++col)
        set(row, col,
            loadElement(panel.data(),
                        swap ? row * panelRows + col : col * panelRows + row,
                        bits_));
  }

 private:
  int bits_;
  int64_t rows_, cols_, stride_ = 0;
  bool transposed_;
  std::vector<GuardedBuffer> buffer_;  // one
};

// Tile sizes of whole bytes for every type.
int64_t even(int64_t size) { return size + size % 2; }

// A buffer of exactly `bytes`, aligned as a uint64_t.
GuardedBuffer alignedBuffer(tw_index_t bytes) {
  return GuardedBuffer(static_cast<size_t>(bytes),
                       static_cast<size_t>(-bytes & 7));
}

struct Call {
  tw_matmul_params_t params = {};
  std::vector<GuardedBuffer> prepacked, workspace;  // one, or none
};

void prepack(const MatmulCase& c, const tw_parallel_for_t* threads,
             Call& call) {
  tw_index_t bytes = -1;
  ASSERT_EQ(tw_prepacked_size(&call.params, &bytes), TW_STATUS_OK);
  call.prepacked.push_back(alignedBuffer(bytes));
  ASSERT_EQ(tw_prepack(&call.params, call.prepacked[0].data(), bytes, threads),
            TW_STATUS_OK);
  EXPECT_TRUE(call.prepacked[0].slackIntact());
  ASSERT_EQ(tw_check_prepacked(call.prepacked[0].data(), bytes), TW_STATUS_OK);
  call.params.flags &= ~uint32_t{TW_MATMUL_FLAG_RHS_TRANSPOSED};
  call.params.flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
  call.params.rhs = call.prepacked[0].data();
  call.params.rhs_bytes = bytes;
  call.params.rhs_stride = -1;
}

void checkOut(const MatmulCase& c, const TileKey& key, Matrix& out,
              const Operands& operands, const std::vector<uint8_t>& before) {
  const TypeTripleInfo& types = info(c.types);
  const int size = info(types.out).bits / 8;
  std::vector<bool> isOut(out.size());
  const bool keeps = c.K == 0 && c.accumulate;
  ReferenceOptions options;
  options.exactness = isExact(c.kind) ? Exactness::kExact : Exactness::kBounded;
  std::vector<Accepted> expected;
  if (!keeps)
    expected =
        referenceTile(key, c.K, operands.lhs.data(), operands.rhs.data(),
                      c.accumulate ? operands.out.data() : nullptr, options);
  for (int64_t m = 0; m < c.M; ++m)
    for (int64_t n = 0; n < c.N; ++n) {
      const int64_t at = out.at(m, n) * size;
      for (int b = 0; b < size; ++b) isOut[at + b] = !keeps;
      if (keeps) continue;
      const double value = decodeElement(types.out, out.get(m, n));
      const Accepted& accepted = expected[m * key.n0 + n];
      ASSERT_TRUE(accepted.contains(value))
          << "element (" << m << ", " << n << ") is " << value << ", expected "
          << accepted.low << " to " << accepted.high
          << (accepted.nan ? " (NaN)" : "");
    }
  for (size_t i = 0; i < isOut.size(); ++i)
    ASSERT_TRUE(isOut[i] || out.bytes()[i] == before[i])
        << "byte " << i << " beside out was written";
}

}  // namespace

std::string MatmulCase::text() const {
  std::ostringstream s;
  s << info(types).name << ' ' << M << 'x' << N << 'x' << K << " transposed "
    << lhsTransposed << rhsTransposed << outTransposed << " slack " << lhsSlack
    << ',' << rhsSlack << ',' << outSlack << " accumulate " << accumulate
    << " prepacked " << prepacked << " threads " << threads << ' '
    << dataKindName(kind) << ' ' << info(isa).name
    << (placement == Placement::kLeading ? " leading" : " trailing")
    << " L2 of " << l2KiB << " KiB" << (core ? " of " : "")
    << (core ? core : "");
  return s.str();
}

bool hasMatmul(const TypeTripleInfo& types) {
  return info(types.lhs).bits != 6 && info(types.rhs).bits != 6;
}

void checkMatmul(const MatmulCase& c, uint64_t seed) {
  SCOPED_TRACE(c.text() + " " + seedText(seed));
  Random random(seed);
  const TypeTripleInfo& types = info(c.types);
  const TileKey key{c.types,
                    static_cast<int32_t>(even(c.M)),
                    static_cast<int32_t>(even(c.N)),
                    1,
                    Rounding::kOnce,
                    c.isa};
  const Operands operands =
      makeOperands(key, c.K, c.kind, c.accumulate, random);
  Matrix lhs(types.lhs, c.M, c.K, c.lhsTransposed, c.lhsSlack, c.placement);
  Matrix rhs(types.rhs, c.K, c.N, c.rhsTransposed, c.rhsSlack, c.placement);
  Matrix out(types.out, c.M, c.N, c.outTransposed, c.outSlack, c.placement);
  lhs.fill(operands.lhs, key.m0, false);
  rhs.fill(operands.rhs, key.n0, true);
  for (int64_t m = 0; m < c.M; ++m)
    for (int64_t n = 0; n < c.N; ++n)
      out.set(m, n,
              loadElement(operands.out.data(), m * key.n0 + n,
                          info(types.out).bits));
  const std::vector<uint8_t> before(out.bytes(), out.bytes() + out.size());

  // This CPU's lengths and core, with the features of one ISA.
  CpuData cpu;
  tw_cpu_detect(cpu.words);
  const CpuData features = CpuData::of(c.isa);
  for (int w = 0; w < 2; ++w)
    cpu.words[w] =
        features.words[w] & (c.modelled ? ~uint64_t{0} : cpu.words[w]);
  if (c.l2KiB > 0)
    cpu.words[TW_CPU_WORD_CACHES] =
        TW_CACHES_WORD(c.l2KiB > 16 ? 1 : 32, static_cast<uint64_t>(c.l2KiB));
  if (c.core) {
    ASSERT_TRUE(tw_set_core(c.core, cpu.words)) << c.core;
  }

  ThreadedFor threads(c.threads);
  const tw_parallel_for_t* parallelFor =
      c.threads > 1 ? threads.get() : nullptr;
  Call call;
  tw_matmul_params_t& p = call.params;
  p.lhs = lhs.data();
  p.rhs = rhs.data();
  p.out = out.data();
  p.lhs_stride = lhs.stride();
  p.rhs_stride = rhs.stride();
  p.out_stride = out.stride();
  p.M = c.M;
  p.N = c.N;
  p.K = c.K;
  p.flags =
      static_cast<uint32_t>(c.types) | TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
  if (c.accumulate) p.flags |= TW_MMT4D_FLAG_ACCUMULATE;
  if (c.lhsTransposed) p.flags |= TW_MATMUL_FLAG_LHS_TRANSPOSED;
  if (c.rhsTransposed) p.flags |= TW_MATMUL_FLAG_RHS_TRANSPOSED;
  if (c.outTransposed) p.flags |= TW_MATMUL_FLAG_OUT_TRANSPOSED;
  p.threads = c.threads;
  p.cpu_data = cpu.words;
  if (c.prepacked) prepack(c, parallelFor, call);
  if (::testing::Test::HasFatalFailure()) return;

  tw_index_t bytes = -1;
  ASSERT_EQ(tw_matmul_workspace_size(&p, &bytes), TW_STATUS_OK);
  ASSERT_LE(bytes, c.threads * TW_MATMUL_MOST_WORKSPACE);
  call.workspace.emplace_back(static_cast<size_t>(bytes), random.between(0, 63),
                              c.placement);
  p.workspace = bytes > 0 ? call.workspace[0].data() : nullptr;
  p.workspace_bytes = bytes;
  char text[200];
  ASSERT_EQ(tw_matmul(&p, parallelFor), TW_STATUS_OK)
      << (tw_matmul_explain(&p, parallelFor, text, sizeof text), text);
  checkOut(c, key, out, operands, before);
  EXPECT_TRUE(lhs.intact() && rhs.intact() && out.intact() &&
              call.workspace[0].slackIntact());
}

MatmulCase randomMatmul(Random& random) {
  static const std::vector<TypeTripleInfo> types = [] {
    std::vector<TypeTripleInfo> all;
    for (const TypeTripleInfo& each : typeTriples())
      if (hasMatmul(each)) all.push_back(each);
    return all;
  }();
  static const std::vector<tw_isa_t> available = [] {
    CpuData cpu;
    tw_cpu_detect(cpu.words);
    std::vector<tw_isa_t> all;
    for (const IsaInfo& isa : isas())
      if (tw_isa_available(isa.isa, cpu.words)) all.push_back(isa.isa);
    return all;
  }();
  // Tiny, small, and several blocks and tasks; zeros now and then.
  const auto extent = [&](int64_t most) {
    if (random.chance(0.02)) return int64_t{0};
    if (random.chance(0.3)) return random.between(1, 5);
    if (random.chance(0.7)) return random.between(1, 70);
    return random.between(1, most);
  };
  MatmulCase c;
  // The triples of hand-written tiles as often as all the others.
  c.types = random.chance(0.5) ? types[random.below(types.size())].value
                               : types[random.below(8)].value;
  c.M = extent(300);
  c.N = extent(300);
  // Few rows leave room for a K of many chunks.
  c.K = c.M * c.N < 400 && random.chance(0.5) ? random.between(2000, 9000)
                                              : extent(700);
  c.lhsTransposed = random.chance(0.5);
  c.rhsTransposed = random.chance(0.5);
  c.outTransposed = random.chance(0.3);
  c.accumulate = random.chance(0.5);
  c.prepacked = random.chance(0.4);
  c.threads = random.chance(0.5) ? 1 : 3;
  for (int64_t* slack : {&c.lhsSlack, &c.rhsSlack, &c.outSlack})
    *slack = random.chance(0.5) ? 0 : random.between(1, 9);
  // So small that a block has several groups of columns; of more than 16 KiB
  // beside an L1 that few rows do not stay in.
  c.l2KiB = random.chance(0.5) ? 0 : random.between(1, 64);
  // Which read panels of few rows side by side.
  if (c.l2KiB > 0 && random.chance(0.5))
    c.core = random.chance(0.5) ? "znver3" : "graniterapids";
  c.placement = random.chance(0.7) ? Placement::kTrailing : Placement::kLeading;
  c.isa = random.chance(0.5) ? available[0]
                             : available[random.below(available.size())];
  const TileKey key{c.types, 1, 1, 1, Rounding::kOnce, c.isa};
  std::vector<DataKind> kinds = {DataKind::kSmallIntegers};
  for (DataKind kind : dataKindsFor(key))
    if (kind != DataKind::kOneHot && kind != DataKind::kDenormal)
      kinds.push_back(kind);
  c.kind = kinds[random.below(kinds.size())];
  return c;
}

}  // namespace tilewright::testing
