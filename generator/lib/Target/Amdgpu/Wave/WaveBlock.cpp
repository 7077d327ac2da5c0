// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveBlock.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace tilewright {

WaveBlock::WaveBlock(WaveBuilder &b, const TileKey &key, const WavePlan &plan,
                     const WaveShape &shape, const WaveTileValues &tile,
                     const WaveOperand &lhs, const WaveOperand &rhs,
                     Value *rowBase, Value *columnBase)
    : b(b), key(key), plan(plan), shape(shape), tile(tile), lhs(lhs), rhs(rhs),
      rowBase(rowBase), columnBase(columnBase) {
  // The lanes of a column follow one another, in groups that hold rows apart.
  int columns = shape.subColumns;
  resultColumn = b.CreateAnd(tile.lane, b.word(columns - 1));
  Value *group = b.CreateLShr(tile.lane, Log2_32(columns));
  int apart = 1;
  if (plan.instruction)
    apart = resultPlace(*plan.instruction, columns, 0).row;
  resultRow = b.CreateMul(group, b.word(apart));
  lastColumn = columns - 1;
  lastRow = (shape.lanes / columns - 1) * apart;

  auto begin = [&](Value *base, int index, int size) {
    return b.CreateAdd(base, b.word(index * size));
  };
  for (int i = 0; i < plan.blockRows; ++i) {
    Value *base = begin(rowBase, i, shape.subRows);
    lhsOffsets.push_back(lhs.rowOffset(base));
    lhsRows.push_back(lhs.row(base));
    if (!shape.scaledSums)
      continue;
    Values rows;
    for (int r = 0; r < shape.results; ++r) {
      Value *row = b.CreateAdd(base, b.CreateAdd(resultRow, b.word(rowOf(r))));
      rows.push_back(b.CreateBinaryIntrinsic(Intrinsic::umin, row,
                                             b.word(shape.lhs.rows - 1)));
    }
    scaleRows.push_back(rows);
  }
  for (int j = 0; j < plan.blockColumns; ++j) {
    Value *base = begin(columnBase, j, shape.subColumns);
    rhsOffsets.push_back(rhs.rowOffset(base));
    rhsRows.push_back(rhs.row(base));
  }

  Value *row = b.CreateZExt(b.CreateAdd(rowBase, resultRow), b.getInt64Ty());
  Value *column =
      b.CreateZExt(b.CreateAdd(columnBase, resultColumn), b.getInt64Ty());
  outBase = b.CreateGEP(outType(), tile.out,
                        b.CreateAdd(b.CreateMul(row, tile.outStride), column));
}

void WaveBlock::emit() { store(correct(kLoop(initial()))); }

// ---- Types ------------------------------------------------------------------

Type *WaveBlock::sumType() {
  if (plan.instruction)
    return registerType(b.getContext(), resultRegisters(*plan.instruction));
  switch (shape.accumulator) {
  case TW_ELEMENT_F64:
    return b.getDoubleTy();
  case TW_ELEMENT_S32:
    return b.getInt32Ty();
  default:
    return b.getFloatTy();
  }
}

Type *WaveBlock::outType() {
  switch (shape.out) {
  case TW_ELEMENT_F64:
    return b.getDoubleTy();
  case TW_ELEMENT_S32:
    return b.getInt32Ty();
  case TW_ELEMENT_F16:
    return b.getHalfTy();
  case TW_ELEMENT_BF16:
    return b.getBFloatTy();
  default:
    return b.getFloatTy();
  }
}

Value *WaveBlock::encode(Value *sum) {
  return shape.out == shape.accumulator ? sum : b.CreateFPTrunc(sum, outType());
}

Value *WaveBlock::decode(Value *element) {
  return shape.out == shape.accumulator
             ? element
             : b.CreateFPExt(element, b.getFloatTy());
}

Value *WaveBlock::result(Value *sum, int index) {
  return shape.results == 1 ? sum : b.CreateExtractElement(sum, index);
}

// ---- The out tile -----------------------------------------------------------

int WaveBlock::rowOf(int result) const {
  return plan.instruction ? resultPlace(*plan.instruction, 0, result).row : 0;
}

Value *WaveBlock::outPointer(int i, int j, int result) {
  Value *row = b.getInt64(i * shape.subRows + rowOf(result));
  Value *offset = b.CreateAdd(b.CreateMul(tile.outStride, row),
                              b.getInt64(j * shape.subColumns));
  return b.CreateGEP(outType(), outBase, offset);
}

Value *WaveBlock::isInside(int i, int j, int result, bool &never) {
  Value *inside = nullptr;
  never = false;
  auto test = [&](Value *base, Value *own, int first, int last, int size,
                  int blocks, int blockSize) {
    if (blocks == 1) {
      never |= first >= size;
      if (first + last < size)
        return;
    } else if (size % blockSize == 0) {
      return;
    }
    Value *place = b.CreateAdd(b.CreateAdd(base, own), b.word(first));
    Value *in = b.CreateICmpULT(place, b.word(size));
    inside = inside ? b.CreateAnd(inside, in) : in;
  };
  test(columnBase, resultColumn, j * shape.subColumns, lastColumn, key.n0,
       shape.columnBlocks, shape.subColumns * plan.blockColumns);
  test(rowBase, resultRow, i * shape.subRows + rowOf(result), lastRow, key.m0,
       shape.rowBlocks, shape.subRows * plan.blockRows);
  return inside;
}

Value *WaveBlock::load(int i, int j) {
  Value *sum = PoisonValue::get(sumType());
  for (int r = 0; r < shape.results; ++r) {
    bool never;
    Value *inside = isInside(i, j, r, never);
    Value *pointer = outPointer(i, j, r);
    if (never)
      pointer = tile.out;
    else if (inside)
      pointer = b.CreateSelect(inside, pointer, tile.out);
    Value *element = decode(b.CreateAlignedLoad(
        outType(), pointer, Align(info(shape.out).bits / 8)));
    sum = shape.results == 1 ? element : b.CreateInsertElement(sum, element, r);
  }
  return sum;
}

void WaveBlock::store(const Values &sums) {
  for (int i = 0; i < plan.blockRows; ++i)
    for (int j = 0; j < plan.blockColumns; ++j)
      for (int r = 0; r < shape.results; ++r) {
        bool never;
        Value *inside = isInside(i, j, r, never);
        if (never)
          continue;
        auto write = [&]() -> Values {
          Value *element = encode(result(sums[i * plan.blockColumns + j], r));
          b.CreateAlignedStore(element, outPointer(i, j, r),
                               Align(info(shape.out).bits / 8));
          return {};
        };
        if (inside)
          b.ifThen(inside, {}, write);
        else
          write();
      }
}

// ---- Sums -------------------------------------------------------------------

Values WaveBlock::initial() {
  int count = plan.blockRows * plan.blockColumns;
  Values zeros(count, Constant::getNullValue(sumType()));
  Values sums = b.ifThen(tile.accumulate, zeros, [&] {
    Values loaded;
    for (int i = 0; i < plan.blockRows; ++i)
      for (int j = 0; j < plan.blockColumns; ++j)
        loaded.push_back(load(i, j));
    return loaded;
  });
  int corrections = (shape.lhs.biased ? plan.blockColumns : 0) +
                    (shape.rhs.biased ? plan.blockRows : 0);
  sums.append(corrections, Constant::getNullValue(sumType()));
  return sums;
}

Values WaveBlock::round(Values sums) {
  if (!shape.roundsPerStep)
    return sums;
  Type *narrow = outType();
  if (shape.results > 1)
    narrow = FixedVectorType::get(narrow, shape.results);
  for (Value *&sum : sums)
    sum = b.CreateFPExt(b.CreateFPTrunc(sum, narrow), sumType());
  return sums;
}

/// Of bytes from which 128 was taken: a = a' + 128, so that a * b = a' * b +
/// 128 * b. The sums over -128 * b were made beside; where both are such bytes
/// each product lacks 128 * 128 as well, in all k that were multiplied, zeros
/// behind K0 included.
Values WaveBlock::correct(Values sums) {
  if (!shape.lhs.biased && !shape.rhs.biased)
    return sums;
  int columns = plan.blockColumns, at = plan.blockRows * columns;
  int rowsAt = at + (shape.lhs.biased ? columns : 0);
  Value *both = nullptr;
  if (shape.lhs.biased && shape.rhs.biased) {
    Value *spans =
        shape.stepsPerSpan > 1
            ? b.CreateUDiv(
                  b.CreateAdd(tile.k, b.getInt64(shape.stepsPerSpan - 1)),
                  b.getInt64(shape.stepsPerSpan))
            : b.CreateMul(tile.k, b.getInt64(shape.spansPerStep));
    Value *k = b.CreateTrunc(b.CreateMul(spans, b.getInt64(shape.span)),
                             b.getInt32Ty());
    both = b.CreateMul(k, b.word(128 * 128));
    if (shape.results > 1)
      both = b.CreateVectorSplat(shape.results, both);
  }
  for (int i = 0; i < plan.blockRows; ++i)
    for (int j = 0; j < columns; ++j) {
      Value *&sum = sums[i * columns + j];
      if (shape.lhs.biased)
        sum = b.CreateSub(sum, sums[at + j]);
      if (shape.rhs.biased)
        sum = b.CreateSub(sum, sums[rowsAt + i]);
      if (both)
        sum = b.CreateAdd(sum, both);
    }
  return sums;
}

// ---- Multiplications
// ---------------------------------------------------------

Value *WaveBlock::multiply(const Values &lhsWords, const Values &rhsWords,
                           Value *sum, Value *lhsScale, Value *rhsScale) {
  if (!plan.instruction) {
    int words = shape.accumulator == TW_ELEMENT_F64 ? 2 : 1;
    for (size_t w = 0; w < lhsWords.size(); w += words) {
      auto whole = [&](const Values &values) -> Value * {
        if (words == 1)
          return values[w];
        Value *pair = PoisonValue::get(FixedVectorType::get(b.getInt32Ty(), 2));
        pair = b.CreateInsertElement(pair, values[w], uint64_t{0});
        return b.CreateInsertElement(pair, values[w + 1], 1);
      };
      sum = multiplyWords(whole(lhsWords), whole(rhsWords), sum);
    }
    return sum;
  }
  MatrixTypes types{shape.lhs.compute, shape.rhs.compute};
  int count = plan.fragment / shape.elements;
  auto gather = [&](const Values &values, int index) -> Value * {
    int words = values.size() / count;
    if (words == 1)
      return values[index];
    Value *all = PoisonValue::get(FixedVectorType::get(b.getInt32Ty(), words));
    for (int w = 0; w < words; ++w)
      all = b.CreateInsertElement(all, values[index * words + w], w);
    return all;
  };
  for (int m = 0; m < count; ++m)
    sum = emitMatrixMultiply(b, *plan.instruction, types, gather(lhsWords, m),
                             gather(rhsWords, m), sum, lhsScale, rhsScale);
  return sum;
}

Value *WaveBlock::multiplyWords(Value *x, Value *y, Value *sum) {
  auto as = [&](Value *value, Type *type) {
    return b.CreateBitCast(value, type);
  };
  switch (plan.idiom) {
  case WaveIdiom::Fma:
    return b.CreateIntrinsic(sumType(), Intrinsic::fma,
                             {as(x, sumType()), as(y, sumType()), sum});
  case WaveIdiom::Mad:
    return b.CreateAdd(b.CreateMul(x, y), sum);
  case WaveIdiom::Dot2: {
    Type *pair = FixedVectorType::get(b.getInt16Ty(), 2);
    return b.CreateIntrinsic(Intrinsic::amdgcn_sdot2, {},
                             {as(x, pair), as(y, pair), sum, b.getFalse()});
  }
  case WaveIdiom::Dot4: {
    bool xSigned = shape.lhs.compute == TW_ELEMENT_S8;
    bool ySigned = shape.rhs.compute == TW_ELEMENT_S8;
    if (shape.lanes == 32)
      return b.CreateIntrinsic(
          Intrinsic::amdgcn_sudot4, {},
          {b.getInt1(xSigned), x, b.getInt1(ySigned), y, sum, b.getFalse()});
    return b.CreateIntrinsic(xSigned ? Intrinsic::amdgcn_sdot4
                                     : Intrinsic::amdgcn_udot4,
                             {}, {x, y, sum, b.getFalse()});
  }
  case WaveIdiom::Matrix:
    break;
  }
  llvm_unreachable("matrix instructions are not made of words");
}

/// sum + part * 2^(lhsScale - 127 + rhsScale - 127), which may be far outside
/// the range of an f32 where part is not.
Value *WaveBlock::addScaled(Value *sum, Value *part, const Values &lhsScales,
                            Value *rhsScale) {
  Value *nan = ConstantFP::getNaN(b.getFloatTy());
  for (int r = 0; r < shape.results; ++r) {
    Value *exponent =
        b.CreateSub(b.CreateAdd(lhsScales[r], rhsScale), b.word(254));
    Value *scaled =
        b.CreateIntrinsic(Intrinsic::ldexp, {b.getFloatTy(), b.getInt32Ty()},
                          {result(part, r), exponent});
    Value *bad = b.CreateOr(b.CreateICmpEQ(lhsScales[r], b.word(255)),
                            b.CreateICmpEQ(rhsScale, b.word(255)));
    Value *next =
        b.CreateFAdd(result(sum, r), b.CreateSelect(bad, nan, scaled));
    sum = shape.results == 1 ? next : b.CreateInsertElement(sum, next, r);
  }
  return sum;
}

} // namespace tilewright
