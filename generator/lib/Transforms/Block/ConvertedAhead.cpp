// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The registers of an iteration, plan.unroll K steps, are those of the
// broadcast operand, then those of the vector operand, as they lie in memory.

#include "ConvertedAhead.h"
#include "tilewright/Transforms/TileFunctions.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace mlir;

namespace tilewright {

/// Elements of a register.
constexpr int kWidth = 4;

/// What an iteration reads, two registers at a time; the sources move on.
ConvertedAhead::Undecoded ConvertedAhead::load(OperandSource &broadcast,
                                               OperandSource &vector) {
  Undecoded raw;
  auto loadSome = [&](OperandSource &source, int elements, Values &into) {
    for (int i = 0; i < elements; i += 2 * kWidth) {
      int valid = std::min(2 * kWidth, elements - i);
      Value at = e.offset(source.pointer, i * source.format.bits() / 8);
      into.push_back(loadRaw(e, source.format, at,
                             valid > kWidth ? 2 * kWidth : kWidth, valid));
    }
    source.pointer = offset(source.pointer, times(source.stride, plan.unroll));
  };
  loadSome(broadcast, plan.unroll * rows, raw.broadcast);
  loadSome(vector, plan.unroll * vectorOperandRows, raw.vector);
  return raw;
}

int ConvertedAhead::broadcastRegisters() const {
  return static_cast<int>(llvm::divideCeil(plan.unroll * rows, kWidth));
}

/// Register `index` of what was read.
Value ConvertedAhead::decodeRegister(const Undecoded &raw, int index) {
  int own = broadcastRegisters();
  bool isBroadcast = index < own;
  if (!isBroadcast)
    index -= own;
  Value pair = (isBroadcast ? raw.broadcast : raw.vector)[index / 2];
  return decode(e, isBroadcast ? broadcastFormat : vectorFormat,
                e.slice(pair, index % 2 * kWidth, kWidth));
}

/// plan.unroll K steps of `registers`. Each of these is replaced by that of
/// `next`, unless that is null, as soon as its last multiply has it.
void ConvertedAhead::multiply(Values &registers, const Undecoded *next,
                              Values &carries) {
  struct Multiply {
    int accumulator, broadcast, lane, vector;
  };
  llvm::SmallVector<Multiply> multiplies;
  for (int t = 0; t < plan.unroll; ++t)
    for (int v = 0; v < vectors; ++v)
      for (int row = 0; row < rows; ++row) {
        int element = t * rows + row;
        multiplies.push_back({(t % plan.sets * rows + row) * vectors + v,
                              element / kWidth, element % kWidth,
                              broadcastRegisters() + t * vectors + v});
      }
  llvm::SmallVector<size_t> lastUse(registers.size());
  for (auto [i, each] : llvm::enumerate(multiplies))
    lastUse[each.broadcast] = lastUse[each.vector] = i;
  std::optional<StepRounding> rounding;
  int perStep = rows * vectors;
  for (auto [i, each] : llvm::enumerate(multiplies)) {
    if (plan.roundsInTurn() && i % perStep == 0)
      rounding.emplace(stepRounding(carries));
    if (rounding)
      rounding->begins(each.accumulator);
    Value &accumulator = carries[each.accumulator];
    accumulator =
        multiplyAccumulate(accumulator, registers[each.vector],
                           splatGroup(registers[each.broadcast], each.lane));
    if (rounding)
      rounding->hasEnded(each.accumulator);
    if (next)
      for (int used : {each.broadcast, each.vector})
        if (lastUse[used] == i)
          registers[used] = decodeRegister(*next, used);
    if ((i + 1) % perStep != 0 || !shape.roundsPerStep)
      continue;
    if (rounding)
      rounding->finish();
    else
      roundResults(carries);
  }
}

Emitter::Values ConvertedAhead::loop(const OperandSource &broadcast,
                                     const OperandSource &vector, Value count,
                                     Value whole, Value unroll,
                                     Values carries) {
  OperandSource b = broadcast, v = vector;
  auto flat = [&](const Values &registers, const Values &sums) {
    Values all = {b.pointer, v.pointer};
    llvm::append_range(all, registers);
    llvm::append_range(all, sums);
    return all;
  };
  return e.ifElse(
      e.icmp(arith::CmpIPredicate::sge, count, plan.unroll),
      [&] {
        Undecoded raw = load(b, v);
        Values registers;
        int own = broadcastRegisters() + plan.unroll * vectors;
        for (int i = 0; i < own; ++i)
          registers.push_back(decodeRegister(raw, i));
        auto split = [&](const Values &values) {
          b.pointer = values[0];
          v.pointer = values[1];
          registers.assign(values.begin() + 2, values.begin() + 2 + own);
          return Values(values.begin() + 2 + own, values.end());
        };
        Values out = e.loop(unroll, whole, plan.unroll,
                            flat(registers, carries), [&](Value, Values in) {
                              Values sums = split(in);
                              Undecoded next = load(b, v);
                              multiply(registers, &next, sums);
                              return flat(registers, sums);
                            });
        out[0].getDefiningOp()->setAttr(kCountsDown, e.b.getUnitAttr());
        Values sums = split(out);
        multiply(registers, nullptr, sums);
        return flat({}, sums);
      },
      [&] {
        b = broadcast;
        v = vector;
        return flat({}, carries);
      });
}

} // namespace tilewright
