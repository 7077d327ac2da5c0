// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From accumulators to sums: sets, k lanes, corrections, order.

#include "BlockResults.h"
#include "BroadcastSums.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

Emitter::Values BlockResults::initial() {
  if (!shape.roundsPerStep)
    return Values(shape.sums(plan) + correctionVectors, e.zero(sumType));
  Values old = initialRows();
  if (plan.kLanes != 1)
    return old;
  Values sums = tangle(old);
  llvm::SmallVector<int> order = multiplyOrder();
  for (int i : StepRounding::narrowOnes(plan, order))
    sums[i] = toOut(sums[i]);
  return sums;
}

void BlockResults::store(const Values &carries) {
  if (shape.roundsPerStep) {
    Values sums = carries;
    llvm::SmallVector<int> order = multiplyOrder();
    for (int i : StepRounding::narrowOnes(plan, order))
      sums[i] = fromOut(sums[i]);
    if (plan.kLanes == 1)
      sums = untangle(sums);
    return storesDirectly() ? storeRows(sums) : storeByRows(spill(sums));
  }
  Values sums = combineSets(carries);
  Value corrections = BroadcastSums(*this).ofRows(
      llvm::ArrayRef<Value>(sums).take_back(correctionVectors));
  sums.resize(shape.rowGroups * vectors);
  sums = untangle(sums);
  if (storesDirectly())
    return storeDirectly(finishInRegisters(sums, corrections));
  if (shape.transposedVectors)
    return storeColumns(finishInRegisters(sums, corrections));
  Value results = plan.kLanes == 1 && !corrections
                      ? spill(finishInRegisters(sums, nullptr))
                      : finishRows(sums, corrections);
  if (plan.broadcastRhs)
    storeTransposed(results);
  else
    storeByRows(results);
}

/// Straight from registers is fastest, but much code where vectors are partial
/// or blocks overlap.
bool BlockResults::storesDirectly() const {
  bool simple = (vectorOperandRows % plan.lanes == 0 && plan.kLanes == 1) ||
                rows * vectors <= 4;
  return simple && !plan.broadcastRhs && !position.ownBroadcastRow &&
         !position.ownVectorRow;
}

/// Sums over the sets, where they are apart yet, before corrections.
Emitter::Values BlockResults::combineSets(const Values &carries) {
  Values sums(carries.begin(), carries.end() - correctionVectors);
  for (int i = 0; i < plan.extra; ++i) {
    Value extra = sums.pop_back_val();
    Value &last = sums[shape.rowGroups * vectors - 1 - i];
    last = e.add(last, extra);
  }
  int sets = shape.sum == shape.accumulator ? plan.sets : 1;
  if (shape.pairsSteps(plan)) {
    // Those of the same row of blocks first.
    int apart = sets;
    while ((apart + 1) / 2 % (2 * shape.turns) == 0)
      apart = (apart + 1) / 2;
    sums = addSets(sums, sets, apart);
    sets = apart;
    size_t size = sums.size() / sets;
    for (auto [i, sum] : llvm::enumerate(sums))
      if (shape.keepsSecondRow(plan, static_cast<int>(i / size)))
        sum = secondRow(sum);
  }
  sums = addSets(sums, sets);
  sums.append(carries.end() - correctionVectors, carries.end());
  return sums;
}

/// A 2x2 block whose first row is the second one of `block`.
Value BlockResults::secondRow(Value block) const {
  if (transposesBlocks())
    return e.shuffle(block, block, {1, 1, 3, 3});
  return e.shuffle(block, block, {2, 3, 2, 3});
}

/// One row's accumulators -> its out vectors. `correction` points to what is to
/// be subtracted, an i32; null for nothing.
Emitter::Values BlockResults::finishRow(llvm::ArrayRef<Value> accumulators,
                                        Value correction) {
  Values results = reduceLanes(accumulators, plan.kLanes);
  if (correction) {
    Value each = e.splat(e.load(e.integer(32), correction, 4), plan.lanes);
    for (Value &result : results)
      result = e.sub(result, each);
  }
  if (plan.sets > 1 || plan.extra > 0 || plan.kLanes > 1)
    flushDenormals(results);
  return results;
}

Emitter::Values BlockResults::finishInRegisters(const Values &accumulators,
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
Value BlockResults::finishRows(const Values &accumulators, Value corrections) {
  int64_t vectorBytes = Emitter::bytesOf(sumType);
  int64_t laneBytes = shape.sumBytes;
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
          e.load(sumType, e.offset(at[0], v * vectorBytes), laneBytes));
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
void BlockResults::flushDenormals(Values &results) {
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

/// Accumulators that hold lanes of several out rows, or not in order -> rows of
/// out vectors.
Emitter::Values BlockResults::untangle(const Values &accumulators) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  if (isInPairs(plan.by))
    return partPairs(accumulators);
  if (idiom.rows == 1 && idiom.halves != Halves::EvenOdd)
    return accumulators;
  // Two accumulators become two out vectors, of two rows or side by side.
  llvm::SmallVector<int64_t> low, high;
  if (idiom.halves == Halves::EvenOdd) {
    low = {0, 4, 1, 5};
    high = {2, 6, 3, 7};
  } else if (transposesBlocks()) {
    low = {0, 2, 4, 6};
    high = {1, 3, 5, 7};
  } else {
    low = {0, 1, 4, 5};
    high = {2, 3, 6, 7};
  }
  Values results;
  for (int row = 0; row < rows; ++row) {
    int group = row / idiom.rows;
    auto accumulator = [&](int v) {
      return accumulators[group * vectors + std::min(v, vectors - 1)];
    };
    for (int v = 0; v < outVectors; ++v) {
      int first = idiom.rows > 1 ? 2 * v : v / 2 * 2;
      bool second = (idiom.rows > 1 ? row : v) % 2 != 0;
      results.push_back(e.shuffle(accumulator(first), accumulator(first + 1),
                                  second ? high : low));
    }
  }
  return results;
}

/// The same where two rows take turns (TileShape::canPair, canPairLoads).
Emitter::Values BlockResults::partPairs(const Values &accumulators) {
  bool loads = plan.by == BroadcastBy::PairLoads;
  llvm::SmallVector<int64_t> first, second;
  for (int64_t lane = 0; lane < plan.lanes; ++lane) {
    bool odd = lane % 2 != 0;
    first.push_back(odd ? plan.lanes + lane - 1 : lane);
    int64_t ofSecond = odd ? lane : lane + 1;
    second.push_back(odd == loads ? plan.lanes + ofSecond : ofSecond);
  }
  Values results = accumulators;
  for (int row = 0; row + 1 < rows; row += 2)
    for (int v = 0; v < vectors; ++v) {
      Value &a = results[row * vectors + v],
            &b = results[(row + 1) * vectors + v];
      Value firstRow = e.shuffle(a, b, first);
      b = e.shuffle(a, b, second);
      a = firstRow;
    }
  return results;
}

/// The inverse, of floats.
Emitter::Values BlockResults::tangle(const Values &outRows) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  bool evenOdd = idiom.halves == Halves::EvenOdd;
  if (idiom.rows == 1 && !evenOdd)
    return outRows;
  auto out = [&](int row, int v) {
    return outRows[std::min(row, rows - 1) * outVectors +
                   std::min(v, outVectors - 1)];
  };
  llvm::SmallVector<int64_t> first = {0, 1, 4, 5}, second = {2, 3, 6, 7};
  if (evenOdd) {
    first = {0, 2, 4, 6};
    second = {1, 3, 5, 7};
  }
  Values accumulators;
  for (int group = 0; group < shape.rowGroups; ++group)
    for (int v = 0; v < vectors; ++v) {
      int row = group * idiom.rows, column = evenOdd ? v / 2 * 2 : v / 2;
      accumulators.push_back(
          e.shuffle(out(row, column),
                    evenOdd ? out(row, column + 1) : out(row + 1, column),
                    v % 2 == 0 ? first : second));
    }
  return accumulators;
}

/// usmmla takes the unsigned operand first; where that is the vector operand,
/// its rows are those of the 2x2 blocks.
bool BlockResults::transposesBlocks() const {
  return idiom(plan.idiom).ordersSigns && shape.roles.vectorUnsigned &&
         !shape.roles.broadcastUnsigned;
}

} // namespace tilewright
