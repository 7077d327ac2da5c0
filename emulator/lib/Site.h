// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of the program that call into the emulator, and what they do there.

#ifndef TILEWRIGHT_EMULATOR_LIB_SITE_H
#define TILEWRIGHT_EMULATOR_LIB_SITE_H

#include "LdsOrder.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <cstring>

namespace llvm {
class Instruction;
} // namespace llvm

namespace tilewright::emulator {

class Machine;
struct Lane;
struct Site;
struct Wave;
struct Region;
struct MatrixInstruction;
struct MatrixPlaces;

/// When an operation happens.
enum class OperationKind : uint8_t {
  NoEffect,  ///< scheduling hints
  PerLane,   ///< at once, for one lane
  CrossLane, ///< when the wave's active lanes are there; EXEC may be partial
  Order,     ///< as CrossLane; fences and waits
  Matrix,    ///< when all lanes are there; an error if they never are
  Barrier,   ///< as Matrix, and then the waves wait for each other
};

enum class BarrierKind : uint8_t { None, Whole, Signal, Wait };

struct Operation {
  OperationKind kind = OperationKind::NoEffect;
  BarrierKind barrier = BarrierKind::None;
  void (*perLane)(Lane &, const Site &) = nullptr;
  /// For the lanes of the wave that are parked at the site.
  void (*wave)(Wave &, const Site &) = nullptr;
  const MatrixInstruction *matrix = nullptr;
  const MatrixPlaces *places = nullptr;
  /// A number whose meaning is the function's.
  int variant = 0;
};

/// Where an operand, or the result, lies in a call's argument block.
struct Slot {
  uint32_t offset = 0, bytes = 0;
};

enum class Space : uint8_t { Global, Lds, Flat, Private };
enum class MemoryAction : uint8_t { Load, Store, Atomic };

struct Site {
  Machine *machine = nullptr;
  /// In the program as it was given, for reports.
  const llvm::Instruction *instruction = nullptr;
  unsigned order = 0; ///< in the program's text
  // An operation:
  Operation operation;
  llvm::SmallVector<Slot, 6> arguments;
  Slot result;
  LdsOrder ldsOrder;
  // An access:
  Space space = Space::Global;
  MemoryAction action = MemoryAction::Load;
  uint32_t alignment = 1;
  mutable const Region *lastRegion = nullptr;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_SITE_H
