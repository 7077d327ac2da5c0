// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call of tw_matmul on guarded buffers, and what it must give.

#ifndef TESTS_UKERNELS_MATMUL_CASE_H_
#define TESTS_UKERNELS_MATMUL_CASE_H_

#include <string>

#include "tests/common/guarded_buffer.h"
#include "tests/tiles/operands.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {

struct MatmulCase {
  tw_type_triple_t types = TW_TYPES_F32F32F32;
  int64_t M = 1, N = 1, K = 1;
  bool lhsTransposed = false, rhsTransposed = false, outTransposed = false;
  bool accumulate = false, prepacked = false;
  int threads = 1;
  // Elements between rows beyond their length.
  int64_t lhsSlack = 0, rhsSlack = 0, outSlack = 0;
  Placement placement = Placement::kTrailing;
  DataKind kind = DataKind::kSmallIntegers;
  // What the CPU may use: the features of this ISA and no other.
  tw_isa_t isa = TW_ISA_GENERIC;
  // Whether it may also where this CPU lacks them, for a model has them.
  bool modelled = false;
  // KiB of its L2; 0: what this CPU has.
  int64_t l2KiB = 0;
  // LLVM's name of the core that the CPU is taken for; null: what it is.
  const char* core = nullptr;

  // What to print with a failure.
  std::string text() const;
};

// Whether tw_matmul takes the types: all but those with 6-bit elements.
bool hasMatmul(const TypeTripleInfo& types);

// Runs `c` on data drawn from `seed` and checks every byte of out, and that no
// byte outside the buffers is touched. Compares with plain loops: the reference
// of tile functions, applied to the whole matrix.
void checkMatmul(const MatmulCase& c, uint64_t seed);

// A case in which everything is drawn at random.
MatmulCase randomMatmul(Random& random);

}  // namespace tilewright::testing

#endif  // TESTS_UKERNELS_MATMUL_CASE_H_
