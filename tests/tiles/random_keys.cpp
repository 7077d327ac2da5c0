// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/random_keys.h"

#include <algorithm>
#include <set>

namespace tilewright::testing {
namespace {

bool isPrime(int n) {
  for (int d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

int randomPrime(int limit, Random& random) {
  for (;;) {
    const int n = static_cast<int>(random.between(2, limit));
    if (isPrime(n)) return n;
  }
}

int randomRows(Random& random) {
  const uint64_t kind = random.below(100);
  if (kind < 12) return 1;
  if (kind < 35) return static_cast<int>(random.between(2, 8));
  if (kind < 50) return static_cast<int>(2 * random.between(1, 24) + 1);
  if (kind < 62) return randomPrime(97, random);
  if (kind < 77) return 1 << random.between(0, 6);
  if (kind < 92) return static_cast<int>(random.between(9, 64));
  if (kind < 96) return randomPrime(kMaxM0, random);
  return static_cast<int>(random.between(65, kMaxM0));
}

int randomDepth(Random& random) {
  const uint64_t kind = random.below(100);
  if (kind < 25) return 1;
  if (kind < 45) return 2;
  if (kind < 67) return 4;
  if (kind < 75) return 8;
  if (kind < 85) return static_cast<int>(2 * random.between(1, 7) + 1);
  if (kind < 90) return randomPrime(kMaxK0, random);
  return static_cast<int>(random.between(1, kMaxK0));
}

// Above this many elements per K step a key costs so much reference time that
// only few are wanted.
constexpr int64_t kUsualVolume = 1 << 17;

struct Shape {
  int m0, n0, k0;
};

// The share of an ISA's keys that have scalable sizes, if it has such vectors.
constexpr double kScalableShare = 0.4;
// What a large vector makes of them counts for their cost.
constexpr int kUsualVectorBits = 512;

// Makes sizes of `key` scalable: N0, both, or M0.
void makeScalable(TileKey& key, Random& random) {
  const uint64_t kind = random.below(100);
  key.n0Scalable = kind < 85;
  key.m0Scalable = kind >= 50;
  auto vectors = [&] {
    return static_cast<int>(random.chance(0.8) ? random.between(1, 4)
                                               : random.between(1, kMaxScale));
  };
  if (key.n0Scalable) key.n0 = vectors();
  if (key.m0Scalable) key.m0 = vectors();
}

// Everything at its limit; and the thinnest shapes.
constexpr Shape kExtremeShapes[] = {{kMaxM0, kMaxN0, kMaxK0},
                                    {1, 1, 1},
                                    {1, 1, 2},
                                    {1, 1, kMaxK0},
                                    {1, kMaxN0, 4},
                                    {kMaxM0, 1, 4},
                                    {1021, 3, 1},
                                    {3, 1021, 2},
                                    {1, 16, 1},
                                    {16, 1, 1},
                                    {kMaxM0, 2, 63}};

}  // namespace

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> result;
    for (const TypeTripleInfo& types : typeTriples())
      for (Rounding rounding : {Rounding::kOnce, Rounding::kPerStep})
        if (rounding == Rounding::kOnce || types.out != types.accumulator)
          result.push_back({types.value, rounding});
    return result;
  }();
  return all;
}

TileKey randomKey(const Variant& variant, tw_isa_t isa, Random& random,
                  Sizes sizes) {
  const bool scalable =
      sizes == Sizes::kAlsoScalable && info(isa).scaling != TW_SCALING_NONE;
  for (;;) {
    const int m0 = randomRows(random);
    const int n0 = randomRows(random);
    const int k0 = randomDepth(random);
    TileKey key{variant.types, m0, n0, k0, variant.rounding, isa};
    if (scalable && random.chance(kScalableShare)) makeScalable(key, random);
    if (!validateTileKey(key).empty()) continue;
    const TileKey usual = key.atVectorBits(kUsualVectorBits);
    if (int64_t{usual.m0} * usual.n0 * k0 > kUsualVolume &&
        !random.chance(0.02))
      continue;
    return key;
  }
}

std::vector<TileKey> randomKeys(tw_isa_t isa, int count, uint64_t seed,
                                Sizes sizes) {
  Random random(seed);
  std::vector<TileKey> keys;
  std::set<TileKey> seen;
  auto add = [&](const TileKey& key) {
    if (static_cast<int>(keys.size()) == count ||
        !validateTileKey(key).empty() || !seen.insert(key).second)
      return false;
    keys.push_back(key);
    return true;
  };
  for (const Shape& shape : kExtremeShapes) {
    const Variant& variant = variants()[random.below(variants().size())];
    add({variant.types, shape.m0, shape.n0, shape.k0, variant.rounding, isa});
  }
  // A variant whose key is there already keeps its turn.
  for (size_t turn = 0; static_cast<int>(keys.size()) < count;)
    turn += add(
        randomKey(variants()[turn % variants().size()], isa, random, sizes));
  return keys;
}

}  // namespace tilewright::testing
