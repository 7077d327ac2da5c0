// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of the vector-length-agnostic templates: those that the compiler
// unrolls, and lists in place of loops over variables.

#ifndef UKERNELS_ARM_64_SVE_LOOPS_H_
#define UKERNELS_ARM_64_SVE_LOOPS_H_

// The loop's own instructions are few, but a tile that multiplies in all of a
// core's pipelines has no issue slot left for them.
#ifdef __clang__
#define TW_UNROLL_2 _Pragma("clang loop unroll_count(2)")
#define TW_UNROLL_4 _Pragma("clang loop unroll_count(4)")
#else
#define TW_UNROLL_2 _Pragma("GCC unroll 2")
#define TW_UNROLL_4 _Pragma("GCC unroll 4")
#endif

// X for each of a family's four tiles or groups of ZA, or pairs of rows.
#define TW_EACH_OF_4(X) X(0) X(1) X(2) X(3)

// X for every row and vector that sve_lanes.h has variables for, with the row
// and the vector after it, the first after the last: X(r, n, next_r, next_n).
#define TW_EACH_VECTOR(X, r, next_r) \
  X(r, 0, next_r, 1) X(r, 1, next_r, 2) X(r, 2, next_r, 3) X(r, 3, next_r, 0)
#define TW_EACH_ROW(X) \
  X(0, 1) X(1, 2) X(2, 3) X(3, 4) X(4, 5) X(5, 6) X(6, 7) X(7, 0)
#define TW_EACH_ACC(X)    \
  TW_EACH_VECTOR(X, 0, 1) \
  TW_EACH_VECTOR(X, 1, 2) \
  TW_EACH_VECTOR(X, 2, 3) \
  TW_EACH_VECTOR(X, 3, 4) \
  TW_EACH_VECTOR(X, 4, 5) \
  TW_EACH_VECTOR(X, 5, 6) TW_EACH_VECTOR(X, 6, 7) TW_EACH_VECTOR(X, 7, 0)

#endif  // UKERNELS_ARM_64_SVE_LOOPS_H_
