// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One register block of a wave's tile: its accumulators, the K loop, the store.

#ifndef TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVEBLOCK_H
#define TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVEBLOCK_H

#include "WaveOperand.h"
#include "tilewright/Target/Amdgpu/EmitMatrix.h"

namespace tilewright {

/// What all blocks of a tile share.
struct WaveTileValues {
  Value *k;          ///< params->K, i64
  Value *accumulate; ///< i1
  Value *outStride;  ///< elements between rows of out, i64
  Value *out;
  Value *lane; ///< i32
};

class WaveBlock {
public:
  /// `rowBase` and `columnBase` (i32) are where the block begins.
  WaveBlock(WaveBuilder &b, const TileKey &key, const WavePlan &plan,
            const WaveShape &shape, const WaveTileValues &tile,
            const WaveOperand &lhs, const WaveOperand &rhs, Value *rowBase,
            Value *columnBase);
  void emit();

private:
  /// Lanes' accumulators: those of sub-tile (i, j) at i * blockColumns + j,
  /// then the corrections of each column (of a biased lhs), then those of each
  /// row.
  Values initial();
  Values kLoop(Values sums);
  /// What a span's multiplications need, as it is in memory.
  struct Loaded {
    std::vector<RawElements> lhs, rhs; ///< of each row, of each column
    /// Of each row, or of each result of each row; and of each column.
    std::vector<Values> lhsScales;
    Values rhsScales;
    /// All values, in one order; `with` has the same of other values.
    Values flat() const;
    Loaded with(llvm::ArrayRef<Value *> values) const;
  };
  Loaded load(const SpanAt &at);
  Values multiplySpan(Values sums, const Loaded &loaded);
  Values span(Values sums, const SpanAt &at) {
    return multiplySpan(std::move(sums), load(at));
  }
  /// `count` spans (i64), the index'th at `at(index)`, each loaded before the
  /// one before is multiplied.
  Values spansAhead(Value *count, Values sums,
                    llvm::function_ref<SpanAt(Value *)> at);
  Values round(Values sums);
  Values correct(Values sums);
  Value *multiply(const Values &lhs, const Values &rhs, Value *sum,
                  Value *lhsScale, Value *rhsScale);
  Value *multiplyWords(Value *lhs, Value *rhs, Value *sum);
  Value *addScaled(Value *sum, Value *part, const Values &lhsScales,
                   Value *rhsScale);

  void store(const Values &sums);
  Value *load(int i, int j);

  llvm::Type *sumType();
  llvm::Type *outType();
  int rowOf(int result) const; ///< of a lane's result, without the lane's own
  Value *outPointer(int i, int j, int result);
  /// Whether the lane's result is in the tile: null for certainly.
  Value *isInside(int i, int j, int result, bool &never);
  Value *result(Value *sum, int index);
  Value *encode(Value *sum);
  Value *decode(Value *element);

  WaveBuilder &b;
  const TileKey &key;
  const WavePlan &plan;
  const WaveShape &shape;
  const WaveTileValues &tile;
  const WaveOperand &lhs, &rhs;
  Value *rowBase, *columnBase;
  Value *resultRow, *resultColumn; ///< the lane's own
  int lastRow, lastColumn;         ///< their largest values
  Values lhsOffsets, rhsOffsets, lhsRows, rhsRows;
  /// For each result of each sub-tile row, the lhs row whose scale it has.
  std::vector<Values> scaleRows;
  Value *outBase;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVEBLOCK_H
