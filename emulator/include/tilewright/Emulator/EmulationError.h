// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulator reports when a program does what a GPU would not forgive.

#ifndef TILEWRIGHT_EMULATOR_EMULATIONERROR_H
#define TILEWRIGHT_EMULATOR_EMULATIONERROR_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::emulator {

enum class FaultKind {
  GlobalOutOfBounds, ///< bytes outside every registered buffer
  ReadOnlyStore,     ///< a store to a read-only buffer
  LdsOutOfBounds,    ///< bytes outside the workgroup's LDS objects
  LdsUnwritten,      ///< a load of LDS that nobody wrote in this workgroup
  LdsRace,           ///< LDS accesses of two waves that no barrier orders
  Misaligned,        ///< an address not aligned as the instruction says
  Divergence,        ///< lanes of a wave at different matrix ops or barriers
  Deadlock,          ///< waves wait for each other, or one spins for ever
  InvalidOperand,    ///< an operand the instruction does not define
  Trap               ///< llvm.trap, or an unreachable place
};

/// Lower-case, with dashes: "lds-race".
llvm::StringRef faultKindName(FaultKind kind);

/// One report. `log` prints all of it; the fields are for programs.
class EmulationError : public llvm::ErrorInfo<EmulationError> {
public:
  static char ID;

  FaultKind kind = FaultKind::InvalidOperand;
  std::string function; ///< the kernel or the function that was called
  std::string what;     ///< one line: what happened, with bytes and addresses
  std::string location; ///< file:line:column in function, if known
  std::string instruction; ///< its text
  uint32_t workgroup[3] = {0, 0, 0};
  unsigned wave = 0;              ///< in the workgroup
  std::vector<unsigned> lanes;    ///< of that wave
  std::vector<std::string> notes; ///< other places that take part

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_EMULATIONERROR_H
