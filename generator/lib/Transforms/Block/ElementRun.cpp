// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Registers of elements that follow one another in memory.

#include "ElementRun.h"
#include "tilewright/Emit/Emission.h"

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

/// Loads the register of `count` elements from `first` on, if it is whole, by
/// an instruction that loads no other one.
bool ElementRun::loadAlone(int64_t first, int64_t count) {
  if (count * format.bits() != 128 || first + count > elements)
    return false;
  // LLVM makes a pair of two whose pointer it knows to be the same.
  pointer = e.opaquePointer(pointer);
  raw[first] =
      loadRaw(e, format, pointerAt(first * format.bits() / 8), count, count);
  afterGroup = first + count;
  return true;
}

void ElementRun::loadDue() {
  if (due > 0 && ahead == 1) {
    loadAlone(afterGroup, due);
    return;
  }
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
  if (early && ahead == 1 && loadAlone(first, count)) {
    due = count;
    return raw.lookup(first);
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

} // namespace tilewright
