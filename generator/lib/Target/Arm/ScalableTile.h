// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles whose plan has scalable vectors.

#ifndef TILEWRIGHT_TARGET_ARM_SCALABLETILE_H
#define TILEWRIGHT_TARGET_ARM_SCALABLETILE_H

#include "ScalableVectors.h"
#include "tilewright/Emit/Emission.h"
#include "tilewright/Emit/TileParams.h"

namespace tilewright {

/// What the tiles of SVE and of SME have in common: operands, the loops over
/// blocks and K steps, and the out tile.
class ScalableTile {
public:
  using Value = mlir::Value;
  using Values = Emitter::Values;

  ScalableTile(Emitter &e, const TileKey &key, const TilePlan &plan,
               mlir::Block &entry);

protected:
  /// One block: its place in the three buffers.
  struct Position {
    Value lhs, rhs, out;
    /// The block has all rows of an operand: those of a K step follow those of
    /// the step before.
    bool lhsIsDense = false, rhsIsDense = false;
  };
  /// Calls body(position, rows, vectors) once for each size of block, within
  /// loops where there are several of that size.
  void forBlocks(llvm::function_ref<void(Position, int, int)> body);

  /// `count` K steps: plan.unroll of them at a time, and the rest one by one.
  /// `steps` does as many as it is told from the position's two pointers on.
  using Steps =
      llvm::function_ref<Values(const Position &, int count, Values carries)>;
  Values kLoop(const Position &position, Value count, Values carries,
               Steps steps);
  /// The K steps [begin, end) of them, `count` at a time; `all` are the two
  /// pointers to the first, then the carries.
  Values runSteps(const Position &position, Value begin, Value end, int count,
                  Values all, Steps steps);
  /// The panels one K step further on.
  Value nextRhs(Value rhs) { return e.offset(rhs, rhsStride); }
  Value nextLhs(Value lhs) { return e.offset(lhs, lhsStride); }

  /// The containers (each `type`, if rows are several) of the `index`th vector
  /// of rows from `pointer` on.
  /// Without `rows`, a mask of accumulator lanes, all of them; the others are
  /// not touched, and zero.
  Values loadRows(const ScalableShape::Operand &operand, mlir::VectorType type,
                  Value pointer, int index, Value rows = nullptr);

  /// From here on old out elements count if `condition` (i1); at first, under
  /// ACCUMULATE.
  void keepOld(Value condition);
  /// The out elements `index` vectors of sums behind `pointer` as sums if they
  /// count, otherwise zeros; and sums as out elements.
  Value loadOld(Value pointer, int index);
  void storeSums(Value sums, Value pointer, int index);

  /// Rows in a vector of accumulators: i64.
  Value vectorRows() { return perFactor(shape.lanes, true); }

  Emitter &e;
  ScalableVectors v;
  const TileKey &key;
  const TilePlan &plan;
  ScalableShape shape;
  TileParams params;
  mlir::VectorType sumType;

  mlir::VectorType outVectorType();
  Value perFactor(int64_t amount, bool scalable);

  Value lhsStride, rhsStride; ///< i64: bytes of a K step

private:
  void forRange(int total, int size, bool scalable,
                llvm::function_ref<void(Value, int)> body);

  Value out, lhs, rhs;
  Value lengthFactor; ///< i64: vector length / least one
  Value oldLanes;
  tw_element_type_t outType;
  int outBytes;
};

void emitSveTile(Emitter &e, const TileKey &key, const TilePlan &plan,
                 mlir::Block &entry);

/// The function must be in streaming mode; ZA is the tile's own matter.
void emitSmeTile(Emitter &e, const TileKey &key, const TilePlan &plan,
                 mlir::Block &entry);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_ARM_SCALABLETILE_H
