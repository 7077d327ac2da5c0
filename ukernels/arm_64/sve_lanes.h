// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Template of the families that multiply a vector of the rhs by one lane of the
// lhs. No include guard: a family header defines the macros below, includes
// this file, which defines the family, and finds the macros undefined again.
//
//   TW_FAMILY            the function's name
//   TW_LHS               the type of an element in memory
//   TW_ACCUMULATORS      a list of sve_accumulators.h; a vector has as many of
//                        the out tile's columns as elements
//   TW_K0                elements per K step of a row of the lhs
//   TW_MULTIPLY(acc, v, q, i)  acc + product of v, a vector of the rhs, and row
//                        i of q: an intrinsic's name, or a macro
//
// and where it differs from what follows from these:
//
//   TW_RHS               the type of an element in memory
//   TW_VECTORS(vl)       accumulators of a row
//   TW_LOAD_RHS(p)       the rhs operand
//   TW_LOAD_QUAD(pg, p)  the lhs operand: 16 bytes, repeated along the vector,
//                        of which pg has those that exist: the K step of
//                        TW_QUAD_ROWS rows
//   TW_MULTIPLY_ODD      as TW_MULTIPLY, for every other accumulator: 2i and
//                        2i + 1 hold even and odd columns of one rhs operand
//   TW_NARROW(acc), TW_WIDEN(acc)  to the out type and back, if it rounds and
//                        TW_MULTIPLY does not. Between K steps all accumulators
//                        but the first are narrow: each is widened before the
//                        one before it is multiplied into, so that multiplying,
//                        narrowing and widening, in pipelines of their own on
//                        some cores, take place at the same time. An unrolled
//                        K loop would take more registers than there are.
//   TW_BLOCK_ROWS(M0, vectors)  rows taken at once, of one or several K steps;
//                        1 where a step needs what the one before it rounded
//   TW_RHS_K0            TW_RHS per K step of a row of the rhs
//   TW_CONVERTS(M0, vectors)  the operands are converted when they are loaded;
//                        1 if there are registers for the rhs of two K steps:
//                        see sve_lanes_ahead.h

#ifndef TW_RHS
#define TW_RHS TW_LHS
#endif
#ifndef TW_VECTORS
#define TW_VECTORS(vl) (vl)
#endif
#ifndef TW_LOAD_RHS
#define TW_LOAD_RHS(p) svld1(svptrue_b8(), p)
#endif
#ifndef TW_LOAD_QUAD
#define TW_LOAD_QUAD(pg, p) svld1rq(pg, p)
#endif
#define TW_QUAD_ROWS (16 / (TW_K0 * (int)sizeof(TW_LHS)))
// Accumulators per rhs operand, and the product that is accumulator n's.
#ifdef TW_MULTIPLY_ODD
#define TW_RHS_SHARE 2
#define TW_PRODUCT(acc, n, q, r)                                          \
  (n % 2 ? TW_MULTIPLY_ODD(acc, (n < 2 ? v0 : v1), q, (r) % TW_QUAD_ROWS) \
         : TW_MULTIPLY(acc, (n < 2 ? v0 : v1), q, (r) % TW_QUAD_ROWS))
#else
#define TW_RHS_SHARE 1
#define TW_PRODUCT(acc, n, q, r) TW_MULTIPLY(acc, v##n, q, (r) % TW_QUAD_ROWS)
#endif
#ifndef TW_RHS_K0
#define TW_RHS_K0 TW_K0
#endif
#if defined(TW_NARROW)
#define TW_BLOCK_ROWS(M0, vectors) 1
#elif !defined(TW_BLOCK_ROWS)
#define TW_BLOCK_ROWS(M0, vectors) ((vectors) <= 3 ? 8 : 4)
#endif

TW_INLINE void TW_FAMILY(void* out_tile, const void* lhs_panel,
                         const void* rhs_panel, const tw_mmt4d_params_t* params,
                         int M0, int vl) {
  const int vectors = TW_VECTORS(vl);
  const int rhs_vectors = vectors / TW_RHS_SHARE;
  const int sets = tw_sve_sets(M0, TW_BLOCK_ROWS(M0, vectors));
  const tw_index_t lanes = svlen(TW_ZERO);
  const tw_index_t N0 = vectors * lanes;
  const tw_index_t rhs_step = N0 * TW_RHS_K0;
  const tw_index_t rhs_vector = TW_RHS_SHARE * lanes * TW_RHS_K0;
  const TW_LHS* lhs = (const TW_LHS*)lhs_panel;
  const TW_RHS* rhs = (const TW_RHS*)rhs_panel;
  TW_OUT* out = (TW_OUT*)out_tile;
  typedef __typeof__(TW_LOAD_RHS(rhs)) rhs_vector_t;
  typedef __typeof__(TW_LOAD_QUAD(svptrue_b8(), lhs)) quad_t;

  // Row r of step s of a block has row s * M0 + r of the accumulators.
#define TW_DECLARE(r, n, ...) TW_ACC acc##r##n = TW_ZERO;
  TW_EACH_ACC(TW_DECLARE)
#undef TW_DECLARE

  if (tw_accumulates(params)) {
    const tw_index_t stride = tw_out_stride(params, N0);
#define TW_LOAD_VECTOR(r, n, ...) \
  if (r < M0 && n < vectors) acc##r##n = TW_LOAD(out + r * stride + n * lanes);
    TW_EACH_ACC(TW_LOAD_VECTOR)
#undef TW_LOAD_VECTOR
#ifdef TW_MULTIPLY_ODD
#define TW_SPLIT(r, even, odd)                \
  if (r < M0 && odd < vectors) {              \
    const TW_ACC left = acc##r##even;         \
    acc##r##even = svuzp1(left, acc##r##odd); \
    acc##r##odd = svuzp2(left, acc##r##odd);  \
  }
#define TW_SPLIT_ROW(r, next_r) TW_SPLIT(r, 0, 1) TW_SPLIT(r, 2, 3)
    TW_EACH_ROW(TW_SPLIT_ROW)
#undef TW_SPLIT_ROW
#undef TW_SPLIT
#endif
  }

  // `rows` rows: those of a whole block, or of a single step.
#ifdef TW_NARROW
#define TW_EXCEPT_FIRST(op, r, n) \
  if (r < M0 && n < vectors && r + n > 0) acc##r##n = op(acc##r##n);
#define TW_NARROW_VECTOR(r, n, ...) TW_EXCEPT_FIRST(TW_NARROW, r, n)
  TW_EACH_ACC(TW_NARROW_VECTOR)
#define TW_WIDEN_AT(r, n)            \
  {                                  \
    TW_USE_AFTER(acc##r##n, quad);   \
    acc##r##n = TW_WIDEN(acc##r##n); \
    TW_USE_AFTER(quad, acc##r##n);   \
  }
#define TW_WIDEN_NEXT(r, next_r, n, next_n) \
  if (n < vectors - 1)                      \
    TW_WIDEN_AT(r, next_n)                  \
  else if (r < M0 - 1)                      \
    TW_WIDEN_AT(next_r, 0)                  \
  else                                      \
    TW_WIDEN_AT(0, 0)
#define TW_MULTIPLY_VECTOR(r, n, next_r, next_n)              \
  if (n < vectors) {                                          \
    TW_WIDEN_NEXT(r, next_r, n, next_n)                       \
    acc##r##n = TW_NARROW(TW_PRODUCT(acc##r##n, n, quad, r)); \
    TW_USE_AFTER(quad, acc##r##n);                            \
  }
#else
#define TW_MULTIPLY_VECTOR(r, n, ...) \
  if (n < vectors) acc##r##n = TW_PRODUCT(acc##r##n, n, quad, r);
#endif
#define TW_MULTIPLY_ROW(r, next_r)                                    \
  if (r < rows) {                                                     \
    if (r % M0 == 0) {                                                \
      const TW_RHS* step = rhs + r / M0 * rhs_step;                   \
      v0 = TW_LOAD_RHS(step);                                         \
      if (rhs_vectors > 1) v1 = TW_LOAD_RHS(step + rhs_vector);       \
      if (rhs_vectors > 2) v2 = TW_LOAD_RHS(step + 2 * rhs_vector);   \
      if (rhs_vectors > 3) v3 = TW_LOAD_RHS(step + 3 * rhs_vector);   \
    }                                                                 \
    if (r % TW_QUAD_ROWS == 0) {                                      \
      const int bytes = (rows - r) * TW_K0 * (int)sizeof(TW_LHS);     \
      quad = TW_LOAD_QUAD(tw_sve_quad_bytes(bytes), lhs + r * TW_K0); \
    }                                                                 \
    TW_EACH_VECTOR(TW_MULTIPLY_VECTOR, r, next_r)                     \
  }
#define TW_MULTIPLY_BLOCK(steps)                     \
  {                                                  \
    const int rows = (steps) * M0;                   \
    rhs_vector_t v0, v1, v2 TW_UNUSED, v3 TW_UNUSED; \
    quad_t quad;                                     \
    TW_EACH_ROW(TW_MULTIPLY_ROW)                     \
    lhs += rows * TW_K0;                             \
    rhs += (steps) * rhs_step;                       \
    TW_KEEP_LOADS();                                 \
  }
#ifdef TW_CONVERTS
#include "ukernels/arm_64/sve_lanes_ahead.h"
#else
  const int block = sets;
  const tw_index_t blocks = params->K > 0 ? params->K / block : 0;
#ifdef TW_NARROW
  TW_NO_UNROLL
#else
  TW_UNROLL_2
#endif
  for (tw_index_t i = 0; i < blocks; ++i) TW_MULTIPLY_BLOCK(sets)
#endif
  for (tw_index_t k = params->K % block; k > 0; --k) TW_MULTIPLY_BLOCK(1)
#undef TW_MULTIPLY_BLOCK
#undef TW_MULTIPLY_ROW
#undef TW_MULTIPLY_VECTOR
#ifdef TW_NARROW
#define TW_WIDEN_VECTOR(r, n, ...) TW_EXCEPT_FIRST(TW_WIDEN, r, n)
  TW_EACH_ACC(TW_WIDEN_VECTOR)
#undef TW_WIDEN_VECTOR
#undef TW_WIDEN_NEXT
#undef TW_WIDEN_AT
#undef TW_NARROW_VECTOR
#undef TW_EXCEPT_FIRST
#endif

  // Adds the upper half of the block's rows to the lower, until M0 are left.
  const int rows = sets * M0;
#define TW_REDUCE(r, n, from) \
  if (n < vectors) acc##r##n = svadd_x(svptrue_b8(), acc##r##n, acc##from##n);
#define TW_REDUCE_ROW(r, from)                                        \
  if (from < rows && M0 <= from - r) {                                \
    TW_REDUCE(r, 0, from)                                             \
    TW_REDUCE(r, 1, from) TW_REDUCE(r, 2, from) TW_REDUCE(r, 3, from) \
  }
  TW_REDUCE_ROW(0, 4)
  TW_REDUCE_ROW(1, 5)
  TW_REDUCE_ROW(2, 6)
  TW_REDUCE_ROW(3, 7)
  TW_REDUCE_ROW(0, 2)
  TW_REDUCE_ROW(1, 3)
  TW_REDUCE_ROW(0, 1)
#undef TW_REDUCE_ROW
#undef TW_REDUCE

#ifdef TW_MULTIPLY_ODD
#define TW_JOIN(r, left, right)                  \
  if (r < M0 && right < vectors) {               \
    const TW_ACC even = acc##r##left;            \
    acc##r##left = svzip1(even, acc##r##right);  \
    acc##r##right = svzip2(even, acc##r##right); \
  }
#define TW_JOIN_ROW(r, next_r) TW_JOIN(r, 0, 1) TW_JOIN(r, 2, 3)
  TW_EACH_ROW(TW_JOIN_ROW)
#undef TW_JOIN_ROW
#undef TW_JOIN
#endif
  const tw_index_t stride = tw_out_stride(params, N0);
#define TW_STORE_VECTOR(r, n, ...) \
  if (r < M0 && n < vectors) TW_STORE(out + r * stride + n * lanes, acc##r##n);
  TW_EACH_ACC(TW_STORE_VECTOR)
#undef TW_STORE_VECTOR
}

#undef TW_FAMILY
#undef TW_LHS
#undef TW_RHS
#undef TW_ACCUMULATORS
#undef TW_K0
#undef TW_RHS_K0
#undef TW_VECTORS
#undef TW_LOAD_RHS
#undef TW_LOAD_QUAD
#undef TW_QUAD_ROWS
#undef TW_MULTIPLY
#undef TW_MULTIPLY_ODD
#undef TW_RHS_SHARE
#undef TW_PRODUCT
#undef TW_NARROW
#undef TW_WIDEN
#undef TW_CONVERTS
#undef TW_BLOCK_ROWS
