// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inverse sine and tangent.

#include "ExponentialTerms.h"

namespace tilewright {
namespace {

/// Pi / 2 in two parts; pi is twice as much.
constexpr double kHalfPi = 0x1.921fb6p+0, kHalfPiRest = -0x1.777a5cp-25;

/// Of 0 <= x <= 1.
Term smallInverseTangent(const Term &x) {
  Term square = x * x;
  return (x * square)
      .fma(square.polynomial({-0x1.555540p-2, 0x1.999276p-3, -0x1.2426f8p-3,
                              0x1.c0d282p-4, -0x1.58dc6ap-4, 0x1.dd0ea2p-5,
                              -0x1.01af4ep-5, 0x1.6a8f10p-7, -0x1.defdcep-10}),
           x);
}

/// `times` * pi / 2 - x.
Term fromHalfPi(const Term &x, double times = 1) {
  return x.constant(times * kHalfPi) - (x - times * kHalfPiRest);
}

} // namespace

Term inverseSine(Term x) {
  Term magnitude = x.abs(), isLarge = magnitude > 0.5;
  // asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2))
  Term opposite = magnitude.fma(-0.5, 0.5);
  Term square = isLarge.select(opposite, magnitude * magnitude);
  Term root = isLarge.select(opposite.sqrt(), magnitude);
  Term part =
      (root * square)
          .fma(square.polynomial({0x1.5555cap-3, 0x1.33014ep-4, 0x1.748c5ap-5,
                                  0x1.8ba2c0p-6, 0x1.59da74p-5}),
               root);
  return isLarge.select(fromHalfPi(part * 2), part).withSignOf(x);
}

Term inverseTangent(Term x) {
  Term magnitude = x.abs(), isLarge = magnitude > 1;
  Term inRange = isLarge.select(x.constant(1) / magnitude, magnitude);
  Term part = smallInverseTangent(inRange);
  return isLarge.select(fromHalfPi(part), part).withSignOf(x);
}

Term inverseTangent2(Term y, Term x) {
  Term height = y.abs(), width = x.abs();
  Term isSteep = width < height;
  Term ratio = isSteep.select(width, height) / isSteep.select(height, width);
  // Of zeros, and of infinities.
  ratio = (height == width).select(x.constant(1), ratio);
  ratio = (height == 0).select(x.constant(0), ratio);
  Term angle = smallInverseTangent(ratio);
  angle = isSteep.select(fromHalfPi(angle), angle);
  Term isLeft = x.constant(1).withSignOf(x) < 0;
  angle = isLeft.select(fromHalfPi(angle, 2), angle).withSignOf(y);
  angle = (x == x).select(angle, x);
  return (y == y).select(angle, y);
}

} // namespace tilewright
