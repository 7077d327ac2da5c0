// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What becomes of the sums of a register block.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_BLOCKRESULTS_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_BLOCKRESULTS_H

#include "RegisterBlock.h"

namespace tilewright {

class BlockResults : RegisterBlock {
public:
  explicit BlockResults(const RegisterBlock &block) : RegisterBlock(block) {}

  /// What the K loop begins with: zeros of the accumulators of all sets, then
  /// of the corrections. Of `steprnd` the values of the out elements, in
  /// accumulators unless these have several k lanes: then they are
  /// rows x outVectors.
  Values initial();
  /// What the K loop made of them -> the out tile.
  void store(const Values &carries);

private:
  // From accumulators to sums: sets, k lanes, corrections.
  Values combineSets(const Values &carries);
  Value secondRow(Value block) const;
  Values finishRow(llvm::ArrayRef<Value> accumulators, Value correction);
  Values finishInRegisters(const Values &accumulators, Value corrections);
  Value finishRows(const Values &accumulators, Value corrections);
  void flushDenormals(Values &results);
  Values untangle(const Values &accumulators);
  Values partPairs(const Values &accumulators);
  Values tangle(const Values &rows);
  bool transposesBlocks() const;

  // StoreResults.cpp: from sums to the out tile.
  void forOutVectors(llvm::function_ref<void(int, int, Value)> body);
  Value loadOut(Value pointer, int index);
  Values initialRows();
  bool storesDirectly() const;
  void storeDirectly(Values results);
  void storeRows(const Values &results);
  void storeByRows(Value buffer);
  void storeTransposed(Value buffer);
  void storeColumns(const Values &columns);
  Value spill(const Values &results);
  Value updated(Value sum, Value pointer, int64_t valid, Value column);
  struct OutVector {
    int64_t firstRow; ///< of the vector operand, in the block
    int64_t begin;    ///< first lane that is not another vector's
    int64_t valid;    ///< lanes from there
  };
  OutVector outVector(int index) const;
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_BLOCKRESULTS_H
