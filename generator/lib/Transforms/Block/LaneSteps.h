// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// K steps where registers hold the broadcast operand as it lies in memory: the
// multiplies name its groups by lane, or take several rows at once.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_LANESTEPS_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_LANESTEPS_H

#include "BlockSteps.h"
#include "ElementRun.h"
#include <optional>

namespace tilewright {

class LaneSteps : public BlockSteps {
public:
  explicit LaneSteps(const RegisterBlock &block) : BlockSteps(block) {}

protected:
  void begin(const OperandSource &broadcast, const OperandSource &vector,
             int count, State &state) override;
  void enter(OperandSource &broadcast, OperandSource &vector, int t,
             int count) override;
  void correctStep(const OperandSource &broadcast, State &state) override;
  void step(OperandSource broadcast, OperandSource vector, int set,
            State &state) override;
  void end(const OperandSource &broadcast, const OperandSource &vector,
           int count, Reached &reached) override;

private:
  void correctByRegisters(const OperandSource &source, Values &corrections);
  void decodeStepAhead(const OperandSource &broadcast,
                       const OperandSource &vector, int t, int count);
  /// The run that holds K step `t` of `count`, which starts at source.pointer;
  /// K steps that follow one another in memory, of a multiple of `multiple`
  /// elements, are one run, kept in `run`, of registers of `width` elements.
  void enterRun(OperandSource &source, std::optional<ElementRun> &run, int t,
                int count, int64_t elements, int64_t width, int ahead,
                bool early, int64_t multiple);
  void laneChunks(const OperandSource &broadcast, const OperandSource &vector,
                  int firstPart, int endPart, int set, Values &accumulators);
  Values readGroups(const OperandSource &source, int64_t first,
                    int64_t rowsPerRegister, int64_t present, int part);
  int multipliesTogether() const;
  void multiplyTogether(Values &accumulators);
  Value broadcastGroup(const OperandSource &source, int row, int chunk);

  /// Of the steps that are being multiplied.
  std::optional<ElementRun> broadcastRun, vectorRun;
  /// The registers that the multiplies take their lanes from hold just what is
  /// to be added up for the corrections.
  bool correctsByRegisters = false;

  /// The most multiplies that wait for one another.
  static constexpr int kTogether = 8;
  struct Multiply {
    int accumulator;
    Value vector, broadcast;
    int half;
  };
  llvm::SmallVector<Multiply, kTogether> waiting;
  bool isLast = false; ///< of the steps
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_LANESTEPS_H
