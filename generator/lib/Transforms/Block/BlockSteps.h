// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// K steps of a register block: what they multiply, and where that comes from.
// It is broadcast from memory (BroadcastSteps.h), or taken from registers that
// hold it as it lies in memory (LaneSteps.h); operands that are converted an
// iteration ahead have a loop of their own (ConvertedAhead.h).

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_BLOCKSTEPS_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_BLOCKSTEPS_H

#include "RegisterBlock.h"
#include <memory>

namespace tilewright {

class ElementRun;

/// Where the rows of an operand lie, decoded or not.
struct OperandSource {
  ElementFormat format;
  mlir::Value pointer; ///< of the current K step
  StepStride stride;
  bool slack; ///< a whole vector may be read behind the last row
  mlir::Value
      group; ///< the broadcast of its only row and chunk, if read already
  /// What LaneSteps reads from, and this step's first element there.
  ElementRun *run = nullptr;
  int64_t first = 0;
  bool continues = false; ///< the run holds all K steps of the iteration
  /// Bytes from the elements of one of the idiom's parts to those of the
  /// next; 0 where they are not apart.
  int64_t partStride = 0;
  /// Where vectors are stored as they were decoded, rows as they lie here and
  /// steps `copyStride` bytes apart; null for nowhere.
  mlir::Value copy = nullptr;
  int64_t copyStride = 0;
  /// Other K steps lie before, and may be read (TileShape::masksParts).
  bool behind = false;
};

class BlockSteps : protected RegisterBlock {
public:
  /// Where reading has led the pointers to, if to the end of the steps; else
  /// null.
  struct Reached {
    Value broadcast, vector;
  };

  /// Those of the block's plan.
  static std::unique_ptr<BlockSteps> of(const RegisterBlock &block);
  virtual ~BlockSteps();

  /// `count` K steps; `carries` are the accumulators of all sets, then the
  /// corrections, or, of `steprnd`, what BlockResults::initial says.
  Values steps(OperandSource broadcast, OperandSource vector, int count,
               Values carries, Reached &reached);

protected:
  struct State {
    Values accumulators, corrections;
  };

  explicit BlockSteps(const RegisterBlock &block) : RegisterBlock(block) {}

  /// Before the first of `count` steps.
  virtual void begin(const OperandSource &broadcast,
                     const OperandSource &vector, int count, State &state);
  /// Before step `t`, which the sources point to.
  virtual void enter(OperandSource &broadcast, OperandSource &vector, int t,
                     int count) = 0;
  virtual void correctStep(const OperandSource &broadcast, State &state);
  /// The multiplies of a step, from set `set` on.
  virtual void step(OperandSource broadcast, OperandSource vector, int set,
                    State &state) = 0;
  /// After the last one.
  virtual void end(const OperandSource &, const OperandSource &, int,
                   Reached &) {}

  void correct(const OperandSource &source, int steps, Values &corrections);

  /// What the step's products are added to, where each is rounded before the
  /// next multiply; else null.
  const Values *sumsBefore = nullptr;

private:
  Values roundedStep(const OperandSource &broadcast,
                     const OperandSource &vector, Values sums);
  void stepByExtra(const OperandSource &broadcast, OperandSource vector,
                   int set, State &state);
};

/// Bytes from element 0 to `element`.
inline int64_t elementOffset(const ElementFormat &format, int64_t element) {
  return element * format.bits() / 8;
}

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_BLOCKSTEPS_H
