// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_matmul against plain loops.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/ukernels/matmul_case.h"

namespace tilewright::testing {
namespace {

// TILEWRIGHT_TEST_MATMULS=<n>: so many random shapes.
int randomShapes() {
  const char* given = std::getenv("TILEWRIGHT_TEST_MATMULS");
#ifdef TW_TEST_UNDER_EMULATION
  return given ? std::atoi(given) : 40;
#else
  return given ? std::atoi(given) : 200;
#endif
}

TEST(MatmulCallTest, RandomShapes) {
  const int count = randomShapes();
  ASSERT_GT(count, 0);
  const uint64_t seed = seedOf("MatmulCallTest.RandomShapes");
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE("shape " + std::to_string(i) + " of " + seedText(seed));
    const MatmulCase c = randomMatmul(random);
    checkMatmul(c, random.next());
    if (HasFailure()) return;
  }
}

// Those that may have nothing packed: row-major, or all of it transposed.
TEST(MatmulCallTest, RandomShapesAsTheyLie) {
  const int count = randomShapes() / 2;
  const uint64_t seed = seedOf("MatmulCallTest.RandomShapesAsTheyLie");
  Random random(seed);
  for (int i = 0; i < count;) {
    SCOPED_TRACE("shape " + std::to_string(i) + " of " + seedText(seed));
    MatmulCase c = randomMatmul(random);
    if (c.types != TW_TYPES_F32F32F32 && c.types != TW_TYPES_F64F64F64)
      continue;
    c.lhsTransposed = c.rhsTransposed = c.outTransposed;
    if (c.outTransposed) c.prepacked = false;
    checkMatmul(c, random.next());
    if (HasFailure()) return;
    ++i;
  }
}

// Bytes of one sign, which tiles of mixed ones may multiply.
TEST(MatmulCallTest, RandomShapesOfBytes) {
  const int count = randomShapes() / 2;
  const uint64_t seed = seedOf("MatmulCallTest.RandomShapesOfBytes");
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE("shape " + std::to_string(i) + " of " + seedText(seed));
    MatmulCase c = randomMatmul(random);
    c.types = random.chance(0.5) ? TW_TYPES_S8S8S32 : TW_TYPES_U8U8S32;
    c.kind = random.chance(0.5) ? DataKind::kFullRange : DataKind::kExtremes;
    checkMatmul(c, random.next());
    if (HasFailure()) return;
  }
}

// Each triple on this CPU, every way round.
TEST(MatmulCallTest, EveryTypeTriple) {
  Random random(seedOf("MatmulCallTest.EveryTypeTriple"));
  const MatmulCase best = [&] {
    for (;;) {
      const MatmulCase c = randomMatmul(random);
      if (c.isa != TW_ISA_GENERIC) return c;
    }
  }();
  for (const TypeTripleInfo& types : typeTriples()) {
    if (!hasMatmul(types)) continue;
    for (int bits = 0; bits < 16; ++bits) {
      MatmulCase c;
      c.types = types.value;
      c.M = 17;
      c.N = 19;
      c.K = 23;
      c.lhsTransposed = bits & 1;
      c.rhsTransposed = bits & 2;
      c.outTransposed = bits & 4;
      c.prepacked = bits & 8;
      c.accumulate = random.chance(0.5);
      c.isa = best.isa;
      checkMatmul(c, random.next());
      if (HasFailure()) return;
    }
  }
}

// Every number of rows up to some tiles: the last ones may have a tile of their
// own.
TEST(MatmulCallTest, EveryNumberOfRows) {
  Random random(seedOf("MatmulCallTest.EveryNumberOfRows"));
  for (tw_type_triple_t types :
       {TW_TYPES_F32F32F32, TW_TYPES_BF16BF16F32, TW_TYPES_S8S8S32,
        TW_TYPES_S8U8S32, TW_TYPES_F16F16F16, TW_TYPES_S4S8S32})
    for (int64_t M = 1; M <= 50; ++M) {
      MatmulCase c = randomMatmul(random);
      c.types = types;
      c.M = M;
      c.N = random.between(1, 100);
      // Some are worth flipping bytes for.
      c.K =
          random.chance(0.2) ? random.between(400, 800) : random.between(0, 60);
      c.prepacked = random.chance(0.7);
      c.kind = DataKind::kSmallIntegers;
      checkMatmul(c, random.next());
      if (HasFailure()) return;
    }
}

// A rhs that is large beside the caches of a core which reads panels side by
// side: whole groups of them and a rest, of K whole slices and a rest. Of one
// row of tiles, and of a few.
TEST(MatmulCallTest, PanelsSideBySide) {
  Random random(seedOf("MatmulCallTest.PanelsSideBySide"));
  for (tw_type_triple_t types :
       {TW_TYPES_F32F32F32, TW_TYPES_F64F64F64, TW_TYPES_S16S16S32,
        TW_TYPES_BF16BF16F32, TW_TYPES_F16F16F16, TW_TYPES_S8S8S32})
    for (int64_t M = 1; M <= 38; ++M) {
      MatmulCase c = randomMatmul(random);
      c.types = types;
      c.M = M;
      c.N = random.between(40, 120);
      c.K = random.between(1000, 1100);
      c.prepacked = true;
      c.kind = DataKind::kSmallIntegers;
      c.l2KiB = 1;
      c.core = M <= 6 && random.chance(0.5) ? "znver3" : "graniterapids";
      checkMatmul(c, random.next());
      if (HasFailure()) return;
    }
}

// Out keeps every bit where there is nothing to add: NaNs, negative zeros.
TEST(MatmulCallTest, KOfZero) {
  Random random(seedOf("MatmulCallTest.KOfZero"));
  for (const TypeTripleInfo& types : typeTriples()) {
    if (!hasMatmul(types)) continue;
    for (bool accumulate : {false, true})
      for (int64_t M : {2, 9}) {
        MatmulCase c;
        c.types = types.value;
        c.M = M;
        c.N = 70;
        c.K = 0;
        c.accumulate = accumulate;
        c.kind = accumulate ? DataKind::kAnyBits : DataKind::kSmallIntegers;
        checkMatmul(c, random.next());
        if (HasFailure()) return;
      }
  }
}

}  // namespace
}  // namespace tilewright::testing
