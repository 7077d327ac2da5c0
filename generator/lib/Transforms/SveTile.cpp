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
  SveTile(Emitter &e, const TileKey &key, const TilePlan &plan, Block &entry)
      : ScalableTile(e, key, plan, entry) {
    const TypeTripleInfo &types = tilewright::info(key.types);
    bool bf16 = types.lhs == TW_ELEMENT_BF16;
    bool f16 = types.lhs == TW_ELEMENT_F16;
    isFloat = tilewright::info(types.accumulator).kind == TW_ELEMENT_KIND_FLOAT;
    lhsSigned = tilewright::info(types.lhs).kind == TW_ELEMENT_KIND_SIGNED;
    rhsSigned = tilewright::info(types.rhs).kind == TW_ELEMENT_KIND_SIGNED;
    switch (plan.scalable) {
    case ScalableIdiom::SveMatrix:
    case ScalableIdiom::SveDot:
      element = bf16 ? Type(e.b.getBF16Type()) : e.integer(8);
      break;
    case ScalableIdiom::SveWiden:
      element = bf16 ? Type(e.b.getBF16Type()) : f16 ? e.f16() : e.integer(16);
      break;
    default:
      element = sumType.getElementType();
      break;
    }
    operandType = ScalableVectors::full(element);
    // Bits of what a lane index counts, after decoding and in memory.
    patternBits =
        plan.scalable == ScalableIdiom::SveWiden ? 16 : shape.containerBits;
    bool decodes = shape.lhs.byValue;
    memoryBits = decodes ? tilewright::info(types.lhs).bits : patternBits;
  }

  void emit() {
    unlessIdle(e, params, [&] {
      forBlocks(1, [&](Position position, int rows, int vectors) {
        emitBlock(position, rows, vectors);
      });
    });
  }

private:
  void emitBlock(const Position &position, int rows, int vectors);
  Values step(Value lhs, Value rhs, int set, Values sums);
  Value loadPattern(Value pointer, int units);
  void multiplyByLanes(Value lhs, llvm::ArrayRef<Values> operands,
                       llvm::MutableArrayRef<Value> sums);
  void multiplyByBroadcasts(Value lhs, llvm::ArrayRef<Values> operands,
                            llvm::MutableArrayRef<Value> sums);
  Value byLane(Value sum, Value rhs, Value pattern, int lane, bool top);
  Value byVector(Value sum, Value rhs, Value broadcast);
  Value matrix(Value sum, Value rhs, Value rows);
  Value broadcastContainer(Value pointer);
  void storeBlock(Value out, Values sums);

  /// usmmla takes the unsigned operand first: the rhs, if that is it.
  bool swapsMatrix() const {
    return plan.scalable == ScalableIdiom::SveMatrix && !isFloat && lhsSigned &&
           !rhsSigned;
  }

  bool isFloat, lhsSigned, rhsSigned;
  Type element; ///< that multiplies take
  VectorType operandType;
  int patternBits, memoryBits;
  int rows, vectors; ///< of the block; sums per row or pair of rows
};

/// Sums are [set][row or pair of rows][vector].
void SveTile::emitBlock(const Position &position, int blockRows,
                        int blockVectors) {
  rows = blockRows;
  vectors = blockVectors * shape.rowsTogether;
  size_t size = llvm::divideCeil(rows, shape.rowsTogether) * vectors;
  Values sums(plan.sets * size, e.zero(sumType));
  sums = kLoop(position, sums,
               [&](Value lhs, Value rhs, int index, Values carries) {
                 return step(lhs, rhs, index % plan.sets, carries);
               });
  for (size_t i = size; i < sums.size(); ++i)
    sums[i % size] = e.add(sums[i % size], sums[i]);
  sums.resize(size);
  storeBlock(position.out, sums);
}

Emitter::Values SveTile::step(Value lhs, Value rhs, int set, Values sums) {
  llvm::SmallVector<Values> operands;
  for (int i = 0; i < vectors; ++i)
    operands.push_back(loadRows(shape.rhs, operandType, rhs, i));
  size_t size = sums.size() / plan.sets;
  auto own = llvm::MutableArrayRef<Value>(sums).slice(set * size, size);
  if (shape.byLane)
    multiplyByLanes(lhs, operands, own);
  else
    multiplyByBroadcasts(lhs, operands, own);
  return sums;
}

/// `units` elements or containers of the lhs at `pointer`, decoded, repeated in
/// all 128 bits of a vector.
Value SveTile::loadPattern(Value pointer, int units) {
  int bytes = units * memoryBits / 8;
  bool decodes = memoryBits != patternBits;
  VectorType raw =
      decodes ? ScalableVectors::full(e.integer(memoryBits)) : operandType;
  Value value;
  if (bytes == 16) {
    value = v.loadPattern(raw, pointer);
  } else {
    Type piece = e.integer(8 * bytes);
    value = e.bitcast(v.splat(e.load(piece, pointer,
                                     tilewright::info(shape.lhs.type).bits / 8),
                              ScalableVectors::full(piece)),
                      raw);
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

void SveTile::multiplyByLanes(Value lhs, llvm::ArrayRef<Values> operands,
                              llvm::MutableArrayRef<Value> sums) {
  // Units of a row, and how many of them a multiply takes.
  bool widens = plan.scalable == ScalableIdiom::SveWiden;
  int perRow = widens ? key.k0 : shape.chunks;
  int total = rows * perRow;
  for (int first = 0; first < total;) {
    int count = static_cast<int>(std::min<uint64_t>(
        128 / patternBits,
        llvm::bit_floor(static_cast<unsigned>(total - first))));
    Value pattern =
        loadPattern(e.offset(lhs, int64_t{first} * memoryBits / 8), count);
    if (shape.rowsTogether == 2) {
      for (int i = 0; i < vectors; ++i) {
        Value &sum = sums[first / 2 * vectors + i];
        sum = matrix(sum, operands[i][0], pattern);
      }
    } else {
      for (int lane = 0; lane < count; ++lane) {
        int row = (first + lane) / perRow, unit = (first + lane) % perRow;
        for (int i = 0; i < vectors; ++i) {
          Value &sum = sums[row * vectors + i];
          sum = byLane(sum, operands[i][unit / shape.halves], pattern, lane,
                       unit % shape.halves == 1);
        }
      }
    }
    first += count;
  }
}

Value SveTile::byLane(Value sum, Value rhs, Value pattern, int lane, bool top) {
  Values operands = {sum, rhs, pattern, v.immediate(lane)};
  bool bf16 = element.isBF16();
  switch (plan.scalable) {
  case ScalableIdiom::SveDot:
    if (bf16)
      return v.sveSuffixed("bfdot.lane.v2", sumType, operands);
    return v.sve(rhsSigned ? (lhsSigned ? "sdot.lane" : "sudot.lane")
                           : (lhsSigned ? "usdot.lane" : "udot.lane"),
                 sumType, operands);
  case ScalableIdiom::SveWiden: {
    llvm::StringRef half = top ? "t" : "b";
    if (bf16)
      return v.sveSuffixed("bfmlal" + half + ".lane.v2", sumType, operands);
    return v.sve(((isFloat ? "fmlal" : "smlal") + half + ".lane").str(),
                 sumType, operands);
  }
  default:
    return v.sve("fmla.lane", sumType, operands);
  }
}

/// 2 rows of the lhs times the rows of the rhs, in blocks [2][2].
Value SveTile::matrix(Value sum, Value rhs, Value rows) {
  if (isFloat)
    return v.sveSuffixed("bfmmla", sumType, {sum, rows, rhs});
  if (swapsMatrix())
    std::swap(rows, rhs);
  llvm::StringRef name =
      lhsSigned == rhsSigned ? (lhsSigned ? "smmla" : "ummla") : "usmmla";
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

void SveTile::multiplyByBroadcasts(Value lhs, llvm::ArrayRef<Values> operands,
                                   llvm::MutableArrayRef<Value> sums) {
  int64_t bytes = shape.lhs.rowBytes / shape.chunks;
  for (int row = 0; row < rows; ++row)
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      Value broadcast = broadcastContainer(
          e.offset(lhs, (row * shape.chunks + chunk) * bytes));
      for (int i = 0; i < vectors; ++i) {
        Value &sum = sums[row * vectors + i];
        sum = byVector(sum, operands[i][chunk], broadcast);
      }
    }
}

Value SveTile::byVector(Value sum, Value rhs, Value broadcast) {
  if (plan.scalable != ScalableIdiom::SveDot)
    return e.add(sum, e.mul(rhs, broadcast));
  if (rhsSigned && !lhsSigned) // usdot takes the unsigned operand first
    std::swap(rhs, broadcast);
  return v.sve(lhsSigned != rhsSigned ? "usdot"
               : lhsSigned            ? "sdot"
                                      : "udot",
               sumType, {sum, rhs, broadcast});
}

void SveTile::storeBlock(Value out, Values sums) {
  Value pointer = out;
  auto storeRow = [&](int row, llvm::ArrayRef<Value> values) {
    for (auto [i, value] : llvm::enumerate(values))
      storeSums(value, pointer, static_cast<int>(i));
    if (row + 1 < rows)
      pointer = e.offset(pointer, params.outRowBytes);
  };
  if (shape.rowsTogether == 1) {
    for (int row = 0; row < rows; ++row)
      storeRow(row, llvm::ArrayRef<Value>(sums).slice(row * vectors, vectors));
    return;
  }
  // Blocks [2][2], or transposed, of two vectors -> a row from each.
  VectorType units =
      swapsMatrix() ? sumType : ScalableVectors::full(e.integer(64));
  for (int row = 0; row < rows; ++row) {
    Values values;
    for (int i = 0; i < vectors; i += 2) {
      Value *pair = &sums[row / 2 * vectors + i];
      values.push_back(e.bitcast(
          v.sve(row % 2 ? "uzp2" : "uzp1", units,
                {e.bitcast(pair[0], units), e.bitcast(pair[1], units)}),
          sumType));
    }
    storeRow(row, values);
  }
}

} // namespace

void emitSveTile(Emitter &e, const TileKey &key, const TilePlan &plan,
                 Block &entry) {
  SveTile(e, key, plan, entry).emit();
}

} // namespace tilewright
