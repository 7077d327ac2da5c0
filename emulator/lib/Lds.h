// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup's LDS: its bytes, who wrote and read each, and what orders that.
//
// Every byte has stamps: of its last write, and of each wave's last read. A
// stamp is a clock of whoever did it: a wave, or a wave's loads that go
// straight to LDS, which are a second agent beside it. Clocks grow over all
// workgroups, so that nothing is cleared between them. A wave knows, for each
// agent, up to which clock that one's accesses happened before its own: a
// vector clock. It makes known to others what it released before a barrier, and
// takes what others made known when it acquires behind one.

#ifndef TILEWRIGHT_EMULATOR_LIB_LDS_H
#define TILEWRIGHT_EMULATOR_LIB_LDS_H

#include "Site.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>
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
  /// What lies between two accesses that race.
  enum class Gap { NoBarrier, NoRelease, NoAcquire };
  struct Finding {
    Verdict verdict = Verdict::Fine;
    uint32_t byte = 0; ///< the first offset in question
    unsigned otherWave = 0;
    bool otherWrites = false;
    bool otherLoads = false; ///< by a load straight to LDS
    uint32_t otherClock = 0;
    Gap gap = Gap::NoBarrier;
  };
  Finding access(uint32_t offset, uint64_t bytes, unsigned wave,
                 MemoryAction action);

  // Loads that go straight to LDS are stores of the wave's second agent, from
  // when they are issued.
  uint32_t issueLoad(unsigned wave);
  Finding load(uint32_t offset, uint64_t bytes, unsigned wave);
  /// The wave's loads up to `clock` have arrived, and it knows.
  void arrive(unsigned wave, uint32_t clock);

  // Fences and waits.
  void order(unsigned wave);
  void complete(unsigned wave);
  void acquire(unsigned wave);

  /// Barriers: a wave gives what it released, and may acquire what all gave.
  void signal(unsigned wave);
  void completeBarrier();
  void wait(unsigned wave);

  std::string describe(uint32_t offset, uint64_t bytes) const;

private:
  /// Waves, and behind them the loads of each.
  static constexpr unsigned kAgents = 2 * kMaxWaves;
  using Clocks = std::array<uint32_t, kAgents>;
  using Stamp = uint64_t;
  static constexpr unsigned kAgentBits = 6, kClockShift = kAgentBits + 1;
  static constexpr Stamp kAtomic = 1 << kAgentBits;
  static unsigned agentOf(Stamp stamp) { return stamp & (kAgents - 1); }
  static uint32_t clockOf(Stamp stamp) { return stamp >> kClockShift; }
  static Stamp stampOf(uint32_t clock, unsigned agent) {
    return Stamp(clock) << kClockShift | agent;
  }

  bool happenedBefore(Stamp stamp, unsigned wave) const {
    unsigned agent = agentOf(stamp);
    return agent == wave || clockOf(stamp) <= known[wave][agent];
  }
  Finding race(uint32_t byte, unsigned wave, unsigned agent, uint32_t clock,
               bool writes) const;
  Finding checkReads(uint32_t offset, uint64_t bytes, unsigned wave) const;
  void updateFloor(unsigned wave);

  char *arena = nullptr;
  std::vector<Stamp> write;
  std::vector<uint32_t> read[kMaxWaves]; ///< clocks
  llvm::ArrayRef<LdsObject> objects;
  unsigned waves = 0;
  uint32_t clock = 1;          ///< the newest of all clocks
  uint32_t workgroupStart = 1; ///< stamps above are of this workgroup
  uint32_t now[kMaxWaves], issued[kMaxWaves];
  Clocks known[kMaxWaves];
  /// By wave: of its own clock, what no longer moves; what it has released, and
  /// what barriers brought that it has not acquired.
  uint32_t ordered[kMaxWaves];
  Clocks released[kMaxWaves], offered[kMaxWaves];
  Clocks pending, completed; ///< of the barrier
  /// The waves' clocks when they signalled the barrier, whatever they released,
  /// and those that a wave has met so: for reports.
  Clocks arriving, arrived, met[kMaxWaves];
  /// All stamps below are ordered before the wave, whoever's they are.
  Stamp floor[kMaxWaves];
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_LDS_H
