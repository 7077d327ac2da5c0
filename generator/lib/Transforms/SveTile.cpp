// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of SVE vectors: rows of the rhs fill the lanes, those of the lhs are
// broadcast, mostly by multiplies that take one lane of each 128 bits.

#include "ScalableTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {
namespace {

class SveTile : ScalableTile {
public:
  SveTile(Emitter &e, const TileKey &key, const TilePlan &plan, Block &entry);

  void emit() {
    unlessIdle(e, params, [&] {
      forBlocks([&](Position position, int rows, int vectors) {
        emitBlock(position, rows, vectors);
      });
    });
  }

private:
  using Sums = llvm::MutableArrayRef<Value>;

  void emitBlock(const Position &position, int rows, int vectors);
  Values steps(const Position &position, int count, Values sums);

  // One K step. `Patterns` are those of an iteration's lhs elements.
  struct Patterns {
    Value pointer; ///< to the first unit
    int units;     ///< that are there to read
    Value current; ///< units [first, first + count)
    int first = 0, count = 0;
  };
  void step(Value rhs, int firstVector, Value lhs, Patterns &patterns,
            int firstUnit, Sums sums);
  int take(Patterns &patterns, int unit);
  Value loadPattern(Value pointer, int units);
  Value multiplyLane(Value sum, Value rhs, Value pattern, int lane, bool top);
  Value multiplyVector(Value sum, Value rhs, Value broadcast);
  Value multiplyMatrix(Value sum, Value rhs, Value rows);
  Value broadcastContainer(Value pointer);

  // The out tile: a row's vectors of out elements <-> sums as they are summed.
  void loadSums(Value out, Sums sums);
  void storeBlock(Value out, llvm::ArrayRef<Value> sums);
  Value pair(llvm::StringRef operation, VectorType units, Value x, Value y);
  Value rounded(Value sum);

  /// usmmla takes the unsigned operand first: the rhs, if that is it.
  bool swapsMatrix() const {
    return matrix && !isFloat && lhsSigned && !rhsSigned;
  }
  /// The units whose blocks [2][2] a matrix multiply leaves.
  VectorType matrixUnits() {
    return swapsMatrix() ? sumType : ScalableVectors::full(e.integer(64));
  }

  bool isFloat, lhsSigned, rhsSigned, matrix, perStep;
  Type element; ///< that multiplies take
  VectorType operandType;
  /// Bits of what a lane index counts, a unit, after decoding and in memory.
  int patternBits, memoryBits;
  int unitsPerRow;
  int rows, groups; ///< of the block; groups of rows that share sums
  int rowSums;      ///< vectors of sums per group
};

SveTile::SveTile(Emitter &e, const TileKey &key, const TilePlan &plan,
                 Block &entry)
    : ScalableTile(e, key, plan, entry) {
  const TypeTripleInfo &types = tilewright::info(key.types);
  auto kind = [](tw_element_type_t type) {
    return tilewright::info(type).kind;
  };
  isFloat = kind(types.accumulator) == TW_ELEMENT_KIND_FLOAT;
  lhsSigned = kind(types.lhs) == TW_ELEMENT_KIND_SIGNED;
  rhsSigned = kind(types.rhs) == TW_ELEMENT_KIND_SIGNED;
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
}

/// Sums are [set][group of rows][vector].
void SveTile::emitBlock(const Position &position, int blockRows,
                        int blockVectors) {
  rows = blockRows;
  groups = static_cast<int>(llvm::divideCeil(rows, shape.rowsTogether));
  rowSums = shape.sumVectors(blockVectors);
  size_t size = groups * rowSums;
  Values sums(plan.sets * size, e.zero(sumType));
  if (perStep)
    loadSums(position.out, sums);
  sums =
      kLoop(position, sums, [&](const Position &at, int count, Values carries) {
        return steps(at, count, carries);
      });
  for (size_t i = size; i < sums.size(); ++i)
    sums[i % size] = e.add(sums[i % size], sums[i]);
  sums.resize(size);
  storeBlock(position.out, sums);
}

Emitter::Values SveTile::steps(const Position &position, int count,
                               Values sums) {
  int stepUnits = rows * unitsPerRow;
  // A pattern may hold units of several K steps where nothing lies between.
  bool spans =
      shape.byLane && position.lhsIsDense && rows % shape.rowsTogether == 0;
  Patterns patterns{position.lhs, spans ? count * stepUnits : stepUnits,
                    nullptr};
  Value lhs = position.lhs, rhs = position.rhs;
  size_t size = sums.size() / plan.sets;
  for (int t = 0; t < count; ++t) {
    if (t != 0) {
      lhs = nextLhs(lhs);
      if (!position.rhsIsDense)
        rhs = nextRhs(rhs);
      if (!spans)
        patterns = {lhs, stepUnits, nullptr};
    }
    int operands = rowSums / (shape.halvesAreRows ? 2 : 1);
    step(rhs, position.rhsIsDense ? t * operands : 0, lhs, patterns,
         spans ? t * stepUnits : 0,
         Sums(sums).slice(t % plan.sets * size, size));
  }
  return sums;
}

/// `rhs` and the number of vectors behind it, `lhs` and its patterns.
void SveTile::step(Value rhs, int firstVector, Value lhs, Patterns &patterns,
                   int firstUnit, Sums sums) {
  llvm::SmallVector<Values> operands;
  int sumsPerOperand = shape.halvesAreRows ? 2 : 1;
  for (int i = 0; i < rowSums / sumsPerOperand; ++i)
    operands.push_back(loadRows(shape.rhs, operandType, rhs, firstVector + i));
  for (int group = 0; group < groups; ++group) {
    Sums row = sums.slice(group * rowSums, rowSums);
    for (int unit = 0; unit < unitsPerRow; ++unit) {
      int chunk = shape.halvesAreRows ? unit : unit / shape.halves;
      Value broadcast;
      int lane = 0;
      if (shape.byLane)
        lane =
            take(patterns,
                 firstUnit + group * shape.rowsTogether * unitsPerRow + unit);
      else
        broadcast = broadcastContainer(
            e.offset(lhs, (group * unitsPerRow + unit) * memoryBits / 8));
      for (int i = 0; i < rowSums; ++i) {
        Value operand = operands[i / sumsPerOperand][chunk];
        bool top = shape.halvesAreRows ? i % 2 == 1 : unit % shape.halves == 1;
        row[i] = !shape.byLane ? multiplyVector(row[i], operand, broadcast)
                 : matrix ? multiplyMatrix(row[i], operand, patterns.current)
                          : multiplyLane(row[i], operand, patterns.current,
                                         lane, top);
      }
    }
    if (perStep)
      for (Value &sum : row)
        sum = rounded(sum);
  }
}

/// Makes `unit`, not before those taken already, part of the current pattern;
/// returns its lane.
int SveTile::take(Patterns &p, int unit) {
  if (!p.current || unit >= p.first + p.count) {
    p.first = p.current ? p.first + p.count : 0;
    unsigned left = p.units - p.first;
    p.count = std::min<int>(128 / patternBits, llvm::bit_floor(left));
    p.current = loadPattern(
        e.offset(p.pointer, int64_t{p.first} * memoryBits / 8), p.count);
  }
  return unit - p.first;
}

/// `units` of the lhs at `pointer`, decoded, over and over in a vector.
Value SveTile::loadPattern(Value pointer, int units) {
  int bytes = units * memoryBits / 8;
  int bits = tilewright::info(shape.lhs.type).bits;
  bool decodes = memoryBits != patternBits;
  VectorType raw =
      decodes ? ScalableVectors::full(e.integer(bits)) : operandType;
  Value value;
  if (bytes == 16) {
    value = v.loadPattern(raw, pointer);
  } else {
    Type piece = e.integer(8 * bytes);
    value =
        v.splat(e.load(piece, pointer, bits / 8), ScalableVectors::full(piece));
    value = e.bitcast(value, raw);
  }
  if (!decodes)
    return value;
  value = v.unpackLow(value, !isFloat && lhsSigned);
  if (!isFloat)
    return value;
  VectorType half = ScalableVectors::vec(shape.lanes, e.integer(16));
  return v.halfToFloat(arith::TruncIOp::create(e.b, e.loc, half, value),
                       shape.lhs.type);
}

Value SveTile::multiplyLane(Value sum, Value rhs, Value pattern, int lane,
                            bool top) {
  Values operands = {sum, rhs, pattern, v.immediate(lane)};
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
  tw_element_type_t out = tilewright::info(key.types).out;
  return v.halfToFloat(v.floatToHalf(sum, out), out);
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
      if (matrix && i % 2 == 0)
        values.push_back(
            pair(row % 2 ? "uzp2" : "uzp1", matrixUnits(), own[i], own[i + 1]));
      else if (shape.halvesAreRows)
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

} // namespace

void emitSveTile(Emitter &e, const TileKey &key, const TilePlan &plan,
                 Block &entry) {
  SveTile(e, key, plan, entry).emit();
}

} // namespace tilewright
