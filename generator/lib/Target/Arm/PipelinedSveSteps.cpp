// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The K loop of SVE tiles whose operands are decoded: those of the next
// iteration are decoded while this one's are multiplied. Neoverse V1 has one
// pipe for conversions of floats and another for shifts, to which multiplies go
// as well; one that waits for its operands keeps all others waiting.
//
// The registers are those of an iteration's patterns, then the vectors of the
// rhs of a few steps, [step][vector][chunk].

#include "SveTile.h"

using namespace mlir;

namespace tilewright {

int SveTile::stepsAhead(const Position &position) const {
  return position.lhsIsDense && position.rhsIsDense ? plan.decodeAhead : 0;
}

/// Where a unit of the lhs lies among the registers.
SveTile::Place SveTile::placeOf(int unit) const {
  int reg = 0;
  for (int first = 0;;) {
    int count = patternUnits(iterationUnits() - first);
    if (unit < first + count)
      return {reg + (unit - first) % interleaved, (unit - first) / interleaved};
    first += count;
    reg += std::min(interleaved, count);
  }
}

/// The patterns of an iteration: their units and registers.
llvm::SmallVector<SveTile::Group> SveTile::patternGroups() const {
  llvm::SmallVector<Group> groups;
  int reg = 0, units = iterationUnits();
  for (int first = 0; first < units;) {
    int count = patternUnits(units - first);
    int size = std::min(interleaved, count);
    groups.push_back({reg, size, first, count});
    first += count;
    reg += size;
  }
  return groups;
}

/// The pattern of the iteration that starts at `position`.
void SveTile::decodePattern(const Position &position, const Group &group,
                            Values &registers) {
  Value raw =
      loadPattern(e.offset(position.lhs, int64_t{group.first} * memoryBits / 8),
                  group.units);
  // The first is what the others are made of.
  for (int i = group.size - 1; i >= 0; --i)
    registers[group.reg + i] = decodePattern(raw, i);
}

/// plan.unroll K steps of `registers`. Each pattern, and each vector of the
/// rhs, is replaced as soon as its last multiply has it: by that of the
/// iteration at `next`, of which only the vectors of steps before that exist if
/// this is the last one; and by that of `ahead` steps on.
void SveTile::multiplyAhead(int ahead, Values &registers, const Position &next,
                            bool isLast, Values &sums) {
  llvm::SmallVector<Group> patterns = patternGroups();
  int lhsRegisters = patterns.back().reg + patterns.back().size;
  int size = rows * rowSums;
  size_t pattern = 0; // the first that is not yet replaced
  for (int t = 0; t < plan.unroll; ++t)
    for (int i = 0; i < rowSums; ++i) {
      int own = lhsRegisters + (t % ahead * rowSums + i) * shape.chunks;
      for (int chunk = 0; chunk < shape.chunks; ++chunk)
        for (int row = 0; row < rows; ++row) {
          int unit = (t * rows + row) * unitsPerRow + chunk;
          auto [reg, lane] = placeOf(unit);
          Value &sum = sums[t % plan.sets * size + row * rowSums + i];
          sum = multiplyLane(sum, registers[own + chunk],
                             {registers[reg], lane}, false);
          if (chunk + 1 < shape.chunks)
            continue;
          if (perStep)
            sum = rounded(sum);
          const Group &used = patterns[pattern];
          if (!isLast && i + 1 == rowSums &&
              unit + 1 == used.first + used.units) {
            decodePattern(next, used, registers);
            ++pattern;
          }
        }
      if (t + ahead >= plan.unroll && isLast)
        continue;
      int step = t + ahead - plan.unroll;
      llvm::copy(loadRows(shape.rhs, operandType, next.rhs, step * rowSums + i),
                 registers.begin() + own);
    }
}

/// All K steps: plan.unroll of them at a time, the last without reading beyond,
/// and the rest one by one.
Emitter::Values SveTile::pipelinedLoop(int ahead, const Position &position,
                                       Values sums) {
  Value unroll = e.i64(plan.unroll);
  Value lhsRun = e.mul(lhsStride, unroll), rhsRun = e.mul(rhsStride, unroll);
  Value rest = arith::RemUIOp::create(e.b, e.loc, params.k, unroll);
  Value whole = e.sub(params.k, rest);
  auto flat = [](const Position &at, const Values &registers,
                 const Values &carried) {
    Values all = {at.lhs, at.rhs};
    llvm::append_range(all, registers);
    llvm::append_range(all, carried);
    return all;
  };
  Values none = flat(position, {}, sums);
  Values all = e.ifElse(
      e.icmp(arith::CmpIPredicate::sge, params.k, plan.unroll),
      [&] {
        Position at = position;
        // Multiplies by lane find their lanes in z0 to z7 only.
        for (auto [i, sum] : llvm::enumerate(sums))
          if (i < 16)
            sum = v.inRegister(sum, 16 + static_cast<int>(i));
        auto advance = [&] {
          at.lhs = e.offset(at.lhs, lhsRun);
          at.rhs = e.offset(at.rhs, rhsRun);
        };
        llvm::SmallVector<Group> patterns = patternGroups();
        Values registers(patterns.back().reg + patterns.back().size);
        for (const Group &pattern : patterns)
          decodePattern(at, pattern, registers);
        for (int i = 0; i < ahead * rowSums; ++i)
          llvm::append_range(registers,
                             loadRows(shape.rhs, operandType, at.rhs, i));
        size_t count = registers.size();
        advance();
        auto split = [&](const Values &values) {
          at.lhs = values[0];
          at.rhs = values[1];
          registers.assign(values.begin() + 2, values.begin() + 2 + count);
          return Values(values.begin() + 2 + count, values.end());
        };
        Values out =
            e.loop(unroll, whole, plan.unroll, flat(at, registers, sums),
                   [&](Value, Values in) {
                     Values carried = split(in);
                     multiplyAhead(ahead, registers, at, false, carried);
                     advance();
                     return flat(at, registers, carried);
                   });
        out[0].getDefiningOp()->setAttr(kCountsDown, e.b.getUnitAttr());
        Values carried = split(out);
        multiplyAhead(ahead, registers, at, true, carried);
        return flat(at, {}, carried);
      },
      [&] { return none; });
  if (plan.unroll > 1)
    all = runSteps(position, whole, params.k, 1, all,
                   [&](const Position &at, int count, Values carries) {
                     return steps(at, count, carries);
                   });
  return Values(all.begin() + 2, all.end());
}

} // namespace tilewright
