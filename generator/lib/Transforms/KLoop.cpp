// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop over K steps of a register block.

#include "BlockKernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

BlockKernel::BlockKernel(Emitter &e, const TileKey &key, const TilePlan &plan,
                         const TileShape &shape, const TileParams &params,
                         int rows, int vectorOperandRows)
    : e(e), key(key), plan(plan), shape(shape), params(params), rows(rows),
      vectorOperandRows(vectorOperandRows) {
  vectors =
      static_cast<int>(llvm::divideCeil(vectorOperandRows, shape.vectorRows));
  outVectors =
      static_cast<int>(llvm::divideCeil(vectorOperandRows, plan.lanes));
  correctionVectors = shape.roles.offset == 0
                          ? 0
                          : static_cast<int>(llvm::divideCeil(
                                rows * key.k0, plan.lanes * shape.group));
  overlap = plan.kLanes == 1 && shape.contiguous && !shape.vector.staged &&
            shape.vector.bits >= 8 && shape.vector.rows >= shape.vectorRows;
  broadcastFormat = {shape.broadcast.type, shape.compute};
  vectorFormat = {shape.vector.type, shape.compute, false, shape.roles.offset};
  accumulatorType =
      shape.accumulator == TW_ELEMENT_S32
          ? Emitter::vec(plan.lanes, e.integer(32))
          : Emitter::vec(plan.lanes, shape.accumulator == TW_ELEMENT_F64
                                         ? e.f64()
                                         : e.f32());
}

void BlockKernel::emit(Value broadcastPointer, Value vectorPointer,
                       Value outPointer) {
  if (shape.broadcast.staged)
    broadcastStage = makeStage(shape.broadcast, rows);
  if (shape.vector.staged)
    vectorStage = makeStage(shape.vector, vectorOperandRows);
  if (shape.roundsPerStep) {
    Values results =
        kLoop(broadcastPointer, vectorPointer, initialRows(outPointer));
    return storeRows(results, outPointer);
  }
  Values zeros(plan.sets * (rows * vectors + correctionVectors),
               e.zero(accumulatorType));
  Values sums = combineSets(kLoop(broadcastPointer, vectorPointer, zeros));
  Values results;
  for (int row = 0; row < rows; ++row)
    llvm::append_range(results, reduceLanes(llvm::ArrayRef<Value>(sums).slice(
                                                row * vectors, vectors),
                                            plan.kLanes));
  if (correctionVectors)
    subtractCorrections(
        results, llvm::ArrayRef<Value>(sums).take_back(correctionVectors));
  if (plan.broadcastRhs)
    return storeTransposed(results, outPointer);
  results = addPrevious(results, outPointer);
  storeRows(results, outPointer);
}

Emitter::Values BlockKernel::kLoop(Value broadcastPointer, Value vectorPointer,
                                   Values carries) {
  Values all = {broadcastPointer, vectorPointer};
  llvm::append_range(all, carries);
  auto run = [&](Value begin, Value end, int count) {
    all = e.loop(begin, end, count, all, [&](Value, Values in) {
      Values out = {e.offset(in[0], count * shape.broadcast.stepBytes),
                    e.offset(in[1], count * shape.vector.stepBytes)};
      llvm::append_range(
          out, steps(in[0], in[1], count, Values(in.begin() + 2, in.end())));
      return out;
    });
  };
  Value begin = e.i64(0);
  if (plan.unroll > 1) {
    Value rest =
        arith::RemUIOp::create(e.b, e.loc, params.k, e.i64(plan.unroll));
    Value end = e.sub(params.k, rest);
    run(begin, end, plan.unroll);
    begin = end;
  }
  run(begin, params.k, 1);
  return Values(all.begin() + 2, all.end());
}

Emitter::Values BlockKernel::steps(Value broadcastPointer, Value vectorPointer,
                                   int count, Values carries) {
  Source broadcast = {broadcastFormat, broadcastPointer, false};
  Source vector = {vectorFormat, vectorPointer, false};
  int64_t broadcastStride = shape.broadcast.stepBytes;
  int64_t vectorStride = shape.vector.stepBytes;
  auto useStage = [&](const OperandShape &operand, int blockRows,
                      Source &source, const Staged &staged, int64_t &stride) {
    if (!operand.staged)
      return;
    stage(operand, source.format, blockRows, source.pointer, staged, count);
    source.format.decoded = true;
    source.pointer = staged.buffer;
    source.padded = true;
    stride = staged.stepStride;
  };
  useStage(shape.broadcast, rows, broadcast, broadcastStage, broadcastStride);
  useStage(shape.vector, vectorOperandRows, vector, vectorStage, vectorStride);
  StepState state;
  int accumulators = plan.sets * rows * vectors;
  if (!shape.roundsPerStep) {
    state.accumulators.assign(carries.begin(), carries.begin() + accumulators);
    state.corrections.assign(carries.begin() + accumulators, carries.end());
  }
  for (int t = 0; t < count; ++t) {
    Source b = broadcast, v = vector;
    b.pointer = e.offset(b.pointer, t * broadcastStride);
    v.pointer = e.offset(v.pointer, t * vectorStride);
    if (shape.roundsPerStep)
      carries = roundedStep(b, v, carries);
    else
      step(b, v, t * shape.chunks, state);
  }
  if (shape.roundsPerStep)
    return carries;
  llvm::append_range(state.accumulators, state.corrections);
  return state.accumulators;
}

/// Variant `steprnd`: `sums` (rows x outVectors) are out elements' values.
Emitter::Values BlockKernel::roundedStep(Source broadcast, Source vector,
                                         Values sums) {
  StepState state;
  if (plan.kLanes == 1)
    state.accumulators = sums;
  else
    state.accumulators.assign(rows * vectors, e.zero(accumulatorType));
  step(broadcast, vector, 0, state);
  Values results;
  for (int row = 0; row < rows; ++row) {
    Values reduced = reduceLanes(
        llvm::ArrayRef<Value>(state.accumulators).slice(row * vectors, vectors),
        plan.kLanes);
    for (auto [i, value] : llvm::enumerate(reduced)) {
      if (plan.kLanes != 1)
        value = e.add(value, sums[row * outVectors + i]);
      results.push_back(decodeOut(e, info(key.types).out,
                                  encodeOut(e, info(key.types).out, value)));
    }
  }
  return results;
}

} // namespace tilewright
