// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StagedOperand.h"

using namespace mlir;

namespace tilewright {

StagedOperand::StagedOperand(KernelBuilder &k,
                             const PipelineShape::Operand &shape,
                             const KernelPlan &plan,
                             const WorkgroupPlace &place, Value params,
                             int field, int countField, Value firstTile,
                             Value waveRow, int wavesAlong)
    : k(k), shape(shape), plan(plan), place(place),
      threads(plan.waves() * plan.instruction->lanes()),
      lanes(plan.instruction->lanes()), waveRow(waveRow),
      wavesAlong(wavesAlong) {
  int bits = info(shape.type).bits;
  auto inBytes = [&](Value elements) {
    if (bits >= 8)
      return k.mul(elements, bits / 8);
    return k.binary<arith::DivSIOp>(k.mul(elements, bits), k.c64(8));
  };
  Value base = k.parameter(params, field, k.pointer(1));
  Value offset = k.parameter(params, field + field::kOffset, k.i64());
  Value stride = k.parameter(params, field + field::kStride0, k.i64());
  Value first = inBytes(k.add(offset, k.mul(firstTile, stride)));
  // The first iteration begins `skipped` K steps before the panel does, and
  // leaves those out.
  Value skipped = k.mul(k.widen(place.skipped), shape.stepBytes);
  source = k.buffer(k.advance(base, k.sub(first, skipped)));
  Value count = k.parameter(params, countField, k.i64());
  Value tilesLeft = k.narrow(k.sub(count, firstTile));
  Value strideBytes = k.narrow(inBytes(stride));
  for (int i = 0, e = shape.loads(threads); i != e; ++i)
    loads.push_back(planLoad(i, strideBytes, tilesLeft));
}

/// What unit of LDS the lane fills with its load `number`, and where in global
/// memory that comes from.
StagedOperand::Load StagedOperand::planLoad(int number, Value stride,
                                            Value tilesLeft) {
  Value unit = k.add(place.thread, int64_t(number) * threads);
  int unitsPerGranule = shape.granule / shape.unit;
  Value granule = k.div(unit, unitsPerGranule);
  // granule = ((row block * granuleSteps + j) * groups + group) * rows + row
  Value inBlock = k.rem(granule, shape.instructionRows);
  Value rest = k.div(granule, shape.instructionRows);
  int perBlock = shape.granuleSteps * shape.groups;
  Value ofRow = k.rem(rest, perBlock);
  Value block = k.div(rest, perBlock);
  Value row = k.add(k.mul(block, shape.instructionRows), inBlock);
  Value byte = k.mul(ofRow, shape.granule);
  if (unitsPerGranule > 1)
    byte = k.add(byte, k.mul(k.rem(unit, unitsPerGranule), shape.unit));
  Value step = k.div(byte, shape.rowBytes);
  Value tile = k.div(row, shape.tileRows);

  Value offset = k.mul(tile, stride);
  offset = k.add(offset, k.mul(step, shape.stepBytes));
  offset = k.add(offset, k.mul(k.rem(row, shape.tileRows), shape.rowBytes));
  offset = k.add(offset, k.rem(byte, shape.rowBytes));
  Value none = k.c32(kNoOffset);
  Load load;
  load.exists = k.less(tile, tilesLeft);
  load.inFirst = k.compare(arith::CmpIPredicate::sge, step, place.skipped);
  load.offset = k.select(load.exists, offset, none);
  load.firstOffset = k.select(load.inFirst, load.offset, none);
  return load;
}

/// `value` as it was loaded, or zero where there is nothing to load.
Value StagedOperand::padded(const Load &load, Value isFirst, Value value) {
  Value all = k.constant(k.b.getI1Type(), 1);
  Value valid = k.both(load.exists, k.select(isFirst, load.inFirst, all));
  Value zero =
      arith::ConstantOp::create(k.b, k.loc, k.b.getZeroAttr(value.getType()));
  return k.select(valid, value, zero);
}

void StagedOperand::setLds(Value ldsBase, int64_t beginBytes,
                           int64_t bytesOfBuffer) {
  lds = ldsBase;
  begin = beginBytes;
  bufferBytes = bytesOfBuffer;
}

Value StagedOperand::slotBase(Value slot) {
  return plan.buffers == 1 ? lds : k.advance(lds, k.mul(slot, bufferBytes));
}

void StagedOperand::read(Value iv, Value slot) {
  OpBuilder &b = k.b;
  Value isFirst = k.compare(arith::CmpIPredicate::eq, iv, k.like(iv, 0));
  // K steps of the iterations so far: the same for all lanes.
  Value number = k.fromIndex(k.i32(), iv);
  Value uniform = k.mul(number, shape.stepBytes * plan.kSteps);
  held.clear();
  Value destination;
  if (plan.direct) {
    // Lanes write side by side from here on.
    Value ofWave = k.mul(place.wave, int64_t(lanes) * shape.unit);
    destination = k.advance(slotBase(slot), ofWave);
  }
  for (auto [i, load] : llvm::enumerate(loads)) {
    Value offset = k.select(isFirst, load.firstOffset, load.offset);
    if (!plan.direct) {
      Value value =
          k.bufferLoad(k.words(shape.unit / 4), source, offset, uniform);
      markStage(value.getDefiningOp(), tw::Stage::Read);
      held.push_back(value);
      continue;
    }
    Value to =
        k.advance(destination, begin + int64_t(i) * threads * shape.unit);
    auto op = ROCDL::RawPtrBufferLoadLdsOp::create(
        b, k.loc, source, to, k.c32(shape.unit), offset, uniform, k.c32(0),
        k.c32(0), k.directReads(), ArrayAttr(), ArrayAttr());
    markStage(op, tw::Stage::Read);
  }
}

void StagedOperand::write(Value iv, Value slot) {
  Value isFirst = k.compare(arith::CmpIPredicate::eq, iv, k.like(iv, 0));
  Value to = k.advance(slotBase(slot), k.mul(place.thread, shape.unit));
  for (auto [i, value] : llvm::enumerate(held)) {
    Value written =
        plan.padsByArithmetic ? padded(loads[i], isFirst, value) : value;
    auto op = LLVM::StoreOp::create(
        k.b, k.loc, written,
        k.advance(to, begin + int64_t(i) * threads * shape.unit), shape.unit);
    markStage(op, tw::Stage::Write);
  }
}

void StagedOperand::beginCompute(Value slot) {
  // Where all lanes hold the same k, both halves of a wave read one row each.
  Value lane =
      shape.groups == 1 ? k.rem(place.lane, shape.instructionRows) : place.lane;
  int64_t waveBytes = shape.bytes() / wavesAlong;
  fragments = k.advance(slotBase(slot), k.add(k.mul(waveRow, waveBytes),
                                              k.mul(lane, shape.granule)));
}

Value StagedOperand::loadGranule(int block, int step) {
  int64_t lanesBytes =
      int64_t(shape.groups) * shape.instructionRows * shape.granule;
  Value from = k.advance(fragments,
                         begin + (int64_t(block) * shape.granuleSteps + step) *
                                     lanesBytes);
  Value value = k.load(k.words(shape.granule / 4), from, shape.granule);
  // Reads into LDS that are on their way are into other buffers: without this
  // LLVM waits for them.
  if (plan.direct)
    value.getDefiningOp<LLVM::LoadOp>().setNoaliasScopesAttr(k.directReads());
  markStage(value.getDefiningOp(), tw::Stage::Compute);
  return value;
}

std::pair<int, int> StagedOperand::granuleSteps(int multiply) const {
  if (shape.fragment <= shape.granule) {
    int step = multiply / (shape.granule / shape.fragment);
    return {step, step + 1};
  }
  int each = shape.fragment / shape.granule;
  return {multiply * each, (multiply + 1) * each};
}

Value StagedOperand::fragment(ArrayRef<Value> granules, int multiply) {
  auto [first, last] = granuleSteps(multiply);
  if (last - first > 1)
    return k.concatWords(granules.slice(first, last - first));
  int words = shape.fragment / 4;
  int part = multiply % (shape.granule / shape.fragment);
  return k.extractWords(granules[first], part * words, words);
}

} // namespace tilewright
