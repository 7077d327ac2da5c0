// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop over the K steps of a register block.

#include "BlockKernel.h"
#include "tilewright/Planning/PlanCost.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace mlir;

namespace tilewright {

static constexpr int64_t kCacheLine = 64, kFarAhead = 4;

BlockKernel::BlockKernel(Emitter &e, const TileKey &key, const TilePlan &plan,
                         const TileShape &shape, const TileParams &params,
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
  correctionVectors = shape.roles.offset == 0
                          ? 0
                          : divide(correctionSteps * rows * shape.rowPitch,
                                   plan.lanes * shape.group);
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
  Type accumulator = shape.accumulator == TW_ELEMENT_S32   ? e.integer(32)
                     : shape.accumulator == TW_ELEMENT_F64 ? e.f64()
                     : shape.accumulator == TW_ELEMENT_F16 ? e.f16()
                                                           : e.f32();
  accumulatorType = Emitter::vec(plan.lanes, accumulator);
}

StepStride BlockKernel::times(const StepStride &stride, int64_t steps) {
  StepStride all{stride.bytes * steps, stride.runtime};
  if (all.runtime && steps != 1)
    all.runtime = e.mul(all.runtime, e.i64(steps));
  return all;
}

Value BlockKernel::offset(Value pointer, const StepStride &stride) {
  return stride.runtime ? e.offset(pointer, stride.runtime)
                        : e.offset(pointer, stride.bytes);
}

void BlockKernel::emit() {
  if (shape.roundsPerStep) {
    Values sums = initialRows();
    sums = kLoop(position.broadcast, position.vector, params.k,
                 plan.kLanes == 1 ? tangle(sums) : sums);
    return storeByRows(spill(plan.kLanes == 1 ? untangle(sums) : sums));
  }
  Values zeros(shape.accumulators(plan) + correctionVectors,
               e.zero(accumulatorType));
  Values all = shape.scaleBits != 0 ? scaledLoop(zeros)
                                    : kLoop(position.broadcast, position.vector,
                                            params.k, zeros);
  Values sums = combineSets(all);
  Value corrections;
  if (correctionVectors)
    corrections = sumCorrections(
        llvm::ArrayRef<Value>(sums).take_back(correctionVectors));
  sums.resize(shape.rowGroups * vectors);
  sums = untangle(sums);
  // Straight from registers is fastest, but much code where vectors are
  // partial or blocks overlap.
  bool simple = (vectorOperandRows % plan.lanes == 0 && plan.kLanes == 1) ||
                rows * vectors <= 4;
  if (simple && !plan.broadcastRhs && !position.ownBroadcastRow &&
      !position.ownVectorRow)
    return storeDirectly(finishInRegisters(sums, corrections));
  Value results = plan.kLanes == 1 && !corrections
                      ? spill(finishInRegisters(sums, nullptr))
                      : finishRows(sums, corrections);
  if (plan.broadcastRhs)
    storeTransposed(results);
  else
    storeByRows(results);
}

/// `count` K steps from the given pointers on.
Emitter::Values BlockKernel::kLoop(Value broadcast, Value vector, Value count,
                                   Values carries) {
  if (plan.staging != Staging::None)
    return stagedLoop(broadcast, vector, count, carries);
  return stepLoop(
      {broadcastFormat, broadcast, position.broadcastStride, false, nullptr},
      {vectorFormat, vector, position.vectorStride, false, nullptr}, count,
      carries);
}

/// All K steps, some at a time, so that their scaled sums do not wrap; their
/// exact quotients are added up on the stack.
Emitter::Values BlockKernel::scaledLoop(Values carries) {
  int count = shape.accumulators(plan);
  int64_t bytes = Emitter::bytesOf(accumulatorType);
  Value sums = stackBuffer(count * bytes);
  auto at = [&](int i) { return e.offset(sums, i * bytes); };
  Value zero = e.zero(accumulatorType);
  for (int i = 0; i < count; ++i)
    e.store(zero, at(i), 4);
  Value most = e.i64(shape.scaledSteps);
  Values all = {position.broadcast, position.vector};
  all.append(carries.begin() + count, carries.end());
  all = e.loop(
      e.i64(0), params.k, shape.scaledSteps, all, [&](Value k, Values in) {
        Value steps =
            arith::MinSIOp::create(e.b, e.loc, e.sub(params.k, k), most);
        Values inner(count, zero);
        inner.append(in.begin() + 2, in.end());
        inner = kLoop(in[0], in[1], steps, inner);
        for (int i = 0; i < count; ++i) {
          Value sum = e.load(accumulatorType, at(i), 4);
          e.store(e.add(sum, e.sar(inner[i], shape.scaleBits)), at(i), 4);
        }
        Values next = {
            offset(in[0], times(position.broadcastStride, shape.scaledSteps)),
            offset(in[1], times(position.vectorStride, shape.scaledSteps))};
        next.append(inner.begin() + count, inner.end());
        return next;
      });
  Values results;
  for (int i = 0; i < count; ++i)
    results.push_back(e.load(accumulatorType, at(i), 4));
  results.append(all.begin() + 2, all.end());
  return results;
}

/// Loop over runs of at most plan.stageSteps K steps: stage them, do them.
Emitter::Values BlockKernel::stagedLoop(Value firstBroadcast, Value firstVector,
                                        Value total, Values carries) {
  Stage broadcastStage, vectorStage;
  if (shape.broadcast.staged)
    broadcastStage = makeStage(shape.broadcast, broadcastFormat, rows);
  if (shape.vector.staged)
    vectorStage = makeStage(shape.vector, vectorFormat, vectorOperandRows);
  Value most = e.i64(plan.stageSteps);
  StepStride broadcastRun = times(position.broadcastStride, plan.stageSteps);
  StepStride vectorRun = times(position.vectorStride, plan.stageSteps);
  Values all = {firstBroadcast, firstVector};
  llvm::append_range(all, carries);
  all = e.loop(e.i64(0), total, plan.stageSteps, all, [&](Value k, Values in) {
    Value count = e.sub(total, k);
    count = arith::MinSIOp::create(e.b, e.loc, count, most);
    auto source = [&](const OperandShape &operand, ElementFormat format,
                      int blockRows, Value pointer, const StepStride &stride,
                      const Stage &stage) -> Source {
      if (!operand.staged)
        return {format, pointer, stride, false, nullptr};
      fillStage(stride, format, blockRows, pointer, stage, count);
      format.decoded = true;
      Source staged{
          format, stage.buffer, {stage.stride, nullptr}, true, nullptr};
      staged.partStride = stage.partStride;
      return staged;
    };
    Source broadcast = source(shape.broadcast, broadcastFormat, rows, in[0],
                              position.broadcastStride, broadcastStage);
    Source vector = source(shape.vector, vectorFormat, vectorOperandRows, in[1],
                           position.vectorStride, vectorStage);
    Values next = {offset(in[0], broadcastRun), offset(in[1], vectorRun)};
    llvm::append_range(next, stepLoop(broadcast, vector, count,
                                      Values(in.begin() + 2, in.end())));
    return next;
  });
  return Values(all.begin() + 2, all.end());
}

/// Asks for what the iteration at plan.ahead bytes behind `pointer` reads of
/// the panel of an operand, if that is a line at least: less would be asked for
/// several times. If it is `far`, L2 is asked for what comes kFarAhead times as
/// far behind, too.
void BlockKernel::prefetch(const OperandShape &operand, Value pointer,
                           const StepStride &iteration, bool far) {
  if (plan.ahead == 0 || operand.staged || iteration.bytes < kCacheLine)
    return;
  for (int64_t at = 0; at < iteration.bytes; at += kCacheLine) {
    e.prefetch(e.offset(pointer, plan.ahead + at), Emitter::Cache::L1);
    if (far)
      e.prefetch(e.offset(pointer, kFarAhead * plan.ahead + at),
                 Emitter::Cache::L2);
  }
}

/// The K steps [begin, end), `unroll` at a time; `all` holds the pointers to
/// the first of them, then the carries.
Emitter::Values BlockKernel::runSteps(Source broadcast, Source vector,
                                      Value begin, Value end, int unroll,
                                      Values all) {
  StepStride broadcastRun = times(broadcast.stride, unroll);
  StepStride vectorRun = times(vector.stride, unroll);
  all = e.loop(begin, end, unroll, all, [&](Value, Values in) {
    broadcast.pointer = in[0];
    vector.pointer = in[1];
    Reached reached;
    Values results = steps(broadcast, vector, unroll,
                           Values(in.begin() + 2, in.end()), reached);
    if (unroll == plan.unroll) {
      // Its panel comes from further away, and several vectors a step leave
      // slots of loads.
      prefetch(shape.broadcast, in[0], broadcastRun, false);
      prefetch(shape.vector, in[1], vectorRun, plan.blockVectors > 1);
    }
    // Behind all that reads there: else both have to be kept.
    Values next = {reached.broadcast ? reached.broadcast
                                     : offset(in[0], broadcastRun),
                   reached.vector ? reached.vector : offset(in[1], vectorRun)};
    llvm::append_range(next, results);
    return next;
  });
  // One instruction less than counting up.
  if (e.machine.dispatchIsNarrow)
    all[0].getDefiningOp()->setAttr(kCountsDown, e.b.getUnitAttr());
  return all;
}

/// `count` K steps, plan.unroll at a time and the rest one by one.
Emitter::Values BlockKernel::stepLoop(Source broadcast, Source vector,
                                      Value count, Values carries) {
  if (shape.decodesIterations(plan))
    return pipelinedLoop(broadcast, vector, count, carries);
  Values all = {broadcast.pointer, vector.pointer};
  llvm::append_range(all, carries);
  Value begin = e.i64(0);
  if (plan.unroll > 1) {
    Value rest = arith::RemUIOp::create(e.b, e.loc, count, e.i64(plan.unroll));
    Value end = e.sub(count, rest);
    all = runSteps(broadcast, vector, begin, end, plan.unroll, all);
    begin = end;
  }
  all = runSteps(broadcast, vector, begin, count, 1, all);
  return Values(all.begin() + 2, all.end());
}

/// `reached` says where reading has led the pointers to, if to the end of the
/// `count` steps.
Emitter::Values BlockKernel::steps(Source broadcast, Source vector, int count,
                                   Values carries, Reached &reached) {
  StepState state;
  auto accumulators = carries.begin() + shape.accumulators(plan);
  if (!shape.roundsPerStep) {
    state.accumulators.assign(carries.begin(), accumulators);
    state.corrections.assign(accumulators, carries.end());
  }
  // The registers that the multiplies take their lanes from, where they hold
  // just what is to be added up.
  bool byRegisters =
      shape.byLanes && correctionSteps > 1 &&
      count * rows * shape.rowPitch % (plan.lanes * shape.group) == 0;
  if (correctionVectors && correctionSteps > 1 && !byRegisters)
    correct(broadcast, count, state.corrections);
  // Of 16 registers none is left for a broadcast before its turn where each
  // multiply wants one for its vector, too: one that is converted, or that is
  // the unsigned operand, which is not taken from memory.
  bool inMemory = vector.format.bits() == 8 * bytesOf(shape.compute) &&
                  !shape.roles.vectorUnsigned;
  Values groups, lanes;
  if (shape.spreadSteps > 1 && count % shape.spreadSteps == 0) {
    if (e.isa.vectorRegisters > 16 || inMemory)
      groups = spreadGroups(broadcast, count);
    else
      forEachLane(broadcast, count, [&](Value lane) { lanes.push_back(lane); });
  }
  // Constant offsets where there are; else from step to step.
  auto at = [&](Source &source, int t) {
    if (!source.stride.runtime)
      return e.offset(source.pointer, t * source.stride.bytes);
    if (t != 0)
      source.pointer = offset(source.pointer, source.stride);
    return source.pointer;
  };
  std::optional<ElementRun> broadcastRun, vectorRun;
  for (int t = 0; t < count; ++t) {
    Source b = broadcast, v = vector;
    b.pointer = at(broadcast, t);
    v.pointer = at(vector, t);
    if (!groups.empty())
      b.group = groups[t];
    if (!lanes.empty())
      b.group = spread(lanes[t / shape.spreadSteps], t % shape.spreadSteps);
    if (shape.byLanes) {
      enterRun(b, broadcastRun, t, count, int64_t{rows} * shape.rowPitch,
               16 / bytesOf(shape.compute), plan.broadcastLoads,
               /*early=*/false, idiom(plan.idiom).rows == 1);
      enterRun(v, vectorRun, t, count,
               int64_t{vectorOperandRows} * shape.rowPitch, shape.vectorWidth,
               plan.vectorLoads, plan.loadsEarly, false);
      decodeStepAhead(b, v, t, count);
    }
    if (correctionVectors && byRegisters)
      correctByRegisters(b, state.corrections);
    if (correctionVectors && correctionSteps == 1)
      correct(b, 1, state.corrections);
    if (shape.roundsPerStep)
      carries = roundedStep(b, v, carries);
    else
      step(b, v, t * shape.turns, state);
    if (t + 1 == count && b.continues)
      reached.broadcast = broadcastRun->pointerAt(count * b.stride.bytes);
    if (t + 1 == count && v.continues)
      reached.vector = vectorRun->pointerAt(count * v.stride.bytes);
  }
  if (shape.roundsPerStep)
    return carries;
  llvm::append_range(state.accumulators, state.corrections);
  return state.accumulators;
}

} // namespace tilewright
