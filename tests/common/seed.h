// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds of random tests: fixed, derived from a name, and overridable.

#ifndef TESTS_COMMON_SEED_H_
#define TESTS_COMMON_SEED_H_

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tilewright::testing {

// The environment variable that replaces every derived seed.
inline constexpr const char* kSeedVariable = "TILEWRIGHT_TEST_SEED";

// The seed of what `name` names (a test, a tile): FNV-1a of the name, or the
// value of TILEWRIGHT_TEST_SEED where that is set.
inline uint64_t seedOf(std::string_view name) {
  if (const char* given = std::getenv(kSeedVariable))
    return std::strtoull(given, nullptr, 0);
  uint64_t hash = 0xCBF29CE484222325u;
  for (char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3u;
  }
  return hash;
}

// What to add to a failure's message so that it can be repeated.
inline std::string seedText(uint64_t seed) {
  return std::string(kSeedVariable) + "=" + std::to_string(seed);
}

// SplitMix64: small, fast, and the same everywhere (the distributions of
// <random> are not).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // In [0, bound), bound >= 1 and well below 2^32.
  uint64_t below(uint64_t bound) { return ((next() >> 32) * bound) >> 32; }
  // In [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low +
           static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }

 private:
  uint64_t state_;
};

}  // namespace tilewright::testing

#endif  // TESTS_COMMON_SEED_H_
