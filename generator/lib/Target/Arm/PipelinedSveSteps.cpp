// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The K loop of SVE tiles whose operands are read ahead: those of the next
// iteration are loaded, and decoded, while this one's are multiplied. A core
// that issues in order waits for loads; and of those that do not, Neoverse V1
// has one pipe for conversions of floats and another for shifts, to which
// multiplies go as well; one that waits for its operands keeps all others
// waiting.
//
// The registers are those of an iteration's patterns, then the vectors of the
// rhs of a few steps, [step][vector][chunk].

#include "SveTile.h"

using namespace mlir;

namespace tilewright {

/// Multiplies from one of a sum to its next, where there are others.
static constexpr int kApart = 4;

int SveTile::stepsAhead(const Position &position) const {
  return position.lhsIsDense && position.rhsIsDense ? plan.decodeAhead : 0;
}

/// K steps from the first of an iteration to the pointer to the rhs. Loads that
/// extend have offsets of -8 to 7 vectors; others of 256 both ways, but LLVM
/// adds up some negative ones by instructions of their own.
int SveTile::rhsReached(int ahead) const {
  return shape.rhs.extends() ? plan.unroll : ahead;
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

/// The sums of K step `t` that vector `i` of the rhs and a group of rows give,
/// += part `part` of those rows times `operand`.
void SveTile::multiplyGroup(int t, int group, int i, int part, Value operand,
                            const Values &registers, Values &sums) {
  auto [reg, lane] =
      placeOf((t * rows + group * shape.rowsTogether) * unitsPerRow + part);
  Sums row =
      Sums(sums).slice((t % plan.sets * groups + group) * rowSums, rowSums);
  for (int sum = i * sumsPerOperand(); sum < (i + 1) * sumsPerOperand();
       ++sum) {
    multiply(row[sum], sum, operand, part, {registers[reg], lane});
    if (perStep && part + 1 == unitsPerRow)
      row[sum] = rounded(row[sum]);
  }
}

/// plan.unroll K steps of `registers`. Each pattern, and each vector of the
/// rhs, is replaced as soon as its last multiply has it: by that of the
/// iteration at `next`, if this is not the last one; and by that of `ahead`
/// steps on, of which the first is rhsReached(ahead) - ahead before `next`.
void SveTile::multiplyAhead(int ahead, Values &registers, const Position &next,
                            bool isLast, Values &sums) {
  llvm::SmallVector<Group> patterns = patternGroups();
  int lhsRegisters = patterns.back().reg + patterns.back().size;
  auto own = [&](int t, int i) {
    return lhsRegisters + (t % ahead * operands() + i) * shape.chunks;
  };
  size_t pattern = 0; // the first that is not yet replaced
  auto replacePatterns = [&](int end) {
    for (; pattern < patterns.size() && patterns[pattern].end() <= end;
         ++pattern)
      decodePattern(next, patterns[pattern], registers);
  };
  // Multiplies of one sum stand apart.
  int together = groups * sumsPerOperand() < kApart ? operands() : 1;
  for (int t = 0; t < plan.unroll; ++t)
    for (int first = 0; first < operands(); first += together)
      for (int part = 0; part < unitsPerRow; ++part)
        for (int i = first; i < first + together; ++i) {
          Value operand = registers[own(t, i) + chunkOf(part)];
          bool isDone = part + 1 == unitsPerRow;
          for (int group = 0; group < groups; ++group) {
            multiplyGroup(t, group, i, part, operand, registers, sums);
            int end = std::min((group + 1) * shape.rowsTogether, rows);
            if (isDone && i + 1 == operands() && !isLast)
              replacePatterns((t * rows + end) * unitsPerRow);
          }
          if (isDone && (t + ahead < plan.unroll || !isLast))
            llvm::copy(
                loadRows(shape.rhs, operandType, next.rhs,
                         (t + ahead - rhsReached(ahead)) * operands() + i),
                registers.begin() + own(t, i));
        }
}

/// `total` K steps: plan.unroll of them at a time, the last without reading
/// beyond, and the rest one by one.
Emitter::Values SveTile::pipelinedLoop(int ahead, const Position &position,
                                       Value total, Values sums) {
  Value unroll = e.i64(plan.unroll);
  Value lhsRun = e.mul(lhsStride, unroll);
  Value rest = arith::RemUIOp::create(e.b, e.loc, total, unroll);
  Value whole = e.sub(total, rest);
  auto flat = [](const Position &at, const Values &registers,
                 const Values &carried) {
    Values all = {at.lhs, at.rhs};
    llvm::append_range(all, registers);
    llvm::append_range(all, carried);
    return all;
  };
  Values none = flat(position, {}, sums);
  Values all = e.ifElse(
      e.icmp(arith::CmpIPredicate::sge, total, plan.unroll),
      [&] {
        Position at = position;
        // Multiplies by lane find their lanes in z0 to z7 only.
        for (auto [i, sum] : llvm::enumerate(sums))
          if (i < 16)
            sum = v.inRegister(sum, 16 + static_cast<int>(i));
        auto advance = [&](int64_t rhsSteps) {
          at.lhs = e.offset(at.lhs, lhsRun);
          at.rhs = e.offset(at.rhs, e.mul(rhsStride, e.i64(rhsSteps)));
        };
        llvm::SmallVector<Group> patterns = patternGroups();
        Values registers(patterns.back().reg + patterns.back().size);
        for (const Group &pattern : patterns)
          decodePattern(at, pattern, registers);
        for (int i = 0; i < ahead * operands(); ++i)
          llvm::append_range(registers,
                             loadRows(shape.rhs, operandType, at.rhs, i));
        size_t count = registers.size();
        advance(rhsReached(ahead));
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
                     advance(plan.unroll);
                     return flat(at, registers, carried);
                   });
        out[0].getDefiningOp()->setAttr(kCountsDown, e.b.getUnitAttr());
        Values carried = split(out);
        multiplyAhead(ahead, registers, at, true, carried);
        at.rhs = e.offset(
            at.rhs, e.mul(rhsStride, e.i64(plan.unroll - rhsReached(ahead))));
        return flat(at, {}, carried);
      },
      [&] { return none; });
  if (plan.unroll > 1)
    all = runSteps(position, whole, total, 1, all,
                   [&](const Position &at, int count, Values carries) {
                     return steps(at, count, carries);
                   });
  return Values(all.begin() + 2, all.end());
}

} // namespace tilewright
