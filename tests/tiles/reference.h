// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tile function may answer, computed without any of the code under test:
// integers in 64 bits reduced modulo 2^32, floats in double (f64: long double).

#ifndef TESTS_TILES_REFERENCE_H_
#define TESTS_TILES_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "tilewright/key.h"

namespace tilewright::testing {

// The accepted values of one out element: a NaN, or anything in [low, high]
// (infinities included). Every out value is exact in a double.
struct Accepted {
  double low = 0, high = 0;
  bool nan = false;

  bool contains(double value) const {
    return nan ? value != value : value >= low && value <= high;
  }
};

// What is known about the operands.
enum class Exactness {
  // Every partial sum, in any order, is exact in the accumulator type: one
  // value is right.
  kExact,
  // The bound of tile.h.
  kBounded,
};

struct ReferenceOptions {
  Exactness exactness = Exactness::kExact;
  // Denormals of the operands, of the previous out values and of the result
  // count as zero, as vdpbf16ps has it.
  bool flushDenormals = false;
};

// `lhs`, `rhs`: panels of K steps as the ABI lays them out. `previous`: the
// contiguous out tile that is added to, or null without ACCUMULATE. M0*N0
// results, row-major. Integer tiles are always exact.
std::vector<Accepted> referenceTile(const TileKey& key, int64_t K,
                                    const uint8_t* lhs, const uint8_t* rhs,
                                    const uint8_t* previous,
                                    const ReferenceOptions& options = {});

// Whether a body of `key` may treat denormals as zero: bf16 x bf16 on an ISA
// with avx512bf16 or bf16, f16 x f16 and bf16 x bf16 on gfx90a (tile.h,
// "Numerics").
bool mayFlushDenormals(const TileKey& key);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_REFERENCE_H_
