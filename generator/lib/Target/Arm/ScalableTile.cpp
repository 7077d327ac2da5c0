// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScalableTile.h"
#include "tilewright/Emit/Elements.h"

using namespace mlir;

namespace tilewright {

ScalableTile::ScalableTile(Emitter &e, const TileKey &key, const TilePlan &plan,
                           Block &entry)
    : e(e), v(e), key(key), plan(plan), shape(plan.scalable, key),
      out(entry.getArgument(0)), lhs(entry.getArgument(1)),
      rhs(entry.getArgument(2)), outType(info(key.types).out),
      outBytes(info(outType).bits / 8) {
  Type sum = e.integer(shape.sumBits);
  if (tilewright::info(info(key.types).accumulator).kind ==
      TW_ELEMENT_KIND_FLOAT)
    sum = shape.sumBits == 16   ? e.f16()
          : shape.sumBits == 64 ? e.f64()
                                : e.f32();
  sumType = ScalableVectors::full(sum);
  lengthFactor =
      emissionOf(e.isa).vectorLengthFactor(e.b, e.loc, info(e.isa.scaling));
  params = readTileParams(
      e, entry.getArgument(3), [&] { return perFactor(shape.rhs.size, true); },
      outBytes);
  lhsStride =
      perFactor(int64_t{shape.lhs.size} * shape.lhs.rowBytes, shape.lhs.rows);
  rhsStride = perFactor(int64_t{shape.rhs.size} * shape.rhs.rowBytes, true);
  keepOld(params.accumulate);
}

Value ScalableTile::perFactor(int64_t amount, bool scalable) {
  return scalable ? e.mul(lengthFactor, e.i64(amount)) : e.i64(amount);
}

/// Ranges of `size` from 0 to `total`, or to its run-time multiple, and one of
/// what is left.
void ScalableTile::forRange(int total, int size, bool scalable,
                            llvm::function_ref<void(Value, int)> body) {
  int whole = total / size * size;
  if (whole == size && !scalable)
    body(e.i64(0), size);
  else if (whole > 0)
    e.loop(e.i64(0), perFactor(whole, scalable), size, {},
           [&](Value first, Values) {
             body(first, size);
             return Values();
           });
  if (whole < total)
    body(e.i64(whole), total - whole);
}

void ScalableTile::forBlocks(
    llvm::function_ref<void(Position, int, int)> body) {
  int rowUnit = shape.rowUnit();
  bool unitsScale = shape.sme && shape.lhs.rows; // their number then does not
  Value rowBytes = perFactor(int64_t{rowUnit} * shape.lhs.rowBytes, unitsScale);
  Value vectorBytes =
      perFactor(int64_t{shape.lanes} * shape.rhs.rowBytes, true);
  Value outVectorBytes = perFactor(int64_t{shape.lanes} * outBytes, true);
  Value outRowBytes = params.outRowBytes;
  if (unitsScale)
    outRowBytes = e.mul(outRowBytes, perFactor(rowUnit, true));
  auto rows = [&](llvm::function_ref<void(Value, int)> inner) {
    forRange(shape.lhs.size / rowUnit, plan.blockRows,
             shape.lhs.rows && !unitsScale, inner);
  };
  auto vectors = [&](llvm::function_ref<void(Value, int)> inner) {
    forRange(shape.rhs.size / shape.lanes, plan.blockVectors, false, inner);
  };
  auto block = [&](Value row, int rowCount, Value vector, int vectorCount) {
    Position position;
    position.lhsIsDense = rowCount * rowUnit == shape.lhs.size &&
                          (unitsScale || (!shape.sme && !shape.lhs.rows));
    position.rhsIsDense = vectorCount * shape.lanes == shape.rhs.size;
    position.lhs = e.offset(lhs, e.mul(row, rowBytes));
    position.rhs = e.offset(rhs, e.mul(vector, vectorBytes));
    position.out = e.offset(e.offset(out, e.mul(row, outRowBytes)),
                            e.mul(vector, outVectorBytes));
    body(position, rowCount, vectorCount);
  };
  if (plan.rowsInner)
    vectors([&](Value vector, int vectorCount) {
      rows([&](Value row, int rowCount) {
        block(row, rowCount, vector, vectorCount);
      });
    });
  else
    rows([&](Value row, int rowCount) {
      vectors([&](Value vector, int vectorCount) {
        block(row, rowCount, vector, vectorCount);
      });
    });
}

Emitter::Values ScalableTile::runSteps(const Position &position, Value begin,
                                       Value end, int count, Values all,
                                       Steps steps) {
  Value lhsRun = e.mul(lhsStride, e.i64(count));
  Value rhsRun = e.mul(rhsStride, e.i64(count));
  all = e.loop(begin, end, count, all, [&](Value, Values in) {
    Values sums =
        steps({in[0], in[1], nullptr, position.lhsIsDense, position.rhsIsDense},
              count, Values(in.begin() + 2, in.end()));
    Values next = {e.offset(in[0], lhsRun), e.offset(in[1], rhsRun)};
    llvm::append_range(next, sums);
    return next;
  });
  all[0].getDefiningOp()->setAttr(kCountsDown, e.b.getUnitAttr());
  return all;
}

Emitter::Values ScalableTile::kLoop(const Position &position, Value count,
                                    Values carries, Steps steps) {
  Values all = {position.lhs, position.rhs};
  llvm::append_range(all, carries);
  Value begin = e.i64(0);
  if (plan.unroll > 1) {
    Value rest = arith::RemUIOp::create(e.b, e.loc, count, e.i64(plan.unroll));
    Value end = e.sub(count, rest);
    all = runSteps(position, begin, end, plan.unroll, all, steps);
    begin = end;
  }
  all = runSteps(position, begin, count, 1, all, steps);
  return Values(all.begin() + 2, all.end());
}

Emitter::Values ScalableTile::loadRows(const ScalableShape::Operand &operand,
                                       VectorType type, Value pointer,
                                       int index, Value rows) {
  int align = std::max(info(operand.type).bits / 8, 1);
  auto load = [&](VectorType loaded) -> Value {
    Value at = v.offset(pointer, loaded, index);
    if (!rows)
      return v.load(loaded, at, align);
    return LLVM::MaskedLoadOp::create(e.b, e.loc, loaded, at, rows,
                                      e.zero(loaded),
                                      static_cast<uint32_t>(align));
  };
  VectorType containers = ScalableVectors::full(e.integer(shape.containerBits));
  if (shape.nibbles && &operand == &shape.lhs)
    return v.loadApart(type, v.offset(pointer, type, index * 2), 2);
  if (shape.nibbles) {
    Value pairs = load(type);
    if (shape.scaleBits != 0)
      return {e.shl(pairs, 4), e.band(pairs, 0xf0)};
    bool isSigned = info(operand.type).kind == TW_ELEMENT_KIND_SIGNED;
    auto down = [&](Value x) { return isSigned ? e.sar(x, 4) : e.shr(x, 4); };
    return {down(e.shl(pairs, 4)), down(pairs)};
  }
  if (!operand.extends()) {
    if (shape.chunks == 1)
      return {rows ? e.bitcast(load(containers), type) : load(type)};
    Values parts = v.loadApart(
        containers, v.offset(pointer, containers, index * shape.chunks),
        shape.chunks, rows);
    for (Value &part : parts)
      part = e.bitcast(part, type);
    return parts;
  }
  int units = 128 / operand.extendedBits;
  bool isFloat = info(operand.type).kind == TW_ELEMENT_KIND_FLOAT;
  bool isSigned = info(operand.type).kind == TW_ELEMENT_KIND_SIGNED;
  Value value = load(ScalableVectors::vec(units, e.integer(operand.unitBits)));
  Type wide = e.integer(operand.extendedBits);
  if (operand.byValue && isFloat)
    return {v.halvesToFloat(e.zext(value, wide), operand.type)};
  value =
      operand.byValue && isSigned ? e.sext(value, wide) : e.zext(value, wide);
  return {e.bitcast(value, type)};
}

VectorType ScalableTile::outVectorType() {
  Type element = outType == TW_ELEMENT_F16    ? e.f16()
                 : outType == TW_ELEMENT_BF16 ? e.integer(16)
                 : outType == TW_ELEMENT_S32  ? e.integer(32)
                                              : sumType.getElementType();
  return ScalableVectors::vec(128 / shape.sumBits, element);
}

void ScalableTile::keepOld(Value condition) {
  oldLanes = v.splat(condition, v.mask(128 / shape.sumBits));
}

Value ScalableTile::loadOld(Value pointer, int index) {
  VectorType type = outVectorType();
  pointer = v.offset(pointer, type, index);
  Value old =
      LLVM::MaskedLoadOp::create(e.b, e.loc, type, pointer, oldLanes,
                                 e.zero(type), static_cast<uint32_t>(outBytes));
  if (type == sumType)
    return old;
  if (outType == TW_ELEMENT_S32)
    return e.zext(old, sumType.getElementType());
  return v.halfToFloat(old, outType);
}

void ScalableTile::storeSums(Value sums, Value pointer, int index) {
  VectorType type = outVectorType();
  if (flushesDenormals(plan.scalable, key)) {
    VectorType bits = ScalableVectors::full(e.integer(32));
    Value exponent = e.band(e.bitcast(sums, bits), 0x7f800000);
    sums = e.select(e.icmp(arith::CmpIPredicate::eq, exponent, 0),
                    e.zero(sumType), sums);
  }
  if (type != sumType)
    sums = outType == TW_ELEMENT_S32 ? e.trunc(sums, type.getElementType())
                                     : v.floatToHalf(sums, outType);
  e.store(sums, v.offset(pointer, type, index), outBytes);
}

} // namespace tilewright
