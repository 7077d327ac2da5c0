// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random keys: every type triple and rounding in turn, shapes weighted towards
// what breaks kernels.

#ifndef TESTS_TILES_RANDOM_KEYS_H_
#define TESTS_TILES_RANDOM_KEYS_H_

#include <ostream>
#include <vector>

#include "tests/common/seed.h"
#include "tilewright/key.h"

namespace tilewright::testing {

// A type triple with a rounding that keys may combine it with.
struct Variant {
  tw_type_triple_t types;
  Rounding rounding;
};

inline std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << info(variant.types).name
             << (variant.rounding == Rounding::kPerStep ? " steprnd" : "");
}

// All of them.
const std::vector<Variant>& variants();

// Whether two keys in five of an ISA with scalable vectors have such sizes.
enum class Sizes { kFixed, kAlsoScalable };

// A random valid key: sizes that are 1, small, odd, prime, powers of two, or up
// to the limits.
TileKey randomKey(const Variant& variant, tw_isa_t isa, Random& random,
                  Sizes sizes = Sizes::kFixed);

// `count` different keys of `isa`, beginning with the extreme shapes (all
// limits at once, single elements, single rows and columns); every variant
// about equally often. Key i is the same however large `count` is.
std::vector<TileKey> randomKeys(tw_isa_t isa, int count, uint64_t seed,
                                Sizes sizes = Sizes::kFixed);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_RANDOM_KEYS_H_
