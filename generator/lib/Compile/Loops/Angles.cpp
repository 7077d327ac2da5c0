// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sine, cosine and tangent.

#include "ExponentialTerms.h"

namespace tilewright {
namespace {

constexpr double kRounder = 0x1.8p23;

/// Sine and cosine of the remainder of x by pi / 2, and how often that is in x,
/// in the last bits of an i32.
struct Quadrant {
  Term number, sine, cosine;
};

Quadrant quadrantOf(const Term &x) {
  Term sum = x.fma(0x1.45f306p-1, kRounder);
  Term n = sum - kRounder;
  Term rest = n.fma(-0x1.921fb6p+0, x);
  rest = n.fma(0x1.777a5cp-25, rest);
  rest = n.fma(0x1.ee59dap-50, rest);
  Term square = rest * rest;
  Term sine = (rest * square)
                  .fma(square.polynomial({-0x1.555556p-3, 0x1.111108p-7,
                                          -0x1.a00f9ep-13, 0x1.6cd83ap-19}),
                       rest);
  Term cosine = square.polynomial(
      {1, -0.5, 0x1.55554ap-5, -0x1.6c0c8ap-10, 0x1.9a020ap-16});
  return {sum.bits(), sine, cosine};
}

/// With its sign flipped by bit `bit` of the quadrant.
Term flip(const Term &value, const Term &quadrant, int64_t bit) {
  Term sign = quadrant.bitAnd(int64_t{1} << bit).shiftLeft(31 - bit);
  return value.bits().bitXor(sign).bitsAs(value);
}

} // namespace

Term sine(Term x) {
  Quadrant at = quadrantOf(x);
  Term isOdd = at.number.bitAnd(1).isNonzero();
  Term result = flip(isOdd.select(at.cosine, at.sine), at.number, 1);
  return (x.abs() < 0x1p-12).select(x, result);
}

Term cosine(Term x) {
  Quadrant at = quadrantOf(x);
  Term isOdd = at.number.bitAnd(1).isNonzero();
  return flip(isOdd.select(at.sine, at.cosine), at.number.plus(1), 1);
}

Term tangent(Term x) {
  Quadrant at = quadrantOf(x);
  Term isOdd = at.number.bitAnd(1).isNonzero();
  Term ratio =
      isOdd.select(at.cosine, at.sine) / isOdd.select(at.sine, at.cosine);
  Term result = flip(ratio, at.number, 0);
  return (x.abs() < 0x1p-12).select(x, result);
}

} // namespace tilewright
