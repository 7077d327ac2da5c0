// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-expand-small-floats: conversions of narrow floats as integer arithmetic.

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Transforms/Passes.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_EXPANDSMALLFLOATS
#include "tilewright/Transforms/Passes.h.inc"

namespace {

constexpr int64_t kF32Infinity = 0x7F800000;
constexpr int64_t kF32QuietNaN = 0x7FC00000;
constexpr int64_t kF32SignBit = 0x80000000;

/// Integer arithmetic on i32 values of one shape.
class BitBuilder {
public:
  BitBuilder(ImplicitLocOpBuilder &b, Type shapedLike) : b(b) {
    i32 = withElement(shapedLike, b.getI32Type());
    f32 = withElement(shapedLike, b.getF32Type());
  }

  static Type withElement(Type shapedLike, Type element) {
    if (auto vector = dyn_cast<VectorType>(shapedLike))
      return vector.clone(element);
    return element;
  }

  Value constant(int64_t bits) {
    TypedAttr attr = b.getI32IntegerAttr(static_cast<int32_t>(bits));
    if (auto vector = dyn_cast<VectorType>(i32))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(b, attr);
  }
  Value bitAnd(Value x, int64_t y) {
    return arith::AndIOp::create(b, x, constant(y));
  }
  Value bitOr(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value shl(Value x, int64_t n) {
    return n == 0 ? x : arith::ShLIOp::create(b, x, constant(n)).getResult();
  }
  Value shr(Value x, int64_t n) {
    return n == 0 ? x : arith::ShRUIOp::create(b, x, constant(n)).getResult();
  }
  Value compare(arith::CmpIPredicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, predicate, x, constant(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value toFloat(Value bits) { return arith::BitcastOp::create(b, f32, bits); }
  Value toBits(Value value) { return arith::BitcastOp::create(b, i32, value); }

  ImplicitLocOpBuilder &b;
  Type i32, f32;
};

/// `bits`, zero-extended to i32, of a float of type `from` -> f32. Exact.
Value decode(BitBuilder &e, FloatType from, Value bits) {
  const llvm::fltSemantics &format = from.getFloatSemantics();
  int64_t sign = int64_t{1} << (from.getWidth() - 1);
  int64_t mantissaBits = llvm::APFloat::semanticsPrecision(format) - 1;
  int64_t bias = 1 - llvm::APFloat::semanticsMinExponent(format);

  // Exponent and mantissa where f32 has them mean value * 2^(bias - 127): an
  // f32 denormal exactly where the value is a denormal of its format. The
  // multiplication by a power of two is exact and normalises it.
  Value magnitude = e.bitAnd(bits, sign - 1);
  Value scaled = e.toFloat(e.shl(magnitude, 23 - mantissaBits));
  Value scale = e.toFloat(e.constant((127 - bias + 127) << 23));
  Value value = e.toBits(arith::MulFOp::create(e.b, scaled, scale));

  auto bitsOf = [](const llvm::APFloat &x) -> int64_t {
    return x.bitcastToAPInt().getZExtValue();
  };
  using arith::CmpIPredicate;
  if (llvm::APFloat::semanticsHasInf(format)) {
    int64_t infinity = bitsOf(llvm::APFloat::getInf(format));
    value = e.select(e.compare(CmpIPredicate::uge, magnitude, infinity),
                     e.constant(kF32Infinity), value);
    value = e.select(e.compare(CmpIPredicate::ugt, magnitude, infinity),
                     e.constant(kF32QuietNaN), value);
  } else if (llvm::APFloat::semanticsHasNaN(format)) {
    // One encoding, up to the sign; or, in the formats without -0, that of -0.
    int64_t nan = bitsOf(llvm::APFloat::getQNaN(format));
    Value candidate = nan == sign ? bits : magnitude;
    value = e.select(e.compare(CmpIPredicate::eq, candidate, nan),
                     e.constant(kF32QuietNaN), value);
  }
  Value signBit = e.shl(e.bitAnd(bits, sign), 32 - from.getWidth());
  return e.toFloat(e.bitOr(value, signBit));
}

/// `bits`, zero-extended to i32, of f8E8M0FNU, an exponent -> f32. Exact.
Value decodeScale(BitBuilder &e, Value bits) {
  using arith::CmpIPredicate;
  Value value = e.shl(bits, 23);
  // 2^-127, a denormal of f32.
  value = e.select(e.compare(CmpIPredicate::eq, bits, 0), e.constant(1 << 22),
                   value);
  return e.toFloat(e.select(e.compare(CmpIPredicate::eq, bits, 0xFF),
                            e.constant(kF32QuietNaN), value));
}

/// f32 -> the bits of a float of 8 bits, rounded to nearest even. What is too
/// large is an infinity where there is one, else NaN.
Value encodeSmall(BitBuilder &e, FloatType to, Value value) {
  using arith::CmpIPredicate;
  const llvm::fltSemantics &format = to.getFloatSemantics();
  int64_t sign = int64_t{1} << (to.getWidth() - 1);
  int64_t mantissaBits = llvm::APFloat::semanticsPrecision(format) - 1;
  int64_t leastExponent = llvm::APFloat::semanticsMinExponent(format);
  int64_t dropped = 23 - mantissaBits;
  auto bitsOf = [](const llvm::APFloat &x) -> int64_t {
    return x.bitcastToAPInt().getZExtValue();
  };
  int64_t nan = bitsOf(llvm::APFloat::getQNaN(format));
  int64_t largest = bitsOf(llvm::APFloat::getLargest(format));
  bool hasInfinity = llvm::APFloat::semanticsHasInf(format);
  int64_t tooLarge = hasInfinity ? bitsOf(llvm::APFloat::getInf(format)) : nan;

  Value bits = e.toBits(value);
  Value magnitude = e.bitAnd(bits, ~kF32SignBit);
  // As encodeF16.
  Value odd = e.bitAnd(e.shr(magnitude, dropped), 1);
  int64_t half = (int64_t{1} << (dropped - 1)) - 1;
  constexpr int64_t one = int64_t{1} << 23; // of the exponent
  Value rebias = e.constant(half - (126 + leastExponent) * one);
  Value normal = e.shr(e.add(e.add(magnitude, rebias), odd), dropped);
  // The number whose last mantissa bit weighs as much as that of a denormal.
  int64_t aligned = (127 + leastExponent + dropped) * one;
  Value sum = arith::AddFOp::create(e.b, e.toFloat(magnitude),
                                    e.toFloat(e.constant(aligned)));
  Value denormal = e.add(e.toBits(sum), e.constant(-aligned));
  Value result = e.select(
      e.compare(CmpIPredicate::ult, magnitude, (127 + leastExponent) * one),
      denormal, normal);
  result = e.select(e.compare(CmpIPredicate::ugt, result, largest),
                    e.constant(tooLarge), result);
  Value isNaN = e.compare(CmpIPredicate::ugt, magnitude, kF32Infinity);
  result = e.select(isNaN, e.constant(nan), result);
  Value signBit = e.shr(e.bitAnd(bits, kF32SignBit), 32 - to.getWidth());
  if (nan != sign)
    return e.bitOr(result, signBit);
  // The sign of zero means NaN.
  Value isUnsigned =
      e.compare(CmpIPredicate::eq, e.bitAnd(result, sign - 1), 0);
  return e.select(isUnsigned, result, e.bitOr(result, signBit));
}

/// f32 -> the bits of bf16, rounded to nearest even.
Value encodeBF16(BitBuilder &e, Value value) {
  Value bits = e.toBits(value);
  Value odd = e.bitAnd(e.shr(bits, 16), 1);
  Value rounded = e.add(bits, e.add(odd, e.constant(0x7FFF)));
  Value isNaN = e.compare(arith::CmpIPredicate::ugt,
                          e.bitAnd(bits, ~kF32SignBit), kF32Infinity);
  Value quiet = e.bitOr(bits, e.constant(0x00400000));
  return e.shr(e.select(isNaN, quiet, rounded), 16);
}

/// f32 -> the bits of f16, rounded to nearest even.
Value encodeF16(BitBuilder &e, Value value) {
  using arith::CmpIPredicate;
  Value bits = e.toBits(value);
  Value magnitude = e.bitAnd(bits, ~kF32SignBit);
  // Normal results: rebias the exponent and round by adding; a carry out of the
  // mantissa moves to the next exponent, in the end to infinity.
  Value odd = e.bitAnd(e.shr(magnitude, 13), 1);
  Value rebias = e.constant(-(int64_t{127 - 15} << 23) + 0xFFF);
  Value normal = e.shr(e.add(e.add(magnitude, rebias), odd), 13);
  // Denormal results: adding 0.5, whose last mantissa bit weighs as much as
  // the last bit of an f16 denormal, makes the hardware round.
  constexpr int64_t half = 0x3F000000;
  Value sum = arith::AddFOp::create(e.b, e.toFloat(magnitude),
                                    e.toFloat(e.constant(half)));
  Value denormal = e.add(e.toBits(sum), e.constant(-half));
  constexpr int64_t smallestNormal = (127 - 14) << 23;
  Value result =
      e.select(e.compare(CmpIPredicate::ult, magnitude, smallestNormal),
               denormal, normal);
  constexpr int64_t overflow = (127 + 16) << 23;
  result = e.select(e.compare(CmpIPredicate::uge, magnitude, overflow),
                    e.constant(0x7C00), result);
  result = e.select(e.compare(CmpIPredicate::ugt, magnitude, kF32Infinity),
                    e.constant(0x7E00), result);
  return e.bitOr(result, e.shr(e.bitAnd(bits, kF32SignBit), 16));
}

/// f64 -> f32, towards zero, with the last bit set if that is inexact: rounded
/// again, to what has two bits less, it is what f64 is nearest to.
Value roundedToOdd(ImplicitLocOpBuilder &b, Value value) {
  using arith::CmpFPredicate;
  BitBuilder e(b, value.getType());
  Value nearest = arith::TruncFOp::create(b, e.f32, value);
  Value back = arith::ExtFOp::create(b, value.getType(), nearest);
  Value bits = e.toBits(nearest);
  auto compare = [&](CmpFPredicate predicate) -> Value {
    return arith::CmpFOp::create(b, predicate, back, value);
  };
  Value isNegative = e.compare(arith::CmpIPredicate::slt, bits, 0);
  Value isFarther = e.select(isNegative, compare(CmpFPredicate::OLT),
                             compare(CmpFPredicate::OGT));
  Value odd = e.bitOr(e.select(isFarther, e.add(bits, e.constant(-1)), bits),
                      e.constant(1));
  return e.toFloat(e.select(compare(CmpFPredicate::ONE), odd, bits));
}

struct ExpandSmallFloatsPass
    : impl::ExpandSmallFloatsBase<ExpandSmallFloatsPass> {
  using ExpandSmallFloatsBase::ExpandSmallFloatsBase;

  bool expands(FloatType type) const {
    if (type.isF16())
      return !nativeF16;
    return type.isBF16() || type.getWidth() <= 8;
  }

  void expand(arith::ExtFOp op) {
    auto from = cast<FloatType>(getElementTypeOrSelf(op.getIn().getType()));
    if (!expands(from))
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if (!to.isF32()) {
      // By way of f32, which has each of these exactly.
      Value exact = arith::ExtFOp::create(
          b, BitBuilder::withElement(op.getType(), b.getF32Type()), op.getIn());
      Value value =
          to.getWidth() > 32
              ? arith::ExtFOp::create(b, op.getType(), exact).getResult()
              : arith::TruncFOp::create(b, op.getType(), exact).getResult();
      op.replaceAllUsesWith(value);
      op.erase();
      expand(exact.getDefiningOp<arith::ExtFOp>());
      if (auto rounding = value.getDefiningOp<arith::TruncFOp>())
        expand(rounding);
      return;
    }
    BitBuilder e(b, op.getType());
    Type sameWidth = BitBuilder::withElement(op.getType(),
                                             b.getIntegerType(from.getWidth()));
    Value bits = b.createOrFold<arith::BitcastOp>(sameWidth, op.getIn());
    bits = arith::ExtUIOp::create(b, e.i32, bits);
    // bf16 is the upper half of f32.
    Value value = from.isBF16()                  ? e.toFloat(e.shl(bits, 16))
                  : isa<Float8E8M0FNUType>(from) ? decodeScale(e, bits)
                                                 : decode(e, from, bits);
    op.replaceAllUsesWith(value);
    op.erase();
  }

  void expand(arith::TruncFOp op) {
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    auto from = cast<FloatType>(getElementTypeOrSelf(op.getIn().getType()));
    bool isSmall = to.getWidth() == 8;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    if (from.isF64() && to.getWidth() == 16)
      op.getInMutable().assign(roundedToOdd(b, op.getIn()));
    if (!expands(to) || (!isSmall && to.getWidth() != 16))
      return;
    from = cast<FloatType>(getElementTypeOrSelf(op.getIn().getType()));
    Value value = op.getIn();
    if (isSmall && from.getWidth() < 32) {
      value = arith::ExtFOp::create(
          b, BitBuilder::withElement(op.getType(), b.getF32Type()), value);
      auto exact = value.getDefiningOp<arith::ExtFOp>();
      op.getInMutable().assign(value);
      expand(exact);
      value = op.getIn();
    } else if (!from.isF32()) {
      return;
    }
    BitBuilder e(b, op.getType());
    Value bits = isSmall       ? encodeSmall(e, to, value)
                 : to.isBF16() ? encodeBF16(e, value)
                               : encodeF16(e, value);
    Type sameWidth =
        BitBuilder::withElement(op.getType(), b.getIntegerType(to.getWidth()));
    bits = arith::TruncIOp::create(b, sameWidth, bits);
    op.replaceAllUsesWith(
        arith::BitcastOp::create(b, op.getType(), bits).getResult());
    op.erase();
  }

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (auto extend = dyn_cast<arith::ExtFOp>(op))
        expand(extend);
      else if (auto truncate = dyn_cast<arith::TruncFOp>(op))
        expand(truncate);
    });
  }
};

} // namespace
} // namespace tilewright
