// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random keys.

#include "bench/support/random_keys.h"

#include <cctype>
#include <random>
#include <set>

namespace tilewright::bench {
namespace {

// std::uniform_int_distribution differs between standard libraries.
int64_t upTo(std::mt19937_64& random, int64_t bound) {
  return int64_t((random() >> 11) % uint64_t(bound));
}

int randomSize(std::mt19937_64& random) {
  int64_t kind = upTo(random, 10);
  if (kind < 7) return int(1 + upTo(random, 32));
  if (kind < 9) return int(33 + upTo(random, 96));
  return int(129 + upTo(random, kMaxM0 - 128));
}

// Whether `isa` is called so, or is of the architecture called so.
bool matches(const IsaInfo& isa, std::string_view archOrIsa) {
  std::string arch(isa.arch);
  for (char& c : arch) c = char(std::tolower(c));
  if (archOrIsa.empty()) return !isa.isGpu();
  return archOrIsa == isa.name || archOrIsa == arch;
}

TileKey randomKey(std::mt19937_64& random,
                  const std::vector<const IsaInfo*>& isas) {
  TileKey key = {};
  key.types = typeTriples()[upTo(random, int64_t(typeTriples().size()))].value;
  const IsaInfo& isa = *isas[upTo(random, int64_t(isas.size()))];
  key.isa = isa.isa;
  key.m0 = randomSize(random);
  key.n0 = randomSize(random);
  key.k0 = upTo(random, 10) < 7 ? 1 << upTo(random, 4)
                                : int(1 + upTo(random, kMaxK0));
  if (upTo(random, 4) == 0) key.rounding = Rounding::kPerStep;
  if (isa.scaling == TW_SCALING_NONE) return key;
  key.m0Scalable = upTo(random, 2);
  key.n0Scalable = upTo(random, 2);
  if (key.m0Scalable) key.m0 = int(1 + upTo(random, 4));
  if (key.n0Scalable) key.n0 = int(1 + upTo(random, 4));
  return key;
}

}  // namespace

std::vector<TileKey> randomKeys(uint64_t seed, size_t count,
                                std::string_view archOrIsa) {
  std::vector<const IsaInfo*> among;
  for (const IsaInfo& isa : isas())
    if (matches(isa, archOrIsa)) among.push_back(&isa);
  if (among.empty()) return {};
  std::mt19937_64 random(seed);
  std::set<TileKey> seen;
  std::vector<TileKey> keys;
  while (keys.size() < count) {
    TileKey key = randomKey(random, among);
    if (!validateTileKey(key).empty()) key.rounding = Rounding::kOnce;
    if (validateTileKey(key).empty() && seen.insert(key).second)
      keys.push_back(key);
  }
  return keys;
}

}  // namespace tilewright::bench
