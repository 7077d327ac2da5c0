// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of f32 by a reduction of the range and a polynomial with fused
// multiply-adds. docs/numerics.md states the largest error of each.

#ifndef TILEWRIGHT_LIB_COMPILE_LOOPS_EXPONENTIALTERMS_H
#define TILEWRIGHT_LIB_COMPILE_LOOPS_EXPONENTIALTERMS_H

#include "Term.h"

namespace tilewright {

Term exponential(Term x);
Term exponential2(Term x);
Term exponentialMinus1(Term x);
Term hyperbolicSine(Term x);
Term hyperbolicCosine(Term x);
Term hyperbolicTangent(Term x);
Term errorFunction(Term x);

Term logarithm(Term x);
Term logarithm2(Term x);
Term logarithm10(Term x);
Term logarithmOf1Plus(Term x);

// Through f64.
Term power(Term x, Term y);
Term cubeRoot(Term x);
Term inverseHyperbolicSine(Term x);
Term inverseHyperbolicCosine(Term x);
Term inverseHyperbolicTangent(Term x);

/// Of |x| up to kLargestAngle; beyond, the remainder is not good enough.
constexpr double kLargestAngle = 32768;
Term sine(Term x);
Term cosine(Term x);
Term tangent(Term x);

Term inverseSine(Term x);
Term inverseTangent(Term x);
Term inverseTangent2(Term y, Term x);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPS_EXPONENTIALTERMS_H
