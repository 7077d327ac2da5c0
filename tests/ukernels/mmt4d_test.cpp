// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_mmt4d for every type triple and rounding, on odd shapes.

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/tiles/random_keys.h"
#include "tests/tiles/vector_length.h"
#include "tests/ukernels/rows.h"
#include "tests/ukernels/whole_op.h"

namespace tilewright::testing {
namespace {

class Mmt4dTest : public ::testing::TestWithParam<Variant> {
 protected:
  // Sizes that nothing divides; K0 = 4 fills whole bytes for every type.
  TileKey key() const {
    return {GetParam().types, 3, 5, 4, GetParam().rounding, TW_ISA_GENERIC};
  }
  std::string name() const {
    return "Mmt4dTest." + std::string(info(GetParam().types).name);
  }
};

TEST_P(Mmt4dTest, OddShapes) {
  const uint64_t seed = seedOf(name());
  SCOPED_TRACE(seedText(seed));
  for (int64_t K : {0, 1, 2, 7})
    for (bool accumulate : {false, true})
      for (int64_t rowSlack : {-1, 0, 3}) {
        WholeOpOptions options;
        options.M = 3;
        options.N = 2;
        options.K = K;
        options.accumulate = accumulate;
        options.rowSlack = rowSlack;
        options.offset = rowSlack > 0 ? 8 : 0;
        options.gap = accumulate ? 16 : 0;
        SCOPED_TRACE("K " + std::to_string(K) + " accumulate " +
                     std::to_string(accumulate) + " row slack " +
                     std::to_string(rowSlack));
        WholeOp(key(), options, seed).runAndCheck();
        if (HasFatalFailure()) return;
      }
}

TEST_P(Mmt4dTest, SinglePanels) {
  WholeOpOptions options;
  options.K = 3;
  WholeOp(key(), options, seedOf(name())).runAndCheck();
}

std::string nameOf(const ::testing::TestParamInfo<Variant>& test) {
  const std::string name(info(test.param.types).name);
  return test.param.rounding == Rounding::kPerStep ? name + "_steprnd" : name;
}

INSTANTIATE_TEST_SUITE_P(Variants, Mmt4dTest, ::testing::ValuesIn(variants()),
                         nameOf);

// Through every hand-written tile that this CPU has, so that the strides reach
// the tiles.
TEST(Mmt4dRowsTest, OddShapes) {
  uint64_t cpu[TW_CPU_DATA_WORDS];
  tw_cpu_detect(cpu);
  int run = 0;
  for (const KeyedRow& row : keyedRows()) {
    const std::optional<TileKey> key = concreteKey(row.key);
    if (!tw_isa_available(row.key.isa, cpu) || !key) continue;
    ++run;
    SCOPED_TRACE(row.name);
    CpuData data = CpuData::of(row.key.isa);
    data.words[TW_CPU_WORD_VECTOR_LENGTHS] = cpu[TW_CPU_WORD_VECTOR_LENGTHS];
    for (int64_t rowSlack : {-1, 7}) {
      WholeOpOptions options;
      options.M = 2;
      options.N = 3;
      options.K = 19;
      options.accumulate = rowSlack > 0;
      options.rowSlack = rowSlack;
      options.gap = 4;
      options.cpuData = data.words;
      WholeOp(*key, options, seedOf(row.name)).runAndCheck();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  if (run == 0) GTEST_SKIP() << "this CPU runs no hand-written tile";
}

}  // namespace
}  // namespace tilewright::testing
