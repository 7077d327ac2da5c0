// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The multiplies of one K step by lanes of registers.

#include "LaneSteps.h"
#include "tilewright/Planning/PlanCost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

void LaneSteps::begin(const OperandSource &broadcast,
                      const OperandSource &vector, int count, State &state) {
  correctsByRegisters =
      correctionVectors && correctionSteps > 1 &&
      count * rows * shape.rowPitch % (plan.lanes * shape.group) == 0;
  if (!correctsByRegisters)
    BlockSteps::begin(broadcast, vector, count, state);
  broadcastRun.reset();
  vectorRun.reset();
}

void LaneSteps::enter(OperandSource &broadcast, OperandSource &vector, int t,
                      int count) {
  int parts = shape.splits ? 2 : 1;
  enterRun(broadcast, broadcastRun, t, count, int64_t{rows} * shape.rowPitch,
           16 / bytesOf(shape.compute), plan.broadcastLoads,
           /*early=*/false,
           idiom(plan.idiom).rows == 1 || shape.pairsSteps(plan)
               ? 1
               : parts * 16 / bytesOf(shape.compute));
  // The second one of the step before.
  if (shape.pairsSteps(plan) && t % 2 != 0)
    broadcast.first -= shape.rowPitch;
  enterRun(vector, vectorRun, t, count,
           int64_t{vectorOperandRows} * shape.rowPitch, shape.vectorWidth,
           plan.vectorLoads, plan.loadsEarly,
           shape.takesHalves(plan) ? shape.vectorWidth / 2
                                   : parts * shape.vectorWidth);
  decodeStepAhead(broadcast, vector, t, count);
  isLast = t + 1 == count;
}

void LaneSteps::correctStep(const OperandSource &broadcast, State &state) {
  if (correctsByRegisters)
    correctByRegisters(broadcast, state.corrections);
  else
    BlockSteps::correctStep(broadcast, state);
}

void LaneSteps::end(const OperandSource &broadcast, const OperandSource &vector,
                    int count, Reached &reached) {
  if (broadcast.continues)
    reached.broadcast = broadcastRun->pointerAt(count * broadcast.stride.bytes);
  if (vector.continues)
    reached.vector = vectorRun->pointerAt(count * vector.stride.bytes);
}

/// `correct` for the K step `source`, if its registers are those that are added
/// up: which they are from its first element on.
void LaneSteps::correctByRegisters(const OperandSource &source,
                                   Values &corrections) {
  int64_t width = plan.lanes * shape.group, end = source.first;
  end += int64_t{rows} * shape.rowPitch;
  for (int64_t i = llvm::alignTo(source.first, width); i < end; i += width)
    addToSums(source.run->at(i), corrections[i / width]);
}

/// `registers` holds [row][group], `size` groups per row; returns registers
/// each of which holds one group of every row.
static Emitter::Values separateGroups(Emitter &e, Emitter::Values registers,
                                      int groupBytes, bool pairs) {
  size_t size = registers.size();
  if (size == 1)
    return registers;
  Type element = e.integer(8 * groupBytes);
  int64_t lanes = Emitter::bytesOf(registers[0].getType()) / groupBytes;
  Type original = registers[0].getType();
  for (Value &value : registers)
    value = e.bitcast(value, Emitter::vec(lanes, element));
  Emitter::Values groups;
  if (pairs) { // two rows: group c is here, and `size` lanes on
    for (size_t c = 0; c < size; ++c)
      groups.push_back(
          e.shuffle(registers[c / 2], registers[(size + c) / 2],
                    {int64_t(c % 2), int64_t(2 + (size + c) % 2)}));
  } else {
    llvm::SmallVector<int64_t> even, odd;
    for (int64_t i = 0; i < lanes; ++i) {
      even.push_back(2 * i);
      odd.push_back(2 * i + 1);
    }
    Emitter::Values evens, odds;
    for (size_t i = 0; i < size; i += 2) {
      evens.push_back(e.shuffle(registers[i], registers[i + 1], even));
      odds.push_back(e.shuffle(registers[i], registers[i + 1], odd));
    }
    evens = separateGroups(e, evens, groupBytes, false);
    odds = separateGroups(e, odds, groupBytes, false);
    for (size_t i = 0; i < size / 2; ++i)
      groups.append({evens[i], odds[i]});
  }
  for (Value &value : groups)
    value = e.bitcast(value, original);
  return groups;
}

/// The registers of one vector of rows, from row `first` of `source` on, one
/// for each chunk (of the part, if there are two). `rowsPerRegister` rows of
/// one chunk fill a register.
Emitter::Values LaneSteps::readGroups(const OperandSource &source,
                                      int64_t first, int64_t rowsPerRegister,
                                      int64_t present, int part) {
  int64_t width = rowsPerRegister * shape.chunkSize;
  int parts = shape.splits ? 2 : 1, count = shape.separateChunks();
  int64_t pitch = shape.rowPitch / parts;
  int64_t begin = first * pitch, end = present * pitch;
  Values registers;
  for (int c = 0; c < count; ++c) {
    int64_t at = begin + c * width, from = source.first / parts + at;
    if (at >= end)
      registers.push_back(e.zero(computeVectorType(e, shape.compute, width)));
    else
      registers.push_back(shape.splits ? source.run->at(from, part)
                                       : source.run->at(from));
  }
  return separateGroups(e, registers, shape.chunkSize * bytesOf(shape.compute),
                        rowsPerRegister == 2);
}

/// One group of the broadcast operand, in all lanes.
Value LaneSteps::broadcastGroup(const OperandSource &source, int row,
                                int chunk) {
  if (!shape.splits) {
    auto [value, element] = source.run->holding(
        source.first + row * shape.rowPitch + chunk * shape.chunkSize);
    return splatGroup(value, element);
  }
  int count = shape.separateChunks();
  auto [value, element] =
      source.run->holding((source.first + row * shape.rowPitch) / 2 +
                              chunk % count * shape.chunkSize,
                          chunk / count);
  return splatGroup(value, element);
}

void LaneSteps::enterRun(OperandSource &source, std::optional<ElementRun> &run,
                         int t, int count, int64_t elements, int64_t width,
                         int ahead, bool early, int64_t multiple) {
  bool contiguous = elements % multiple == 0 && !source.stride.runtime &&
                    elements * source.format.bits() == 8 * source.stride.bytes;
  if (!contiguous || t == 0)
    run.emplace(e, source.format, source.pointer,
                contiguous ? count * elements : elements, width, source.slack,
                ahead, early);
  source.run = &*run;
  source.first = contiguous ? t * elements : 0;
  source.continues = contiguous;
}

/// Decodes the operands of the K step after this one.
void LaneSteps::decodeStepAhead(const OperandSource &broadcast,
                                const OperandSource &vector, int t, int count) {
  if (plan.decodeAhead == 0 || t + 1 == count)
    return;
  int64_t broadcasts = int64_t{rows} * shape.rowPitch;
  int64_t elements = int64_t{vectorOperandRows} * shape.rowPitch;
  for (int64_t step = t; step < t + 2; ++step) {
    for (int64_t i = 0; i < elements; i += shape.vectorWidth)
      vector.run->at(step * elements + i);
    for (int64_t i = 0; i < broadcasts; i += 16 / bytesOf(shape.compute))
      broadcast.run->holding(step * broadcasts + i);
  }
}

void LaneSteps::step(OperandSource broadcast, OperandSource vector, int set,
                     State &state) {
  Values &accumulators = state.accumulators;
  if (!shape.partByPart(plan)) {
    laneChunks(broadcast, vector, 0, shape.splits ? 2 : 1, set, accumulators);
    return;
  }
  // Few registers are free: the operands are read once for each part.
  for (int part = 0; part < 2; ++part) {
    laneChunks(broadcast, vector, part, part + 1, set, accumulators);
    broadcast.run->forget();
    vector.run->forget();
  }
}

/// How many multiplies of an idiom with Idiom::addsApart come before their
/// additions, each of which would wait for its own on a core that issues in
/// order: those of several groups, as many as find registers.
int LaneSteps::multipliesTogether() const {
  int held = rows == 1 ? 1 : static_cast<int>(llvm::divideCeil(vectors, 2));
  int loaded = (plan.loadsEarly ? 2 : 1) * plan.vectorLoads;
  int registers = registersNeeded(plan, key) + plan.broadcastLoads - 1 +
                  std::max(0, loaded - held);
  int spare = e.isa.vectorRegisters - registers;
  int most = std::clamp(1 + spare, 1, kTogether);
  return most < 2 * vectors ? most : most / vectors * vectors;
}

/// Emits the multiplies that wait, then their additions.
void LaneSteps::multiplyTogether(Values &accumulators) {
  Values products;
  for (const Multiply &each : waiting)
    products.push_back(emission.multiply(e, plan.idiom, shape.roles,
                                         each.vector, each.broadcast, each.half,
                                         accumulatorType));
  for (auto [each, product] : llvm::zip(waiting, products))
    accumulators[each.accumulator] = emission.addProducts(
        e, plan.idiom, shape.roles, accumulators[each.accumulator], product);
  waiting.clear();
}

/// The chunks of the parts [firstPart, endPart).
void LaneSteps::laneChunks(const OperandSource &broadcast,
                           const OperandSource &vector, int firstPart,
                           int endPart, int set, Values &accumulators) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  int halves = idiom.halves == Halves::None ? 1 : 2;
  int64_t perVector = int64_t{shape.vectorRows} * halves;
  int count = shape.splits ? shape.separateChunks() : shape.chunks;
  int firstChunk = firstPart * count, chunks = (endPart - firstPart) * count;
  auto groups = [&](const OperandSource &source, int64_t first, int64_t each,
                    int64_t present) {
    Values all;
    for (int part = firstPart; part < endPart; ++part)
      llvm::append_range(all, readGroups(source, first, each, present, part));
    return all;
  };
  // Halves of a register before the first that is the step's.
  int before = shape.takesHalves(plan) && vector.first % shape.vectorWidth != 0;
  OperandSource registers = vector;
  registers.first -= before * shape.vectorWidth / 2;
  auto vectorGroups = [&](int v) {
    int64_t first = v * int64_t{shape.vectorRows};
    if (overlap && first + shape.vectorRows > vectorOperandRows)
      first = vectorOperandRows - shape.vectorRows;
    return groups(registers, first, perVector, vectorOperandRows);
  };
  auto rowGroups = [&](int group) {
    return groups(broadcast, group * idiom.rows, idiom.rows, rows);
  };
  std::optional<StepRounding> rounding;
  if (plan.roundsInTurn())
    rounding.emplace(stepRounding(accumulators));
  int together = idiom.addsApart ? multipliesTogether() : 0;
  auto finish = [&] {
    // Few registers leave none for the operands of two steps.
    if (isLast || shape.roundsPerStep || together + vectors <= kTogether)
      multiplyTogether(accumulators);
    if (rounding)
      rounding->finish();
  };
  auto multiply = [&](int row, int v, int c, Value x, Value y) {
    int half = (before + v) % halves;
    int block = (set + firstChunk + c) % plan.sets;
    int index = (block * shape.rowGroups + row) * vectors + v;
    if (rounding && c == 0)
      rounding->begins(index);
    if (idiom.addsApart) {
      waiting.push_back({index, x, y, half});
      if (static_cast<int>(waiting.size()) >= together)
        multiplyTogether(accumulators);
      return;
    }
    accumulators[index] = multiplyAccumulate(accumulators[index], x, y, half);
    if (rounding && c + 1 == chunks)
      rounding->hasEnded(index);
  };
  // The operand of fewer registers stays in them.
  if (idiom.rows > 1 && shape.rowGroups < vectors) {
    llvm::SmallVector<Values> pairs;
    for (int row = 0; row < shape.rowGroups; ++row)
      pairs.push_back(rowGroups(row));
    for (int v = 0; v < vectors; ++v) {
      Values operand = vectorGroups(v);
      if (plan.vectorLoads == 1)
        vector.run->loadDue();
      for (int c = 0; c < chunks; ++c)
        for (int row = 0; row < shape.rowGroups; ++row)
          multiply(row, v, c, operand[c], pairs[row][c]);
      if (plan.vectorLoads != 1)
        vector.run->loadDue();
    }
    return finish();
  }
  llvm::SmallVector<Values> operands;
  for (int v = 0; v < before + vectors; v += halves)
    operands.push_back(vectorGroups(v));
  // With several chunks a register holds all groups of a few rows.
  int64_t width = 16 / bytesOf(shape.compute);
  int rowsTogether = 1;
  if (shape.chunks > 1 && idiom.rows == 1)
    rowsTogether = std::max<int>(1, width / (count * shape.chunkSize));
  for (int first = 0; first < shape.rowGroups; first += rowsTogether) {
    int end = std::min(first + rowsTogether, shape.rowGroups);
    Values pairs;
    if (idiom.rows > 1)
      pairs = rowGroups(first);
    int each = end - first, count = chunks * each;
    auto group = [&](int i) {
      return idiom.rows > 1 ? pairs[i / each]
                            : broadcastGroup(broadcast, first + i % each,
                                             firstChunk + i / each);
    };
    // One that takes an instruction stands before the multiplies of the one
    // before it, if registers are free: a core that issues in order would wait.
    constexpr int kSpare = 4;
    bool shufflesAhead =
        idiom.shufflesLanes && !idiom.addsApart &&
        registersNeeded(plan, key) + kSpare <= e.isa.vectorRegisters;
    Value ahead = shufflesAhead ? group(0) : nullptr;
    for (int i = 0; i < count; ++i) {
      Value shared = ahead ? ahead : group(i);
      if (ahead && i + 1 < count)
        ahead = group(i + 1);
      int c = i / each, row = first + i % each;
      for (int v = 0; v < vectors; ++v) {
        multiply(row, v, c, operands[(before + v) / halves][c], shared);
        // A single register comes for each one that has done its last multiply.
        if (plan.vectorLoads == 1 ? row + 1 == shape.rowGroups
                                  : v + 1 == vectors)
          vector.run->loadDue();
      }
    }
  }
  finish();
}

} // namespace tilewright
