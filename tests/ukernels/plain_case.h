// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul of plain matrices, in guarded buffers, whose result is checked
// against the reference of a tile function.

#ifndef TESTS_UKERNELS_PLAIN_CASE_H_
#define TESTS_UKERNELS_PLAIN_CASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/common/seed.h"
#include "tests/tiles/operands.h"
#include "tilewright/key.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {

struct PlainLayout {
  int64_t M = 1, N = 1, K = 1;
  bool lhsTransposed = false, rhsTransposed = false, outTransposed = false;
  int64_t slack = 0;  // elements beyond the length of each line
  bool accumulate = false;
  Placement placement = Placement::kTrailing;
};

std::string describe(const PlainLayout& l);

// A matrix of rows x cols in a buffer of exactly its bytes: element (r, c) at
// index r * rowStride + c * colStride.
struct PlainMatrix {
  PlainMatrix(int64_t rows, int64_t cols, bool transposed, int64_t slack,
              tw_element_type_t type, Placement placement);
  uint64_t get(int64_t r, int64_t c) const;
  void set(int64_t r, int64_t c, uint64_t code);

  int bits;
  int64_t rowStride, colStride;
  GuardedBuffer buffer;

 private:
  int64_t stride(int64_t length, int64_t slack, bool isUnit) const;
  size_t bytesOf(int64_t rows, int64_t cols) const;
};

class PlainCase {
 public:
  PlainCase(tw_type_triple_t types, const PlainLayout& layout, DataKind kind,
            Random& random);
  const TypeTripleInfo& types() const { return types_; }
  PlainMatrix& lhs() { return lhs_; }
  PlainMatrix& rhs() { return rhs_; }
  PlainMatrix& out() { return out_; }
  // Whether out is what it should be, and nothing beside it was touched.
  void check();

 private:
  template <typename Set>
  void scatter(std::vector<uint8_t>& panel, int64_t rows, int bits, Set set);

  PlainLayout l_;
  const TypeTripleInfo& types_;
  TileKey key_;
  int64_t steps_;
  bool exact_;
  Operands panels_;
  PlainMatrix lhs_, rhs_, out_;
};

}  // namespace tilewright::testing

#endif  // TESTS_UKERNELS_PLAIN_CASE_H_
