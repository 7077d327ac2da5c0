// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The K loop of operands that are converted to f32: those of the next iteration
// are converted while this one's are multiplied. Conversions have one vector
// pipe of two or four (Neoverse), and a multiply that waits for one keeps all
// others waiting.
//
// The registers of an iteration, plan.unroll K steps, are those of the
// broadcast operand, then those of the vector operand, as they lie in memory.

#include "BlockKernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

/// Elements of a register.
constexpr int kWidth = 4;

/// What an iteration reads, two registers at a time; the sources move on.
BlockKernel::Undecoded BlockKernel::loadAhead(Source &broadcast,
                                              Source &vector) {
  Undecoded raw;
  auto load = [&](Source &source, int elements, Values &into) {
    for (int i = 0; i < elements; i += 2 * kWidth) {
      int valid = std::min(2 * kWidth, elements - i);
      Value at = e.offset(source.pointer, i * source.format.bits() / 8);
      into.push_back(loadRaw(e, source.format, at,
                             valid > kWidth ? 2 * kWidth : kWidth, valid));
    }
    source.pointer = offset(source.pointer, times(source.stride, plan.unroll));
  };
  load(broadcast, plan.unroll * rows, raw.broadcast);
  load(vector, plan.unroll * vectorOperandRows, raw.vector);
  return raw;
}

int BlockKernel::broadcastRegisters() const {
  return static_cast<int>(llvm::divideCeil(plan.unroll * rows, kWidth));
}

/// Register `index` of what was read.
Value BlockKernel::decodeAhead(const Undecoded &raw, int index) {
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
void BlockKernel::multiplyAhead(Values &registers, const Undecoded *next,
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
  for (auto [i, multiply] : llvm::enumerate(multiplies))
    lastUse[multiply.broadcast] = lastUse[multiply.vector] = i;
  for (auto [i, multiply] : llvm::enumerate(multiplies)) {
    Value &accumulator = carries[multiply.accumulator];
    accumulator = multiplyAccumulate(
        accumulator, registers[multiply.vector],
        splatGroup(registers[multiply.broadcast], multiply.lane));
    if (next)
      for (int used : {multiply.broadcast, multiply.vector})
        if (lastUse[used] == i)
          registers[used] = decodeAhead(*next, used);
    if (shape.roundsPerStep && (i + 1) % (rows * vectors) == 0)
      roundResults(carries);
  }
}

/// `count` K steps: plan.unroll at a time, the last of them without reading
/// beyond, and the rest one by one.
Emitter::Values BlockKernel::pipelinedLoop(const Source &broadcast,
                                           const Source &vector, Value count,
                                           Values carries) {
  Value unroll = e.i64(plan.unroll);
  Value rest = arith::RemUIOp::create(e.b, e.loc, count, unroll);
  Value whole = e.sub(count, rest);
  Source b = broadcast, v = vector;
  auto flat = [&](const Values &registers, const Values &sums) {
    Values all = {b.pointer, v.pointer};
    llvm::append_range(all, registers);
    llvm::append_range(all, sums);
    return all;
  };
  Values all = e.ifElse(
      e.icmp(arith::CmpIPredicate::sge, count, plan.unroll),
      [&] {
        Undecoded raw = loadAhead(b, v);
        Values registers;
        int own = broadcastRegisters() + plan.unroll * vectors;
        for (int i = 0; i < own; ++i)
          registers.push_back(decodeAhead(raw, i));
        auto split = [&](const Values &values) {
          b.pointer = values[0];
          v.pointer = values[1];
          registers.assign(values.begin() + 2, values.begin() + 2 + own);
          return Values(values.begin() + 2 + own, values.end());
        };
        Values out = e.loop(unroll, whole, plan.unroll,
                            flat(registers, carries), [&](Value, Values in) {
                              Values sums = split(in);
                              Undecoded next = loadAhead(b, v);
                              multiplyAhead(registers, &next, sums);
                              return flat(registers, sums);
                            });
        out[0].getDefiningOp()->setAttr(kCountsDown, e.b.getUnitAttr());
        Values sums = split(out);
        multiplyAhead(registers, nullptr, sums);
        return flat({}, sums);
      },
      [&] {
        b = broadcast;
        v = vector;
        return flat({}, carries);
      });
  if (plan.unroll > 1)
    all = runSteps(broadcast, vector, whole, count, 1, all);
  return Values(all.begin() + 2, all.end());
}

} // namespace tilewright
