// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From accumulators to the out tile.

#include "BlockKernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

/// `sequence` is one run of lanes; returns the run of sums of `count` adjacent
/// lanes, a power of two. Lanes beyond the run's end hold anything.
Emitter::Values BlockKernel::reduceLanes(llvm::ArrayRef<Value> sequence,
                                         int count) {
  Values level(sequence);
  llvm::SmallVector<int64_t> even, odd;
  for (int64_t i = 0; i < plan.lanes; ++i) {
    even.push_back(2 * i);
    odd.push_back(2 * i + 1);
  }
  for (; count > 1; count /= 2) {
    Values next;
    for (size_t i = 0; i < level.size(); i += 2) {
      Value x = level[i], y = level[std::min(i + 1, level.size() - 1)];
      next.push_back(e.add(e.shuffle(x, y, even), e.shuffle(x, y, odd)));
    }
    level = next;
  }
  return level;
}

/// [set][i] -> sums over the sets, accumulators before corrections.
Emitter::Values BlockKernel::combineSets(Values carries) {
  auto combine = [&](size_t begin, int size, Values &into) {
    Values sets(carries.begin() + begin,
                carries.begin() + begin + plan.sets * size);
    for (int count = plan.sets; count > 1; count = (count + 1) / 2) {
      int half = (count + 1) / 2;
      for (int i = 0; i < (count - half) * size; ++i)
        sets[i] = e.add(sets[i], sets[half * size + i]);
    }
    into.append(sets.begin(), sets.begin() + size);
  };
  Values sums;
  combine(0, rows * vectors, sums);
  combine(plan.sets * rows * vectors, correctionVectors, sums);
  return sums;
}

/// `corrections` is the run of sums of all groups of the block's rows.
void BlockKernel::subtractCorrections(Values &results,
                                      llvm::ArrayRef<Value> corrections) {
  int64_t vectorBytes = Emitter::bytesOf(accumulatorType);
  Type i32 = e.integer(32);
  Value sums = stackBuffer(correctionVectors * vectorBytes);
  auto spill = [&](llvm::ArrayRef<Value> values) {
    for (auto [i, value] : llvm::enumerate(values))
      e.store(value, e.offset(sums, i * vectorBytes), 4);
  };
  if (llvm::isPowerOf2_32(shape.groups) && plan.lanes > 1) {
    spill(reduceLanes(corrections, shape.groups));
  } else {
    spill(corrections);
    // Row r's sum goes where group r was: never ahead of what is yet to read.
    e.loop(e.i64(0), e.i64(rows), 1, {}, [&](Value row, Values) -> Values {
      Value at = e.offset(sums, e.mul(row, e.i64(4 * shape.groups)));
      Value sum = e.load(i32, at, 4);
      for (int g = 1; g < shape.groups; ++g)
        sum = e.add(sum, e.load(i32, e.offset(at, 4 * g), 4));
      e.store(sum, e.offset(sums, e.mul(row, e.i64(4))), 4);
      return {};
    });
  }
  for (int row = 0; row < rows; ++row) {
    Value correction =
        e.splat(e.load(i32, e.offset(sums, 4 * row), 4), plan.lanes);
    for (int v = 0; v < outVectors; ++v) {
      Value &result = results[row * outVectors + v];
      result = e.sub(result, correction);
    }
  }
}

BlockKernel::OutVector BlockKernel::outVector(int index) const {
  OutVector out;
  out.firstRow = int64_t{index} * plan.lanes;
  out.valid = std::min<int64_t>(plan.lanes, vectorOperandRows - out.firstRow);
  out.begin = overlap ? plan.lanes - out.valid : 0;
  return out;
}

/// Calls body(row, index of the out vector, pointer to its first own element).
void BlockKernel::forOutVectors(
    Value outPointer, llvm::function_ref<void(int, int, Value)> body) {
  int64_t outBytes = info(info(key.types).out).bits / 8;
  for (int row = 0; row < rows; ++row) {
    for (int v = 0; v < outVectors; ++v)
      body(row, v, e.offset(outPointer, outVector(v).firstRow * outBytes));
    if (row + 1 < rows)
      outPointer = e.offset(outPointer, params.outRowBytes);
  }
}

/// The previous value of an out vector, its own lanes in place.
Value BlockKernel::loadOut(Value pointer, int index) {
  tw_element_type_t out = info(key.types).out;
  OutVector part = outVector(index);
  Value old = e.loadPart(Emitter::vec(plan.lanes, outType(e, out)), pointer,
                         part.valid, info(out).bits / 8);
  if (part.begin != 0) {
    llvm::SmallVector<int64_t> map(plan.lanes, -1);
    for (int64_t i = part.begin; i < plan.lanes; ++i)
      map[i] = i - part.begin;
    old = e.shuffle(old, old, map);
  }
  return decodeOut(e, out, old);
}

Emitter::Values BlockKernel::initialRows(Value outPointer) {
  return e.ifElse(
      params.accumulate,
      [&] {
        Values rows;
        forOutVectors(outPointer, [&](int, int index, Value at) {
          rows.push_back(loadOut(at, index));
        });
        return rows;
      },
      [&] { return Values(rows * outVectors, e.zero(accumulatorType)); });
}

Emitter::Values BlockKernel::addPrevious(const Values &results,
                                         Value outPointer) {
  return e.ifElse(
      params.accumulate,
      [&] {
        Values sums;
        forOutVectors(outPointer, [&](int, int index, Value at) {
          sums.push_back(e.add(results[sums.size()], loadOut(at, index)));
        });
        return sums;
      },
      [&] { return results; });
}

void BlockKernel::storeRows(llvm::ArrayRef<Value> results, Value outPointer) {
  tw_element_type_t out = info(key.types).out;
  forOutVectors(outPointer, [&](int row, int index, Value at) {
    OutVector part = outVector(index);
    Value value = encodeOut(e, out, results[row * outVectors + index]);
    value = e.slice(value, part.begin, plan.lanes);
    e.storePart(value, at, part.valid, info(out).bits / 8);
  });
}

/// The vector operand is the lhs: lanes are rows of the out tile. They go
/// through a buffer [n][m], from which the out tile is filled.
void BlockKernel::storeTransposed(llvm::ArrayRef<Value> results,
                                  Value outPointer) {
  tw_element_type_t out = info(key.types).out;
  int64_t outBytes = info(out).bits / 8, bytes = shape.accumulatorBytes;
  int64_t pitch = outVectors * plan.lanes * bytes;
  Value buffer = stackBuffer(rows * pitch);
  for (auto [i, value] : llvm::enumerate(results)) {
    OutVector part = outVector(i % outVectors);
    e.store(value,
            e.offset(buffer, (i / outVectors) * pitch +
                                 (part.firstRow - part.begin) * bytes),
            bytes);
  }
  Type accumulator = accumulatorType.getElementType();
  Type element = outType(e, out);
  auto copy = [&](bool accumulate) {
    e.loop(
        e.i64(0), e.i64(vectorOperandRows), 1, {outPointer, buffer},
        [&](Value, Values at) -> Values {
          e.loop(e.i64(0), e.i64(rows), 1, {at[0], at[1]},
                 [&](Value, Values in) -> Values {
                   Value value = e.load(accumulator, in[1], bytes);
                   if (accumulate) {
                     Value old = e.load(element, in[0], outBytes);
                     value = e.add(value, decodeOut(e, out, old));
                   }
                   e.store(encodeOut(e, out, value), in[0], outBytes);
                   return {e.offset(in[0], outBytes), e.offset(in[1], pitch)};
                 });
          return {e.offset(at[0], params.outRowBytes), e.offset(at[1], bytes)};
        });
    return Values();
  };
  e.ifElse(
      params.accumulate, [&] { return copy(true); },
      [&] { return copy(false); });
}

} // namespace tilewright
