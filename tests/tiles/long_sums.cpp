// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/long_sums.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/common/seed.h"
#include "tests/tiles/element_codec.h"

namespace tilewright::testing {
namespace {

// Elements of K: 16 times the sum of the extremes' products exceeds 2^31, of s4
// with s4 256 times. The last of them are others: fewer than any block.
constexpr int64_t kDepth = 140'000, kOthers = 2'000;

// One K step of `rows` rows, and the panel that begins with `first` of one and
// goes on with another.
struct Panel {
  int bits;
  std::vector<uint64_t> extreme, other;
  std::vector<uint8_t> bytes;
};

uint64_t extremeOf(tw_element_type_t type) {
  const int bits = info(type).bits;
  return info(type).kind == TW_ELEMENT_KIND_SIGNED ? uint64_t{1} << (bits - 1)
                                                   : (uint64_t{1} << bits) - 1;
}

Panel makePanel(tw_element_type_t type, int64_t elements, int64_t first,
                int64_t steps, Random& random) {
  Panel panel;
  panel.bits = info(type).bits;
  const uint64_t all = (uint64_t{1} << panel.bits) - 1;
  panel.extreme.assign(elements, extremeOf(type));
  for (int64_t i = 0; i < elements; ++i)
    panel.other.push_back(random.next() & all);
  const int64_t stepBytes = elements * panel.bits / 8;
  panel.bytes.resize(steps * stepBytes);
  for (int64_t k : {int64_t{0}, first})
    for (int64_t i = 0; i < elements; ++i)
      storeElement(panel.bytes.data() + k * stepBytes, i, panel.bits,
                   (k == 0 ? panel.extreme : panel.other)[i]);
  for (int64_t k = 1; k < steps; ++k)
    if (k != first)
      std::memcpy(&panel.bytes[k * stepBytes],
                  &panel.bytes[(k < first ? 0 : first) * stepBytes], stepBytes);
  return panel;
}

}  // namespace

bool hasLongSums(const TileKey& key) {
  const TypeTripleInfo& types = info(key.types);
  return types.accumulator == TW_ELEMENT_S32 &&
         std::min(info(types.lhs).bits, info(types.rhs).bits) < 8;
}

std::string checkLongSum(const TileKey& key, tw_mmt4d_tile_fn_t fn,
                         uint64_t seed) {
  const TypeTripleInfo& types = info(key.types);
  Random random(seed);
  const int64_t steps = kDepth / key.k0 + 1;
  const int64_t first = steps - 1 - kOthers / key.k0;
  const Panel lhs =
      makePanel(types.lhs, int64_t{key.m0} * key.k0, first, steps, random);
  const Panel rhs =
      makePanel(types.rhs, int64_t{key.n0} * key.k0, first, steps, random);
  std::vector<int32_t> out(int64_t{key.m0} * key.n0, 7);
  tw_mmt4d_params_t params = {};
  params.K = steps;
  const bool accumulates = seed % 2 == 0;
  params.flags = key.types | (accumulates ? TW_MMT4D_FLAG_ACCUMULATE : 0);
  fn(out.data(), lhs.bytes.data(), rhs.bytes.data(), &params);

  // The sum of one step's products.
  auto step = [&](const std::vector<uint64_t>& left,
                  const std::vector<uint64_t>& right, int64_t m, int64_t n) {
    int64_t sum = 0;
    for (int64_t i = 0; i < key.k0; ++i)
      sum +=
          static_cast<int64_t>(decodeElement(types.lhs, left[m * key.k0 + i]) *
                               decodeElement(types.rhs, right[n * key.k0 + i]));
    return sum;
  };
  for (int64_t m = 0; m < key.m0; ++m)
    for (int64_t n = 0; n < key.n0; ++n) {
      const auto expected = static_cast<int32_t>(
          (accumulates ? 7 : 0) + first * step(lhs.extreme, rhs.extreme, m, n) +
          (steps - first) * step(lhs.other, rhs.other, m, n));
      const int32_t value = out[m * key.n0 + n];
      if (value != expected)
        return "a sum over " + std::to_string(steps) + " steps: out[" +
               std::to_string(m) + "][" + std::to_string(n) +
               "] = " + std::to_string(value) + ", not " +
               std::to_string(expected);
    }
  return {};
}

}  // namespace tilewright::testing
