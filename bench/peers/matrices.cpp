// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that every library takes.

#include "bench/peers/way.h"
#include "measure/elements.h"

namespace tilewright::bench {
namespace {

AlignedBytes randomMatrix(tw_element_type_t type, int64_t elements,
                          bool negative, Random& random) {
  AlignedBytes bytes = allocateAligned(elements * info(type).bits / 8);
  std::vector<int64_t> values = randomValues(type, elements, random);
  if (!negative)
    for (int64_t& value : values) value &= 0x7F;
  encode(type, values, bytes.get());
  return bytes;
}

}  // namespace

Matrices::Matrices(const TypeTripleInfo& types, int64_t M, int64_t N, int64_t K)
    : types(types), M(M), N(N), K(K) {
  Random random(uint64_t(M * 31 + N * 17 + K));
  a = randomMatrix(types.lhs, M * K, info(types.lhs).bits != 8, random);
  b = randomMatrix(types.rhs, K * N, /*negative=*/true, random);
  c = allocateAligned(outBytes());
}

}  // namespace tilewright::bench
