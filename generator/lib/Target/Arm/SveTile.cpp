// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of SVE vectors: rows of the rhs fill the lanes, those of the lhs are
// broadcast, mostly by multiplies that take one lane of each 128 bits.

#include "SveTile.h"
#include "tilewright/Emit/Elements.h"
#include "tilewright/Emit/StepRounding.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace mlir;

namespace tilewright {
SveTile::SveTile(Emitter &e, const TileKey &key, const TilePlan &plan,
                 Block &entry)
    : ScalableTile(e, key, plan, entry) {
  const TypeTripleInfo &types = tilewright::info(key.types);
  auto kind = [](tw_element_type_t type) {
    return tilewright::info(type).kind;
  };
  isFloat = kind(types.accumulator) == TW_ELEMENT_KIND_FLOAT;
  lhsSigned = kind(types.lhs) == TW_ELEMENT_KIND_SIGNED;
  // The values of u4 are the same read as signed bytes.
  rhsSigned = types.rhs == TW_ELEMENT_U4
                  ? lhsSigned
                  : kind(types.rhs) == TW_ELEMENT_KIND_SIGNED;
  matrix = plan.scalable == ScalableIdiom::SveMatrix;
  perStep = key.rounding == Rounding::kPerStep;
  bool widens = plan.scalable == ScalableIdiom::SveWiden;
  bool dots = plan.scalable == ScalableIdiom::SveDot;
  if (!matrix && !dots && !widens)
    element = sumType.getElementType();
  else if (isFloat)
    element = types.lhs == TW_ELEMENT_BF16 ? Type(e.b.getBF16Type()) : e.f16();
  else
    element = e.integer(widens || shape.sumBits == 64 ? 16 : 8);
  operandType = ScalableVectors::full(element);
  patternBits = widens ? 16 : shape.containerBits;
  unitsPerRow = widens ? key.k0 : shape.chunks;
  memoryBits = shape.lhs.rowBytes * 8 / unitsPerRow;
  interleaved = isFloat && memoryBits != patternBits ? 2 : 1;
  if (shape.nibbles) { // from row to row of 8 bytes
    constexpr int64_t kOrder = 0x0705'0301'0604'0200,
                      kRow = 0x0808'0808'0808'0808;
    VectorType rowsOf8 = ScalableVectors::full(e.integer(64));
    evenThenOdd = e.bitcast(
        v.sve("index", rowsOf8, {e.i64(kOrder), e.i64(kRow)}), operandType);
  }
}

void SveTile::emitBlock(const Position &position, int blockRows,
                        int blockVectors) {
  rows = blockRows;
  groups = static_cast<int>(llvm::divideCeil(rows, shape.rowsTogether));
  rowSums = shape.sumVectors(blockVectors);
  if (shape.scaleBits == 0)
    return emitSteps(position, params.k);
  // So many K steps at a time that their sums do not wrap, in any case once:
  // the out tile adds them up.
  int64_t most = scaledSteps(key.k0, plan.unroll);
  Value some = arith::MaxSIOp::create(e.b, e.loc, params.k, e.i64(1));
  Values first = {position.lhs, position.rhs, params.accumulate};
  e.loop(e.i64(0), some, most, first, [&](Value k, Values in) {
    keepOld(in[2]);
    emitSteps(
        {in[0], in[1], position.out, position.lhsIsDense, position.rhsIsDense},
        arith::MinSIOp::create(e.b, e.loc, e.sub(params.k, k), e.i64(most)));
    return Values{e.offset(in[0], e.mul(lhsStride, e.i64(most))),
                  e.offset(in[1], e.mul(rhsStride, e.i64(most))),
                  e.constant(e.b.getI1Type(), 1)};
  });
}

/// `count` K steps of a block and their place in the out tile. Sums are
/// [set][group of rows][vector].
void SveTile::emitSteps(const Position &position, Value count) {
  size_t size = groups * rowSums;
  Values sums(plan.sets * size, e.zero(sumType));
  if (perStep)
    loadSums(position.out, sums);
  llvm::SmallVector<int> order = sumOrder();
  for (int i : StepRounding::narrowOnes(plan, order))
    sums[i] = narrowed(sums[i]);
  if (int ahead = stepsAhead(position))
    sums = pipelinedLoop(ahead, position, count, sums);
  else
    sums = kLoop(position, count, sums,
                 [&](const Position &at, int each, Values carries) {
                   return steps(at, each, carries);
                 });
  for (int i : StepRounding::narrowOnes(plan, order))
    sums[i] = widened(sums[i]);
  // Where sets keep either row, two of them are left.
  size_t left = pairsSteps(plan, shape, rows) ? 2 * size : size;
  for (size_t i = left; i < sums.size(); ++i)
    sums[i % left] = e.add(sums[i % left], sums[i]);
  sums.resize(left);
  if (shape.scaleBits != 0)
    for (Value &sum : sums)
      sum = e.sar(sum, shape.scaleBits);
  storeBlock(position.out, sums);
}

Emitter::Values SveTile::steps(const Position &position, int count,
                               Values sums) {
  int stepUnits = rows * unitsPerRow;
  // A pattern may hold units of several K steps where nothing lies between.
  bool spans =
      shape.byLane && position.lhsIsDense &&
      (rows % shape.rowsTogether == 0 || pairsSteps(plan, shape, rows));
  Patterns patterns{position.lhs, spans ? count * stepUnits : stepUnits, {}};
  Value lhs = position.lhs, rhs = position.rhs;
  size_t size = sums.size() / plan.sets;
  for (int t = 0; t < count; ++t) {
    if (t != 0) {
      lhs = nextLhs(lhs);
      if (!position.rhsIsDense)
        rhs = nextRhs(rhs);
      if (!spans)
        patterns = {lhs, stepUnits, {}};
    }
    step(rhs, position.rhsIsDense ? t * operands() : 0, lhs, patterns,
         spans ? t * stepUnits : 0,
         Sums(sums).slice(t % plan.sets * size, size));
  }
  return sums;
}

/// `rhs` and the number of vectors behind it, `lhs` and its patterns.
void SveTile::step(Value rhs, int firstVector, Value lhs, Patterns &patterns,
                   int firstUnit, Sums sums) {
  llvm::SmallVector<Values> vectors;
  for (int i = 0; i < operands(); ++i)
    vectors.push_back(loadRows(shape.rhs, operandType, rhs, firstVector + i));
  llvm::SmallVector<int> order = sumOrder();
  std::optional<StepRounding> rounding;
  if (plan.roundsInTurn())
    rounding.emplace(
        plan, sums, order, [&](Value sum) { return narrowed(sum); },
        [&](Value sum) { return widened(sum); });
  for (int group = 0; group < groups; ++group) {
    Sums row = sums.slice(group * rowSums, rowSums);
    for (int unit = 0; unit < unitsPerRow; ++unit) {
      Value broadcast;
      Lane lane{nullptr, 0};
      if (shape.byLane)
        lane =
            take(patterns,
                 firstUnit + group * shape.rowsTogether * unitsPerRow + unit);
      else
        broadcast = broadcastContainer(
            e.offset(lhs, (group * unitsPerRow + unit) * memoryBits / 8));
      for (int i = 0; i < rowSums; ++i) {
        Value operand = vectors[i / sumsPerOperand()][chunkOf(unit)];
        if (rounding && unit == 0)
          rounding->begins(group * rowSums + i);
        if (shape.byLane)
          multiply(row[i], i, operand, unit, lane);
        else
          row[i] = multiplyVector(row[i], operand, broadcast);
        if (rounding && unit + 1 == unitsPerRow)
          rounding->hasEnded(group * rowSums + i);
      }
    }
    if (perStep && !rounding)
      for (Value &sum : row)
        sum = rounded(sum);
  }
  if (rounding)
    rounding->finish();
}

/// Units of a pattern where `left` of them are left.
int SveTile::patternUnits(int left) const {
  return std::min<int>(128 * interleaved / patternBits,
                       llvm::bit_floor(static_cast<unsigned>(left)));
}

/// Makes `unit`, not before those taken already, part of the current pattern.
SveTile::Lane SveTile::take(Patterns &p, int unit) {
  if (p.current.empty() || unit >= p.first + p.count) {
    p.first = p.current.empty() ? 0 : p.first + p.count;
    p.count = patternUnits(p.units - p.first);
    Value raw = loadPattern(
        e.offset(p.pointer, int64_t{p.first} * memoryBits / 8), p.count);
    p.current.clear();
    for (int i = 0; i < std::min(interleaved, p.count); ++i)
      p.current.push_back(decodePattern(raw, i));
  }
  int index = unit - p.first;
  return {p.current[index % interleaved], index / interleaved};
}

/// `units` of the lhs at `pointer`, over and over in a vector.
Value SveTile::loadPattern(Value pointer, int units) {
  int bytes = units * memoryBits / 8;
  int bits = tilewright::info(shape.lhs.type).bits;
  VectorType raw = memoryBits != patternBits
                       ? ScalableVectors::full(e.integer(bits))
                       : operandType;
  if (bytes == 16)
    return v.loadPattern(raw, pointer);
  Type piece = e.integer(8 * bytes);
  Value value =
      v.splat(e.load(piece, pointer, bits / 8), ScalableVectors::full(piece));
  return e.bitcast(value, raw);
}

/// Every `interleaved`th unit of a pattern, from unit `index` on, decoded.
Value SveTile::decodePattern(Value raw, int index) {
  if (shape.nibbles) // the rhs has its even elements apart from its odd ones
    return v.sve("tbl", operandType, {raw, evenThenOdd});
  if (memoryBits == patternBits)
    return raw;
  if (!isFloat)
    return v.unpackLow(raw, lhsSigned);
  // The halves of each 32 bits.
  Value words = e.bitcast(raw, ScalableVectors::full(e.integer(32)));
  if (index == 0)
    return v.halvesToFloat(words, shape.lhs.type);
  if (shape.lhs.type == TW_ELEMENT_BF16)
    return e.bitcast(e.band(words, 0xffff0000), operandType);
  return v.halvesToFloat(e.shr(words, 16), shape.lhs.type);
}

/// Sum `i` of its row += unit `unit` of the row, in `lane`, times its chunk of
/// the rhs.
void SveTile::multiply(Value &sum, int i, Value rhs, int unit, Lane lane) {
  bool top = shape.halvesAreRows ? i % 2 == 1 : unit % shape.halves == 1;
  sum = matrix ? multiplyMatrix(sum, rhs, lane.pattern)
               : multiplyLane(sum, rhs, lane, top);
}

Value SveTile::multiplyLane(Value sum, Value rhs, Lane lane, bool top) {
  Values operands = {sum, rhs, lane.pattern, v.immediate(lane.lane)};
  bool bf16 = element.isBF16();
  switch (plan.scalable) {
  case ScalableIdiom::SveDot:
    if (bf16)
      return v.sveSuffixed("bfdot.lane.v2", sumType, operands);
    if (shape.sumBits == 64)
      return v.sve("sdot.lane", sumType, operands);
    return v.sve(rhsSigned ? (lhsSigned ? "sdot.lane" : "sudot.lane")
                           : (lhsSigned ? "usdot.lane" : "udot.lane"),
                 sumType, operands);
  case ScalableIdiom::SveWiden: {
    llvm::StringRef half = top ? "t" : "b";
    if (bf16)
      return v.sveSuffixed("bfmlal" + half + ".lane.v2", sumType, operands);
    llvm::StringRef stem = isFloat ? "fmlal" : "smlal";
    return v.sve((stem + half + ".lane").str(), sumType, operands);
  }
  default:
    return v.sve("fmla.lane", sumType, operands);
  }
}

/// 2 rows of the lhs times the rows of the rhs, in blocks [2][2].
Value SveTile::multiplyMatrix(Value sum, Value rhs, Value rows) {
  if (isFloat)
    return v.sveSuffixed("bfmmla", sumType, {sum, rows, rhs});
  if (swapsMatrix())
    std::swap(rows, rhs);
  llvm::StringRef name = lhsSigned != rhsSigned ? "usmmla"
                         : lhsSigned            ? "smmla"
                                                : "ummla";
  return v.sve(name, sumType, {sum, rows, rhs});
}

/// One container of the lhs, in all containers of a vector.
Value SveTile::broadcastContainer(Value pointer) {
  const ScalableShape::Operand &o = shape.lhs;
  Value value =
      e.load(e.integer(o.unitBits), pointer, tilewright::info(o.type).bits / 8);
  Type wide = e.integer(o.extendedBits);
  value = o.byValue && lhsSigned ? e.sext(value, wide) : e.zext(value, wide);
  return e.bitcast(v.splat(value, ScalableVectors::full(wide)), operandType);
}

Value SveTile::multiplyVector(Value sum, Value rhs, Value broadcast) {
  if (plan.scalable != ScalableIdiom::SveDot)
    return e.add(sum, e.mul(rhs, broadcast));
  if (rhsSigned && !lhsSigned) // usdot takes the unsigned operand first
    std::swap(rhs, broadcast);
  llvm::StringRef name = lhsSigned != rhsSigned ? "usdot"
                         : lhsSigned            ? "sdot"
                                                : "udot";
  return v.sve(name, sumType, {sum, rhs, broadcast});
}

/// A sum -> the nearest value of the out type, as a sum.
Value SveTile::rounded(Value sum) {
  if (shape.sumBits == 16)
    return sum;
  return shape.convertsSums ? widened(narrowed(sum)) : roundToBF16(e, sum);
}

Value SveTile::narrowed(Value sum) {
  return v.floatToHalf(sum, tilewright::info(key.types).out);
}

Value SveTile::widened(Value sum) {
  return v.halfToFloat(sum, tilewright::info(key.types).out);
}

llvm::SmallVector<int> SveTile::sumOrder() const {
  return llvm::to_vector(llvm::seq(groups * rowSums));
}

// ---- The out tile -----------------------------------------------------------

Value SveTile::pair(llvm::StringRef operation, VectorType units, Value x,
                    Value y) {
  return e.bitcast(
      v.sve(operation, units, {e.bitcast(x, units), e.bitcast(y, units)}),
      sumType);
}

/// The old values as sums.
void SveTile::loadSums(Value out, Sums sums) {
  int vectors = matrix ? rowSums / 2 : rowSums;
  for (int group = 0; group < groups; ++group) {
    Sums row = sums.slice(group * rowSums, rowSums);
    Values first, second;
    for (Values *values : {&first, &second}) {
      bool present = group * shape.rowsTogether + (values == &second) < rows;
      if (values == &second && (!matrix || !present)) {
        second = first; // computed, but not stored
        break;
      }
      for (int i = 0; i < vectors; ++i)
        values->push_back(loadOld(out, i));
      out = e.offset(out, params.outRowBytes);
    }
    for (int i = 0; i < rowSums; ++i) {
      if (matrix)
        row[i] = pair(i % 2 ? "zip2" : "zip1", matrixUnits(), first[i / 2],
                      second[i / 2]);
      else if (shape.halvesAreRows)
        row[i] = pair(i % 2 ? "uzp2" : "uzp1", sumType, first[i / 2 * 2],
                      first[i / 2 * 2 + 1]);
      else
        row[i] = first[i];
    }
  }
}

void SveTile::storeBlock(Value out, llvm::ArrayRef<Value> sums) {
  for (int row = 0; row < rows; ++row) {
    llvm::ArrayRef<Value> own =
        sums.slice(row / shape.rowsTogether * rowSums, rowSums);
    Values values;
    for (int i = 0; i < rowSums; ++i) {
      if (matrix && i % 2 == 0) {
        values.push_back(
            pair(row % 2 ? "uzp2" : "uzp1", matrixUnits(), own[i], own[i + 1]));
        if (pairsSteps(plan, shape, rows))
          values.back() = e.add(values.back(),
                                pair("uzp2", matrixUnits(), sums[rowSums + i],
                                     sums[rowSums + i + 1]));
      } else if (shape.halvesAreRows)
        values.push_back(pair(i % 2 ? "zip2" : "zip1", sumType, own[i / 2 * 2],
                              own[i / 2 * 2 + 1]));
      else if (!matrix)
        values.push_back(own[i]);
    }
    // All loads of a row before its stores, which LLVM cannot tell apart.
    if (!perStep)
      for (auto [i, value] : llvm::enumerate(values))
        value = e.add(value, loadOld(out, static_cast<int>(i)));
    for (auto [i, value] : llvm::enumerate(values))
      storeSums(value, out, static_cast<int>(i));
    if (row + 1 < rows)
      out = e.offset(out, params.outRowBytes);
  }
}

void emitSveTile(Emitter &e, const TileKey &key, const TilePlan &plan,
                 Block &entry) {
  SveTile(e, key, plan, entry).emit();
}

} // namespace tilewright
