// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the vector-length-agnostic families share. A family is an inline
// function
//
//   family(out, lhs, rhs, params, M0, N0)
//
// where M0 is a number of rows and N0 of vectors of accumulators (the `vl` of
// a tile's name); both are constants wherever it is stamped.
//
// C has no arrays of vectors of unknown length. Accumulators are variables
// acc<row><vector> instead, and the loops over them are lists that the
// preprocessor writes out; `if`s on M0 and N0 drop what a tile does not have.

#ifndef UKERNELS_ARM_64_SVE_BODY_H_
#define UKERNELS_ARM_64_SVE_BODY_H_

#include <arm_sve.h>

#include "ukernels/arm_64/sve_accumulators.h"
#include "ukernels/arm_64/sve_loops.h"
#include "ukernels/tile_body.h"

// For a variable that only some families need.
#define TW_UNUSED __attribute__((unused))

// Keeps loads on their side: unrolled steps would find no registers if the
// compiler had the loads of all of them first.
#define TW_KEEP_LOADS() __asm__ volatile("" ::: "memory")

// Keeps loads through `p` behind the computation of `v`, and uses of the vector
// `u` as well. Neither costs an instruction.
#define TW_LOAD_AFTER(p, v) __asm__ volatile("" : "+r"(p) : "w"(v))
#define TW_USE_AFTER(u, v) __asm__ volatile("" : "+w"(u) : "w"(v))

// K steps taken at once so that there are `rows` rows. Those of different steps
// have accumulators of their own, so that many multiply-accumulates of 4
// cycles' latency are in flight: 16 where registers allow, as many as a core
// with four multipliers needs.
TW_INLINE int tw_sve_sets(int M0, int rows) {
  return M0 < rows ? rows / M0 : 1;
}

// The first `bytes` bytes of each 16; all of them where it makes no difference.
TW_INLINE svbool_t tw_sve_quad_bytes(int bytes) {
  return bytes >= 16 ? svptrue_b8() : svwhilelt_b8(0, bytes);
}

// The 8 bytes at `p`, repeated along the vector.
TW_INLINE svuint64_t tw_sve_splat_8_bytes(const void* p) {
  typedef uint64_t __attribute__((aligned(1), may_alias)) tw_any_u64_t;
  return svdup_u64(*(const tw_any_u64_t*)p);
}

#endif  // UKERNELS_ARM_64_SVE_BODY_H_
