// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logarithms, and what is made of them in f64.

#include "ExponentialTerms.h"

namespace tilewright {
namespace {

/// Bits of the square root of 1/2, where mantissas begin.
constexpr int64_t kSqrtHalf = 0x3f3504f3;

/// x = 2^exponent * (1 + fraction), for normal x.
struct Split {
  Term exponent; ///< i32
  Term fraction;
};

Split split(const Term &x) {
  Term exponent = x.bits().plus(-kSqrtHalf).shiftRight(23);
  Term mantissa = x.bits().minus(exponent.shiftLeft(23)).bitsAs(x);
  return {exponent, mantissa - 1};
}

/// The same for all positive x; the exponent is a float.
Split splitAny(const Term &x) {
  Term isSmall = x < 0x1p-126;
  Split normal = split(isSmall.select(x * 0x1p23, x));
  Term exponent = normal.exponent.toFloat(x.builder().getF32Type());
  return {isSmall.select(exponent - 23, exponent), normal.fraction};
}

/// ln(1 + x) - x for sqrt(1/2) <= 1 + x <= sqrt(2).
Term smallLogarithmRest(const Term &x) {
  Term square = x * x;
  Term rest = x.polynomial({0x1.555554p-2, -0x1.000228p-2, 0x1.99a008p-3,
                            -0x1.547244p-3, 0x1.22da22p-3, -0x1.0d8552p-3,
                            0x1.055b46p-3, -0x1.38b4ccp-4});
  return square.fma(-0.5, square * x * rest);
}

/// What logarithms are where x has no exponent.
Term withSpecialValues(const Term &x, Term result) {
  result = (x < x.infinity()).select(result, x);
  result = (x < 0).select(x.nan(), result);
  return (x == 0).select(x.constant(-HUGE_VAL), result);
}

} // namespace

Term logarithm(Term x) {
  Split parts = splitAny(x);
  Term rest =
      parts.exponent.fma(-0x1.05c610p-29, smallLogarithmRest(parts.fraction));
  Term result = parts.exponent.fma(0x1.62e430p-1, parts.fraction + rest);
  return withSpecialValues(x, result);
}

Term logarithm2(Term x) {
  constexpr double log2E = 0x1.715476p+0, log2ERest = 0x1.4ae0c0p-26;
  Split parts = splitAny(x);
  Term rest =
      smallLogarithmRest(parts.fraction).fma(log2E, parts.fraction * log2ERest);
  Term result = parts.fraction.fma(log2E, rest) + parts.exponent;
  return withSpecialValues(x, result);
}

Term logarithm10(Term x) {
  constexpr double log10E = 0x1.bcb7b2p-2, log10ERest = -0x1.5b235ep-27;
  constexpr double log10Of2 = 0x1.344136p-2, log10Of2Rest = -0x1.ec10c0p-27;
  Split parts = splitAny(x);
  Term rest = smallLogarithmRest(parts.fraction)
                  .fma(log10E, parts.fraction * log10ERest);
  rest = parts.exponent.fma(log10Of2Rest, rest);
  Term result = parts.exponent.fma(log10Of2, parts.fraction.fma(log10E, rest));
  return withSpecialValues(x, result);
}

Term logarithmOf1Plus(Term x) {
  Term sum = x + 1;
  Split parts = split(sum);
  // What 1 + x lost: (x + 1) * 2^-exponent - 1 from x itself.
  Term scale = parts.exponent.constant(127)
                   .minus(parts.exponent)
                   .shiftLeft(23)
                   .bitsAs(x);
  Term fraction = (x < 0x1p25).select(x.fma(scale, scale - 1), parts.fraction);
  Term exponent = parts.exponent.toFloat(x.builder().getF32Type());
  Term rest = exponent.fma(-0x1.05c610p-29, smallLogarithmRest(fraction));
  Term result = exponent.fma(0x1.62e430p-1, fraction + rest);
  return (x.abs() < 0x1p-25).select(x, withSpecialValues(sum, result));
}

namespace {

/// log2 of an f64 in the range of normal f32s, to 2^-50.
Term preciseLogarithm2(const Term &x) {
  Term narrow = x.toF32();
  Term exponent = narrow.bits().plus(-kSqrtHalf).shiftRight(23);
  // f32 would not have 2^-exponent of the largest.
  Term wide = exponent.make<mlir::arith::ExtSIOp>(
      exponent.shaped(x.builder().getI64Type()), exponent.get());
  Term scale = wide.constant(1023).minus(wide).shiftLeft(52).bitsAs(x);
  Term mantissa = x * scale;
  Term ratio = (mantissa - 1) / (mantissa + 1), square = ratio * ratio;
  Term fraction =
      ratio * square.polynomial({2.885390081777927, 0.9617966939243245,
                                 0.57707801725043, 0.4121984014369138,
                                 0.32061642928607353, 0.2614429736031167,
                                 0.24293090440451182});
  return fraction + exponent.toFloat(x.builder().getF64Type());
}

/// 2^x of an f64, where f32 has it; infinity and 0 beyond.
Term exponential2Of(const Term &x) {
  constexpr double rounder = 0x1.8p52;
  Term inRange = x.atMost(200).atLeast(-200);
  Term sum = inRange + rounder;
  Term rest = inRange - (sum - rounder);
  Term power = sum.bits().plus(1023).shiftLeft(52).bitsAs(x);
  Term result =
      rest.polynomial({0.9999999999595497, 0.693147180535029,
                       0.24022651213584503, 0.05550410976100005,
                       0.00961802560410025, 0.0013333422652883821,
                       0.00015469731672292848, 1.5316459978916397e-05}) *
      power;
  return result.toF32();
}

constexpr double kLn2 = 0.6931471805599453;

} // namespace

/// log2 |x| of an f32, but of 0 and infinity.
static Term preciseLogarithm2OfMagnitude(const Term &x) {
  Term magnitude = x.abs(), isSmall = magnitude < 0x1p-126;
  Term normal = isSmall.select(magnitude * 0x1p23, magnitude);
  Term log2 = preciseLogarithm2(normal.toF64());
  return isSmall.select(log2 - 23, log2);
}

Term cubeRoot(Term x) {
  Term result = exponential2Of(preciseLogarithm2OfMagnitude(x) * (1.0 / 3));
  Term isItself = (x == 0) | (x.abs() == x.infinity());
  result = isItself.select(x, result.withSignOf(x));
  return (x == x).select(result, x);
}

Term power(Term x, Term y) {
  Term magnitude = x.abs();
  Term log2 = preciseLogarithm2OfMagnitude(x);
  log2 = (magnitude == magnitude.infinity()).select(log2.infinity(), log2);
  log2 = (magnitude == 0).select(log2.constant(-HUGE_VAL), log2);
  Term result = exponential2Of(y.toF64() * log2);
  result = (x == x).select(result, x);

  auto floorOf = [](const Term &z) {
    return z.make<mlir::math::FloorOp>(z.get());
  };
  Term isWhole = floorOf(y) == y;
  Term half = y * 0.5;
  Term isEven = floorOf(half) == half;
  result = isEven.select(result, isWhole.select(result.withSignOf(x), result));
  Term isNegative = (x < 0) & (x > -HUGE_VAL);
  result = isNegative.select(isWhole.select(result, x.nan()), result);
  Term isUnit = (magnitude == 1) & (y.abs() == y.infinity());
  return ((x == 1) | (y == 0) | isUnit).select(x.constant(1), result);
}

Term inverseHyperbolicSine(Term x) {
  Term magnitude = x.abs().atMost(0x1p126).toF64();
  Term sum = magnitude + (magnitude * magnitude + 1).sqrt();
  Term large = (preciseLogarithm2(sum) * kLn2).toF32();
  // Of larger ones, 2x, whose logarithm is that of x and of 2.
  Term beyond = logarithm(x.abs()) + kLn2;
  large = (x.abs() > 0x1p126).select(beyond, large);
  Term small = (x * x * x).fma(-1.0 / 6, x).abs();
  Term result = (x.abs() < 0x1p-10).select(small, large);
  return (x == x).select(result.withSignOf(x), x);
}

Term inverseHyperbolicCosine(Term x) {
  Term wide = x.atMost(0x1p126).toF64();
  Term sum = wide + (wide * wide - 1).sqrt();
  Term result = (preciseLogarithm2(sum) * kLn2).toF32();
  result = (x > 0x1p126).select(logarithm(x) + kLn2, result);
  result = (x < 1).select(x.nan(), result);
  return (x == x).select(result, x);
}

Term inverseHyperbolicTangent(Term x) {
  Term magnitude = x.abs().toF64(), one = magnitude.constant(1);
  Term log2 = preciseLogarithm2((one + magnitude) / (one - magnitude));
  Term result = (log2 * (kLn2 / 2)).toF32();
  Term small = (x * x * x).fma(1.0 / 3, x).abs();
  result = (x.abs() < 0x1p-10).select(small, result);
  result = (x.abs() == 1).select(x.infinity(), result);
  result = (x.abs() > 1).select(x.nan(), result);
  return (x == x).select(result.withSignOf(x), x);
}

} // namespace tilewright
