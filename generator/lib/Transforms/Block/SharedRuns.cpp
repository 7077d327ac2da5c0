// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Register blocks that take runs of K steps in turn.

#include "SharedRuns.h"
#include "BlockResults.h"
#include "KLoop.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

/// Each value of a block's sums begins at a multiple of it.
static constexpr int64_t kPlaceBytes = 16;

SharedRuns::SharedRuns(const RegisterBlock &tile) : RegisterBlock(tile) {
  if (shape.broadcast.staged)
    broadcastStage.emplace(tile, shape.broadcast, broadcastFormat,
                           shape.broadcast.rows, position.broadcastStride,
                           nullptr);
  if (shape.vector.staged)
    vectorStage.emplace(tile, shape.vector, vectorFormat, shape.vector.rows,
                        position.vectorStride, nullptr);
  if (!shape.passesVectors(plan))
    return;
  // Whole vectors, the last one of which may be written behind the end.
  int64_t bytes = bytesOf(shape.compute);
  int64_t vector = plan.lanes * shape.group * bytes;
  passedStride =
      llvm::alignTo(shape.vector.rows * shape.rowPitch * bytes, vector);
  passed = stackBuffer(plan.stageSteps * passedStride + vector);
}

void SharedRuns::begin(const RunBlock &block) {
  Values initial = BlockResults(block.block).initial();
  if (!sums) {
    for (Value value : initial) {
      types.push_back(value.getType());
      blockBytes +=
          llvm::alignTo(Emitter::bytesOf(value.getType()), kPlaceBytes);
    }
    sums = stackBuffer(blockBytes * shape.broadcastBlocks.count *
                       shape.vectorBlocks.count);
  }
  save(block, initial);
}

void SharedRuns::forEach(llvm::function_ref<void()> blocks) {
  Value most = e.i64(plan.stageSteps);
  StepStride broadcastBytes = times(position.broadcastStride, plan.stageSteps);
  StepStride vectorBytes = times(position.vectorStride, plan.stageSteps);
  e.loop(e.i64(0), params.k, plan.stageSteps,
         {position.broadcast, position.vector}, [&](Value k, Values in) {
           count = arith::MinSIOp::create(e.b, e.loc, e.sub(params.k, k), most);
           broadcastRun =
               broadcastStage
                   ? broadcastStage->fill(in[0], count, false)
                   : OperandSource{broadcastFormat, in[0],
                                   position.broadcastStride, false, nullptr};
           vectorRun = vectorStage ? vectorStage->fill(in[1], count, false)
                                   : OperandSource{vectorFormat, in[1],
                                                   position.vectorStride, false,
                                                   nullptr};
           blocks();
           return Values{offset(in[0], broadcastBytes),
                         offset(in[1], vectorBytes)};
         });
}

void SharedRuns::run(const RunBlock &block) {
  OperandSource broadcast =
      rowsFrom(broadcastRun, shape.broadcast, block.broadcast);
  OperandSource vector = rowsFrom(vectorRun, shape.vector, block.vector);
  if (passed) {
    ElementFormat decoded = vectorFormat;
    decoded.decoded = true;
    OperandSource stored =
        rowsFrom({decoded, passed, {passedStride, nullptr}, true, nullptr},
                 shape.vector, block.vector);
    if (block.isFirst) {
      vector.copy = stored.pointer;
      vector.copyStride = passedStride;
    } else {
      vector = stored;
    }
  }
  std::unique_ptr<BlockSteps> steps = BlockSteps::of(block.block);
  save(block, KLoop(block.block, *steps)
                  .stepLoop(broadcast, vector, count, load(block)));
}

void SharedRuns::end(const RunBlock &block) {
  BlockResults(block.block).store(load(block));
}

/// `operand` from row `row` on.
OperandSource SharedRuns::rowsFrom(OperandSource operand,
                                   const OperandShape &operandShape,
                                   Value row) const {
  int64_t bits = operand.format.decoded
                     ? shape.rowPitch * 8 * bytesOf(shape.compute)
                     : int64_t{key.k0} * operandShape.bits;
  operand.pointer = e.offset(operand.pointer,
                             bits % 8 == 0 ? e.mul(row, e.i64(bits / 8))
                                           : e.shr(e.mul(row, e.i64(bits)), 3));
  return operand;
}

/// Where the sums of `block` are.
Value SharedRuns::placeOf(const RunBlock &block) {
  auto index = [&](Value row, const Blocking &blocks) {
    return blocks.count == 1
               ? row
               : arith::DivUIOp::create(e.b, e.loc, row, e.i64(blocks.size));
  };
  Value row = e.mul(index(block.ownBroadcast, shape.broadcastBlocks),
                    e.i64(blockBytes * shape.vectorBlocks.count));
  Value column =
      e.mul(index(block.ownVector, shape.vectorBlocks), e.i64(blockBytes));
  return e.offset(e.offset(sums, row), column);
}

Emitter::Values SharedRuns::load(const RunBlock &block) {
  Value place = placeOf(block);
  Values carries;
  int64_t at = 0;
  for (Type type : types) {
    carries.push_back(e.load(type, e.offset(place, at), kPlaceBytes));
    at += llvm::alignTo(Emitter::bytesOf(type), kPlaceBytes);
  }
  return carries;
}

void SharedRuns::save(const RunBlock &block, const Values &carries) {
  Value place = placeOf(block);
  int64_t at = 0;
  for (Value value : carries) {
    e.store(value, e.offset(place, at), kPlaceBytes);
    at += llvm::alignTo(Emitter::bytesOf(value.getType()), kPlaceBytes);
  }
}

} // namespace tilewright
