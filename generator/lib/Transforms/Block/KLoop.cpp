// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop over the K steps of a register block.

#include "KLoop.h"
#include "ConvertedAhead.h"
#include "OperandStage.h"
#include "tilewright/Transforms/TileFunctions.h"
#include <optional>

using namespace mlir;

namespace tilewright {

static constexpr int64_t kCacheLine = 64, kFarAhead = 4;

Emitter::Values KLoop::run(Values carries) {
  if (shape.scaleBits != 0)
    return scaledLoop(carries);
  return loop(position.broadcast, position.vector, params.k, carries);
}

/// `count` K steps from the given pointers on.
Emitter::Values KLoop::loop(Value broadcast, Value vector, Value count,
                            Values carries) {
  if (plan.stagesAhead())
    return stagedAheadLoop(broadcast, vector, count, carries);
  if (plan.staging != Staging::None)
    return stagedLoop(broadcast, vector, count, carries);
  return stepLoop(
      {broadcastFormat, broadcast, position.broadcastStride, false, nullptr},
      {vectorFormat, vector, position.vectorStride, false, nullptr}, count,
      carries);
}

/// All K steps, some at a time, so that their scaled sums do not wrap; their
/// exact quotients are added up on the stack.
Emitter::Values KLoop::scaledLoop(Values carries) {
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
        inner = loop(in[0], in[1], steps, inner);
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

/// Takes the K steps [first, total) in runs of plan.stageSteps; the last
/// carries of `all`, but for so many `pointers`. The first run is by itself
/// where the others are read otherwise, `behind` it.
Emitter::Values KLoop::loopOverRuns(
    Value first, Value total, Values all, int pointers,
    llvm::function_ref<Values(Value k, Values in, bool behind)> run) {
  bool behind = shape.masksParts;
  if (behind) {
    all = run(first, all, false);
    first = e.add(first, e.i64(plan.stageSteps));
  }
  all = e.loop(first, total, plan.stageSteps, all,
               [&](Value k, Values in) { return run(k, in, behind); });
  return Values(all.begin() + pointers, all.end());
}

/// Loop over runs of at most plan.stageSteps K steps: stage them, do them.
Emitter::Values KLoop::stagedLoop(Value firstBroadcast, Value firstVector,
                                  Value total, Values carries) {
  const RegisterBlock &block = *this;
  std::optional<OperandStage> broadcastStage, vectorStage;
  if (shape.broadcast.staged)
    broadcastStage.emplace(
        block, shape.broadcast, broadcastFormat, rows, position.broadcastStride,
        plan.sums == SumsIn::Stage ? position.sums : nullptr);
  if (shape.vector.staged)
    vectorStage.emplace(block, shape.vector, vectorFormat, vectorOperandRows,
                        position.vectorStride, nullptr);
  Value most = e.i64(plan.stageSteps);
  StepStride broadcastRun = times(position.broadcastStride, plan.stageSteps);
  StepStride vectorRun = times(position.vectorStride, plan.stageSteps);
  Values all = {firstBroadcast, firstVector};
  llvm::append_range(all, carries);
  return loopOverRuns(
      e.i64(0), total, all, 2, [&](Value k, Values in, bool behind) {
        Value count = e.sub(total, k);
        count = arith::MinSIOp::create(e.b, e.loc, count, most);
        OperandSource broadcast =
            broadcastStage
                ? broadcastStage->fill(in[0], count, behind)
                : OperandSource{broadcastFormat, in[0],
                                position.broadcastStride, false, nullptr};
        OperandSource vector =
            vectorStage ? vectorStage->fill(in[1], count, false)
                        : OperandSource{vectorFormat, in[1],
                                        position.vectorStride, false, nullptr};
        vector.behind = behind;
        Values next = {offset(in[0], broadcastRun), offset(in[1], vectorRun)};
        llvm::append_range(next, stepLoop(broadcast, vector, count,
                                          Values(in.begin() + 2, in.end())));
        return next;
      });
}

/// The same with two stages in turn: the next run is staged before this one's
/// steps are multiplied.
Emitter::Values KLoop::stagedAheadLoop(Value firstBroadcast, Value firstVector,
                                       Value total, Values carries) {
  OperandStage stage(*this, shape.broadcast, broadcastFormat, rows,
                     position.broadcastStride, nullptr);
  Value most = e.i64(plan.stageSteps), none = e.i64(0);
  StepStride broadcastRun = times(position.broadcastStride, plan.stageSteps);
  StepStride vectorRun = times(position.vectorStride, plan.stageSteps);
  auto upToRun = [&](Value steps) {
    return arith::MinSIOp::create(e.b, e.loc, steps, most);
  };
  stage.fill(firstBroadcast, upToRun(total), false, stage.place(0));
  Values all = {offset(firstBroadcast, broadcastRun), firstVector,
                stage.place(0), stage.place(1)};
  llvm::append_range(all, carries);
  Value done = none;
  if (plan.stageAhead == StageAhead::Beside) {
    Value before = arith::MaxSIOp::create(e.b, e.loc, e.sub(total, most), none);
    done = e.sub(before, arith::RemUIOp::create(e.b, e.loc, before, most));
    all = besideLoop(stage, done, all);
  }
  return loopOverRuns(
      done, total, all, 4, [&](Value k, Values in, bool behind) {
        Value left = e.sub(total, k);
        Value rest =
            arith::MaxSIOp::create(e.b, e.loc, e.sub(left, most), none);
        stage.fill(in[0], upToRun(rest), shape.masksParts, in[3]);
        OperandSource vector{vectorFormat, in[1], position.vectorStride, false,
                             nullptr};
        vector.behind = behind;
        Values next = {offset(in[0], broadcastRun), offset(in[1], vectorRun),
                       in[3], in[2]};
        llvm::append_range(next,
                           stepLoop(stage.at(in[2]), vector, upToRun(left),
                                    Values(in.begin() + 4, in.end())));
        return next;
      });
}

/// `count` K steps of whole runs that whole ones follow: each iteration stages
/// as many steps of the next run as it multiplies. `all` as stagedAheadLoop has
/// it.
Emitter::Values KLoop::besideLoop(OperandStage &stage, Value count,
                                  Values all) {
  int64_t run = plan.stageSteps, each = plan.unroll;
  StepStride panelRun = times(position.broadcastStride, run),
             vectorRun = times(position.vectorStride, run);
  return e.loop(e.i64(0), count, run, all, [&](Value, Values in) {
    OperandSource broadcast = stage.at(in[2]);
    OperandSource vector{vectorFormat, in[1], position.vectorStride, false,
                         nullptr};
    Values inner = {in[0], in[3], broadcast.pointer, vector.pointer};
    inner.append(in.begin() + 4, in.end());
    inner = e.loop(e.i64(0), e.i64(run), each, inner, [&](Value, Values at) {
      stage.fillSteps(at[0], at[1], each);
      broadcast.pointer = at[2];
      vector.pointer = at[3];
      BlockSteps::Reached reached;
      Values results =
          blockSteps.steps(broadcast, vector, static_cast<int>(each),
                           Values(at.begin() + 4, at.end()), reached);
      Values next = {offset(at[0], times(position.broadcastStride, each)),
                     offset(at[1], times(broadcast.stride, each)),
                     offset(at[2], times(broadcast.stride, each)),
                     offset(at[3], times(position.vectorStride, each))};
      llvm::append_range(next, results);
      return next;
    });
    Values next = {offset(in[0], panelRun), offset(in[1], vectorRun), in[3],
                   in[2]};
    next.append(inner.begin() + 4, inner.end());
    return next;
  });
}

/// Asks for what the iteration at plan.ahead bytes behind `pointer` reads of
/// the panel of an operand, if that is a line at least: less would be asked for
/// several times. What `mayBeFar` is asked for kFarAhead times as far behind,
/// too, to come to L2, where the caller says that it is.
void KLoop::prefetch(const OperandShape &operand, Value pointer,
                     const StepStride &iteration, bool mayBeFar) {
  if (plan.ahead == 0 || operand.staged || iteration.bytes < kCacheLine)
    return;
  auto ask = [&](int64_t ahead, Emitter::Cache into) {
    for (int64_t at = 0; at < iteration.bytes; at += kCacheLine)
      e.prefetch(e.offset(pointer, ahead + at), into);
  };
  if (mayBeFar)
    e.ifThen(params.rhsFar,
             [&] { ask(kFarAhead * plan.ahead, Emitter::Cache::L2); });
  ask(plan.ahead, Emitter::Cache::L1);
}

/// What a loop over K steps carries: the pointers to the first of them, and to
/// where vectors are copied if they are, then `carries`.
static Emitter::Values withPointers(const OperandSource &broadcast,
                                    const OperandSource &vector,
                                    const Emitter::Values &carries) {
  Emitter::Values all = {broadcast.pointer, vector.pointer};
  if (vector.copy)
    all.push_back(vector.copy);
  llvm::append_range(all, carries);
  return all;
}

/// The carries of these.
static Emitter::Values withoutPointers(const OperandSource &vector,
                                       const Emitter::Values &all) {
  return Emitter::Values(llvm::drop_begin(all, vector.copy ? 3 : 2));
}

/// The K steps [begin, end), `unroll` at a time; `all` is withPointers.
Emitter::Values KLoop::runSteps(OperandSource broadcast, OperandSource vector,
                                Value begin, Value end, int unroll,
                                Values all) {
  StepStride broadcastRun = times(broadcast.stride, unroll);
  StepStride vectorRun = times(vector.stride, unroll);
  all = e.loop(begin, end, unroll, all, [&](Value, Values in) {
    broadcast.pointer = in[0];
    vector.pointer = in[1];
    if (vector.copy)
      vector.copy = in[2];
    BlockSteps::Reached reached;
    Values results = blockSteps.steps(broadcast, vector, unroll,
                                      withoutPointers(vector, in), reached);
    if (unroll == plan.unroll) {
      prefetch(shape.broadcast, in[0], broadcastRun, false);
      // Several vectors a step leave slots of loads.
      prefetch(shape.vector, in[1], vectorRun,
               plan.blockVectors > 1 && !plan.broadcastRhs);
    }
    // Behind all that reads there: else both have to be kept.
    Values next = {reached.broadcast ? reached.broadcast
                                     : offset(in[0], broadcastRun),
                   reached.vector ? reached.vector : offset(in[1], vectorRun)};
    if (vector.copy)
      next.push_back(e.offset(in[2], unroll * vector.copyStride));
    llvm::append_range(next, results);
    return next;
  });
  // One instruction less than counting up, either way.
  Operation *loop = all[0].getDefiningOp();
  if (plan.endsByPointer)
    loop->setAttr(kBytesPerIndex, e.b.getI64IntegerAttr(vector.stride.bytes));
  else if (e.machine.dispatchIsNarrow)
    loop->setAttr(kCountsDown, e.b.getUnitAttr());
  return all;
}

/// `count` K steps, some at a time where their sums are widened after these.
Emitter::Values KLoop::stepLoop(OperandSource broadcast, OperandSource vector,
                                Value count, Values carries) {
  if (shape.sum == shape.accumulator)
    return plainLoop(broadcast, vector, count, carries);
  bool isUnsigned = shape.unsignedWords;
  Value most = e.i64(shape.wordSteps);
  StepStride broadcastRun = times(broadcast.stride, shape.wordSteps);
  StepStride vectorRun = times(vector.stride, shape.wordSteps);
  Values all = {broadcast.pointer, vector.pointer};
  llvm::append_range(all, carries);
  all = e.loop(e.i64(0), count, shape.wordSteps, all, [&](Value k, Values in) {
    broadcast.pointer = in[0];
    vector.pointer = in[1];
    Value steps = arith::MinSIOp::create(e.b, e.loc, e.sub(count, k), most);
    Values words = addSets(
        plainLoop(broadcast, vector, steps,
                  Values(shape.accumulators(plan), e.zero(accumulatorType))),
        plan.sets);
    Values next = {offset(in[0], broadcastRun), offset(in[1], vectorRun)};
    for (auto [i, word] : llvm::enumerate(words))
      next.push_back(e.add(in[2 + i], isUnsigned
                                          ? e.zext(word, e.integer(32))
                                          : e.sext(word, e.integer(32))));
    return next;
  });
  return Values(all.begin() + 2, all.end());
}

/// `count` K steps, plan.unroll at a time, then a step a set where iterations
/// are longer, and the rest one by one.
Emitter::Values KLoop::plainLoop(OperandSource broadcast, OperandSource vector,
                                 Value count, Values carries) {
  if (shape.decodesIterations(plan)) {
    Value unroll = e.i64(plan.unroll);
    Value rest = arith::RemUIOp::create(e.b, e.loc, count, unroll);
    Value whole = e.sub(count, rest);
    Values all = ConvertedAhead(*this).loop(broadcast, vector, count, whole,
                                            unroll, carries);
    if (plan.unroll > 1)
      all = runSteps(broadcast, vector, whole, count, 1, all);
    return Values(all.begin() + 2, all.end());
  }
  Values all = withPointers(broadcast, vector, carries);
  Value begin = e.i64(0);
  if (plan.unroll > 1) {
    Value rest = arith::RemUIOp::create(e.b, e.loc, count, e.i64(plan.unroll));
    Value end = e.sub(count, rest);
    all = runSteps(broadcast, vector, begin, end, plan.unroll, all);
    begin = end;
  }
  if (shape.iteratesLong(plan, e.isa)) {
    int turn = static_cast<int>(llvm::divideCeil(plan.sets, shape.turns));
    Value rest =
        arith::RemUIOp::create(e.b, e.loc, e.sub(count, begin), e.i64(turn));
    Value end = e.sub(count, rest);
    all = runSteps(broadcast, vector, begin, end, turn, all);
    begin = end;
  }
  all = runSteps(broadcast, vector, begin, count, 1, all);
  return withoutPointers(vector, all);
}

} // namespace tilewright
