// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of the loop over the lanes and of the loop across them, for which
// inputs that lie in order along the latter are transposed in registers.

#ifndef TILEWRIGHT_LIB_COMPILE_LOOPS_TRANSPOSEDTILE_H
#define TILEWRIGHT_LIB_COMPILE_LOOPS_TRANSPOSEDTILE_H

#include "Lanes.h"
#include "LoopPlan.h"

namespace tilewright {

class TransposedTile {
public:
  /// Buffers for the inputs that `plan` has transposed, on the stack of the
  /// function around the builder; `sizes` are those of the operation's loops.
  TransposedTile(mlir::ImplicitLocOpBuilder &b, mlir::linalg::GenericOp op,
                 const LoopPlan &plan, mlir::ValueRange sizes);

  /// Iterations of a whole tile: those over the lanes, and across.
  int64_t lanes() const { return laneCount; }
  int64_t rows() const { return rowCount; }

  /// Fills the buffers with iterations [lane, laneEnd) x [row, rowEnd), `outer`
  /// being the indices of the other loops.
  void fill(mlir::ValueRange outer, mlir::Value lane, mlir::Value laneEnd,
            mlir::Value row, mlir::Value rowEnd);

  /// An input's elements, of the tile that was filled last; none if it is not
  /// transposed.
  std::optional<Lanes> load(LaneBuilder &lanes, mlir::OpOperand &input);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  struct Buffer {
    mlir::OpOperand *input;
    mlir::Value elements; ///< rows() x lanes()
    int64_t bits;         ///< of an element
  };

  bool isTiled(mlir::OpOperand &operand) {
    return isTransposed(op, operand, plan.lane, *plan.across);
  }
  /// Elements of a vector of the target.
  int64_t wholeOf(const Buffer &buffer) const {
    return plan.vectorBytes * 8 / buffer.bits;
  }
  void fillBuffer(const Buffer &buffer);
  /// `hasLanes`: the loop over the lanes has as many iterations.
  void fillByVectors(const Buffer &buffer, int64_t width, bool hasLanes);
  void fillByElements(const Buffer &buffer);
  Values lanesFrom(mlir::Value lane, int64_t width, bool hasLanes);
  void transposeBlock(const Buffer &buffer, mlir::ValueRange lanes,
                      mlir::Value row);
  /// Where an operand has the element, or elements, of an iteration.
  llvm::SmallVector<Lanes> placeOf(LaneBuilder &lanes, mlir::OpOperand &operand,
                                   const Lanes &lane, const Lanes &row);
  void prefetch(mlir::OpOperand &operand, mlir::Value lane, mlir::Value row,
                bool isWrite);
  void prefetchResults();
  mlir::Value concatenate(Values parts);
  mlir::Value loadRow(const Buffer &buffer, int64_t width, mlir::Value lane,
                      mlir::Value row);
  mlir::Value constant(int64_t value);
  mlir::Value least(mlir::Value x, mlir::Value y);
  mlir::Value plus(mlir::Value x, int64_t y);
  mlir::Value minus(mlir::Value x, mlir::Value y);
  /// Where a tile or block of `count` iterations from `from` begins, so that it
  /// does not end behind `size`.
  mlir::Value beginning(mlir::Value from, mlir::Value size, int64_t count);

  mlir::ImplicitLocOpBuilder &b;
  mlir::linalg::LinalgOp op;
  const LoopPlan &plan;
  int64_t laneCount, rowCount;
  mlir::Value laneSize, rowSize;
  llvm::SmallVector<Buffer> buffers;
  // Of the tile that is filled.
  Values ivs;
  mlir::Value laneStart, laneEnd, rowStart, rowEnd;
  /// Of the buffers' first elements.
  mlir::Value laneOrigin, rowOrigin;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPS_TRANSPOSEDTILE_H
