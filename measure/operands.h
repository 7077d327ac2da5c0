// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands for timing one tile function: hot (one set that fits L1) or cold (a
// shuffled ring of sets larger than the last cache).

#ifndef MEASURE_OPERANDS_H_
#define MEASURE_OPERANDS_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/key.h"
#include "tilewright/tile.h"

namespace tilewright::bench {

// Bytes of this machine's first and last data caches, as Linux describes them;
// 32 KiB and 32 MiB elsewhere.
int64_t firstCacheBytes();
int64_t lastCacheBytes();

// The largest K, at most 4096, for which the panels and the out tile of `key`
// take up three quarters of L1; at least 16 steps even where that does not fit.
int64_t defaultK(const TileKey& key);

// Bytes that Operands and what fills them take.
double operandBytes(const TileKey& key, int64_t k, bool cold);

// An error, which says how much there is, if this machine should not be asked
// for `bytes` of memory; or "".
std::string checkMemory(double bytes);

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using AlignedBytes = std::unique_ptr<uint8_t, Free>;

// 64-byte aligned; aborts the program with a message when memory runs out.
AlignedBytes allocateAligned(int64_t bytes);

class Operands {
 public:
  Operands(const TileKey& key, int64_t k, bool cold, bool accumulate);

  // Calls `fn`, a tile function or what is called like one, `calls` times; when
  // cold, each call on the next set of the ring.
  template <typename Function>
  void run(const Function& fn, int64_t calls) {
    for (int64_t call = 0; call < calls; ++call) {
      uint8_t* set = memory_.get() + order_[next_] * setBytes_;
      if (++next_ == order_.size()) next_ = 0;
      fn(set + lhsBytes_ + rhsBytes_, set, set + lhsBytes_, &params_);
    }
  }

  // Multiplications and additions, and panel bytes, of one call.
  double operationsPerCall() const;
  double panelBytesPerCall() const;
  int64_t sets() const { return int64_t(order_.size()); }

 private:
  TileKey key_;
  tw_mmt4d_params_t params_;
  int64_t lhsBytes_, rhsBytes_, setBytes_;
  AlignedBytes memory_;
  std::vector<int64_t> order_;
  size_t next_ = 0;
};

}  // namespace tilewright::bench

#endif  // MEASURE_OPERANDS_H_
