// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What all K steps of a register block have in common: corrections of signs,
// and rounding after each step.

#include "BroadcastSteps.h"
#include "LaneSteps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

std::unique_ptr<BlockSteps> BlockSteps::of(const RegisterBlock &block) {
  if (block.shape.byLanes)
    return std::make_unique<LaneSteps>(block);
  return std::make_unique<BroadcastSteps>(block);
}

BlockSteps::~BlockSteps() = default;

Emitter::Values BlockSteps::steps(OperandSource broadcast, OperandSource vector,
                                  int count, Values carries, Reached &reached) {
  State state;
  auto accumulators = carries.begin() + shape.accumulators(plan);
  if (!shape.roundsPerStep) {
    state.accumulators.assign(carries.begin(), accumulators);
    state.corrections.assign(accumulators, carries.end());
  }
  begin(broadcast, vector, count, state);
  // Constant offsets where there are; else from step to step.
  auto at = [&](OperandSource &source, int t) {
    if (!source.stride.runtime)
      return e.offset(source.pointer, t * source.stride.bytes);
    if (t != 0)
      source.pointer = offset(source.pointer, source.stride);
    return source.pointer;
  };
  for (int t = 0; t < count; ++t) {
    OperandSource b = broadcast, v = vector;
    b.pointer = at(broadcast, t);
    v.pointer = at(vector, t);
    if (v.copy)
      v.copy = e.offset(v.copy, t * v.copyStride);
    enter(b, v, t, count);
    correctStep(b, state);
    if (shape.roundsPerStep)
      carries = roundedStep(b, v, carries);
    else if (plan.extra != 0 && t % 2 != 0)
      stepByExtra(b, v, t * shape.turns, state);
    else
      step(b, v, t * shape.turns, state);
    if (t + 1 == count)
      end(b, v, count, reached);
  }
  if (shape.roundsPerStep)
    return carries;
  llvm::append_range(state.accumulators, state.corrections);
  return state.accumulators;
}

/// With those that are extra in the places of the block's last ones. There are
/// no registers for vectors of two steps.
void BlockSteps::stepByExtra(const OperandSource &broadcast,
                             OperandSource vector, int set, State &state) {
  auto extra = state.accumulators.end() - plan.extra;
  auto swap = [&] {
    std::swap_ranges(extra, state.accumulators.end(), extra - plan.extra);
  };
  vector.pointer = e.pointerAfter(vector.pointer, *(extra - 1));
  swap();
  step(broadcast, vector, set, state);
  swap();
}

void BlockSteps::begin(const OperandSource &broadcast, const OperandSource &,
                       int count, State &state) {
  if (correctionVectors && correctionSteps > 1)
    correct(broadcast, count, state.corrections);
}

void BlockSteps::correctStep(const OperandSource &broadcast, State &state) {
  if (correctionVectors && correctionSteps == 1)
    correct(broadcast, 1, state.corrections);
}

/// corrections += offset * (sums over groups of the broadcast operand), the
/// groups of all rows of `steps` K steps in a row.
void BlockSteps::correct(const OperandSource &source, int steps,
                         Values &corrections) {
  int64_t total = steps * rows * shape.rowPitch;
  int64_t width = plan.lanes * shape.group;
  for (int v = 0; v < correctionVectors; ++v) {
    Value at =
        e.offset(source.pointer, elementOffset(source.format, v * width));
    int64_t valid = std::min(width, total - v * width);
    if (valid <= 0)
      return;
    addToSums(
        decode(e, source.format, loadRaw(e, source.format, at, width, valid)),
        corrections[v]);
  }
}

/// Variant `steprnd`: `sums` are out elements' values, in accumulators unless
/// these have several k lanes: then they are rows x outVectors.
Emitter::Values BlockSteps::roundedStep(const OperandSource &broadcast,
                                        const OperandSource &vector,
                                        Values sums) {
  State state;
  if (shape.sumsInStep(plan))
    state.accumulators = sums;
  else
    state.accumulators.assign(shape.accumulators(plan),
                              e.zero(accumulatorType));
  sumsBefore = shape.roundsEachSum(plan) ? &sums : nullptr;
  step(broadcast, vector, 0, state);
  if (plan.roundsInTurn() || sumsBefore)
    return state.accumulators;
  Values results;
  if (plan.kLanes == 1)
    results = state.accumulators;
  else
    for (int row = 0; row < rows; ++row)
      llvm::append_range(results,
                         reduceLanes(llvm::ArrayRef<Value>(state.accumulators)
                                         .slice(row * vectors, vectors),
                                     plan.kLanes));
  if (!shape.sumsInStep(plan))
    for (auto [result, sum] : llvm::zip(results, sums))
      result = e.add(result, sum);
  roundResults(results);
  return results;
}

} // namespace tilewright
