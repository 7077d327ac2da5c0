// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bodies of all families share, on any CPU. A family is an inline
// function
//
//   family(out, lhs, rhs, params, M0, N0)
//
// whose M0 and N0 are constants wherever it is stamped: its loops over them
// unroll fully and its arrays of vectors become registers.

#ifndef UKERNELS_TILE_BODY_H_
#define UKERNELS_TILE_BODY_H_

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

// The asm constraint of a vector register, TW_IN_VECTOR_REGISTER, is the
// architecture's: its own header defines it, where its tiles need it.

// Hides from the compiler where a vector or a pointer comes from, for the few
// places where its next rewrite would be a loss.
#define TW_OPAQUE(v) __asm__("" : TW_IN_VECTOR_REGISTER(v))
// Keeps `v` from being computed earlier or later than here.
#define TW_PIN(v) __asm__ volatile("" : TW_IN_VECTOR_REGISTER(v))
#define TW_PIN_BOTH(v, w) \
  __asm__ volatile("" : TW_IN_VECTOR_REGISTER(v), TW_IN_VECTOR_REGISTER(w))
// Keeps what is loaded from `p` behind the computation of `v`.
#define TW_PIN_BEHIND(p, v) \
  __asm__ volatile("" : "+r"(p), TW_IN_VECTOR_REGISTER(v))
#define TW_OPAQUE_POINTER(p) __asm__ volatile("" : "+r"(p))

// Scalars that may lie at any address and alias anything.
typedef int32_t __attribute__((aligned(1), may_alias)) tw_any_i32_t;
typedef int16_t __attribute__((aligned(1), may_alias)) tw_any_i16_t;
typedef int8_t __attribute__((may_alias)) tw_any_i8_t;
typedef float __attribute__((aligned(1), may_alias)) tw_any_f32_t;
typedef double __attribute__((aligned(1), may_alias)) tw_any_f64_t;

TW_INLINE int tw_accumulates(const tw_mmt4d_params_t* params) {
  return (params->flags & TW_MMT4D_FLAG_ACCUMULATE) != 0;
}

// Whether there is nothing to do, not even to write back what was read: adding
// zeros turns -0 into +0, and a way to f32 and back quiets NaNs and may flush
// denormals. The stamps ask, for all families. The compiler must not see the
// same flag in it that it sees elsewhere: it would make copies of the code
// between, and in SVE's K loops not know any more that addresses are multiples
// of a vector's length.
TW_INLINE int tw_keeps_out(const tw_mmt4d_params_t* params) {
  int keeps = (params->K <= 0) & tw_accumulates(params);
  __asm__("" : "+r"(keeps));
  return keeps;
}

// Elements between rows of the out tile.
TW_INLINE tw_index_t tw_out_stride(const tw_mmt4d_params_t* params, int N0) {
  return params->flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE ? params->out_row_stride
                                                      : N0;
}

#endif  // UKERNELS_TILE_BODY_H_
