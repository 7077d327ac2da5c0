// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The multiplies of one K step by broadcasts from memory.

#include "BroadcastSteps.h"

using namespace mlir;

namespace tilewright {

/// Multiply-accumulates of a K step beyond which its chunks become a loop.
constexpr int kUnrolledMultiplies = 32;

void BroadcastSteps::begin(const OperandSource &broadcast,
                           const OperandSource &vector, int count,
                           State &state) {
  BlockSteps::begin(broadcast, vector, count, state);
  groups.clear();
  lanes.clear();
  startDecoding(broadcast, vector, count);
  if (shape.spreadSteps == 1 ||
      count % (shape.spreadSteps * plan.broadcastLoads) != 0)
    return;
  // Of 16 registers none is left for a broadcast before its turn.
  if (e.isa.vectorRegisters > 16)
    groups = spreadGroups(broadcast, count);
  else
    forEachLane(broadcast, count, [&](Value lane) { lanes.push_back(lane); });
}

/// Reads what the first multiply needs, and the vectors that are ahead of it.
void BroadcastSteps::startDecoding(const OperandSource &broadcast,
                                   const OperandSource &vector, int count) {
  broadcasts.clear();
  sources.clear();
  decoded.clear();
  nextVector = 0;
  if (plan.decodeAhead != 1 || broadcast.stride.runtime ||
      vector.stride.runtime)
    return;
  for (int t = 0; t < count; ++t) {
    broadcasts.push_back(broadcast);
    broadcasts[t].pointer =
        e.offset(broadcast.pointer, t * broadcast.stride.bytes);
    sources.push_back(vector);
    sources[t].pointer = e.offset(vector.pointer, t * vector.stride.bytes);
  }
  for (int i = 0; i < TileShape::kVectorsAhead; ++i)
    decodeNext();
  nextBroadcast = readBroadcast(broadcasts[0], 0, shape.chunkSize);
}

void BroadcastSteps::decodeNext() {
  int i = static_cast<int>(decoded.size());
  if (i < static_cast<int>(sources.size()) * vectors)
    decoded.push_back(e.keepOrder(
        readVector(sources[i / vectors], i % vectors, shape.chunkSize)));
}

/// Between a product and its sum the next vector is decoded, and behind the
/// step's last product the next step's broadcast read: Zen 4 chooses pipes in
/// this order.
void BroadcastSteps::multiplyDecoded(
    llvm::MutableArrayRef<Value> accumulators) {
  size_t t = nextVector / vectors + 1;
  Value group = nextBroadcast;
  for (int v = 0; v < vectors; ++v, ++nextVector) {
    Value product = e.keepOrder(emission.multiply(e, plan.idiom, shape.roles,
                                                  decoded[nextVector], group, 0,
                                                  accumulatorType));
    if (v + 1 == vectors && t < broadcasts.size())
      nextBroadcast = readBroadcast(broadcasts[t], 0, shape.chunkSize);
    decodeNext();
    accumulators[v] = e.keepOrder(emission.addProducts(
        e, plan.idiom, shape.roles, accumulators[v], product));
  }
}

void BroadcastSteps::enter(OperandSource &broadcast, OperandSource &, int t,
                           int) {
  if (!groups.empty())
    broadcast.group = groups[t];
  if (!lanes.empty())
    broadcast.group =
        spread(lanes[t / shape.spreadSteps], t % shape.spreadSteps);
}

/// Lanes 1, 0, 3, 2 and so on.
static Value swapPairs(Emitter &e, Value vector, int lanes) {
  Type type = vector.getType();
  Type lane = e.integer(8 * Emitter::bytesOf(type) / lanes);
  bool whole = Emitter::lanesOf(vector) == lanes;
  Value groups = whole ? vector : e.bitcast(vector, Emitter::vec(lanes, lane));
  llvm::SmallVector<int64_t> swapped;
  for (int i = 0; i < lanes; ++i)
    swapped.push_back(i ^ 1);
  groups = e.shuffle(groups, groups, swapped);
  return whole ? groups : e.bitcast(groups, type);
}

/// What the multiplies of a block take, row after row: vectors, and what they
/// have in common. Behind `vectors` may be those of second rows.
class BroadcastSteps::Factors {
public:
  Factors(BroadcastSteps &steps, const OperandSource &broadcast,
          llvm::ArrayRef<Value> vectors, int valid)
      : steps(steps), broadcast(broadcast), vectors(vectors), valid(valid) {
    if (steps.plan.by == BroadcastBy::Pair)
      for (Value vector : vectors)
        seconds.push_back(swapPairs(steps.e, vector, steps.plan.lanes));
    if (steps.plan.by == BroadcastBy::PairLoads)
      seconds = Values(vectors.drop_front(steps.vectors));
  }
  void enter(int row) {
    bool pairs = steps.shape.pairsRow(steps.plan, row);
    second = pairs && row % 2 != 0;
    if (!second)
      group = pairs ? steps.readPair(broadcast, row)
                    : steps.readBroadcast(broadcast, row, valid);
  }
  Value common() const { return group; }
  Value vector(int v) const { return second ? seconds[v] : vectors[v]; }

private:
  BroadcastSteps &steps;
  const OperandSource &broadcast;
  llvm::ArrayRef<Value> vectors;
  int valid;
  Values seconds;
  Value group;
  bool second = false;
};

void BroadcastSteps::chunk(const OperandSource &broadcast,
                           const OperandSource &vector, int valid, int set,
                           Values &accumulators) {
  if (shape.nibbles)
    return multiplyNibbles(broadcast, vector, set, accumulators);
  llvm::MutableArrayRef<Value> block =
      llvm::MutableArrayRef<Value>(accumulators)
          .slice(set * rows * vectors, rows * vectors);
  if (idiom(plan.idiom).parts > 1)
    return multiplyParts(broadcast, vector, valid, block);
  if (!decoded.empty())
    return multiplyDecoded(block);
  Values operands;
  if (plan.by == BroadcastBy::PairLoads)
    for (bool odd : {false, true})
      for (int v = 0; v < vectors; ++v)
        operands.push_back(loadLanesTwice(vector, v, odd));
  else
    for (int v = 0; v < vectors; ++v)
      operands.push_back(readVector(vector, v, valid));
  multiplyRows(broadcast, vector, operands, valid, block);
  if (shape.stepsInOrder(plan, e.isa))
    llvm::copy(e.keepOrder(Values(block)), block.begin());
}

/// Part `part` of each vector of `vector`. They are `loaded` once, or again for
/// each part where no register is left for them.
Emitter::Values BroadcastSteps::makePart(OperandSource &vector, int part,
                                         int valid, Values &loaded) {
  if (part > 0 && shape.loadsEachPart) {
    loaded.clear();
    vector.pointer = e.opaquePointer(vector.pointer);
  }
  Values made;
  if (part == 0 && vector.behind) {
    OperandSource before = vector;
    before.pointer = e.offset(vector.pointer, -elementOffset(vector.format, 1));
    for (int v = 0; v < vectors; ++v)
      made.push_back(decodePairs(e, readVector(before, v, valid), 1));
    return made;
  }
  for (int v = 0; v < vectors; ++v) {
    if (v == static_cast<int>(loaded.size()))
      loaded.push_back(shape.nibbles ? loadVector(vector, v, valid)
                                     : readVector(vector, v, valid));
    made.push_back(shape.nibbles
                       ? decodeEachNth(e, vector.format, loaded[v], part)
                       : decodePairs(e, loaded[v], part));
  }
  return made;
}

/// Hands on the parts of the vectors of `vector` one after the other, each made
/// in its turn or all before the first.
void BroadcastSteps::forEachPart(
    OperandSource vector, int valid,
    llvm::function_ref<void(int, llvm::ArrayRef<Value>)> take) {
  Values loaded;
  std::vector<Values> parts(shape.parts);
  if (shape.makesPartsFirst(plan))
    for (int i = 0; i < shape.parts; ++i) {
      // First what is shifted, into another register; what is masked alone
      // takes that of what was loaded.
      int part = shape.nibbles ? shape.parts - 1 - i : i;
      parts[part] = e.keepOrder(makePart(vector, part, valid, loaded));
    }
  for (int part = 0; part < shape.parts; ++part) {
    if (parts[part].empty())
      parts[part] = makePart(vector, part, valid, loaded);
    take(part, parts[part]);
    if (shape.partsInOrder(plan) && part + 1 < shape.parts)
      loaded = e.keepOrder(loaded);
  }
}

/// The 4-bit elements of a vector part by part, each for the next set: the
/// broadcast operand lies in the same order.
void BroadcastSteps::multiplyNibbles(const OperandSource &broadcast,
                                     const OperandSource &vector, int set,
                                     Values &accumulators) {
  OperandSource source = broadcast;
  int size = plan.kLanes * shape.group;
  auto multiply = [&](int part, llvm::ArrayRef<Value> operands) {
    source.pointer =
        e.offset(broadcast.pointer, elementOffset(source.format, part * size));
    llvm::MutableArrayRef<Value> block =
        llvm::MutableArrayRef<Value>(accumulators)
            .slice((set + part) % plan.sets * rows * vectors, rows * vectors);
    multiplyRows(source, vector, operands, size, block);
    if (shape.partsInOrder(plan))
      llvm::copy(e.keepOrder(Values(block)), block.begin());
  };
  forEachPart(vector, shape.chunkSize, multiply);
}

/// `operands`, the vectors of `vector`, times each row's broadcast.
void BroadcastSteps::multiplyRows(const OperandSource &broadcast,
                                  const OperandSource &vector,
                                  llvm::ArrayRef<Value> operands, int valid,
                                  llvm::MutableArrayRef<Value> accumulators) {
  if (idiom(plan.idiom).addsApart)
    return multiplyThenAdd(broadcast, operands, valid, accumulators);
  // A broadcast that is a shuffle's comes from a register.
  bool vectorLast = idiom(plan.idiom).foldsLast && shape.spreadSteps > 1;
  Factors factors(*this, broadcast, operands, valid);
  for (int row = 0; row < rows; ++row) {
    factors.enter(row);
    Value group = factors.common();
    for (int v = 0; v < vectors; ++v) {
      Value &accumulator = accumulators[row * vectors + v];
      Value operand = factors.vector(v);
      accumulator = vectorLast
                        ? multiplyAccumulate(accumulator, group, operand)
                        : multiplyAccumulate(accumulator, operand, group);
      if (sumsBefore)
        accumulator = roundSum(accumulator, (*sumsBefore)[row * vectors + v]);
    }
    // Loads of both halves of a cache line stay side by side (but for
    // conversions, which are not loads alone).
    bool loads = vector.format.bits() == 8 * bytesOf(shape.compute);
    if (shape.spreadSteps > 1 && vectors > 1 && loads)
      llvm::copy(e.keepOrder(Values(accumulators)), accumulators.begin());
  }
}

/// The sum of a product and the sum before it, rounded before what follows.
Value BroadcastSteps::roundSum(Value product, Value before) const {
  Values sum = {e.add(before, product)};
  roundResults(sum);
  return e.keepOrder(sum[0]);
}

/// Products first, then their additions, a few at a time and in this order:
/// alternating, the additions take the multiplier's port on Zen 4 (82 % of the
/// peak instead of 99 % on 12x32x2).
void BroadcastSteps::multiplyThenAdd(
    const OperandSource &broadcast, llvm::ArrayRef<Value> operands, int valid,
    llvm::MutableArrayRef<Value> accumulators) {
  int together = e.isa.vectorRegisters > 16 ? 4 : 2;
  int step = std::max(1, together / vectors);
  Factors factors(*this, broadcast, operands, valid);
  for (int first = 0; first < rows; first += step) {
    Values products;
    int end = std::min(first + step, rows);
    for (int row = first; row < end; ++row) {
      factors.enter(row);
      for (int v = 0; v < vectors; ++v)
        products.push_back(
            emission.multiply(e, plan.idiom, shape.roles, factors.vector(v),
                              factors.common(), 0, accumulatorType));
    }
    bool group = products.size() > 1;
    if (group)
      products = e.keepOrder(products);
    Values sums;
    for (auto [i, product] : llvm::enumerate(products))
      sums.push_back(emission.addProducts(e, plan.idiom, shape.roles,
                                          accumulators[first * vectors + i],
                                          product));
    llvm::copy(group ? e.keepOrder(sums) : sums,
               accumulators.begin() + first * vectors);
  }
}

/// All rows' elements of one part, then those of the next, so that no
/// accumulator waits for itself.
void BroadcastSteps::multiplyParts(const OperandSource &broadcast,
                                   const OperandSource &vector, int valid,
                                   llvm::MutableArrayRef<Value> accumulators) {
  auto multiply = [&](int part, llvm::ArrayRef<Value> operands) {
    OperandSource source = broadcast;
    source.pointer = e.offset(source.pointer, part * source.partStride);
    for (int row = 0; row < rows; ++row) {
      Value group = readBroadcast(source, row, valid);
      group = source.partStride ? e.bitcast(group, accumulatorType)
                                : decodePairs(e, group, part);
      for (int v = 0; v < vectors; ++v) {
        Value &accumulator = accumulators[row * vectors + v];
        accumulator = e.fma(operands[v], group, accumulator);
      }
    }
  };
  forEachPart(vector, valid, multiply);
}

void BroadcastSteps::step(OperandSource broadcast, OperandSource vector,
                          int set, State &state) {
  auto advance = [&](OperandSource &source) {
    source.pointer =
        e.offset(source.pointer, elementOffset(source.format, shape.chunkSize));
  };
  int whole = shape.rowPitch / shape.chunkSize;
  if (shape.turns * rows * vectors <= kUnrolledMultiplies || whole <= 1) {
    for (int c = 0; c < shape.chunks; ++c) {
      int turn = set + c * shape.turns / shape.chunks;
      chunk(broadcast, vector, shape.chunkValid(c), turn % plan.sets,
            state.accumulators);
      if (c + 1 < shape.chunks) {
        advance(broadcast);
        advance(vector);
      }
    }
    return;
  }
  Values carries = {broadcast.pointer, vector.pointer};
  llvm::append_range(carries, state.accumulators);
  carries = e.loop(e.i64(0), e.i64(whole), 1, carries, [&](Value, Values in) {
    broadcast.pointer = in[0];
    vector.pointer = in[1];
    Values accumulators(in.begin() + 2, in.end());
    chunk(broadcast, vector, shape.chunkSize, set % plan.sets, accumulators);
    advance(broadcast);
    advance(vector);
    Values next = {broadcast.pointer, vector.pointer};
    llvm::append_range(next, accumulators);
    return next;
  });
  broadcast.pointer = carries[0];
  vector.pointer = carries[1];
  state.accumulators.assign(carries.begin() + 2, carries.end());
  if (whole < shape.chunks)
    chunk(broadcast, vector, shape.chunkValid(whole), set % plan.sets,
          state.accumulators);
}

} // namespace tilewright
