// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine that a program runs on: lanes, waves, one workgroup at a time.

#ifndef TILEWRIGHT_EMULATOR_LIB_MACHINE_H
#define TILEWRIGHT_EMULATOR_LIB_MACHINE_H

#include "Fiber.h"
#include "Lds.h"
#include "Memory.h"
#include "Site.h"
#include "tilewright/Emulator/Emulator.h"
#include "tilewright/Emulator/Target.h"
#include "llvm/Support/Compiler.h"
#include <deque>
#include <random>

namespace tilewright::emulator {

enum class LaneState : uint8_t { Ready, Parked, Done, Faulted };

/// What went wrong for a lane. Plain data: it is noted on the lane's own stack,
/// which is never unwound; the text is made later.
struct Fault {
  FaultKind kind = FaultKind::InvalidOperand;
  const Site *site = nullptr;
  uintptr_t address = 0;
  uint64_t bytes = 0;
  MemoryAction action = MemoryAction::Load;
  Lds::Finding lds;
  const char *text = nullptr;
};

struct Lane {
  Machine *machine = nullptr;
  Wave *wave = nullptr;
  unsigned index = 0;  ///< in the wave
  unsigned thread = 0; ///< in the workgroup
  LaneState state = LaneState::Ready;
  void *stackPointer = nullptr;
  void *sanitizerState = nullptr;
  const Site *site = nullptr; ///< while parked
  char *block = nullptr;      ///< the arguments of the operation there
  Fault fault;

  template <typename T> T argument(const Site &site, unsigned i) const {
    T value;
    std::memcpy(&value, block + site.arguments[i].offset, sizeof(T));
    return value;
  }
  const char *argumentBytes(const Site &site, unsigned i) const {
    return block + site.arguments[i].offset;
  }
  char *resultBytes(const Site &site) const {
    return block + site.result.offset;
  }
  template <typename T> void setResult(const Site &site, T value) const {
    std::memcpy(block + site.result.offset, &value, sizeof(T));
  }
};

/// A load that goes straight to LDS and is on its way: what it brings.
struct LdsLoad {
  struct Piece {
    uintptr_t to;
    uint32_t bytes;
    char data[16];
  };
  const Site *site;
  uint32_t clock;
  std::vector<Piece> pieces;
};

struct Wave {
  Machine *machine = nullptr;
  unsigned index = 0;
  llvm::MutableArrayRef<Lane> lanes;
  /// The lanes that take part in the operation that is being run: EXEC.
  uint64_t active = 0;
  bool finished = false;
  bool signalled = false; ///< a barrier it has not waited for yet
  bool waiting = false;
  const Site *waitingAt = nullptr;
  uint64_t barrierPhase = 0; ///< the phase it signalled
  uint64_t steps = 0;        ///< since it last came to a barrier
  /// Not yet delivered, in the order in which they were issued.
  std::deque<LdsLoad> loads;

  bool isActive(unsigned lane) const { return active >> lane & 1; }
};

/// A compiled function: how to enter it, and the LDS it and its callees use.
struct Program {
  void (*entry)(void *argument) = nullptr;
  std::string name;
  unsigned waveSize = 64;
  std::vector<LdsObject> lds;
  /// Of dynamic LDS, behind the static objects; its size comes with a launch.
  std::string dynamicLds;
  uint32_t dynamicOffset = 0;
  uint64_t kernargBytes = 0;
};

class Machine {
public:
  Machine(Target target, size_t stackBytes)
      : target(target), stacks(stackBytes) {}
  llvm::Error initialize() { return lds.allocate(); }

  llvm::Error run(const Program &program, Dim3 grid, Dim3 block, void *argument,
                  const LaunchOptions &options);

  // For the running lane; each may end it.
  void access(const Site &site, uintptr_t address, uint64_t bytes);
  void require(const Site &site, uintptr_t address, uint64_t bytes,
               MemoryAction action, Space space);
  void operate(const Site &site, char *block);
  /// Lets the wave's other lanes come here, or to where they wait, first.
  void synchronize(const Site &site) { park(site, nullptr); }
  void fail(const Fault &fault);
  void fail(FaultKind kind, const Site &site, const char *text);

  // For operations of a wave, on the scheduler's stack.
  void failWave(Wave &wave, FaultKind kind, const Site &site, llvm::Twine what);
  void failLane(Lane &lane, const Fault &fault);
  bool failed() const { return error != nullptr; }
  /// Checks an access on behalf of a lane that is parked; false if it fails.
  bool checkAccess(Lane &lane, const Site &site, uintptr_t address,
                   uint64_t bytes, MemoryAction action, Space space);

  /// The same of a piece of a load straight to LDS; then adds it.
  bool addPiece(Lane &lane, const Site &site, LdsLoad &load, uintptr_t to,
                uint32_t bytes, uintptr_t from, uint64_t valid);
  /// Lets all but the last `left` of the wave's loads arrive in LDS.
  void deliver(Wave &wave, size_t left);

  bool onStack(const Lane &lane, uintptr_t address) const {
    auto bottom = reinterpret_cast<uintptr_t>(stacks.bottom(lane.thread));
    return address - bottom < stacks.bytes();
  }
  uint64_t nextTick() { return ++ticks; }
  size_t stackBytes() const { return stacks.bytes(); }

  Target target;
  DeviceMemory memory;        ///< what the user registers
  DeviceMemory programMemory; ///< the program's own globals, and kernargs
  Lds lds;
  LaunchStatistics statistics;

  // Of the workgroup that runs.
  Dim3 grid, block, workgroup;
  unsigned waveSize = 64;
  uint32_t ldsBytes = 0;
  const char *kernargs = nullptr, *hiddenKernargs = nullptr;
  Lane *current = nullptr;

private:
  struct Stop;
  void park(const Site &site, char *block);
  [[noreturn]] void leave();
  void enterLane(Lane &lane);
  void leaveLane(Lane &lane);
  void runWorkgroup();
  void runWave(Wave &wave);
  bool runLanes(Wave &wave);
  void stepWave(Wave &wave);
  void barrier(Wave &wave, const Site &site);
  bool canRun(const Wave &wave) const;
  void releaseActive(Wave &wave);
  std::optional<Fault> check(const Site &site, unsigned wave, uintptr_t address,
                             uint64_t bytes, MemoryAction action, Space space);
  bool waitsByItself(const Site &site, unsigned wave,
                     const Lds::Finding &finding);
  void reportLaneFaults(Wave &wave);
  std::string describeRace(const Wave &wave, const Fault &fault) const;
  void reportDivergence(Wave &wave);
  void reportDeadlock();
  static void laneBody(void *lane);

  StackPool stacks;
  std::vector<Lane> lanes;
  std::vector<Wave> waves;
  void *scheduler = nullptr; ///< its stack pointer, while a lane runs
  const void *schedulerStack = nullptr;
  size_t schedulerStackBytes = 0;
  const Program *program = nullptr;
  void *argument = nullptr;
  LaunchOptions options;
  std::mt19937_64 random;
  bool yieldWave = false;
  unsigned arrived = 0;
  uint64_t phase = 0, ticks = 0;
  std::unique_ptr<EmulationError> error;
};

// What compiled code calls.
extern "C" {
void tw_emulator_access(const Site *site, const void *address, uint64_t bytes);
void tw_emulator_operate(const Site *site, char *block);
void tw_emulator_synchronize(const Site *site);
void tw_emulator_trap(const Site *site);
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_MACHINE_H
