// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How an operand is staged.

#include "OperandStage.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace tilewright {

/// Vectors of a run beyond which it becomes a loop, for elements that an
/// instruction or two decode; for others every run is one.
constexpr int kUnrolledVectors = 4;

/// Elements that are decoded at a time: a vector, or what has to be put in
/// order together.
static int64_t runWidth(const Emitter &e, const TileShape &shape) {
  int64_t vector = e.isa.vectorBits / 8 / bytesOf(shape.compute);
  return shape.nibbles ? std::max<int64_t>(vector, shape.chunkSize) : vector;
}

/// Decoded elements of the broadcast operand, in whole chunks, in the order in
/// which decodeEachNth takes those of the vector operand: of each chunk those
/// of part 0 of all lanes, then those of part 1, and so on. First by lane,
/// which is a shuffle within 16 bytes, then 32 bits at a time.
static Value byParts(Emitter &e, const TileShape &shape, Value elements) {
  int64_t count = Emitter::lanesOf(elements);
  llvm::SmallVector<int64_t> inLane;
  for (int64_t lane = 0; lane < count; lane += shape.laneSize)
    for (int part = 0; part < shape.parts; ++part)
      for (int i = part; i < shape.laneSize; i += shape.parts)
        inLane.push_back(lane + i);
  elements = e.shuffle(elements, elements, inLane);
  int64_t lanes = shape.chunkSize / shape.laneSize;
  if (lanes == 1)
    return elements;
  VectorType groupsType = Emitter::vec(count / shape.group, e.integer(32));
  Value groups = e.bitcast(elements, groupsType);
  llvm::SmallVector<int64_t> order;
  for (int64_t chunk = 0; chunk < groupsType.getNumElements();
       chunk += lanes * shape.parts)
    for (int part = 0; part < shape.parts; ++part)
      for (int64_t lane = 0; lane < lanes; ++lane)
        order.push_back(chunk + lane * shape.parts + part);
  return e.bitcast(e.shuffle(groups, groups, order), elements.getType());
}

/// Bytes of `elements` (i64) elements.
static Value byteCount(Emitter &e, int bits, Value elements) {
  Value all = e.mul(elements, e.i64(bits));
  return e.shr(all, 3);
}

OperandStage::OperandStage(const RegisterBlock &block,
                           const OperandShape &operand,
                           const ElementFormat &format, int blockRows,
                           const StepStride &stride, Value sums)
    : RegisterBlock(block), format(format), blockRows(blockRows),
      stride(stride), sums(sums) {
  int64_t width = runWidth(e, shape), bytes = bytesOf(shape.compute);
  decodes = !format.isIdentity() || !shape.padded;
  wholeOperand = blockRows == operand.rows && !operand.scalable;
  int64_t elements = int64_t{blockRows} * key.k0;
  // Steps follow one another as in the panel where the block is the operand.
  decodedStride =
      (wholeOperand ? elements : llvm::alignTo(elements, width)) * bytes;
  // Room for whole vectors read and written behind the end.
  int64_t slack =
      (int64_t{shape.vectorRows} * shape.rowPitch + 2 * width) * bytes;
  if (operand.inParts)
    partStride =
        llvm::alignTo(plan.stageSteps * decodedStride + slack, width * bytes);
  stageBytes = operand.inParts ? idiom(plan.idiom).parts * partStride
                               : plan.stageSteps * decodedStride + slack;
  if (plan.stagesAhead())
    stageBytes = llvm::alignTo(stageBytes, width * bytes);
  if (decodes)
    decoded = stackBuffer(plan.stagesAhead() ? 2 * stageBytes : stageBytes);
  bufferStride = decodedStride;
  buffer = decoded;
  if (shape.padded) {
    bufferStride = int64_t{blockRows} * shape.rowPitch * bytes;
    buffer = stackBuffer(plan.stageSteps * bufferStride + slack);
  }
}

OperandSource OperandStage::at(Value place) const {
  ElementFormat staged = format;
  staged.decoded = true;
  OperandSource result{staged, place, {bufferStride, nullptr}, true, nullptr};
  result.partStride = partStride;
  return result;
}

OperandSource OperandStage::fill(Value source, Value steps, bool behind,
                                 Value place) {
  int64_t elements = int64_t{blockRows} * key.k0;
  if (decodes) {
    Values all = {source, place};
    int64_t sumBytes = Emitter::bytesOf(accumulatorType);
    bool carriesSums = sums && unrolls(shape.correctionSteps * elements);
    if (carriesSums)
      for (int i = 0; i < shape.correctionVectors; ++i)
        all.push_back(e.load(accumulatorType, e.offset(sums, i * sumBytes), 4));
    // So many steps at a time as fill vectors which one does not fill; first as
    // many as stand one by one.
    int64_t width = runWidth(e, shape), filled = 1, together = 1;
    if ((wholeOperand || elements % width == 0) &&
        isCheaplyDecoded(format.type) && shape.regular)
      filled =
          std::min<int64_t>(width / std::gcd(width, elements), plan.stageSteps);
    if (sums) {
      together = shape.correctionSteps;
      filled = plan.stageRuns ? std::min(filled, together) : 1;
    } else {
      together = filled;
      while (plan.stageRuns && 2 * together <= plan.stageSteps &&
             unrolls(2 * together * elements))
        together *= 2;
    }
    auto stage = [&](int64_t count, Values in) {
      Values carried(in.begin() + 2, in.end());
      // Those of a part of the rows do not follow one another.
      int64_t each = wholeOperand ? count : 1;
      decodeRun(in[0], in[1], each * elements, behind, carried);
      for (int64_t i = each; i < count; ++i)
        decodeRun(offset(in[0], times(stride, i)),
                  e.offset(in[1], i * decodedStride), elements, behind,
                  carried);
      Values next = {offset(in[0], times(stride, count)),
                     e.offset(in[1], count * decodedStride)};
      llvm::append_range(next, carried);
      return next;
    };
    all = loopTogether(steps, {together, filled}, all, stage);
    if (carriesSums)
      for (int i = 0; i < shape.correctionVectors; ++i)
        e.store(all[2 + i], e.offset(sums, i * sumBytes), 4);
  }
  if (!shape.padded)
    return at(place);
  Value from = decodes ? decoded : source;
  StepStride fromStride = decodes ? StepStride{decodedStride, nullptr} : stride;
  e.loop(e.i64(0), steps, 1, {from, buffer}, [&](Value, Values at) -> Values {
    padRows(at[0], at[1]);
    return {offset(at[0], fromStride), e.offset(at[1], bufferStride)};
  });
  return at(buffer);
}

void OperandStage::fillSteps(Value source, Value place, int64_t steps) {
  // Those of a part of the rows do not follow one another.
  int64_t each = wholeOperand ? steps : 1;
  Values none;
  for (int64_t i = 0; i < steps; i += each)
    decodeRun(offset(source, times(stride, i)),
              e.offset(place, i * decodedStride), each * blockRows * key.k0,
              false, none);
}

/// Whether the vectors of a run of `elements` stand one by one.
bool OperandStage::unrolls(int64_t elements) const {
  return elements / runWidth(e, shape) <=
         (isCheaplyDecoded(format.type) ? kUnrolledVectors : 1);
}

/// `elements` from `source` on, to `buffer`, a place in the stage; and to the
/// sums, which are `carried` unless they are in memory alone. Parts as
/// TileShape::masksParts has them if they lie `behind` others.
void OperandStage::decodeRun(Value source, Value buffer, int64_t elements,
                             bool behind, Values &carried) {
  int64_t width = runWidth(e, shape);
  int64_t from = width * format.bits() / 8;
  int64_t to = width * bytesOf(shape.compute);
  int64_t sumsEach = width / (plan.lanes * shape.group);
  int64_t sumBytes = sumsEach * Emitter::bytesOf(accumulatorType);
  auto convert = [&](Value at, Value into, int64_t valid,
                     llvm::MutableArrayRef<Value> carriedSums, Value sumsAt) {
    Value raw = loadRaw(e, format, at, width, valid);
    if (partStride == 0) {
      Value elements = decode(e, format, raw);
      if (sums)
        addElements(elements, valid, carriedSums, sumsAt);
      if (shape.nibbles)
        elements = byParts(e, shape, elements);
      return e.store(elements, into, bytesOf(shape.compute));
    }
    for (int part = 0; part < idiom(plan.idiom).parts; ++part) {
      Value pairs = raw;
      int as = part;
      if (part == 0 && behind) {
        Value before = e.offset(at, -elementOffset(format, 1));
        pairs = loadRaw(e, format, before, width, valid);
        as = 1;
      }
      e.store(decodePairs(e, pairs, as), e.offset(into, part * partStride), 4);
    }
  };
  auto convertAt = [&](int64_t i, int64_t valid) {
    llvm::MutableArrayRef<Value> carriedSums(carried);
    convert(e.offset(source, i * from), e.offset(buffer, i * to), valid,
            carried.empty() ? carriedSums
                            : carriedSums.drop_front(i * sumsEach),
            sums ? e.offset(sums, i * sumBytes) : nullptr);
  };
  int64_t whole = elements / width, rest = elements % width;
  if (!isCheaplyDecoded(format.type) && whole > 0 && rest > 0 && !sums &&
      elements * format.bits() % 8 == 0) {
    // One body for all: the last vector starts early, so as to end with the
    // run.
    e.loop(e.i64(0), e.i64(elements), width, {}, [&](Value i, Values) {
      Value first =
          arith::MinSIOp::create(e.b, e.loc, i, e.i64(elements - width));
      convert(e.offset(source, byteCount(e, format.bits(), first)),
              e.offset(buffer, byteCount(e, 8 * bytesOf(shape.compute), first)),
              width, {}, nullptr);
      return Values();
    });
    return;
  }
  if (unrolls(elements)) {
    for (int64_t i = 0; i < whole; ++i)
      convertAt(i, width);
  } else {
    Values at = {source, buffer};
    if (sums)
      at.push_back(sums);
    e.loop(e.i64(0), e.i64(whole), 1, at, [&](Value, Values at) -> Values {
      convert(at[0], at[1], width, {}, sums ? at[2] : nullptr);
      Values next = {e.offset(at[0], from), e.offset(at[1], to)};
      if (sums)
        next.push_back(e.offset(at[2], sumBytes));
      return next;
    });
  }
  if (rest)
    convertAt(whole, rest);
}

/// Adds `elements`, `valid` of which there are, to the sums from `carried` on,
/// or else from `at` on.
void OperandStage::addElements(Value elements, int64_t valid,
                               llvm::MutableArrayRef<Value> carried, Value at) {
  int64_t width = plan.lanes * shape.group;
  int64_t bytes = Emitter::bytesOf(accumulatorType);
  for (int64_t i = 0; i * width < valid; ++i) {
    Value part = e.slice(elements, i * width, width);
    if (!carried.empty()) {
      addToSums(part, carried[i]);
      continue;
    }
    Value sum = e.load(accumulatorType, e.offset(at, i * bytes), 4);
    addToSums(part, sum);
    e.store(sum, e.offset(at, i * bytes), 4);
  }
}

/// Copies rows of K0 decoded elements to rows of rowPitch, zeros behind.
void OperandStage::padRows(Value source, Value buffer) {
  int64_t bytes = bytesOf(shape.compute);
  int64_t width = std::min<int64_t>(shape.rowPitch, runWidth(e, shape));
  VectorType type = computeVectorType(e, shape.compute, width);
  e.loop(e.i64(0), e.i64(blockRows), 1, {source, buffer},
         [&](Value, Values at) -> Values {
           for (int64_t k = 0; k < shape.rowPitch; k += width) {
             int64_t valid = std::clamp<int64_t>(key.k0 - k, 0, width);
             Value part = e.loadPart(type, e.offset(at[0], k * bytes), valid,
                                     static_cast<int>(bytes));
             e.store(part, e.offset(at[1], k * bytes), static_cast<int>(bytes));
           }
           return {e.offset(at[0], key.k0 * bytes),
                   e.offset(at[1], shape.rowPitch * bytes)};
         });
}

} // namespace tilewright
