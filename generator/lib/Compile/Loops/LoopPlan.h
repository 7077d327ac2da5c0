// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loop of a linalg operation on buffers goes over the lanes of vectors,
// and how the others stand around it.

#ifndef TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPPLAN_H
#define TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPPLAN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace tilewright {

/// What vectors the target has.
struct VectorTarget {
  int64_t bytes;
  /// Loads and stores of some lanes only, of every element type.
  bool masks;
};

struct LoopPlan {
  enum class Kind {
    /// No reductions: each vector of results is computed and stored.
    Elementwise,
    /// Vectors of results stay in registers over all reductions.
    Registers,
    /// They are loaded and stored for each step of the reductions, so that
    /// operands that are read once are read in order.
    Memory,
    /// Lanes are of a reduction, and are put together at its end.
    Horizontal,
    /// One element, of loops that are all around it.
    Scalar,
  };

  Kind kind;
  unsigned lane;  ///< the loop over the lanes
  int64_t width;  ///< lanes of a vector
  int64_t copies; ///< vectors that are computed side by side
  /// The loop along which they lie, if not that over the lanes: places of
  /// windows that overlap, or that are multiplied with the same.
  std::optional<unsigned> side;
  /// Another such loop, outside of that, whose places are computed two at a
  /// time as well: rows of windows that share rows of the input.
  std::optional<unsigned> paired;
  /// A loop along which operands lie in order whose lanes do not: blocks of
  /// both loops are transposed in registers. Of elementwise operations.
  std::optional<unsigned> across;
  int64_t vectorBytes;                  ///< of the target
  bool maskTail;                        ///< else the rest is scalar
  llvm::SmallVector<unsigned> parallel; ///< the other loops, outermost first
  llvm::SmallVector<unsigned> reductions;
  /// Loops that are written out: of the reductions, of known sizes.
  llvm::SmallBitVector unrolled;
};

/// None if the operation has to stay scalar, `whyNot` then says because of
/// what, as a sentence. Of tensors it is planned as of their buffers.
std::optional<LoopPlan> planLoops(mlir::linalg::LinalgOp op,
                                  const VectorTarget &target,
                                  std::string *whyNot = nullptr);

/// Of an operation whose loops are all too short for vectors, as one on rows of
/// which there is one: it is done element by element, between others that have
/// them. None if it has reductions, or what keeps it scalar is something else.
std::optional<LoopPlan> planElements(mlir::linalg::LinalgOp op,
                                     const VectorTarget &target);

/// Whether blocks of an input, whose elements lie in order along loop `across`,
/// can be transposed to lie so along `lane`.
bool isTransposed(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                  unsigned lane, unsigned across);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPPLAN_H
