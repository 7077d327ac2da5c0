// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What all code of one register block knows of it.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_REGISTERBLOCK_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_REGISTERBLOCK_H

#include "tilewright/Emit/Elements.h"
#include "tilewright/Emit/Emission.h"
#include "tilewright/Emit/StepRounding.h"
#include "tilewright/Emit/TileParams.h"
#include "tilewright/Planning/TileShape.h"

namespace tilewright {

/// Bytes from one K step of an operand to the next. Those of a scalable operand
/// are known where the tile runs.
struct StepStride {
  int64_t bytes = 0;
  mlir::Value runtime; ///< i64, instead of `bytes` unless null
};

/// Where one register block of the tile lies.
struct BlockPosition {
  mlir::Value broadcast, vector; ///< its first row of either operand, K step 0
  StepStride broadcastStride, vectorStride; ///< in the panels
  mlir::Value out;                          ///< its first out element
  /// The first row of either operand (i64) that no block before this one has
  /// done; null where blocks do not overlap.
  mlir::Value ownBroadcastRow, ownVectorRow;
  /// What corrections are summed to that are not carried by the K loop
  /// (BroadcastSums); else null.
  mlir::Value sums;
};

/// Facts of a block, and what is done with its accumulators anywhere. The parts
/// of its code are made from it, each with a copy: the K loop (KLoop.h), what
/// the steps of that take operands from (BlockSteps.h), and what becomes of the
/// sums (BlockResults.h).
struct RegisterBlock {
  using Value = mlir::Value;
  using Values = Emitter::Values;

  RegisterBlock(Emitter &e, const TileKey &key, const TilePlan &plan,
                const TileShape &shape, const TileParams &params,
                const BlockPosition &position);

  Value multiplyAccumulate(Value accumulator, Value vector, Value broadcast,
                           int half = 0) const {
    return emission.multiplyAccumulate(e, plan.idiom, shape.roles, accumulator,
                                       vector, broadcast, half);
  }
  void addToSums(Value run, Value &sum) const;
  Value splatGroup(Value source, int64_t element) const;
  /// The K steps [0, count), so many at a time as `together` has, each of which
  /// divides the one before, and the rest one by one: the body is told how
  /// many.
  Values loopTogether(Value count, llvm::ArrayRef<int64_t> together,
                      Values carries,
                      llvm::function_ref<Values(int64_t, Values)> body) const;
  Values addSets(llvm::ArrayRef<Value> accumulators, int count,
                 int fewest = 1) const;
  Values reduceLanes(llvm::ArrayRef<Value> sequence, int count) const;

  Value toOut(Value value) const;
  Value fromOut(Value value) const;
  void roundResults(Values &results) const;
  void roundByTurns(Values &results) const;
  /// Accumulators in the order in which a K step multiplies them.
  llvm::SmallVector<int> multiplyOrder() const;
  StepRounding stepRounding(Values &sums) const;
  /// How sums become out elements: as the multiplies take denormals.
  Narrowing narrowing() const {
    return idiom(plan.idiom).flushesDenormals ? Narrowing::AsDotProducts
                                              : Narrowing::Exact;
  }

  Value stackBuffer(int64_t bytes) const;
  StepStride times(const StepStride &stride, int64_t steps) const;
  Value offset(Value pointer, const StepStride &stride) const;

  Emitter &e;
  const Emission &emission;
  const TileKey &key;
  const TilePlan &plan;
  const TileShape &shape;
  const TileParams &params;
  const BlockPosition &position;
  int rows, vectorOperandRows;
  int vectors;    ///< accumulator vectors per row, or idiom.rows rows
  int outVectors; ///< per row, once the k lanes are added up
  /// The corrections of so many K steps go side by side into so many vectors,
  /// which the K loop carries: none of SumsIn::Stage or SumsIn::Pass.
  int correctionSteps, correctionVectors;
  bool overlap; ///< the last vector starts early, so as to end with the panel
  tw_element_type_t out;
  int outBytes;
  ElementFormat broadcastFormat, vectorFormat;
  mlir::VectorType accumulatorType, sumType;
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_REGISTERBLOCK_H
