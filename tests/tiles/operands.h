// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands for tile functions: kinds of data, each aimed at a kind of mistake.

#ifndef TESTS_TILES_OPERANDS_H_
#define TESTS_TILES_OPERANDS_H_

#include <cstdint>
#include <vector>

#include "tests/common/seed.h"
#include "tilewright/key.h"

namespace tilewright::testing {

enum class DataKind {
  // Integers so small that every float sum is exact in any order: layout,
  // signs,
  // K0 order, tails, rounding of narrow outputs (which does happen).
  kSmallIntegers,
  // One lhs element of each row is not zero, so that each out element is one
  // product of arbitrary finite codes: decoding and lanes, bit for bit. Floats.
  kOneHot,
  // Real values over some binades, against the bound. Floats.
  kReal,
  // As kReal, with infinities and NaNs strewn in where the types have them.
  kSpecial,
  // Small multiples of one side's smallest denormal; sums stay exact.
  kDenormal,
  // All codes of integer types; sums wrap.
  kFullRange,
  // The extreme values of integer types, often all alike: -128*-128, 255*127,
  // pairs of -32768, wrap-around.
  kExtremes,
  // Out tiles of any bits: zeros of both signs, denormals, infinities, NaNs
  // quiet and signalling with any payload. For K = 0 with ACCUMULATE, which has
  // no other operands and leaves every bit as it is.
  kAnyBits,
};

const char* dataKindName(DataKind kind);

// The kinds that make sense for the key's types.
std::vector<DataKind> dataKindsFor(const TileKey& key);

// Whether one exact answer is right for this kind (Exactness::kExact).
bool isExact(DataKind kind);

struct Operands {
  std::vector<uint8_t> lhs, rhs;  // panels of K steps
  std::vector<uint8_t> out;       // previous contents, contiguous [M0][N0]
};

// `accumulate` says whether `out` will be added to: if not, it is filled with
// NaNs or garbage, which no correct tile reads.
Operands makeOperands(const TileKey& key, int64_t K, DataKind kind,
                      bool accumulate, Random& random);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_OPERANDS_H_
