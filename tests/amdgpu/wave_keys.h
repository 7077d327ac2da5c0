// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random keys for AMD GPUs: every type triple and variant in turn, of sizes
// that an emulator can run by the hundred.

#ifndef TESTS_AMDGPU_WAVE_KEYS_H_
#define TESTS_AMDGPU_WAVE_KEYS_H_

#include <set>
#include <vector>

#include "tests/tiles/random_keys.h"

namespace tilewright::testing {

inline int randomWaveRows(Random& random) {
  const uint64_t kind = random.below(100);
  if (kind < 10) return 1;
  if (kind < 25) return static_cast<int>(random.between(2, 8));
  if (kind < 55) return 16 << random.below(3);
  if (kind < 75) return static_cast<int>(random.between(9, 48));
  if (kind < 90) return static_cast<int>(2 * random.between(1, 32) + 1);
  return static_cast<int>(random.between(49, 144));
}

inline int randomWaveDepth(Random& random) {
  const uint64_t kind = random.below(100);
  if (kind < 15) return 1;
  if (kind < 25) return 2;
  if (kind < 60) return 4 << random.below(4);
  if (kind < 75) return static_cast<int>(2 * random.between(1, 15) + 1);
  if (kind < 90) return static_cast<int>(random.between(3, 64));
  return static_cast<int>(random.between(65, kMaxK0Gpu));
}

// Multiply-adds of a K step that most keys stay below.
inline constexpr int64_t kUsualWaveVolume = 1 << 15;

// `count` different valid keys of `isa`, the first of them extreme; every
// variant, mx among them, about equally often.
inline std::vector<TileKey> randomWaveKeys(tw_isa_t isa, int count,
                                           uint64_t seed) {
  struct Kind {
    Variant variant;
    bool scaled;
  };
  std::vector<Kind> kinds;
  for (const Variant& variant : variants()) {
    kinds.push_back({variant, false});
    TileKey key{variant.types, 16, 16, kScaleBlock, variant.rounding, isa};
    key.blockScaled = true;
    if (validateTileKey(key).empty()) kinds.push_back({variant, true});
  }
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
  constexpr int kExtremes[][3] = {{1, 1, 1},   {1, 1, 256},  {1, 257, 4},
                                  {321, 1, 8}, {3, 129, 63}, {1024, 2, 2}};
  for (const auto& [m0, n0, k0] : kExtremes) {
    const Variant& variant = variants()[random.below(variants().size())];
    add({variant.types, m0, n0, k0, variant.rounding, isa});
  }
  for (size_t turn = 0; static_cast<int>(keys.size()) < count;) {
    const Kind& kind = kinds[turn % kinds.size()];
    TileKey key{kind.variant.types,     randomWaveRows(random),
                randomWaveRows(random), randomWaveDepth(random),
                kind.variant.rounding,  isa};
    if (kind.scaled) {
      key.blockScaled = true;
      key.k0 = static_cast<int>(kScaleBlock * random.between(1, 8));
    }
    if (int64_t{key.m0} * key.n0 * key.k0 > kUsualWaveVolume &&
        !random.chance(0.02))
      continue;
    turn += add(key);
  }
  return keys;
}

}  // namespace tilewright::testing

#endif  // TESTS_AMDGPU_WAVE_KEYS_H_
