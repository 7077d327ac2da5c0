// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is done with the accumulators of a register block anywhere.

#include "RegisterBlock.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Planning/PlanCost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

RegisterBlock::RegisterBlock(Emitter &e, const TileKey &key,
                             const TilePlan &plan, const TileShape &shape,
                             const TileParams &params,
                             const BlockPosition &position)
    : e(e), emission(emissionOf(e.isa)), key(key), plan(plan), shape(shape),
      params(params), position(position), rows(shape.broadcastBlocks.size),
      vectorOperandRows(shape.vectorBlocks.size), out(info(key.types).out),
      outBytes(info(out).bits / 8) {
  auto divide = [](int64_t a, int64_t b) {
    return static_cast<int>(llvm::divideCeil(a, b));
  };
  vectors = shape.vectors;
  outVectors = divide(vectorOperandRows, plan.lanes);
  correctionSteps = shape.correctionSteps;
  correctionVectors = plan.sums == SumsIn::Steps ? shape.correctionVectors : 0;
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  overlap = !shape.roundsPerStep && plan.kLanes == 1 && shape.chunks == 1 &&
            idiom.rows == 1 && idiom.halves == Halves::None &&
            !shape.vector.staged && shape.vector.bits >= 8 &&
            shape.vector.rows >= shape.vectorRows;
  broadcastFormat = {shape.broadcast.type, shape.compute};
  vectorFormat = {shape.vector.type, shape.compute, false, shape.roles.offset};
  vectorFormat.offsetMadeAnew = makesOffsetAnew(plan, key);
  if (shape.scaleBits != 0) {
    auto isScaled = [](const OperandShape &operand) {
      return operand.type == TW_ELEMENT_S4 && !operand.staged;
    };
    broadcastFormat.scaled = isScaled(shape.broadcast);
    vectorFormat.scaled = isScaled(shape.vector) && shape.roles.offset == 0;
  }
  auto vectorOf = [&](tw_element_type_t type) {
    return Emitter::vec(plan.lanes, type == TW_ELEMENT_S16   ? e.integer(16)
                                    : type == TW_ELEMENT_S32 ? e.integer(32)
                                    : type == TW_ELEMENT_F64 ? e.f64()
                                    : type == TW_ELEMENT_F16 ? e.f16()
                                                             : e.f32());
  };
  accumulatorType = vectorOf(shape.accumulator);
  sumType = vectorOf(shape.sum);
}

StepStride RegisterBlock::times(const StepStride &stride, int64_t steps) const {
  StepStride all{stride.bytes * steps, stride.runtime};
  if (all.runtime && steps != 1)
    all.runtime = e.mul(all.runtime, e.i64(steps));
  return all;
}

Value RegisterBlock::offset(Value pointer, const StepStride &stride) const {
  return stride.runtime ? e.offset(pointer, stride.runtime)
                        : e.offset(pointer, stride.bytes);
}

Value RegisterBlock::stackBuffer(int64_t bytes) const {
  OpBuilder::InsertionGuard guard(e.b);
  Operation *parent = e.b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(parent);
  if (!function)
    function = parent->getParentOfType<func::FuncOp>();
  e.b.setInsertionPointToStart(&function.getBody().front());
  return e.stackBuffer(bytes);
}

Emitter::Values RegisterBlock::loopTogether(
    Value count, llvm::ArrayRef<int64_t> together, Values carries,
    llvm::function_ref<Values(int64_t, Values)> body) const {
  Value done = e.i64(0);
  auto loop = [&](Value end, int64_t steps) {
    carries = e.loop(done, end, steps, carries,
                     [&](Value, Values in) { return body(steps, in); });
    done = end;
  };
  int64_t before = 1;
  for (int64_t steps : together) {
    if (steps > 1 && steps != before)
      loop(
          e.sub(count, arith::RemUIOp::create(e.b, e.loc, count, e.i64(steps))),
          steps);
    before = steps;
  }
  loop(count, 1);
  return carries;
}

/// sum += offset * (sums over groups of `run`, decoded elements of the
/// broadcast operand).
void RegisterBlock::addToSums(Value run, Value &sum) const {
  Value offset = e.constant(run.getType(), shape.roles.offset);
  if (vectorFormat.offsetMadeAnew)
    offset = e.keepOrder(offset);
  sum = multiplyAccumulate(sum, offset, run);
}

/// Group `index` of a register, in all lanes.
Value RegisterBlock::splatGroup(Value source, int64_t element) const {
  int64_t bytes = shape.group * bytesOf(shape.compute);
  int64_t total = Emitter::bytesOf(source.getType());
  Type type = shape.group > 1                      ? e.integer(8 * bytes)
              : shape.compute == ComputeType::BF16 ? Type(e.b.getBF16Type())
                                                   : Emitter::elementOf(source);
  Value groups = e.bitcast(source, Emitter::vec(total / bytes, type));
  bool half = idiom(plan.idiom).halves != Halves::None;
  llvm::SmallVector<int64_t> map((half ? 2 : 1) * plan.lanes,
                                 element / shape.group);
  return e.shuffle(groups, groups, map);
}

/// [set][i] of `count` sets -> sums of so many that `fewest` or less are left.
Emitter::Values RegisterBlock::addSets(llvm::ArrayRef<Value> accumulators,
                                       int count, int fewest) const {
  Values sets(accumulators);
  size_t size = sets.size() / count;
  for (; count > fewest; count = (count + 1) / 2) {
    int half = (count + 1) / 2;
    for (size_t i = 0; i < (count - half) * size; ++i)
      sets[i] = e.add(sets[i], sets[half * size + i]);
  }
  sets.resize(count * size);
  return sets;
}

/// `sequence` is one run of lanes; returns the run of sums of `count` adjacent
/// lanes, a power of two. Lanes beyond the run's end hold anything.
Emitter::Values RegisterBlock::reduceLanes(llvm::ArrayRef<Value> sequence,
                                           int count) const {
  Values level(sequence);
  llvm::SmallVector<int64_t> even, odd;
  int64_t lanes = cast<VectorType>(level[0].getType()).getNumElements();
  for (int64_t i = 0; i < lanes; ++i) {
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

/// The bits of `value`, a scalar or a vector, as elements of `element`.
static Value likeElement(Emitter &e, Value value, Type element) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return e.bitcast(value, Emitter::vec(vector.getNumElements(), element));
  return e.bitcast(value, element);
}

/// Accumulators -> out elements as they are stored, and back.
Value RegisterBlock::toOut(Value value) const {
  if (shape.sum != TW_ELEMENT_F16)
    return encodeOut(e, out, value, narrowing());
  return likeElement(e, value, e.integer(16));
}

Value RegisterBlock::fromOut(Value value) const {
  if (shape.sum != TW_ELEMENT_F16)
    return decodeOut(e, out, value);
  return likeElement(e, value, e.f16());
}

llvm::SmallVector<int> RegisterBlock::multiplyOrder() const {
  // By vectors of the vector operand where LaneSteps and ConvertedAhead are.
  bool byVectors = (idiom(plan.idiom).rows > 1 && shape.rowGroups < vectors) ||
                   shape.decodesIterations(plan);
  llvm::SmallVector<int> order;
  int groups = shape.rowGroups;
  for (int i = 0; i < groups * vectors; ++i)
    order.push_back(byVectors ? i % groups * vectors + i / groups : i);
  return order;
}

StepRounding RegisterBlock::stepRounding(Values &sums) const {
  return {plan, sums, multiplyOrder(),
          [this](Value sum) { return e.keepOrder(toOut(sum)); },
          [this](Value sum) { return e.keepOrder(fromOut(sum)); }};
}

/// Accumulators -> the values of the out elements nearest to them.
void RegisterBlock::roundResults(Values &results) const {
  if (shape.sum == out)
    return;
  bool dotsBF16 = plan.idiom == IdiomKind::DotBF16 && out == TW_ELEMENT_BF16;
  // Few would wait for conversions from step to step.
  if (out == TW_ELEMENT_BF16 &&
      (!shape.convertsSums ||
       (dotsBF16 && results.size() <= TileShape::kFewDots))) {
    for (Value &result : results)
      result = roundToBF16(e, result, dotsBF16 ? Ties::Set : Ties::Added);
    return;
  }
  if (dotsBF16 && plan.lanes == 16)
    return roundByTurns(results);
  // Where the order stays (arm_64), not each by itself: its widening would wait
  // for its narrowing.
  bool apart = shape.byLanes;
  if (apart)
    for (Value &result : results)
      result = toOut(result);
  for (Value &result : results)
    result = fromOut(apart ? result : toOut(result));
}

/// Every third one as bits, which takes any pipe; the others by a conversion
/// and a permutation, in the place of an extension and a shift, which take
/// those of shuffles. Groups as large as find registers, so that nothing waits
/// for a conversion.
void RegisterBlock::roundByTurns(Values &results) const {
  size_t group = results.size() > 20 ? 2 : 4;
  // What was added to outside may be a denormal, which conversions take for
  // zero: then all are converted.
  auto asBits = [&](size_t i) { return i % 3 == 0 && shape.sumsInStep(plan); };
  Value zero = e.zero(Emitter::vec(16, e.integer(16)));
  llvm::SmallVector<int64_t> highHalves;
  for (int i = 0; i < 16; ++i)
    highHalves.append({16, i});
  for (size_t first = 0; first < results.size(); first += group) {
    size_t end = std::min(first + group, results.size());
    for (size_t i = first; i < end; ++i)
      results[i] = e.keepOrder(asBits(i) ? roundToBF16(e, results[i], Ties::Set)
                                         : toOut(results[i]));
    for (size_t i = first; i < end; ++i)
      if (!asBits(i))
        results[i] = e.keepOrder(
            e.bitcast(e.shuffle(results[i], zero, highHalves), sumType));
  }
}

} // namespace tilewright
