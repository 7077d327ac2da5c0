// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From accumulators to sums: sets, k lanes, corrections.

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
  combine(0, shape.rowGroups * vectors, sums);
  sums.append(carries.end() - correctionVectors, carries.end());
  return sums;
}

/// `corrections` is the run of sums [K step][row][group]; returns a buffer of
/// their sums, one i32 for each row.
Value BlockKernel::sumCorrections(llvm::ArrayRef<Value> corrections) {
  int groups = shape.rowPitch / shape.group; // per row
  int64_t vectorBytes = Emitter::bytesOf(accumulatorType);
  Type i32 = e.integer(32);
  Value sums = stackBuffer(correctionVectors * vectorBytes);
  auto spill = [&](llvm::ArrayRef<Value> values) {
    for (auto [i, value] : llvm::enumerate(values))
      e.store(value, e.offset(sums, i * vectorBytes), 4);
  };
  if (llvm::isPowerOf2_32(groups) && correctionSteps == 1) {
    spill(reduceLanes(corrections, groups));
    return sums;
  }
  spill(corrections);
  // Row r's sum goes where group r was: never ahead of what is yet to read.
  e.loop(e.i64(0), e.i64(rows), 1, {}, [&](Value row, Values) -> Values {
    Value at = e.offset(sums, e.mul(row, e.i64(4 * groups)));
    Value sum;
    for (int t = 0; t < correctionSteps; ++t)
      for (int g = 0; g < groups; ++g) {
        int64_t group = t * rows * groups + g;
        Value part = e.load(i32, e.offset(at, 4 * group), 4);
        sum = sum ? e.add(sum, part) : part;
      }
    e.store(sum, e.offset(sums, e.mul(row, e.i64(4))), 4);
    return {};
  });
  return sums;
}

/// One row's accumulators -> its out vectors. `correction` points to what is to
/// be subtracted, an i32; null for nothing.
Emitter::Values BlockKernel::finishRow(llvm::ArrayRef<Value> accumulators,
                                       Value correction) {
  Values results = reduceLanes(accumulators, plan.kLanes);
  if (correction) {
    Value each = e.splat(e.load(e.integer(32), correction, 4), plan.lanes);
    for (Value &result : results)
      result = e.sub(result, each);
  }
  if (plan.sets > 1 || plan.kLanes > 1)
    flushDenormals(results);
  return results;
}

Emitter::Values BlockKernel::finishInRegisters(const Values &accumulators,
                                               Value corrections) {
  Values results;
  int perRow = static_cast<int>(accumulators.size()) / rows;
  for (int row = 0; row < rows; ++row)
    llvm::append_range(
        results,
        finishRow(
            llvm::ArrayRef<Value>(accumulators).slice(row * perRow, perRow),
            corrections ? e.offset(corrections, 4 * row) : nullptr));
  return results;
}

/// The same by a loop over the rows, from one stack buffer to another.
Value BlockKernel::finishRows(const Values &accumulators, Value corrections) {
  int64_t vectorBytes = Emitter::bytesOf(accumulatorType);
  int64_t laneBytes = shape.accumulatorBytes;
  int perRow = static_cast<int>(accumulators.size()) / rows;
  Value raw = stackBuffer(rows * perRow * vectorBytes);
  Value results = stackBuffer(rows * outVectors * vectorBytes);
  for (auto [i, value] : llvm::enumerate(accumulators))
    e.store(value, e.offset(raw, i * vectorBytes), laneBytes);
  Values carries = {raw, results};
  if (corrections)
    carries.push_back(corrections);
  e.loop(e.i64(0), e.i64(rows), 1, carries, [&](Value, Values at) -> Values {
    Values row;
    for (int v = 0; v < perRow; ++v)
      row.push_back(
          e.load(accumulatorType, e.offset(at[0], v * vectorBytes), laneBytes));
    row = finishRow(row, corrections ? at[2] : nullptr);
    for (int v = 0; v < outVectors; ++v) {
      OutVector part = outVector(v);
      e.store(row[v], e.offset(at[1], (part.firstRow - part.begin) * laneBytes),
              laneBytes);
    }
    Values next = {e.offset(at[0], perRow * vectorBytes),
                   e.offset(at[1], outVectors * vectorBytes)};
    if (corrections)
      next.push_back(e.offset(at[2], 4));
    return next;
  });
  return results;
}

/// vdpbf16ps, bfdot and bfmmla take and give zero for denormals; the additions
/// outside of them do as they do.
void BlockKernel::flushDenormals(Values &results) {
  if (!idiom(plan.idiom).flushesDenormals)
    return;
  for (Value &result : results) {
    Type bitsType = e.integer(32);
    if (auto vector = dyn_cast<VectorType>(result.getType()))
      bitsType = Emitter::vec(vector.getNumElements(), bitsType);
    Value exponent = e.band(e.bitcast(result, bitsType), 0x7f800000);
    result = e.select(e.icmp(arith::CmpIPredicate::eq, exponent, 0),
                      e.zero(result.getType()), result);
  }
}

} // namespace tilewright
