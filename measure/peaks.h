// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Issue peaks: how many operations per second this core does when nothing but
// the issue of one instruction bounds it. Every %peak is relative to one of
// these, measured in the same run.

#ifndef MEASURE_PEAKS_H_
#define MEASURE_PEAKS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/slices.h"
#include "tilewright/key.h"
#include "ukernels/instruction.h"

namespace tilewright::bench {

struct Peak {
  const char* name;  // its mnemonic, "vfmadd231ps zmm"
  tw_isa_t isa;      // what it needs
  int64_t operationsPerIteration;
  // Runs `iterations` > 0 iterations on 128 bytes of operands.
  void (*run)(int64_t iterations, const void* operands);
  tw_instruction_t instruction = TW_INSTRUCTION_NONE;
};

// Those of the rows of instructions.def for vectors of x86-64, the quicker
// first; empty on other architectures.
const std::vector<Peak>& peaks();

// Which instruction sets a peak may be of.
enum class PeakScope {
  kIsa,  // those that the key's instruction set implies
  kCpu,  // all that the CPU can run
};

// Those that compute the types of `key` exactly, whether or not a tile uses
// them today, of `scope`, that the CPU of `cpuData` (TW_CPU_DATA_WORDS words;
// null: this one) can run. Which is the fastest is for PeakTimer to measure,
// for it depends on the CPU: vdpbf16ps does twice the work of an f32 FMA; Zen 4
// issues it as often, Sapphire Rapids a quarter as often. None: no percentage.
std::vector<const Peak*> peaksOf(const TileKey& key, PeakScope scope,
                                 const uint64_t* cpuData = nullptr);

// A timer of `peak`, one call being one iteration of its loop. Take slices
// alternating with those of what it is compared with.
Sliced slicedPeak(const Peak& peak, double sliceSeconds);

// Operations per second of the best slice so far.
inline double bestRate(const Peak& peak, const Sliced& sliced) {
  return double(peak.operationsPerIteration) / sliced.best();
}

// Times several peaks in alternating slices. Those that turn out far from the
// fastest of all at once, and from the fastest that needs no more than `isa`,
// are not timed again.
class PeakTimer {
 public:
  PeakTimer(const std::vector<const Peak*>& peaks, double sliceSeconds,
            const IsaInfo* isa = nullptr);

  bool empty() const { return timed_.empty(); }
  // One slice of each.
  void slice();

  struct Rate {
    const Peak* peak;
    double operationsPerSecond;
  };
  // The fastest so far among those that need no more than `isa`, the one given
  // to the constructor, or among all. None if there is none.
  std::optional<Rate> fastest(const IsaInfo* isa = nullptr) const;

 private:
  struct Timed {
    const Peak* peak;
    Sliced sliced;
    bool given_up;
  };
  std::vector<Timed> timed_;
};

}  // namespace tilewright::bench

#endif  // MEASURE_PEAKS_H_
