// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sums of a register block -> the out tile.

#include "BlockResults.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

/// Vectors of an out row beyond which they are stored by a loop.
constexpr int kUnrolledOutVectors = 2;

BlockResults::OutVector BlockResults::outVector(int index) const {
  OutVector part;
  part.firstRow = int64_t{index} * plan.lanes;
  part.valid = std::min<int64_t>(plan.lanes, vectorOperandRows - part.firstRow);
  part.begin = overlap ? plan.lanes - part.valid : 0;
  return part;
}

/// Calls body(row, index of the out vector, pointer to its first own element).
void BlockResults::forOutVectors(
    llvm::function_ref<void(int, int, Value)> body) {
  Value at = position.out;
  for (int row = 0; row < rows; ++row) {
    for (int v = 0; v < outVectors; ++v)
      body(row, v, e.offset(at, outVector(v).firstRow * outBytes));
    if (row + 1 < rows)
      at = e.offset(at, params.outRowBytes);
  }
}

/// The previous value of an out vector, its own lanes in place.
Value BlockResults::loadOut(Value pointer, int index) {
  OutVector part = outVector(index);
  Value old = e.loadPart(Emitter::vec(plan.lanes, outType(e, out)), pointer,
                         part.valid, outBytes);
  if (part.begin != 0) {
    llvm::SmallVector<int64_t> map(plan.lanes, -1);
    for (int64_t i = part.begin; i < plan.lanes; ++i)
      map[i] = i - part.begin;
    old = e.shuffle(old, old, map);
  }
  return fromOut(old);
}

Emitter::Values BlockResults::initialRows() {
  return e.ifElse(
      params.accumulate,
      [&] {
        Values old;
        forOutVectors([&](int, int index, Value at) {
          old.push_back(loadOut(at, index));
        });
        return old;
      },
      [&] { return Values(rows * outVectors, e.zero(sumType)); });
}

void BlockResults::storeDirectly(Values results) {
  results = e.ifElse(
      params.accumulate,
      [&] {
        Values sums;
        forOutVectors([&](int, int index, Value at) {
          sums.push_back(e.add(results[sums.size()], loadOut(at, index)));
        });
        flushDenormals(sums);
        return sums;
      },
      [&] { return results; });
  storeRows(results);
}

/// The new values of out rows -> the out tile.
void BlockResults::storeRows(const Values &results) {
  forOutVectors([&](int row, int index, Value at) {
    OutVector part = outVector(index);
    Value value = toOut(results[row * outVectors + index]);
    e.storePart(e.slice(value, part.begin, plan.lanes), at, part.valid,
                outBytes);
  });
}

/// Results -> a buffer [broadcast rows][vector operand rows].
Value BlockResults::spill(const Values &results) {
  int64_t bytes = shape.sumBytes, pitch = outVectors * plan.lanes;
  Value buffer = stackBuffer(rows * pitch * bytes);
  for (auto [i, value] : llvm::enumerate(results)) {
    OutVector part = outVector(i % outVectors);
    int64_t at = (i / outVectors) * pitch + part.firstRow - part.begin;
    e.store(value, e.offset(buffer, at * bytes), shape.sumBytes);
  }
  return buffer;
}

/// The new value of `valid` out elements at `pointer`: `sum`, plus their old
/// value under ACCUMULATE but for those that the block before has updated,
/// whose columns (from `column` on, i64) lie before ownVectorRow.
Value BlockResults::updated(Value sum, Value pointer, int64_t valid,
                            Value column) {
  return e.ifElse(
      params.accumulate,
      [&]() -> Values {
        Value old =
            fromOut(e.loadPart(Emitter::vec(plan.lanes, outType(e, out)),
                               pointer, valid, outBytes));
        Value own; // per lane
        if (position.ownVectorRow) {
          VectorType lanes = Emitter::vec(plan.lanes, e.integer(32));
          llvm::SmallVector<int32_t> iota(plan.lanes);
          for (int i = 0; i < plan.lanes; ++i)
            iota[i] = i;
          Value index = arith::ConstantOp::create(
              e.b, e.loc,
              DenseElementsAttr::get(lanes, llvm::ArrayRef<int32_t>(iota)));
          Value first =
              e.trunc(e.sub(position.ownVectorRow, column), e.integer(32));
          own = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sge,
                                      index, e.splat(first, plan.lanes));
        }
        if (shape.roundsPerStep) // the sum began with the old value
          return {own ? e.select(own, sum, old) : sum};
        Values result = {
            e.add(own ? e.select(own, sum, e.zero(sumType)) : sum, old)};
        flushDenormals(result);
        return result;
      },
      [&]() -> Values { return {sum}; })[0];
}

/// `buffer` holds the sums [broadcast rows][vector operand rows].
void BlockResults::storeByRows(Value buffer) {
  int64_t bytes = shape.sumBytes, pitch = outVectors * plan.lanes;
  Value first = e.i64(0), target = position.out;
  if (position.ownBroadcastRow) {
    first = position.ownBroadcastRow;
    buffer = e.offset(buffer, e.mul(first, e.i64(pitch * bytes)));
    target = e.offset(target, e.mul(first, params.outRowBytes));
  }
  auto storeVector = [&](Value from, Value to, int64_t valid, Value column) {
    Value sum = e.load(sumType, from, shape.sumBytes);
    Value value = toOut(updated(sum, to, valid, column));
    e.storePart(value, to, valid, outBytes);
  };
  e.loop(first, e.i64(rows), 1, {buffer, target},
         [&](Value, Values at) -> Values {
           int whole = vectorOperandRows / plan.lanes;
           int rest = vectorOperandRows % plan.lanes;
           Value from = at[0], to = at[1];
           int64_t step = plan.lanes * bytes, outStep = plan.lanes * outBytes;
           if (whole > kUnrolledOutVectors) {
             e.loop(e.i64(0), e.i64(whole * plan.lanes), plan.lanes, {from, to},
                    [&](Value column, Values in) -> Values {
                      storeVector(in[0], in[1], plan.lanes, column);
                      return {e.offset(in[0], step), e.offset(in[1], outStep)};
                    });
           } else {
             for (int v = 0; v < whole; ++v)
               storeVector(e.offset(from, v * step), e.offset(to, v * outStep),
                           plan.lanes, e.i64(v * plan.lanes));
           }
           if (rest)
             storeVector(e.offset(from, whole * step),
                         e.offset(to, whole * outStep), rest,
                         e.i64(whole * plan.lanes));
           return {e.offset(from, pitch * bytes),
                   e.offset(to, params.outRowBytes)};
         });
}

/// The vector operand is the lhs: the lanes are rows of the out tile.
void BlockResults::storeTransposed(Value buffer) {
  int64_t bytes = shape.sumBytes;
  int64_t pitch = outVectors * plan.lanes * bytes;
  Value firstColumn = e.i64(0), firstRow = e.i64(0), target = position.out;
  if (position.ownVectorRow) {
    firstRow = position.ownVectorRow;
    buffer = e.offset(buffer, e.mul(firstRow, e.i64(bytes)));
    target = e.offset(target, e.mul(firstRow, params.outRowBytes));
  }
  if (position.ownBroadcastRow) {
    firstColumn = position.ownBroadcastRow;
    buffer = e.offset(buffer, e.mul(firstColumn, e.i64(pitch)));
    target = e.offset(target, e.mul(firstColumn, e.i64(outBytes)));
  }
  auto element = [&](Value from, Value to) {
    Value sum = e.load(sumType.getElementType(), from, shape.sumBytes);
    sum = e.ifElse(
        params.accumulate,
        [&]() -> Values {
          Value old = fromOut(e.load(outType(e, out), to, outBytes));
          Values result = {e.add(sum, old)};
          flushDenormals(result);
          return result;
        },
        [&]() -> Values { return {sum}; })[0];
    e.store(toOut(sum), to, outBytes);
  };
  e.loop(firstRow, e.i64(vectorOperandRows), 1, {target, buffer},
         [&](Value, Values at) -> Values {
           e.loop(firstColumn, e.i64(rows), 1, {at[0], at[1]},
                  [&](Value, Values in) -> Values {
                    element(in[1], in[0]);
                    return {e.offset(in[0], outBytes), e.offset(in[1], pitch)};
                  });
           return {e.offset(at[0], params.outRowBytes), e.offset(at[1], bytes)};
         });
}

} // namespace tilewright
