// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the multiplies of one K step by broadcasts from memory read.

#include "BroadcastSteps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

Value BroadcastSteps::readBroadcast(const OperandSource &source, int row,
                                    int valid) {
  if (source.group)
    return source.group;
  const ElementFormat &format = source.format;
  int size = plan.kLanes * shape.group;
  Value at =
      e.offset(source.pointer, elementOffset(format, row * shape.rowPitch));
  VectorType full = rawVectorType(e, format, plan.lanes * shape.group);
  Value raw;
  if (plan.by == BroadcastBy::LoadAlone) {
    raw = emission.repeatFloats(e, full, at, 1);
  } else if (valid == size && size == 1 && format.bits() >= 8) {
    Value element = e.load(full.getElementType(), at, format.align());
    if (shape.decodesScalars())
      return e.splat(decode(e, format, element), full.getNumElements());
    raw = e.splat(element, full.getNumElements());
  } else {
    raw = loadRepeated(format, at, size, valid);
  }
  return decode(e, format, raw);
}

/// `size` elements, of which `valid` are there, over a whole vector.
Value BroadcastSteps::loadRepeated(const ElementFormat &format, Value at,
                                   int64_t size, int64_t valid) {
  VectorType full = rawVectorType(e, format, plan.lanes * shape.group);
  int64_t bytes = size * format.bits() / 8;
  if (valid != size || bytes > 8 || !llvm::isPowerOf2_64(bytes))
    return e.repeat(loadRaw(e, format, at, size, valid),
                    plan.lanes * shape.group / size);
  // One scalar of them all: a load that broadcasts.
  Value scalar = e.load(e.integer(8 * bytes), at, format.align());
  return e.bitcast(e.splat(scalar, Emitter::bytesOf(full) / bytes), full);
}

/// Row `row` and the next one by turns in lanes (TileShape::canPair).
Value BroadcastSteps::readPair(const OperandSource &source, int row) {
  const ElementFormat &format = source.format;
  int64_t elements = 2 * int64_t{shape.chunkSize};
  Value at =
      e.offset(source.pointer, elementOffset(format, row * shape.rowPitch));
  if (plan.by == BroadcastBy::PairLoads && shape.compute == ComputeType::F32)
    return emission.repeatFloats(
        e, rawVectorType(e, format, plan.lanes * shape.group), at, 2);
  return decode(e, format, loadRepeated(format, at, elements, elements));
}

/// Hands on `count` K steps, a multiple of shape.spreadSteps, by 16 bytes that
/// are repeated over a register: spread() makes broadcasts of them. As many
/// such 16 bytes as plan.broadcastLoads come by one load, and a load of 16 does
/// the repeating. Opaque values, or LLVM turns the shuffles back into loads
/// that broadcast.
void BroadcastSteps::forEachLane(const OperandSource &source, int count,
                                 llvm::function_ref<void(Value)> take) {
  int perLane = shape.spreadSteps, together = perLane * plan.broadcastLoads;
  Type group = e.integer(128 / perLane);
  int64_t times = int64_t{plan.lanes} * shape.accumulatorBytes / 16;
  auto asGroups = [&](Value elements) {
    return e.bitcast(
        elements,
        Emitter::vec(Emitter::bytesOf(elements.getType()) * perLane / 16,
                     group));
  };
  for (int t = 0; t < count; t += together) {
    Value at = e.offset(source.pointer, t * source.stride.bytes);
    int64_t n = int64_t{together} * shape.chunkSize;
    Value many = decode(e, source.format, loadRaw(e, source.format, at, n, n));
    if (together == perLane) {
      // Before its type changes, or LLVM sees no load that repeats.
      take(e.keepOrder(asGroups(e.repeat(many, times))));
      continue;
    }
    many = e.keepOrder(asGroups(many));
    for (int lane = 0; lane < together; lane += perLane)
      take(e.keepOrder(e.repeat(e.slice(many, lane, perLane), times)));
  }
}

/// The broadcast of K step `step` of those in `lane`, by a shuffle within its
/// 128-bit lanes.
Value BroadcastSteps::spread(Value lane, int step) {
  int perLane = shape.spreadSteps;
  llvm::SmallVector<int64_t> map(plan.lanes * shape.accumulatorBytes * perLane /
                                 16);
  for (int64_t i = 0; i < static_cast<int64_t>(map.size()); ++i)
    map[i] = i / perLane * perLane + step;
  return e.bitcast(
      e.shuffle(lane, lane, map),
      computeVectorType(e, shape.compute, plan.lanes * shape.group));
}

/// The broadcasts of `count` K steps.
Emitter::Values BroadcastSteps::spreadGroups(const OperandSource &source,
                                             int count) {
  Values broadcasts;
  forEachLane(source, count, [&](Value lane) {
    for (int step = 0; step < shape.spreadSteps; ++step)
      broadcasts.push_back(spread(lane, step));
  });
  // Shuffles between the multiplies would part the loads of a cache line.
  constexpr size_t kGroup = 8;
  if (vectors > 1 && e.isa.vectorRegisters > 16 &&
      broadcasts.size() % kGroup == 0)
    for (size_t i = 0; i < broadcasts.size(); i += kGroup)
      llvm::copy(e.keepOrder(Values(broadcasts.begin() + i,
                                    broadcasts.begin() + i + kGroup)),
                 broadcasts.begin() + i);
  return broadcasts;
}

Value BroadcastSteps::loadVector(const OperandSource &source, int index,
                                 int valid) {
  const ElementFormat &format = source.format;
  int first = index * shape.vectorRows;
  int present = std::min(shape.vectorRows, vectorOperandRows - first);
  if (overlap && present < shape.vectorRows) {
    first = vectorOperandRows - shape.vectorRows;
    present = shape.vectorRows;
  }
  // One row, or as many as fill the vector without gaps.
  int64_t n = plan.lanes * shape.laneSize;
  int64_t elements = shape.vectorRows == 1 ? valid : present * shape.rowPitch;
  if (source.slack && shape.vectorRows > 1)
    elements = n;
  Value at =
      e.offset(source.pointer, elementOffset(format, first * shape.rowPitch));
  return loadRaw(e, format, at, n, elements);
}

/// Vector `index` with its even lanes, or its odd ones, twice
/// (TileShape::canPairLoads).
Value BroadcastSteps::loadLanesTwice(const OperandSource &source, int index,
                                     bool odd) {
  int64_t first = int64_t{index} * shape.vectorRows * shape.rowPitch;
  return emission.repeatLanes(
      e, rawVectorType(e, source.format, plan.lanes * shape.laneSize),
      e.offset(source.pointer, elementOffset(source.format, first)), odd);
}

Value BroadcastSteps::readVector(const OperandSource &source, int index,
                                 int valid) {
  Value elements = decode(e, source.format, loadVector(source, index, valid));
  if (source.copy) {
    int64_t first = index * shape.vectorRows;
    if (overlap)
      first = std::min<int64_t>(first, vectorOperandRows - shape.vectorRows);
    int bytes = bytesOf(shape.compute);
    e.store(elements, e.offset(source.copy, first * shape.rowPitch * bytes),
            bytes);
  }
  return elements;
}

} // namespace tilewright
