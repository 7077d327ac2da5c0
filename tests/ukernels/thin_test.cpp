// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thin matmuls: every variant by itself, for every type triple and kind of
// data, in odd shapes and layouts, against the reference of a tile function.

#include "ukernels/thin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/common/seed.h"
#include "tests/tiles/element_codec.h"
#include "tests/tiles/operands.h"
#include "tests/tiles/reference.h"
#include "tests/ukernels/rows.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

std::vector<tw_thin_variant_t> variants() {
  size_t count = 0;
  const tw_thin_variant_t* first = tw_thin_variants(&count);
  return {first, first + count};
}

struct Layout {
  int64_t M = 1, N = 1, K = 1;
  bool lhsTransposed = false, rhsTransposed = false, outTransposed = false;
  int64_t slack = 0;  // elements beyond the length of each line
  bool accumulate = false;
  int64_t cut = 0;  // columns of the first of two ranges; 0: one range
  Placement placement = Placement::kTrailing;
};

std::string describe(const Layout& l) {
  return std::to_string(l.M) + "x" + std::to_string(l.N) + "x" +
         std::to_string(l.K) + (l.lhsTransposed ? " lhs transposed" : "") +
         (l.rhsTransposed ? " rhs transposed" : "") +
         (l.outTransposed ? " out transposed" : "") + " slack " +
         std::to_string(l.slack) + (l.accumulate ? " accumulate" : "") +
         " cut " + std::to_string(l.cut);
}

// A matrix of rows x cols in a buffer of exactly its bytes: element (r, c) at
// index r * rowStride + c * colStride.
struct Matrix {
  Matrix(int64_t rows, int64_t cols, bool transposed, int64_t slack,
         tw_element_type_t type, Placement placement)
      : bits(info(type).bits),
        rowStride(stride(transposed ? 1 : cols, slack, transposed)),
        colStride(stride(transposed ? rows : 1, slack, !transposed)),
        buffer(bytesOf(rows, cols), 0, placement) {}

  uint64_t get(int64_t r, int64_t c) const {
    return loadElement(buffer.as<uint8_t>(), r * rowStride + c * colStride,
                       bits);
  }
  void set(int64_t r, int64_t c, uint64_t code) {
    storeElement(buffer.as<uint8_t>(), r * rowStride + c * colStride, bits,
                 code);
  }

  int bits;
  int64_t rowStride, colStride;
  GuardedBuffer buffer;

 private:
  // Lines of 4-bit types begin on a byte.
  int64_t stride(int64_t length, int64_t slack, bool isUnit) const {
    if (isUnit) return 1;
    return bits < 8 ? (length + slack + 1) / 2 * 2 : length + slack;
  }
  size_t bytesOf(int64_t rows, int64_t cols) const {
    if (rows == 0 || cols == 0) return 0;
    const int64_t last = (rows - 1) * rowStride + (cols - 1) * colStride;
    return static_cast<size_t>(((last + 1) * bits + 7) / 8);
  }
};

class Problem {
 public:
  // Panels of a tile function M x N hold the operands. Their steps are whole
  // bytes: of two k for 4-bit types, the last of them zero where K is odd.
  Problem(tw_type_triple_t types, const Layout& layout, DataKind kind,
          Random& random)
      : l_(layout),
        types_(info(types)),
        key_{types,
             static_cast<int32_t>(l_.M),
             static_cast<int32_t>(l_.N),
             info(types_.lhs).bits < 8 || info(types_.rhs).bits < 8 ? 2 : 1,
             Rounding::kOnce,
             TW_ISA_GENERIC},
        steps_((l_.K + key_.k0 - 1) / key_.k0),
        exact_(isExact(kind)),
        panels_(makeOperands(key_, steps_, kind, l_.accumulate, random)),
        lhs_(l_.M, l_.K, l_.lhsTransposed, l_.slack, types_.lhs, l_.placement),
        rhs_(l_.K, l_.N, l_.rhsTransposed, l_.slack, types_.rhs, l_.placement),
        out_(l_.M, l_.N, l_.outTransposed, l_.slack, types_.out, l_.placement) {
    scatter(panels_.lhs, l_.M, info(types_.lhs).bits,
            [&](int64_t m, int64_t k, uint64_t x) { lhs_.set(m, k, x); });
    scatter(panels_.rhs, l_.N, info(types_.rhs).bits,
            [&](int64_t n, int64_t k, uint64_t x) { rhs_.set(k, n, x); });
    for (int64_t m = 0; m < l_.M; ++m)
      for (int64_t n = 0; n < l_.N; ++n)
        out_.set(m, n,
                 loadElement(panels_.out.data(), m * l_.N + n, out_.bits));
  }

  void runAndCheck(tw_thin_fn_t fn) {
    tw_thin_t thin = {};
    thin.types = types_.value;
    thin.accumulate = l_.accumulate;
    thin.M = l_.M;
    thin.N = l_.N;
    thin.K = l_.K;
    thin.lhs = lhs_.buffer.data();
    thin.lhs_stride_m = lhs_.rowStride;
    thin.lhs_stride_k = lhs_.colStride;
    thin.rhs = rhs_.buffer.data();
    thin.rhs_stride = l_.rhsTransposed ? rhs_.colStride : rhs_.rowStride;
    thin.rhs_transposed = l_.rhsTransposed;
    thin.out = out_.buffer.data();
    thin.out_stride_m = out_.rowStride;
    thin.out_stride_n = out_.colStride;
    if (l_.cut > 0 && l_.cut < l_.N) {
      fn(&thin, l_.cut, l_.N);
      fn(&thin, 0, l_.cut);
    } else {
      fn(&thin, 0, l_.N);
    }
    check();
  }

 private:
  // Calls set(row, k, code) for the panel's elements, and clears those that pad
  // K.
  template <typename Set>
  void scatter(std::vector<uint8_t>& panel, int64_t rows, int bits, Set set) {
    const int64_t stepBytes = rows * key_.k0 * bits / 8;
    for (int64_t k = 0; k < steps_ * key_.k0; ++k)
      for (int64_t r = 0; r < rows; ++r) {
        uint8_t* step = panel.data() + k / key_.k0 * stepBytes;
        const int64_t at = r * key_.k0 + k % key_.k0;
        if (k < l_.K)
          set(r, k, loadElement(step, at, bits));
        else
          storeElement(step, at, bits, 0);
      }
  }

  void check() {
    ReferenceOptions options;
    options.exactness = exact_ ? Exactness::kExact : Exactness::kBounded;
    const std::vector<Accepted> expected =
        referenceTile(key_, steps_, panels_.lhs.data(), panels_.rhs.data(),
                      l_.accumulate ? panels_.out.data() : nullptr, options);
    const bool untouched = l_.K == 0 && l_.accumulate;
    std::vector<bool> isOut(out_.buffer.size());
    for (int64_t m = 0; m < l_.M; ++m)
      for (int64_t n = 0; n < l_.N; ++n) {
        const int64_t at = m * out_.rowStride + n * out_.colStride;
        for (int b = 0; b < out_.bits / 8; ++b)
          isOut[static_cast<size_t>(at * out_.bits / 8 + b)] = true;
        const uint64_t code = out_.get(m, n);
        if (untouched) {
          ASSERT_EQ(code,
                    loadElement(panels_.out.data(), m * l_.N + n, out_.bits));
          continue;
        }
        const double value = decodeElement(types_.out, code);
        const Accepted& right = expected[static_cast<size_t>(m * l_.N + n)];
        ASSERT_TRUE(right.contains(value))
            << "[" << m << "][" << n << "] is " << value << ", expected "
            << right.low << " to " << right.high;
      }
    for (size_t i = 0; i < isOut.size(); ++i)
      ASSERT_TRUE(isOut[i] ||
                  out_.buffer.as<uint8_t>()[i] == GuardedBuffer::kFill)
          << "byte " << i << " beside the output was written";
    EXPECT_TRUE(out_.buffer.slackIntact());
  }

  Layout l_;
  const TypeTripleInfo& types_;
  TileKey key_;
  int64_t steps_;
  bool exact_;
  Operands panels_;
  Matrix lhs_, rhs_, out_;
};

Layout randomLayout(Random& random) {
  const int64_t columns[] = {1, 2, 7, 16, 33, 64, 67, 131, 150};
  const int64_t depths[] = {1, 2, 3, 7, 8, 9, 17, 31, 64, 67, 130, 259};
  Layout l;
  l.M = random.between(1, TW_THIN_MOST_ROWS);
  l.N = columns[random.below(std::size(columns))];
  l.K = depths[random.below(std::size(depths))];
  l.lhsTransposed = random.chance(0.4);
  l.rhsTransposed = random.chance(0.5);
  l.outTransposed = random.chance(0.3);
  l.slack = random.chance(0.5) ? random.between(1, 9) : 0;
  l.accumulate = random.chance(0.5);
  l.cut = random.chance(0.3) ? TW_THIN_COLUMNS : 0;
  if (random.chance(0.5)) l.placement = Placement::kLeading;
  return l;
}

class ThinTest : public ::testing::TestWithParam<tw_thin_variant_t> {
 protected:
  void SetUp() override {
    uint64_t cpu[TW_CPU_DATA_WORDS];
    tw_cpu_detect(cpu);
    if (!tw_isa_available(GetParam().isa, cpu))
      GTEST_SKIP() << "this CPU lacks " << tw_isa_name(GetParam().isa);
  }
  void run(tw_type_triple_t types, const Layout& layout, DataKind kind,
           uint64_t seed) {
    SCOPED_TRACE(std::string(info(types).name) + " " + describe(layout) + " " +
                 dataKindName(kind) + " " + seedText(seed));
    Random random(seed);
    Problem(types, layout, kind, random).runAndCheck(GetParam().fn);
  }
};

std::vector<tw_type_triple_t> supportedTriples() {
  std::vector<tw_type_triple_t> triples;
  for (const TypeTripleInfo& types : typeTriples())
    if (tw_thin_supports(types.value)) triples.push_back(types.value);
  return triples;
}

// The kinds that need some K.
std::vector<DataKind> kindsFor(tw_type_triple_t types) {
  std::vector<DataKind> kinds =
      dataKindsFor({types, 4, 4, 1, Rounding::kOnce, TW_ISA_GENERIC});
  kinds.erase(std::remove(kinds.begin(), kinds.end(), DataKind::kAnyBits),
              kinds.end());
  return kinds;
}

TEST_P(ThinTest, EveryTripleInRandomLayouts) {
  for (tw_type_triple_t types : supportedTriples()) {
    Random random(seedOf(std::string("ThinTest.") + info(types).name.data()));
    for (DataKind kind : kindsFor(types))
      for (int i = 0; i < 12; ++i) {
        run(types, randomLayout(random), kind, random.next());
        if (HasFatalFailure()) return;
      }
  }
}

// Each M with each layout, K of 0 too, so that no draw can leave one out.
TEST_P(ThinTest, EveryRowCountAndLayout) {
  for (tw_type_triple_t types : supportedTriples())
    for (int64_t M = 1; M <= TW_THIN_MOST_ROWS; ++M)
      for (bool rhsTransposed : {false, true})
        for (int64_t K : {0, 1, 19, 67})
          for (bool accumulate : {false, true}) {
            Layout l;
            l.M = M;
            l.N = 71;
            l.K = K;
            l.rhsTransposed = rhsTransposed;
            l.accumulate = accumulate;
            run(types, l,
                K == 0 && accumulate ? DataKind::kAnyBits
                                     : DataKind::kSmallIntegers,
                7);
            if (HasFatalFailure()) return;
          }
}

// More columns than there are sums, and more of K than there is of the lhs.
TEST_P(ThinTest, SeveralBlocks) {
  for (tw_type_triple_t types :
       {TW_TYPES_F32F32F32, TW_TYPES_F64F64F64, TW_TYPES_BF16BF16BF16,
        TW_TYPES_S8S8S32, TW_TYPES_S8S4S32, TW_TYPES_S32S32S32,
        TW_TYPES_F8E5M2F8E5M2F32})
    for (int64_t M : {1, 3, 4})
      for (bool rhsTransposed : {false, true})
        for (bool wide : {false, true}) {
          Layout l;
          l.M = M;
          l.N = wide ? 4200 : 5;
          l.K = wide ? 3 : 16500 / M;
          l.rhsTransposed = rhsTransposed;
          l.lhsTransposed = true;
          l.accumulate = true;
          run(types, l, kindsFor(types).front(), 11);
          if (HasFatalFailure()) return;
        }
}

TEST_P(ThinTest, NoColumns) {
  for (bool rhsTransposed : {false, true}) {
    Layout l;
    l.N = 0;
    l.K = 9;
    l.rhsTransposed = rhsTransposed;
    run(TW_TYPES_F32F32F32, l, DataKind::kSmallIntegers, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Variants, ThinTest, ::testing::ValuesIn(variants()),
    [](const ::testing::TestParamInfo<tw_thin_variant_t>& test) {
      return std::string(tw_isa_name(test.param.isa));
    });

TEST(ThinFindTest, BestOfWhatCpuDataHas) {
  const std::vector<tw_thin_variant_t> all = variants();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back().isa, TW_ISA_GENERIC);
#if defined(__x86_64__)
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].isa, TW_ISA_X86_64_AVX512_BASE);
  EXPECT_EQ(all[1].isa, TW_ISA_X86_64_AVX2_FMA);
#endif
  const uint64_t none[TW_CPU_DATA_WORDS] = {};
  EXPECT_EQ(tw_thin_find(none), all.back().fn);
  for (const tw_thin_variant_t& variant : all) {
    EXPECT_EQ(tw_thin_find(CpuData::of(variant.isa).words), variant.fn)
        << tw_isa_name(variant.isa);
  }
  uint64_t cpu[TW_CPU_DATA_WORDS];
  tw_cpu_detect(cpu);
  EXPECT_EQ(tw_thin_find(nullptr), tw_thin_find(cpu));
}

TEST(ThinSupportsTest, AllButSixBits) {
  for (const TypeTripleInfo& types : typeTriples())
    EXPECT_EQ(tw_thin_supports(types.value),
              info(types.lhs).bits != 6 && info(types.rhs).bits != 6)
        << types.name;
  EXPECT_FALSE(tw_thin_supports(0));
  EXPECT_FALSE(tw_thin_supports(255));
}

}  // namespace
}  // namespace tilewright::testing
