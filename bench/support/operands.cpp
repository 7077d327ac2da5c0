// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hot and cold operands.

#include "bench/support/operands.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "bench/support/elements.h"

namespace tilewright::bench {
namespace {

int64_t cacheBytes(bool last) {
  int64_t found = 0;
  int level = 0;
  for (const auto& cache : benchmark::CPUInfo::Get().caches) {
    if (cache.type == "Instruction") continue;
    if (!found || (last ? cache.level > level : cache.level < level)) {
      found = cache.size;
      level = cache.level;
    }
  }
  return found;
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

void Operands::run(tw_mmt4d_tile_fn_t fn, int64_t calls) {
  for (int64_t call = 0; call < calls; ++call) {
    uint8_t* set = memory_.get() + order_[next_] * setBytes_;
    if (++next_ == order_.size()) next_ = 0;
    fn(set + lhsBytes_ + rhsBytes_, set, set + lhsBytes_, &params_);
  }
}

double Operands::operationsPerCall() const {
  return 2.0 * key_.m0 * key_.n0 * key_.k0 * double(params_.K);
}

double Operands::panelBytesPerCall() const {
  return double(params_.K) * double(key_.lhsStepBytes() + key_.rhsStepBytes());
}

}  // namespace tilewright::bench
