// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fragments of one operand: a panel in memory -> each lane's registers.

#ifndef TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVEOPERAND_H
#define TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVEOPERAND_H

#include "WaveBuilder.h"
#include "tilewright/Target/Amdgpu/WavePlan.h"

namespace tilewright {

/// Which span of k is loaded.
struct SpanAt {
  /// The K step (i64), the first of the span's; the same in all lanes.
  Value *step;
  /// The part of the step (i32), of a step that takes several spans; else null.
  Value *part = nullptr;
  /// The last of these, or the only one: it may end beyond K0.
  bool last = true;
  /// If not null, the span's K steps that exist (i32): the others are zeros.
  Value *steps = nullptr;
};

/// Never reads a byte outside the panel: a lane that has nothing to load loads
/// the panel's beginning, and gets zeros.
class WaveOperand {
public:
  /// `group` is the lane's group along k, `laneRow` its row in a sub-tile (both
  /// i32). `scales` is the panel of block scales, or null.
  WaveOperand(WaveBuilder &b, const WaveShape &shape,
              const WaveShape::Operand &operand, const TileKey &key,
              int fragment, Value *panel, Value *scales, Value *group,
              Value *laneRow);

  /// The bits (bytes, unless bitwise) before the lane's row of a sub-tile that
  /// begins at row `base`. Rows beyond the panel become its last: what is
  /// computed of them is not stored.
  Value *rowOffset(Value *base) const;
  /// The row itself.
  Value *row(Value *base) const;

  /// A fragment of the row at `rowOffset`, as it is in memory.
  RawElements load(Value *rowOffset, const SpanAt &at) const;
  /// Its registers.
  Values convert(const RawElements &raw) const;

  /// The block scale byte (i32) of `row` for the lane's k of the span, or of
  /// all of the span if there are no groups; 127, which is 1, where there is
  /// none.
  Value *scale(Value *row, const SpanAt &at) const;

private:
  /// A chunk of consecutive k0, of one K step.
  struct Piece {
    Value *step; ///< the lane's K step in the span; null for 0
    Value *k0;   ///< where the lane's chunk begins, without the part
  };

  Value *basePointer(const SpanAt &at) const;
  /// Whether the lane's chunk has elements up to `end` (1: any), or null for
  /// certainly.
  Value *isThere(const Piece &piece, const SpanAt &at, int end) const;
  void loadBytes(RawElements &raw, Value *base, Value *offset, Value *predicate,
                 int bytes) const;
  Value *loadOne(Value *base, Value *offset, Value *predicate,
                 llvm::Type *type) const;
  Value *loadBits(const Piece &piece, const SpanAt &at, Value *base,
                  Value *rowOffset, int index) const;

  WaveBuilder &b;
  const WaveShape &shape;
  const WaveShape::Operand &operand;
  int k0, fragment;
  Value *panel, *scales, *group, *laneRow;
  llvm::SmallVector<Piece> pieces;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVEOPERAND_H
