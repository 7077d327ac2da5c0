// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_CLIBRARY_H
#define TILEWRIGHT_LIB_COMPILE_CLIBRARY_H

#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// Functions of the C library that compiled models call: those of memory, and
/// those of <math.h>, which are there with `f` behind them, too.
inline constexpr llvm::StringLiteral kMemoryFunctions[] = {
    "aligned_alloc", "bcmp",   "free",    "malloc",
    "memcmp",        "memcpy", "memmove", "memset"};
inline constexpr llvm::StringLiteral kMathFunctions[] = {
    "acos",  "acosh",     "asin",  "asinh", "atan",  "atan2",  "atanh",
    "cbrt",  "ceil",      "cos",   "cosh",  "erf",   "erfc",   "exp",
    "exp10", "exp2",      "expm1", "fabs",  "floor", "fma",    "fmax",
    "fmin",  "fmod",      "ldexp", "log",   "log10", "log1p",  "log2",
    "pow",   "nearbyint", "rint",  "round", "sin",   "sincos", "sinh",
    "sqrt",  "roundeven", "tan",   "tanh",  "trunc"};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_CLIBRARY_H
