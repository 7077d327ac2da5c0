// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums whose lanes are rows of the out tile -> the out tile, by shuffles.

#include "BlockResults.h"

using namespace mlir;

namespace tilewright {

/// Shuffles within so many bytes are one instruction on any target.
constexpr int64_t kShuffledBytes = 16;

/// Interleaves `columns`, a power of two of them, within runs of `run` lanes:
/// register i of the result has, of each run, the lanes from i times
/// run / columns.size() on, each beside those of the other columns.
static Emitter::Values interleave(Emitter &e, llvm::ArrayRef<Value> columns,
                                  int64_t run) {
  if (columns.size() == 1)
    return Emitter::Values(columns);
  int64_t unit = columns.size() / 2, lanes = Emitter::lanesOf(columns[0]);
  Emitter::Values x = interleave(e, columns.take_front(unit), run);
  Emitter::Values y = interleave(e, columns.drop_front(unit), run);
  Emitter::Values result;
  for (int64_t i = 0; i < unit; ++i)
    for (int64_t half : {int64_t(0), run / 2}) {
      llvm::SmallVector<int64_t> map;
      for (int64_t first = half; first < lanes; first += run)
        for (int64_t at = first; at < first + run / 2; at += unit)
          for (int64_t operand : {int64_t(0), lanes})
            for (int64_t lane = at; lane < at + unit; ++lane)
              map.push_back(operand + lane);
      result.push_back(e.shuffle(x[i], y[i], map));
    }
  return result;
}

/// `registers`, at most `count` of them, are one run of units of `unit` lanes:
/// vector i of the result has units i, i + count, i + 2 * count, ... of it.
static Emitter::Values deal(Emitter &e, const Emitter::Values &registers,
                            int64_t unit, int64_t count) {
  if (count == 1)
    return registers;
  Emitter::Values result;
  if (static_cast<int64_t>(registers.size()) < count) {
    for (int64_t half : {int64_t(0), count / 2}) {
      Emitter::Values halves;
      for (Value value : registers)
        halves.push_back(e.slice(value, half * unit, count / 2 * unit));
      result.append(deal(e, halves, unit, count / 2));
    }
    return result;
  }
  Emitter::Values dealt[2];
  for (int64_t odd : {0, 1}) {
    llvm::SmallVector<int64_t> map;
    for (int64_t at = odd * unit; at < 2 * Emitter::lanesOf(registers[0]);
         at += 2 * unit)
      for (int64_t lane = at; lane < at + unit; ++lane)
        map.push_back(lane);
    Emitter::Values half;
    for (size_t i = 0; i < registers.size(); i += 2)
      half.push_back(e.shuffle(registers[i], registers[i + 1], map));
    dealt[odd] = deal(e, half, unit, count / 2);
  }
  for (int64_t i = 0; i < count; ++i)
    result.push_back(dealt[i % 2][i / 2]);
  return result;
}

/// Vector i of the result has lane i of each of `columns`, a power of two of
/// them and at most as many as their lanes.
static Emitter::Values transpose(Emitter &e, llvm::ArrayRef<Value> columns) {
  int64_t lanes = Emitter::lanesOf(columns[0]), width = columns.size();
  int64_t laneBytes = Emitter::bytesOf(columns[0].getType()) / lanes;
  int64_t run = std::min(kShuffledBytes / laneBytes, lanes);
  int64_t part = std::min(width, run), rowsPerUnit = run / part;
  llvm::SmallVector<Emitter::Values> parts;
  for (int64_t first = 0; first < width; first += part)
    parts.push_back(interleave(e, columns.slice(first, part), run));
  Emitter::Values rows(lanes);
  for (int64_t i = 0; i < part; ++i) {
    Emitter::Values registers;
    for (const Emitter::Values &each : parts)
      registers.push_back(each[i]);
    Emitter::Values units = deal(e, registers, part, lanes / part);
    for (auto [u, unit] : llvm::enumerate(units))
      rows[int64_t(u) / rowsPerUnit * run + i * rowsPerUnit +
           int64_t(u) % rowsPerUnit] = unit;
  }
  return rows;
}

/// Rows of `columns` are columns of the out tile. The vectors of as many of
/// them as one has lanes, or fewer, are stored before the next ones, so that no
/// more than these are in registers twice.
void BlockResults::storeColumns(const Values &columns) {
  for (int first = 0, width; first < rows; first += width) {
    width = transposedWidth(rows - first, plan.lanes);
    Type outElements = Emitter::vec(width, outType(e, out));
    Value target = e.offset(position.out, first * outBytes);
    for (int v = 0; v < outVectors; ++v) {
      Values block;
      for (int column = first; column < first + width; ++column)
        block.push_back(columns[column * outVectors + v]);
      OutVector part = outVector(v);
      Values sums = transpose(e, block);
      sums = Values(llvm::ArrayRef<Value>(sums).slice(part.begin, part.valid));
      Values at;
      for (int64_t i = 0; i < part.valid; ++i) {
        at.push_back(target);
        target = e.offset(target, params.outRowBytes);
      }
      sums = e.ifElse(
          params.accumulate,
          [&] {
            Values updated;
            for (auto [sum, pointer] : llvm::zip(sums, at))
              updated.push_back(
                  e.add(sum, fromOut(e.load(outElements, pointer, outBytes))));
            flushDenormals(updated);
            return updated;
          },
          [&] { return sums; });
      for (auto [sum, pointer] : llvm::zip(sums, at))
        e.store(toOut(sum), pointer, outBytes);
    }
  }
}

} // namespace tilewright
