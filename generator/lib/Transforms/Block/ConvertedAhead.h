// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The K loop of operands that are converted to f32: those of the next iteration
// are converted while this one's are multiplied. Conversions have one vector
// pipe of two or four (Neoverse), and a multiply that waits for one keeps all
// others waiting.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_CONVERTEDAHEAD_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_CONVERTEDAHEAD_H

#include "BlockSteps.h"

namespace tilewright {

class ConvertedAhead : RegisterBlock {
public:
  explicit ConvertedAhead(const RegisterBlock &block) : RegisterBlock(block) {}

  /// The first `whole` of `count` K steps (i64), plan.unroll of them at a time
  /// and none read that is not multiplied. Returns the pointers to what
  /// follows, then `carries`.
  Values loop(const OperandSource &broadcast, const OperandSource &vector,
              Value count, Value whole, Value unroll, Values carries);

private:
  struct Undecoded {
    Values broadcast, vector;
  };
  Undecoded load(OperandSource &broadcast, OperandSource &vector);
  int broadcastRegisters() const;
  Value decodeRegister(const Undecoded &raw, int index);
  void multiply(Values &registers, const Undecoded *next, Values &carries);
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_CONVERTEDAHEAD_H
