// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// K steps whose broadcast operand is loaded into all lanes, row by row.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_BROADCASTSTEPS_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_BROADCASTSTEPS_H

#include "BlockSteps.h"

namespace tilewright {

class BroadcastSteps : public BlockSteps {
public:
  explicit BroadcastSteps(const RegisterBlock &block) : BlockSteps(block) {}

protected:
  void begin(const OperandSource &broadcast, const OperandSource &vector,
             int count, State &state) override;
  void enter(OperandSource &broadcast, OperandSource &vector, int t,
             int count) override;
  void step(OperandSource broadcast, OperandSource vector, int set,
            State &state) override;

private:
  void chunk(const OperandSource &broadcast, const OperandSource &vector,
             int valid, int set, Values &accumulators);
  void multiplyRows(const OperandSource &broadcast, const OperandSource &vector,
                    llvm::ArrayRef<Value> operands, int valid,
                    llvm::MutableArrayRef<Value> accumulators);
  void startDecoding(const OperandSource &broadcast,
                     const OperandSource &vector, int count);
  void decodeNext();
  void multiplyDecoded(llvm::MutableArrayRef<Value> accumulators);
  Value roundSum(Value product, Value before) const;
  Values makePart(OperandSource &vector, int part, int valid, Values &loaded);
  void forEachPart(OperandSource vector, int valid,
                   llvm::function_ref<void(int, llvm::ArrayRef<Value>)> take);
  void multiplyNibbles(const OperandSource &broadcast,
                       const OperandSource &vector, int set,
                       Values &accumulators);
  void multiplyThenAdd(const OperandSource &broadcast,
                       llvm::ArrayRef<Value> operands, int valid,
                       llvm::MutableArrayRef<Value> accumulators);
  void multiplyParts(const OperandSource &broadcast,
                     const OperandSource &vector, int valid,
                     llvm::MutableArrayRef<Value> accumulators);
  Value readBroadcast(const OperandSource &source, int row, int valid);
  Value readPair(const OperandSource &source, int row);
  Value loadRepeated(const ElementFormat &format, Value at, int64_t size,
                     int64_t valid);
  /// Both operands of each multiply of a block, row by row.
  class Factors;
  Value loadVector(const OperandSource &source, int index, int valid);
  Value readVector(const OperandSource &source, int index, int valid);
  Value loadLanesTwice(const OperandSource &source, int index, bool odd);
  void forEachLane(const OperandSource &source, int count,
                   llvm::function_ref<void(Value)> take);
  Value spread(Value lane, int step);
  Values spreadGroups(const OperandSource &source, int count);

  /// Of the steps that are being multiplied, where shape.spreadSteps of them
  /// are read at once: their broadcasts, or what these are spread from.
  Values groups, lanes;
  /// Where vectors are decoded ahead (TileShape::kVectorsAhead): the sources of
  /// all steps, what has been decoded, the broadcast of the next step, and the
  /// next vector to be multiplied. Empty elsewhere.
  std::vector<OperandSource> broadcasts, sources;
  Values decoded;
  Value nextBroadcast;
  int nextVector = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_BROADCASTSTEPS_H
