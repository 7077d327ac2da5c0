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

#include "tests/common/seed.h"
#include "tests/tiles/operands.h"
#include "tests/ukernels/plain_case.h"
#include "tests/ukernels/rows.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

std::vector<tw_thin_variant_t> variants() {
  size_t count = 0;
  const tw_thin_variant_t* first = tw_thin_variants(&count);
  return {first, first + count};
}

// Runs `fn`, by two ranges of columns if `cut` lies between.
void runAndCheck(PlainCase& c, const PlainLayout& l, int64_t cut,
                 tw_thin_fn_t fn) {
  tw_thin_t thin = {};
  thin.types = c.types().value;
  thin.accumulate = l.accumulate;
  thin.M = l.M;
  thin.N = l.N;
  thin.K = l.K;
  thin.lhs = c.lhs().buffer.data();
  thin.lhs_stride_m = c.lhs().rowStride;
  thin.lhs_stride_k = c.lhs().colStride;
  thin.rhs = c.rhs().buffer.data();
  thin.rhs_stride = l.rhsTransposed ? c.rhs().colStride : c.rhs().rowStride;
  thin.rhs_transposed = l.rhsTransposed;
  thin.asks_pages = (l.M + l.N + l.K) % 2;  // either gives the same
  thin.out = c.out().buffer.data();
  thin.out_stride_m = c.out().rowStride;
  thin.out_stride_n = c.out().colStride;
  if (cut > 0 && cut < l.N) {
    fn(&thin, cut, l.N);
    fn(&thin, 0, cut);
  } else {
    fn(&thin, 0, l.N);
  }
  c.check();
}

struct Layout : PlainLayout {
  int64_t cut = 0;  // columns of the first of two ranges; 0: one range
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
    SCOPED_TRACE(std::string(info(types).name) + " " + describe(layout) +
                 " cut " + std::to_string(layout.cut) + " " +
                 dataKindName(kind) + " " + seedText(seed));
    Random random(seed);
    PlainCase plain(types, layout, kind, random);
    runAndCheck(plain, layout, layout.cut, GetParam().fn);
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
