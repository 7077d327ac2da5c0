// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One K step where registers hold the broadcast operand as it lies in memory:
// the multiplies name its groups by lane, or take several rows at once.

#include "BlockKernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

Value ElementRun::pointerAt(int64_t distance) {
  if (bytes)
    return bytes->pointerAt(distance);
  return e.offset(pointer, distance - reached);
}

/// Loads the registers of `count` elements each from `first` on that one
/// instruction loads, if it is several of them.
bool ElementRun::loadGroup(int64_t first, int64_t count) {
  int64_t size = count * format.bits() / 8;
  int64_t together = std::min(ahead, (elements - first) / count);
  if (together <= 1 || size != 16)
    return false;
  int64_t from = first * format.bits() / 8;
  Emitter::Values parts = emissionOf(e.isa).loadRegisters(
      e, rawVectorType(e, format, count), pointerAt(from),
      static_cast<int>(together));
  for (int64_t i = 0; i < together; ++i)
    raw[first + i * count] = parts[i];
  // These loads have no offsets, but they can advance their pointer.
  pointer = e.opaquePointer(pointerAt(from + together * size));
  reached = from + together * size;
  lastGroup = first;
  afterGroup = first + together * count;
  return true;
}

void ElementRun::loadDue() {
  if (due > 0)
    loadGroup(afterGroup, due);
  due = 0;
}

/// `count` elements from `first` on, not decoded.
Value ElementRun::loaded(int64_t first, int64_t count) {
  Value known = raw.lookup(first);
  if (!known && loadGroup(first, count))
    known = raw.lookup(first);
  if (known) {
    if (early && first == lastGroup + 2 * count)
      due = count;
    return known;
  }
  int64_t valid = slack ? count : std::min(count, elements - first);
  return loadRaw(e, format, pointerAt(first * format.bits() / 8), count, valid);
}

Value ElementRun::at(int64_t first) {
  if (Value known = registers.lookup(first))
    return known;
  // Whole registers of undecoded elements, where they are narrower, are few
  // loads and let decoding take either half.
  int64_t together = width;
  if (first % width == 0)
    while (2 * together * format.bits() <= 128)
      together *= 2;
  int64_t begin = first / together * together;
  while (together > width && begin + together > elements) {
    together /= 2;
    begin = first / together * together;
  }
  if (together == width)
    begin = first;
  Value many = decode(e, format, loaded(begin, together));
  for (int64_t i = 0; i < together; i += width)
    registers[begin + i] = e.slice(many, i, width);
  return registers[first];
}

std::pair<Value, int64_t> ElementRun::holding(int64_t index) {
  int64_t first = index / width * width;
  // The last register ends with the run where that takes one load.
  int64_t last = elements - width;
  if (first > last && !slack && last >= 0 && last * format.bits() % 8 == 0)
    first = last;
  return {at(first), index - first};
}

Value ElementRun::at(int64_t first, int part) {
  if (Value known = parts[part].lookup(first))
    return known;
  if (format.bits() >= 8) { // deinterleave two registers
    Value low = at(2 * first);
    Value high = 2 * first + width < elements ? at(2 * first + width) : low;
    llvm::SmallVector<int64_t> map;
    for (int64_t i = 0; i < width; ++i)
      map.push_back(2 * i + part);
    return parts[part][first] = e.shuffle(low, high, map);
  }
  if (!bytes)
    bytes = std::make_unique<ElementRun>(
        e, ElementFormat{TW_ELEMENT_U8, ComputeType::I8}, pointer, elements / 2,
        16, slack, ahead, early);
  int64_t begin = first / 16 * 16;
  Value many = decodeNibbles(e, format, bytes->at(begin), part);
  for (int64_t i = 0; i < 16; i += width)
    parts[part][begin + i] = e.slice(many, i, width);
  return parts[part][first];
}

void ElementRun::forget() {
  raw.clear();
  lastGroup = -1;
  due = 0;
  registers.clear();
  parts[0].clear();
  parts[1].clear();
  // Or LLVM takes the loads that follow for the same as those before.
  pointer = e.opaquePointer(pointerAt(0));
  reached = 0;
  bytes.reset();
}

std::pair<Value, int64_t> ElementRun::holding(int64_t index, int part) {
  int64_t first = index / width * width;
  return {at(first, part), index - first};
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
Emitter::Values BlockKernel::readGroups(const Source &source, int64_t first,
                                        int64_t rowsPerRegister,
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
Value BlockKernel::broadcastGroup(const Source &source, int row, int chunk) {
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

/// Group `index` of a register, in all lanes.
Value BlockKernel::splatGroup(Value source, int64_t element) {
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

void BlockKernel::enterRun(Source &source, std::optional<ElementRun> &run,
                           int t, int count, int64_t elements, int64_t width,
                           int ahead, bool early, bool byElement) {
  int parts = shape.splits ? 2 : 1;
  bool contiguous = (byElement || elements % (parts * width) == 0) &&
                    !source.stride.runtime &&
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
void BlockKernel::decodeStepAhead(const Source &broadcast, const Source &vector,
                                  int t, int count) {
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

void BlockKernel::laneStep(const Source &broadcast, const Source &vector,
                           int set, Values &accumulators) {
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

/// The chunks of the parts [firstPart, endPart).
void BlockKernel::laneChunks(const Source &broadcast, const Source &vector,
                             int firstPart, int endPart, int set,
                             Values &accumulators) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  int halves = idiom.halves == Halves::None ? 1 : 2;
  int64_t perVector = int64_t{shape.vectorRows} * halves;
  int count = shape.splits ? shape.separateChunks() : shape.chunks;
  int firstChunk = firstPart * count, chunks = (endPart - firstPart) * count;
  auto groups = [&](const Source &source, int64_t first, int64_t each,
                    int64_t present) {
    Values all;
    for (int part = firstPart; part < endPart; ++part)
      llvm::append_range(all, readGroups(source, first, each, present, part));
    return all;
  };
  auto vectorGroups = [&](int v) {
    int64_t first = v * int64_t{shape.vectorRows};
    if (overlap && first + shape.vectorRows > vectorOperandRows)
      first = vectorOperandRows - shape.vectorRows;
    return groups(vector, first, perVector, vectorOperandRows);
  };
  auto rowGroups = [&](int group) {
    return groups(broadcast, group * idiom.rows, idiom.rows, rows);
  };
  // Sums are rounded some multiplies later, or conversions wait for those
  // before them and keep the next ones waiting.
  constexpr size_t kRoundBehind = 2;
  llvm::SmallVector<Value *> unrounded;
  size_t done = 0;
  auto round = [&](size_t left) {
    for (; unrounded.size() - done > left; ++done)
      *unrounded[done] = e.keepOrder(fromOut(toOut(*unrounded[done])));
  };
  auto multiply = [&](int row, int v, int c, Value x, Value y) {
    int block = (set + firstChunk + c) % plan.sets;
    Value &accumulator =
        accumulators[(block * shape.rowGroups + row) * vectors + v];
    accumulator = multiplyAccumulate(accumulator, x, y, v % halves);
    if (roundsAtOnce() && c + 1 == chunks)
      unrounded.push_back(&accumulator);
    round(kRoundBehind);
  };
  // The operand of fewer registers stays in them.
  if (idiom.rows > 1 && shape.rowGroups < vectors) {
    llvm::SmallVector<Values> pairs;
    for (int row = 0; row < shape.rowGroups; ++row)
      pairs.push_back(rowGroups(row));
    for (int v = 0; v < vectors; ++v) {
      Values operand = vectorGroups(v);
      for (int c = 0; c < chunks; ++c)
        for (int row = 0; row < shape.rowGroups; ++row)
          multiply(row, v, c, operand[c], pairs[row][c]);
      vector.run->loadDue();
    }
    return round(0);
  }
  llvm::SmallVector<Values> operands;
  for (int v = 0; v < vectors; v += halves)
    operands.push_back(vectorGroups(v));
  // With several chunks a register holds all groups of a few rows.
  int64_t width = 16 / bytesOf(shape.compute);
  int together = 1;
  if (shape.chunks > 1 && idiom.rows == 1)
    together = std::max<int>(1, width / (count * shape.chunkSize));
  for (int first = 0; first < shape.rowGroups; first += together) {
    int end = std::min(first + together, shape.rowGroups);
    Values pairs;
    if (idiom.rows > 1)
      pairs = rowGroups(first);
    for (int c = 0; c < chunks; ++c)
      for (int row = first; row < end; ++row) {
        Value group = idiom.rows > 1
                          ? pairs[c]
                          : broadcastGroup(broadcast, row, firstChunk + c);
        for (int v = 0; v < vectors; ++v)
          multiply(row, v, c, operands[v / halves][c], group);
        vector.run->loadDue();
      }
  }
  round(0);
}

/// Accumulators that hold lanes of several out rows, or not in order -> rows of
/// out vectors.
Emitter::Values BlockKernel::untangle(const Values &accumulators) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  if (idiom.rows == 1 && idiom.halves != Halves::EvenOdd)
    return accumulators;
  // Two accumulators become two out vectors, of two rows or side by side.
  llvm::SmallVector<int64_t> low, high;
  if (idiom.halves == Halves::EvenOdd) {
    low = {0, 4, 1, 5};
    high = {2, 6, 3, 7};
  } else if (transposesBlocks()) {
    low = {0, 2, 4, 6};
    high = {1, 3, 5, 7};
  } else {
    low = {0, 1, 4, 5};
    high = {2, 3, 6, 7};
  }
  Values results;
  for (int row = 0; row < rows; ++row) {
    int group = row / idiom.rows;
    auto accumulator = [&](int v) {
      return accumulators[group * vectors + std::min(v, vectors - 1)];
    };
    for (int v = 0; v < outVectors; ++v) {
      int first = idiom.rows > 1 ? 2 * v : v / 2 * 2;
      bool second = (idiom.rows > 1 ? row : v) % 2 != 0;
      results.push_back(e.shuffle(accumulator(first), accumulator(first + 1),
                                  second ? high : low));
    }
  }
  return results;
}

/// The inverse, of floats.
Emitter::Values BlockKernel::tangle(const Values &outRows) {
  const Idiom &idiom = tilewright::idiom(plan.idiom);
  bool evenOdd = idiom.halves == Halves::EvenOdd;
  if (idiom.rows == 1 && !evenOdd)
    return outRows;
  auto out = [&](int row, int v) {
    return outRows[std::min(row, rows - 1) * outVectors +
                   std::min(v, outVectors - 1)];
  };
  llvm::SmallVector<int64_t> first = {0, 1, 4, 5}, second = {2, 3, 6, 7};
  if (evenOdd) {
    first = {0, 2, 4, 6};
    second = {1, 3, 5, 7};
  }
  Values accumulators;
  for (int group = 0; group < shape.rowGroups; ++group)
    for (int v = 0; v < vectors; ++v) {
      int row = group * idiom.rows, column = evenOdd ? v / 2 * 2 : v / 2;
      accumulators.push_back(
          e.shuffle(out(row, column),
                    evenOdd ? out(row, column + 1) : out(row + 1, column),
                    v % 2 == 0 ? first : second));
    }
  return accumulators;
}

/// usmmla takes the unsigned operand first; where that is the vector operand,
/// its rows are those of the 2x2 blocks.
bool BlockKernel::transposesBlocks() const {
  return idiom(plan.idiom).ordersSigns && shape.roles.vectorUnsigned &&
         !shape.roles.broadcastUnsigned;
}

} // namespace tilewright
