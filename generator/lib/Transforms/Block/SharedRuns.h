// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Register blocks that take runs of K steps in turn: TilePlan::sharesRuns.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_SHAREDRUNS_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_SHAREDRUNS_H

#include "BlockSteps.h"
#include "OperandStage.h"
#include <optional>

namespace tilewright {

/// One of the blocks of a tile.
struct RunBlock {
  const RegisterBlock &block;
  mlir::Value broadcast, vector; ///< its first row of either operand
  /// The first ones that no block before has, multiples of the blocks' sizes.
  mlir::Value ownBroadcast, ownVector;
  bool isFirst; ///< of those that share its vectors
};

class SharedRuns : RegisterBlock {
public:
  /// `tile`: of the first block, whose rows the tile begins with.
  explicit SharedRuns(const RegisterBlock &tile);

  /// Of each block, before the first run.
  void begin(const RunBlock &block);
  /// For each run of K steps: stages it, then `blocks`, which is to call run()
  /// for all of them.
  void forEach(llvm::function_ref<void()> blocks);
  void run(const RunBlock &block);
  /// Of each block, after the last run: its sums -> the out tile.
  void end(const RunBlock &block);

private:
  Value placeOf(const RunBlock &block);
  Values load(const RunBlock &block);
  void save(const RunBlock &block, const Values &carries);
  OperandSource rowsFrom(OperandSource operand,
                         const OperandShape &operandShape, Value row) const;

  std::optional<OperandStage> broadcastStage, vectorStage;
  /// What the K loop of a block carries, and where that of all blocks is.
  llvm::SmallVector<mlir::Type> types;
  Value sums;
  int64_t blockBytes = 0;
  /// Decoded vectors of the run (TileShape::passesVectors).
  Value passed;
  int64_t passedStride = 0;
  // Of the run that is taken.
  OperandSource broadcastRun, vectorRun;
  Value count;
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_SHAREDRUNS_H
