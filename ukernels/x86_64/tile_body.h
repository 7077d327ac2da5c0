// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bodies of all families share. A family is an inline function
//
//   family(out, lhs, rhs, params, M0, N0)
//
// whose M0 and N0 are constants wherever it is stamped: its loops over them
// unroll fully and its arrays of vectors become registers.

#ifndef UKERNELS_X86_64_TILE_BODY_H_
#define UKERNELS_X86_64_TILE_BODY_H_

#include "tilewright/tile.h"

#define TW_INLINE static inline __attribute__((always_inline))

#ifdef __clang__
#define TW_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TW_UNROLL _Pragma("GCC unroll 64")
#endif

// Neither unrolled nor vectorized.
#ifdef __clang__
#define TW_NO_UNROLL _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define TW_NO_UNROLL _Pragma("GCC unroll 1")
#endif

// Hides from the compiler where a vector or a pointer comes from, for the few
// places where its next rewrite would be a loss.
#define TW_OPAQUE(v) __asm__("" : "+v"(v))
// Keeps `v` from being computed earlier or later than here.
#define TW_PIN(v) __asm__ volatile("" : "+v"(v))
#define TW_OPAQUE_POINTER(p) __asm__ volatile("" : "+r"(p))

// Scalars that may lie at any address and alias anything.
typedef int32_t __attribute__((aligned(1), may_alias)) tw_any_i32_t;
typedef int16_t __attribute__((aligned(1), may_alias)) tw_any_i16_t;
typedef int8_t __attribute__((may_alias)) tw_any_i8_t;
typedef float __attribute__((aligned(1), may_alias)) tw_any_f32_t;
typedef double __attribute__((aligned(1), may_alias)) tw_any_f64_t;

// Most accumulators that a tile may have: 28 of 32 registers.
enum { TW_MAX_ACCUMULATORS = 32 };

// How many sets of accumulators hide the latency of the multiply-accumulate, of
// at most 5 cycles at 2 per cycle: with `vectors` accumulators per set, at
// least 8 chains in flight. K is unrolled by as much.
TW_INLINE int tw_accumulator_sets(int vectors) {
  return vectors >= 8 ? 1 : vectors >= 4 ? 2 : vectors >= 2 ? 4 : 8;
}

// K steps of a block whose lhs [steps][M0] is converted on the stack: so many
// that a store is long done when it is read back, and that starting a block
// costs little, which takes more of them where they are short.
enum { TW_MAX_STAGED = 512 };
TW_INLINE int tw_staged_steps(int M0, int N0) { return M0 * N0 > 64 ? 16 : 64; }

TW_INLINE int tw_accumulates(const tw_mmt4d_params_t* params) {
  return (params->flags & TW_MMT4D_FLAG_ACCUMULATE) != 0;
}

// Elements between rows of the out tile.
TW_INLINE tw_index_t tw_out_stride(const tw_mmt4d_params_t* params, int N0) {
  return params->flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE ? params->out_row_stride
                                                      : N0;
}

#endif  // UKERNELS_X86_64_TILE_BODY_H_
