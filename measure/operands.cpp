// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hot and cold operands.

#include "measure/operands.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "measure/elements.h"

namespace tilewright::bench {
namespace {

// A word of a file of Linux's description of the caches; "" if there is none.
std::string cacheFact(int index, const char* fact) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" +
                     std::to_string(index) + "/" + fact);
  std::string word;
  file >> word;
  return word;
}

// "48K"; 0 if it is nothing of the kind.
int64_t parseCacheSize(const std::string& text) {
  char* end = nullptr;
  const int64_t number = std::strtoll(text.c_str(), &end, 10);
  return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

// The first or the last level of data cache; 0 where it is not known.
int64_t cacheBytes(bool last) {
  int64_t found = 0;
  int levelFound = 0;
  for (int index = 0;; ++index) {
    const std::string type = cacheFact(index, "type");
    if (type.empty()) return found;
    if (type == "Instruction") continue;
    const int level = std::atoi(cacheFact(index, "level").c_str());
    if (found && (last ? level <= levelFound : level >= levelFound)) continue;
    found = parseCacheSize(cacheFact(index, "size"));
    levelFound = level;
  }
}

int64_t roundUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

int64_t firstCacheBytes() {
  static const int64_t bytes = cacheBytes(false);
  return bytes ? bytes : 32 << 10;
}

int64_t lastCacheBytes() {
  static const int64_t bytes = cacheBytes(true);
  return bytes ? bytes : 32 << 20;
}

int64_t defaultK(const TileKey& key) {
  int64_t room = firstCacheBytes() * 3 / 4 - key.outTileBytes();
  int64_t k = room / (key.lhsStepBytes() + key.rhsStepBytes());
  return std::clamp<int64_t>(k / 16 * 16, 16, 4096);
}

double operandBytes(const TileKey& key, int64_t k, bool cold) {
  double set = double(k) * (key.lhsStepBytes() + key.rhsStepBytes()) +
               double(key.outTileBytes());
  // Values are drawn as 64-bit integers.
  double values = 8.0 * k * key.k0 * (key.m0 + key.n0);
  return values + (cold ? std::max(2 * set, 2.0 * lastCacheBytes()) : set);
}

std::string checkMemory(double bytes) {
  double most =
      0.5 * double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  if (bytes <= most) return "";
  char text[128];
  std::snprintf(text, sizeof text,
                "would take %.3g GiB of memory, more than half of this "
                "machine's: at most %.3g GiB",
                bytes / (1 << 30), most / (1 << 30));
  return text;
}

AlignedBytes allocateAligned(int64_t bytes) {
  void* memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!memory) {
    std::fprintf(stderr, "cannot allocate %lld bytes for operands\n",
                 static_cast<long long>(bytes));
    std::abort();
  }
  return AlignedBytes(static_cast<uint8_t*>(memory));
}

Operands::Operands(const TileKey& key, int64_t k, bool cold, bool accumulate)
    : key_(key), params_{} {
  params_.K = k;
  params_.M0 = key.m0;
  params_.N0 = key.n0;
  params_.K0 = key.k0;
  params_.flags = key.types | (accumulate ? TW_MMT4D_FLAG_ACCUMULATE : 0);
  lhsBytes_ = roundUp(k * key.lhsStepBytes());
  rhsBytes_ = roundUp(k * key.rhsStepBytes());
  setBytes_ = lhsBytes_ + rhsBytes_ + roundUp(key.outTileBytes());
  int64_t sets =
      cold ? std::max<int64_t>(2, 2 * lastCacheBytes() / setBytes_) : 1;
  memory_ = allocateAligned(sets * setBytes_);

  const TypeTripleInfo& types = info(key.types);
  Random random(42);
  uint8_t* first = memory_.get();
  encode(types.lhs, randomValues(types.lhs, k * key.m0 * key.k0, random),
         first);
  encode(types.rhs, randomValues(types.rhs, k * key.n0 * key.k0, random),
         first + lhsBytes_);
  std::memset(first + lhsBytes_ + rhsBytes_, 0, key.outTileBytes());
  for (int64_t set = 1; set < sets; ++set)
    std::memcpy(first + set * setBytes_, first, setBytes_);
  for (int64_t set = 0; set < sets; ++set) order_.push_back(set);
  // No prefetcher may guess the next set.
  std::shuffle(order_.begin(), order_.end(), random);
}

double Operands::operationsPerCall() const {
  return 2.0 * key_.m0 * key_.n0 * key_.k0 * double(params_.K);
}

double Operands::panelBytesPerCall() const {
  return double(params_.K) * double(key_.lhsStepBytes() + key_.rhsStepBytes());
}

}  // namespace tilewright::bench
