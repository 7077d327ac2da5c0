// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup's LDS: its bytes, who wrote and read each, and whether a barrier
// lies between.
//
// Every byte has three stamps: its last write and its last two reads by
// different waves. A stamp is (clock, atomic, wave); a wave's clock moves on at
// each barrier it signals, and clocks grow over all workgroups, so that nothing
// is cleared between them. A wave knows, for each other wave, up to which clock
// that one's accesses happened before its own: a vector clock, joined at
// barriers. Two reads are enough: barriers bring all waves together, so reads
// older than two unordered ones are ordered already.

#ifndef TILEWRIGHT_EMULATOR_LIB_LDS_H
#define TILEWRIGHT_EMULATOR_LIB_LDS_H

#include "Site.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::emulator {

/// An object of the program in LDS.
struct LdsObject {
  std::string name;
  uint32_t offset = 0, bytes = 0;
};

class Lds {
public:
  static constexpr uint32_t kArenaBytes = 1 << 20;
  /// Between objects, so that an overrun does not fall into the next one.
  static constexpr uint32_t kGap = 256;
  static constexpr unsigned kMaxWaves = 32;

  /// Memory in the low 2 GiB: 32-bit LDS pointers hold its addresses.
  llvm::Error allocate();
  ~Lds();
  char *base() const { return arena; }

  /// Poisons the objects and forgets what was written.
  void startWorkgroup(llvm::ArrayRef<LdsObject> objects, unsigned waves);

  bool inArena(uintptr_t address) const {
    return address - reinterpret_cast<uintptr_t>(arena) < kArenaBytes;
  }
  const LdsObject *find(uint32_t offset, uint64_t bytes) const;

  enum class Verdict { Fine, OutOfBounds, Unwritten, Race };
  struct Finding {
    Verdict verdict = Verdict::Fine;
    uint32_t byte = 0; ///< the first offset in question
    unsigned otherWave = 0;
    bool otherWrites = false;
  };
  Finding access(uint32_t offset, uint64_t bytes, unsigned wave,
                 MemoryAction action);

  /// Barriers: a wave gives what it did, and takes what all gave.
  void signal(unsigned wave);
  void completeBarrier();
  void wait(unsigned wave);

  std::string describe(uint32_t offset, uint64_t bytes) const;

private:
  using Stamp = uint32_t;
  static constexpr unsigned kWaveBits = 5, kClockShift = kWaveBits + 1;
  static constexpr Stamp kAtomic = 1 << kWaveBits;
  static unsigned waveOf(Stamp stamp) { return stamp & (kMaxWaves - 1); }
  static uint32_t clockOf(Stamp stamp) { return stamp >> kClockShift; }

  bool happenedBefore(Stamp stamp, unsigned wave) const {
    unsigned other = waveOf(stamp);
    return other == wave || clockOf(stamp) <= known[wave][other];
  }
  void updateFloor(unsigned wave);

  char *arena = nullptr;
  std::vector<Stamp> write, read, otherRead;
  llvm::ArrayRef<LdsObject> objects;
  unsigned waves = 0;
  uint32_t clock = 1;          ///< the newest of all clocks
  uint32_t workgroupStart = 1; ///< stamps above are of this workgroup
  uint32_t now[kMaxWaves], known[kMaxWaves][kMaxWaves];
  uint32_t pending[kMaxWaves], completed[kMaxWaves];
  /// All stamps below are ordered before the wave, whoever's they are.
  Stamp floor[kMaxWaves];
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_LDS_H
