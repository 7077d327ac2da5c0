// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveOperand.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright {

WaveOperand::WaveOperand(WaveBuilder &b, const WaveShape &shape,
                         const WaveShape::Operand &operand, const TileKey &key,
                         int fragment, Value *panel, Value *scales,
                         Value *group, Value *laneRow)
    : b(b), shape(shape), operand(operand), k0(key.k0), fragment(fragment),
      panel(panel), scales(scales), group(group), laneRow(laneRow) {
  int run = operand.run;
  for (int e = 0; e < fragment; e += operand.chunk) {
    // k in the span: runs of all groups in turn.
    Value *k =
        b.CreateAdd(b.CreateMul(group, b.word(run)),
                    b.word(int64_t{e} / run * run * shape.kGroups + e % run));
    Piece piece{nullptr, k};
    if (shape.stepsPerSpan > 1) {
      piece.step = b.CreateLShr(k, Log2_32(shape.paddedStep));
      piece.k0 = b.CreateAnd(k, b.word(shape.paddedStep - 1));
    }
    pieces.push_back(piece);
  }
}

Value *WaveOperand::row(Value *base) const {
  Value *row = b.CreateAdd(base, laneRow);
  return b.CreateBinaryIntrinsic(Intrinsic::umin, row,
                                 b.word(operand.rows - 1));
}

Value *WaveOperand::rowOffset(Value *base) const {
  int bits = k0 * operand.bits;
  return b.CreateMul(row(base), b.word(operand.bitwise ? bits : bits / 8));
}

/// Where the span's first K step begins, and its part of that.
Value *WaveOperand::basePointer(const SpanAt &at) const {
  Value *offset = b.CreateMul(at.step, b.getInt64(operand.stepBytes));
  if (at.part && !operand.bitwise)
    offset = b.CreateAdd(
        offset, b.CreateMul(b.CreateZExt(at.part, b.getInt64Ty()),
                            b.getInt64(shape.span * operand.bits / 8)));
  return b.CreatePtrAdd(panel, offset);
}

Value *WaveOperand::isThere(const Piece &piece, const SpanAt &at,
                            int end) const {
  Value *predicate = nullptr;
  if (at.steps)
    predicate = b.CreateICmpULT(piece.step ? piece.step : b.word(0), at.steps);
  if (at.last && shape.paddedStep != k0) {
    int before = (shape.spansPerStep - 1) * shape.span;
    Value *within =
        b.CreateICmpULE(piece.k0, b.word(int64_t{k0} - before - end));
    if (k0 - before - end < 0)
      within = b.getFalse();
    predicate = predicate ? b.CreateAnd(predicate, within) : within;
  }
  return predicate;
}

Value *WaveOperand::loadOne(Value *base, Value *offset, Value *predicate,
                            Type *type) const {
  Value *pointer = b.CreatePtrAdd(base, b.CreateZExt(offset, b.getInt64Ty()));
  if (predicate)
    pointer = b.CreateSelect(predicate, pointer, panel);
  Value *value =
      b.CreateAlignedLoad(type, pointer, Align(std::max(1, operand.bits / 8)));
  return predicate
             ? b.CreateSelect(predicate, value, Constant::getNullValue(type))
             : value;
}

void WaveOperand::loadBytes(RawElements &raw, Value *base, Value *offset,
                            Value *predicate, int bytes) const {
  int unitBytes = raw.unitBits / 8;
  for (int done = 0; done < bytes;) {
    int size = std::min<int>(16, bit_floor(unsigned(bytes - done)));
    int count = size / unitBytes;
    Type *type = b.unit(raw.unitBits);
    Value *value =
        loadOne(base, b.CreateAdd(offset, b.word(done)), predicate,
                count == 1 ? type : FixedVectorType::get(type, count));
    for (int i = 0; i < count; ++i)
      raw.units.push_back(count == 1 ? value
                                     : b.CreateExtractElement(value, i));
    done += size;
  }
}

/// Element `index` of a chunk in a row that starts within a byte.
Value *WaveOperand::loadBits(const Piece &piece, const SpanAt &at, Value *base,
                             Value *rowOffset, int index) const {
  Value *first = b.CreateAdd(piece.k0, b.word(index));
  if (at.part)
    first = b.CreateAdd(first, b.CreateMul(at.part, b.word(shape.span)));
  Value *bit = b.CreateAdd(rowOffset, b.CreateMul(first, b.word(operand.bits)));
  Value *byte = b.CreateLShr(bit, 3);
  Value *next = b.CreateLShr(b.CreateAdd(bit, b.word(operand.bits - 1)), 3);
  if (piece.step) {
    Value *step = b.CreateMul(piece.step, b.word(operand.stepBytes));
    byte = b.CreateAdd(byte, step);
    next = b.CreateAdd(next, step);
  }
  Value *predicate = isThere(piece, at, index + 1);
  auto load = [&](Value *offset) {
    return b.CreateZExt(loadOne(base, offset, predicate, b.getInt8Ty()),
                        b.getInt32Ty());
  };
  Value *both = b.CreateOr(load(byte), b.CreateShl(load(next), 8));
  return b.CreateAnd(b.CreateLShr(both, b.CreateAnd(bit, b.word(7))),
                     b.word((1 << operand.bits) - 1));
}

RawElements WaveOperand::load(Value *rowOffset, const SpanAt &at) const {
  RawElements raw;
  Value *base = basePointer(at);
  if (operand.bitwise) {
    raw.unitBits = 0;
    for (const Piece &piece : pieces)
      for (int e = 0; e < operand.chunk; ++e)
        raw.units.push_back(loadBits(piece, at, base, rowOffset, e));
    return raw;
  }
  // The elements of a chunk that K0 cuts, which are loaded apart from the rest.
  bool cut = at.last && shape.paddedStep != k0;
  int valid = cut ? k0 % operand.chunk : 0;
  int chunkBits = operand.chunk * operand.bits;
  for (int unit : {32, 16, 8})
    if (chunkBits % unit == 0 && valid * operand.bits % unit == 0) {
      raw.unitBits = unit;
      break;
    }
  for (const Piece &piece : pieces) {
    Value *offset = b.CreateAdd(
        rowOffset,
        b.CreateLShr(b.CreateMul(piece.k0, b.word(operand.bits)), 3));
    if (piece.step)
      offset = b.CreateAdd(offset,
                           b.CreateMul(piece.step, b.word(operand.stepBytes)));
    auto loadPart = [&](int begin, int end) {
      int from = begin * operand.bits / 8,
          bytes = end * operand.bits / 8 - from;
      Value *at1 = b.CreateAdd(offset, b.word(from));
      Value *predicate = isThere(piece, at, end);
      if (predicate == b.getFalse())
        raw.units.append(bytes * 8 / raw.unitBits,
                         ConstantInt::get(b.unit(raw.unitBits), 0));
      else
        loadBytes(raw, base, at1, predicate, bytes);
    };
    if (valid)
      loadPart(0, valid);
    loadPart(valid, operand.chunk);
  }
  return raw;
}

Values WaveOperand::convert(const RawElements &raw) const {
  return convertElements(b, raw, operand.type, operand.compute, operand.biased,
                         fragment);
}

Value *WaveOperand::scale(Value *row, const SpanAt &at) const {
  int blocks = k0 / kScaleBlock;
  int64_t stepBytes = int64_t{operand.rows} * blocks;
  Value *first = shape.scaledMatrix ? group : b.word(0);
  Value *k = b.CreateMul(first, b.word(kScaleBlock));
  Piece piece{nullptr, k};
  if (shape.stepsPerSpan > 1) {
    piece.step = b.CreateLShr(k, Log2_32(shape.paddedStep));
    piece.k0 = b.CreateAnd(k, b.word(shape.paddedStep - 1));
  }
  Value *block = b.CreateLShr(piece.k0, Log2_32(kScaleBlock));
  if (at.part)
    block = b.CreateAdd(block,
                        b.CreateMul(at.part, b.word(shape.span / kScaleBlock)));
  Value *offset = b.CreateAdd(b.CreateMul(row, b.word(blocks)), block);
  if (piece.step)
    offset = b.CreateAdd(offset, b.CreateMul(piece.step, b.word(stepBytes)));
  Value *base =
      b.CreatePtrAdd(scales, b.CreateMul(at.step, b.getInt64(stepBytes)));
  Value *pointer = b.CreatePtrAdd(base, b.CreateZExt(offset, b.getInt64Ty()));
  Value *predicate = isThere(piece, at, kScaleBlock);
  if (predicate)
    pointer = b.CreateSelect(predicate, pointer, scales);
  Value *byte = b.CreateZExt(
      b.CreateAlignedLoad(b.getInt8Ty(), pointer, Align(1)), b.getInt32Ty());
  return predicate ? b.CreateSelect(predicate, byte, b.word(127)) : byte;
}

} // namespace tilewright
