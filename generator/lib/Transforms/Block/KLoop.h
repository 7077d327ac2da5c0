// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop over the K steps of a register block.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_KLOOP_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_KLOOP_H

#include "BlockSteps.h"

namespace tilewright {

class OperandStage;

class KLoop : RegisterBlock {
public:
  KLoop(const RegisterBlock &block, BlockSteps &steps)
      : RegisterBlock(block), blockSteps(steps) {}

  /// All K steps; BlockResults::initial has what `carries` are.
  Values run(Values carries);
  /// `count` K steps, from operands that are staged already if they are.
  Values stepLoop(OperandSource broadcast, OperandSource vector, Value count,
                  Values carries);

private:
  Values
  loopOverRuns(Value first, Value total, Values all, int pointers,
               llvm::function_ref<Values(Value k, Values in, bool behind)> run);
  Values loop(Value broadcast, Value vector, Value count, Values carries);
  Values scaledLoop(Values carries);
  Values stagedLoop(Value broadcast, Value vector, Value count, Values carries);
  Values stagedAheadLoop(Value broadcast, Value vector, Value count,
                         Values carries);
  Values besideLoop(OperandStage &stage, Value count, Values all);
  Values plainLoop(OperandSource broadcast, OperandSource vector, Value count,
                   Values carries);
  Values runSteps(OperandSource broadcast, OperandSource vector, Value begin,
                  Value end, int unroll, Values all);
  void prefetch(const OperandShape &operand, Value pointer,
                const StepStride &iteration, bool mayBeFar);

  BlockSteps &blockSteps;
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_KLOOP_H
