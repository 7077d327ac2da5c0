// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the load ports allow: tiles of few rows load more than they multiply.

#ifndef MEASURE_LOADS_H_
#define MEASURE_LOADS_H_

#include <cstdint>
#include <optional>

#include "measure/slices.h"
#include "tilewright/key.h"

namespace tilewright::bench {

// Loads that a K step of a tile does, each element once: the vectors of the rhs
// panel, and the groups of the lhs panel (as many bytes as an accumulator has),
// each broadcast from memory.
struct StepLoads {
  int64_t vectors, broadcasts;
};
// Of a key with fixed sizes.
StepLoads stepLoadsOf(const TileKey& key);

// Times both kinds of loads, in vectors of the key's instruction set, from L1.
class LoadTimer {
 public:
  explicit LoadTimer(const TileKey& key, double sliceSeconds);
  // A slice of each.
  void slice();
  // Seconds that the loads of one K step take at the best rate so far; none on
  // other architectures than x86-64.
  std::optional<double> secondsPerStep() const;

 private:
  StepLoads loads_;
  std::optional<Sliced> vectors_, broadcasts_;
};

}  // namespace tilewright::bench

#endif  // MEASURE_LOADS_H_
