// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// e to the power of x, and what is made of it.

#include "ExponentialTerms.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Added to a small float, it leaves the nearest whole number in the last bits
/// of the sum.
constexpr double kRounder = 0x1.8p23;
constexpr double kLog2E = 0x1.715476p+0;
/// ln 2 in two parts.
constexpr double kLn2High = 0x1.62e430p-1, kLn2Rest = -0x1.05c610p-29;

/// x = n * ln 2 + rest, |rest| <= ln 2 / 2; `sum` is n + kRounder.
struct Reduced {
  Term sum;
  Term rest;
};

/// n of such a sum, an i32.
Term wholeNumberOf(const Term &sum) {
  return sum.bits().minus(sum.constant(kRounder).bits());
}

Reduced reduce(const Term &x) {
  Term sum = x.fma(kLog2E, kRounder);
  Term n = sum - kRounder;
  return {sum, n.fma(-kLn2Rest, n.fma(-kLn2High, x))};
}

/// e^x for |x| <= ln 2 / 2.
Term smallExponential(const Term &x) {
  return x.polynomial(
      {1, 1, 0.5, 0x1.55548ep-3, 0x1.55545ep-5, 0x1.123be0p-7, 0x1.6db4e4p-10});
}
/// e^x - 1, with an error that is small beside x.
Term smallExponentialMinus1(const Term &x) {
  return (x * x).fma(x.polynomial({0.5, 0x1.5554aep-3, 0x1.555486p-5,
                                   0x1.122880p-7, 0x1.6d99bap-10}),
                     x);
}

/// 2^n, where that is normal.
Term powerOf2(const Term &n, const Term &like) {
  return n.plus(127).shiftLeft(23).bitsAs(like);
}

bool hasAnyPower(const Term &x) {
  return x.powers() && x.powers()->scalesByAnyPower(x.type());
}

/// x * 2^(n + more), rounded once where the result is denormal: the same in all
/// ways. `sum` is n + kRounder.
Term scale(const Term &x, const Term &sum, int64_t more = 0) {
  // One that takes n as a float: for ldexp, LLVM would convert it.
  if (hasAnyPower(x))
    return x.with(
        x.powers()->scaleByPower(x.builder(), x.builder().getLoc(), x.get(),
                                 (sum - (kRounder - double(more))).get()));
  Term n = wholeNumberOf(sum);
  if (more)
    n = n.plus(more);
  // MLIR's own operation, llvm.intr.ldexp, takes one n for all lanes.
  if (x.powers()) {
    ImplicitLocOpBuilder &b = x.builder();
    return x.with(LLVM::CallIntrinsicOp::create(b, x.type(),
                                                b.getStringAttr("llvm.ldexp"),
                                                {x.get(), n.get()})
                      .getResult(0));
  }
  Term half = n.shiftRight(1);
  return x * powerOf2(half, x) * powerOf2(n.minus(half), x);
}

/// The rest of a number whose whole part scaleByPower takes: that makes
/// infinity and zero of large ones and keeps NaN. Of them, the rest has to be
/// any small number, and it is by one instruction, where clamping the number
/// takes two.
Term boundedRest(const Term &rest) {
  return rest.with(
      rest.powers()->lesserMagnitude(rest.builder(), rest.builder().getLoc(),
                                     rest.get(), rest.constant(0.5).get()));
}

/// e^x * 2^more.
Term scaledExponential(const Term &x, int64_t more) {
  bool isAnySize = hasAnyPower(x);
  Reduced reduced = reduce(isAnySize ? x : x.atMost(90).atLeast(-105));
  Term rest = isAnySize ? boundedRest(reduced.rest) : reduced.rest;
  return scale(smallExponential(rest), reduced.sum, more);
}

} // namespace

Term exponential(Term x) { return scaledExponential(x, 0); }

Term exponential2(Term x) {
  bool isAnySize = hasAnyPower(x);
  Term inRange = isAnySize ? x : x.atMost(129).atLeast(-151);
  Term sum = inRange + kRounder;
  Term rest = (inRange - (sum - kRounder)) * kLn2High;
  return scale(smallExponential(isAnySize ? boundedRest(rest) : rest), sum);
}

Term exponentialMinus1(Term x) {
  Reduced reduced = reduce(x.atMost(89).atLeast(-25));
  Term part = smallExponentialMinus1(reduced.rest);
  // 2^128 is infinite, half of it is not.
  Term half = powerOf2(wholeNumberOf(reduced.sum).plus(-1), x);
  Term result = part.fma(half, half - 0.5) * 2;
  return (x.abs() < 0x1p-25).select(x, result);
}

Term hyperbolicCosine(Term x) {
  Term half = scaledExponential(x.abs(), -1);
  return half + half.constant(0.25) / half;
}

Term hyperbolicSine(Term x) {
  Term magnitude = x.abs(), square = magnitude * magnitude;
  Term half = scaledExponential(magnitude, -1);
  Term large = half - half.constant(0.25) / half;
  Term small = (magnitude * square)
                   .fma(square.polynomial({0x1.555556p-3, 0x1.111136p-7,
                                           0x1.9ffe12p-13, 0x1.7a267ap-19}),
                        magnitude);
  return (magnitude < 1).select(small, large).withSignOf(x);
}

// (e^2x - 1) / (e^2x + 1), with halves of both: doubling x would take an
// instruction.
Term hyperbolicTangent(Term x) {
  Term magnitude = x.abs().atMost(10);
  // 2x = n * ln 2 + 2 * rest. Of ln 2 the first part is enough: where n is
  // large, e^2x makes little difference.
  Term sum = magnitude.fma(2 * kLog2E, kRounder);
  Term rest = (sum - kRounder).fma(-kLn2High / 2, magnitude);
  // (e^(2 rest) - 1) / 2, by smallExponentialMinus1's polynomial.
  Term small = (rest * rest)
                   .fma(rest.polynomial({1, 0x1.5554aep-1, 0x1.555486p-2,
                                         0x1.122880p-3, 0x1.6d99bap-5}),
                        rest);
  Term power = powerOf2(wholeNumberOf(sum), x);
  Term half = small.fma(power, power.fma(0.5, -0.5));
  return (half / (half + 1)).withSignOf(x);
}

Term errorFunction(Term x) {
  Term magnitude = x.abs(), square = magnitude * magnitude;
  Term small = square
                   .polynomial({0x1.06eba6p-3, -0x1.8126e6p-2, 0x1.ce1a4ap-4,
                                -0x1.b6870cp-6, 0x1.471750p-8, -0x1.395e66p-11})
                   .fma(magnitude, magnitude);
  // 1 - erf as e to the power of a polynomial.
  Term inRange = magnitude.atMost(4);
  Term exponent =
      inRange
          .polynomial({-0x1.0772e0p-3, -0x1.4538aep-1, -0x1.b2d3d4p-4,
                       0x1.843636p-6, -0x1.d936fap-9, 0x1.4a2714p-12,
                       -0x1.5e13c6p-17})
          .fma(inRange, inRange * -1);
  Reduced reduced = reduce(exponent);
  Term complement =
      smallExponential(reduced.rest) * powerOf2(wholeNumberOf(reduced.sum), x);
  Term large = x.constant(1) - complement;
  return (magnitude < 0.9277).select(small, large).withSignOf(x);
}

} // namespace tilewright
