// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of tiles with K0 = 1 whose N0 is one group of vector registers of the
// least length that the instruction set has: four of accumulators are a row.
// The rhs is such a group, the lhs a scalar that the multiply-add takes as it
// is (vfmacc.vf, vwmacc.vx, vfwmacc.vf), so that nothing is repeated and seven
// rows fill 28 of 32 registers.
//
// Vectors are the compiler's, of fixed length: the same code runs on registers
// that are longer.

#ifndef UKERNELS_RISCV_64_GROUP_H_
#define UKERNELS_RISCV_64_GROUP_H_

#include "ukernels/tile_body.h"

// Elements of `bits` in four registers.
#define TW_RVV_COLUMNS(bits) (4 * __riscv_v_min_vlen / (bits))

// `in_t` elements lie in the panels, `sum_t` ones are summed, from what the out
// tile holds on: of `out_t`, rounded to once where that is narrower. What
// stands in a register is widened by the multiply-add, if at all. One row takes
// eight K steps at a time, two rows four, with sums of their own for four of
// one row and for two of two; or one sum where ORDER is STEPS, which round one
// after another. More rows take two steps at a time.
#define TW_RVV_SETS_ANY(M0) ((M0) > 2 ? 1 : 4 / (M0))
#define TW_RVV_SETS_STEPS(M0) 1
#define TW_RVV_FAMILY(family, in_t, sum_t, out_t, COLUMNS, multiply_add,   \
                      ORDER)                                               \
  typedef in_t family##_in_t __attribute__((                               \
      ext_vector_type(COLUMNS), aligned(_Alignof(in_t)), may_alias));      \
  typedef sum_t family##_sum_t __attribute__((ext_vector_type(COLUMNS)));  \
  typedef out_t family##_out_t __attribute__((                             \
      ext_vector_type(COLUMNS), aligned(_Alignof(out_t)), may_alias));     \
  TW_INLINE void family##_step(family##_sum_t* sums, const in_t* a,        \
                               const in_t* b, int M0) {                    \
    const family##_in_t row = *(const family##_in_t*)b;                    \
    TW_UNROLL                                                              \
    for (int i = 0; i < M0; ++i)                                           \
      sums[i] = multiply_add(family##_sum_t, sums[i], a[i], row);          \
  }                                                                        \
  TW_INLINE void family(void* restrict out, const void* restrict lhs,      \
                        const void* restrict rhs,                          \
                        const tw_mmt4d_params_t* params, int M0, int N0) { \
    const int sets = TW_RVV_SETS_##ORDER(M0);                              \
    const int steps = M0 > 2 ? 2 : 8 / M0;                                 \
    const in_t* a = (const in_t*)lhs;                                      \
    const in_t* b = (const in_t*)rhs;                                      \
    out_t* to = (out_t*)out;                                               \
    const tw_index_t stride = tw_out_stride(params, N0);                   \
    family##_sum_t sums[8];                                                \
    TW_UNROLL                                                              \
    for (int i = 0; i < sets * M0; ++i) sums[i] = (family##_sum_t)0;       \
    if (tw_accumulates(params)) {                                          \
      TW_UNROLL                                                            \
      for (int i = 0; i < M0; ++i)                                         \
        sums[i] = __builtin_convertvector(                                 \
            *(const family##_out_t*)(to + i * stride), family##_sum_t);    \
    }                                                                      \
    int64_t k = params->K;                                                 \
    TW_NO_UNROLL                                                           \
    for (; k >= steps; k -= steps) {                                       \
      TW_UNROLL                                                            \
      for (int s = 0; s < steps; ++s)                                      \
        family##_step(sums + s % sets * M0, a + s * M0, b + s * N0, M0);   \
      a += steps * M0;                                                     \
      b += steps * N0;                                                     \
    }                                                                      \
    TW_NO_UNROLL                                                           \
    for (; k > 0; --k) {                                                   \
      family##_step(sums, a, b, M0);                                       \
      a += M0;                                                             \
      b += N0;                                                             \
    }                                                                      \
    TW_UNROLL                                                              \
    for (int i = M0; i < sets * M0; ++i) sums[i % M0] += sums[i];          \
    TW_UNROLL                                                              \
    for (int i = 0; i < M0; ++i)                                           \
      *(family##_out_t*)(to + i * stride) =                                \
          __builtin_convertvector(sums[i], family##_out_t);                \
  }

#define TW_RVV_FMA(vector_t, sum, x, row)         \
  __builtin_elementwise_fma((vector_t)(float)(x), \
                            __builtin_convertvector(row, vector_t), sum)
// Of operands of the type that is summed.
#define TW_RVV_FMA_AS_IS(vector_t, sum, x, row) \
  __builtin_elementwise_fma((vector_t)(x), row, sum)
#define TW_RVV_MLA(vector_t, sum, x, row) \
  ((sum) + (vector_t)(int32_t)(x) * __builtin_convertvector(row, vector_t))

#endif  // UKERNELS_RISCV_64_GROUP_H_
