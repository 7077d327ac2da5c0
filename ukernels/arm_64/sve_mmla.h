// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Template of the families on the matrix instructions (smmla, ummla, usmmla,
// bfmmla), which multiply, in every 16 bytes of a vector, two rows of the lhs
// and two of the rhs, 8 bytes each:
//
//   acc = { l0.r0, l0.r1, l1.r0, l1.r1 }   (32 bits each)
//
// The lhs operand repeats one pair of rows; a vector of the rhs has one column
// per 8 bytes. So the accumulator of a pair of rows and a vector has the first
// row's columns in its even pairs of lanes, the second row's in its odd ones,
// and two neighbouring vectors make one of each row by uzp1 and uzp2 of 64
// bits. No include guard: see sve_lanes.h. The macros:
//
//   TW_FAMILY, TW_LHS_TYPE, TW_RHS_TYPE, TW_ACC_TYPE, TW_K0  as there
//   TW_MULTIPLY(acc, q, v)
//
// and where it differs from what follows from these:
//
//   TW_OUT, TW_LOAD(p), TW_STORE(p, a), TW_RHS_K0  as there
//   TW_RHS_VECTOR, TW_LOAD_RHS(p)  the rhs operand, half a `vl` of columns
//   TW_QUAD, TW_LOAD_PAIR(p), TW_LOAD_SINGLE(p)  the lhs operand: two rows, or
//                        one row twice
//   TW_ROUNDS, TW_NARROW(acc), TW_WIDEN(acc)  as there
//   TW_UNROLL_STEPS      the K loop's
//   TW_UNROLL_WIDEST     the K loop's where N0 is 3vl
//   TW_CHAINS            pairs of rows, counted over the K steps taken at
//                        once: 4, or fewer where operands take more registers

#define TW_LHS TW_ELEMENT(TW_LHS_TYPE)
#define TW_RHS TW_ELEMENT(TW_RHS_TYPE)
#define TW_ACC TW_VECTOR(TW_ACC_TYPE)
#define TW_ZERO TW_TYPED(svdup_n, TW_ACC_TYPE)(0)
#define TW_ADD(a, b) TW_TYPED_X(svadd, TW_ACC_TYPE)(svptrue_b8(), a, b)
// The permutation `op` of 64-bit lanes.
#define TW_BITS_OF(v) TW_TYPED(svreinterpret_u64, TW_ACC_TYPE)(v)
#define TW_PAIRS(op, a, b)                           \
  TW_CAT(TW_TYPED(svreinterpret, TW_ACC_TYPE), _u64) \
  (op##_u64(TW_BITS_OF(a), TW_BITS_OF(b)))
#ifndef TW_OUT
#define TW_OUT TW_ELEMENT(TW_ACC_TYPE)
#endif
#ifndef TW_LOAD
#define TW_LOAD(p) TW_TYPED(svld1, TW_ACC_TYPE)(svptrue_b8(), p)
#define TW_STORE(p, a) TW_TYPED(svst1, TW_ACC_TYPE)(svptrue_b8(), p, a)
#endif
#ifndef TW_RHS_K0
#define TW_RHS_K0 TW_K0
#endif
#ifndef TW_RHS_VECTOR
#define TW_RHS_VECTOR TW_VECTOR(TW_RHS_TYPE)
#define TW_LOAD_RHS(p) TW_TYPED(svld1, TW_RHS_TYPE)(svptrue_b8(), p)
#endif
#ifndef TW_QUAD
#define TW_QUAD TW_VECTOR(TW_LHS_TYPE)
#define TW_LOAD_PAIR(p) TW_TYPED(svld1rq, TW_LHS_TYPE)(svptrue_b8(), p)
#define TW_LOAD_SINGLE(p)                            \
  TW_CAT(TW_TYPED(svreinterpret, TW_LHS_TYPE), _u64) \
  (tw_sve_splat_8_bytes(p))
#endif
#ifndef TW_UNROLL_STEPS
#define TW_UNROLL_STEPS TW_UNROLL_4
#endif
#ifndef TW_CHAINS
#define TW_CHAINS 4
#endif
#ifndef TW_UNROLL_WIDEST
#define TW_UNROLL_WIDEST TW_UNROLL_STEPS
#endif
#ifdef TW_ROUNDS
#define TW_STEP_SETS(pairs) 1
#else
#define TW_STEP_SETS(pairs) ((pairs) < TW_CHAINS ? TW_CHAINS / (pairs) : 1)
#endif

// A pair of rows, here p, in the place of a row there.
#define TW_EACH_PAIR(X) X(0) X(1) X(2) X(3)
#define TW_EACH_COLUMN(X, p) X(p, 0) X(p, 1) X(p, 2) X(p, 3) X(p, 4) X(p, 5)

TW_INLINE void TW_FAMILY(void* out_tile, const void* lhs_panel,
                         const void* rhs_panel, const tw_mmt4d_params_t* params,
                         int M0, int vl) {
  const int pairs = (M0 + 1) / 2;
  const int vectors = 2 * vl;
  const int sets = TW_STEP_SETS(pairs);
  const tw_index_t lanes = svcntw();
  const tw_index_t N0 = vl * lanes;
  const tw_index_t rhs_vector = svcntd() * TW_RHS_K0;
  const int pair_step = (M0 == 1 ? 1 : 2) * TW_K0;
  const TW_LHS* lhs = (const TW_LHS*)lhs_panel;
  const TW_RHS* rhs = (const TW_RHS*)rhs_panel;
  TW_OUT* out = (TW_OUT*)out_tile;

#define TW_DECLARE(p, n) TW_ACC acc##p##n = TW_ZERO;
#define TW_DECLARE_PAIR(p) TW_EACH_COLUMN(TW_DECLARE, p)
  TW_EACH_PAIR(TW_DECLARE_PAIR)
#undef TW_DECLARE_PAIR
#undef TW_DECLARE

  if (tw_accumulates(params)) {
    const tw_index_t stride = tw_out_stride(params, N0);
#define TW_LOAD_COLUMNS(p, j, left, right)                          \
  if (p < pairs && j < vl) {                                        \
    const TW_OUT* from = out + 2 * p * stride + j * lanes;          \
    const TW_ACC first = TW_LOAD(from);                             \
    const TW_ACC second = M0 == 1 ? first : TW_LOAD(from + stride); \
    acc##p##left = TW_PAIRS(svzip1, first, second);                 \
    acc##p##right = TW_PAIRS(svzip2, first, second);                \
  }
#define TW_LOAD_ROWS(p)       \
  TW_LOAD_COLUMNS(p, 0, 0, 1) \
  TW_LOAD_COLUMNS(p, 1, 2, 3) TW_LOAD_COLUMNS(p, 2, 4, 5)
    TW_EACH_PAIR(TW_LOAD_ROWS)
#undef TW_LOAD_ROWS
#undef TW_LOAD_COLUMNS
  }

// Vector by vector, each with all rows, one after the other: otherwise the
// widest tile would find no registers.
#define TW_LOAD_QUAD(p)                                     \
  if (p < rows) {                                           \
    quad##p = M0 == 1 ? TW_LOAD_SINGLE(lhs + p * pair_step) \
                      : TW_LOAD_PAIR(lhs + p * pair_step);  \
  }
#ifdef TW_NARROW
#define TW_EXCEPT_FIRST(op, p, n) \
  if (p < pairs && n < vectors && p + n > 0) acc##p##n = op(acc##p##n);
#define TW_NARROW_VECTOR(p, n) TW_EXCEPT_FIRST(TW_NARROW, p, n)
#define TW_NARROW_PAIR(p) TW_EACH_COLUMN(TW_NARROW_VECTOR, p)
  TW_EACH_PAIR(TW_NARROW_PAIR)
#define TW_WIDEN_AT(p, n)            \
  {                                  \
    TW_USE_AFTER(acc##p##n, quad0);  \
    acc##p##n = TW_WIDEN(acc##p##n); \
    TW_USE_AFTER(v, acc##p##n);      \
  }
#define TW_WIDEN_NEXT(p, next_p, n, next_n) \
  if (p < pairs - 1)                        \
    TW_WIDEN_AT(next_p, n)                  \
  else if (n < vectors - 1)                 \
    TW_WIDEN_AT(0, next_n)                  \
  else                                      \
    TW_WIDEN_AT(0, 0)
#define TW_INTO(p, n)                                          \
  {                                                            \
    TW_WIDEN_NEXT(p, TW_NEXT_OF(4, p), n, TW_NEXT_OF(6, n))    \
    acc##p##n = TW_NARROW(TW_MULTIPLY(acc##p##n, quad##p, v)); \
    TW_USE_AFTER(quad0, acc##p##n);                            \
    TW_LOAD_AFTER(rhs, acc##p##n);                             \
  }
#else
#define TW_INTO(p, n) acc##p##n = TW_MULTIPLY(acc##p##n, quad##p, v);
#endif
#define TW_MULTIPLY_PAIR(p, n)                                       \
  if (p < rows && n < vectors) {                                     \
    if (p % pairs == 0) {                                            \
      v = TW_LOAD_RHS(rhs + (p / pairs * vectors + n) * rhs_vector); \
    }                                                                \
    TW_INTO(p, n)                                                    \
  }
#define TW_MULTIPLY_VECTOR(n) \
  TW_MULTIPLY_PAIR(0, n)      \
  TW_MULTIPLY_PAIR(1, n)      \
  TW_MULTIPLY_PAIR(2, n)      \
  TW_MULTIPLY_PAIR(3, n)
#define TW_MULTIPLY_STEPS()  \
  TW_EACH_PAIR(TW_LOAD_QUAD) \
  TW_MULTIPLY_VECTOR(0)      \
  TW_MULTIPLY_VECTOR(1)      \
  TW_MULTIPLY_VECTOR(2)      \
  TW_MULTIPLY_VECTOR(3) TW_MULTIPLY_VECTOR(4) TW_MULTIPLY_VECTOR(5)
  const tw_index_t blocks = params->K > 0 ? params->K / sets : 0;
#define TW_MULTIPLY_BLOCK()             \
  {                                     \
    const int rows = sets * pairs;      \
    TW_RHS_VECTOR v;                    \
    TW_QUAD quad0, quad1, quad2, quad3; \
    TW_MULTIPLY_STEPS()                 \
    lhs += rows * pair_step;            \
    rhs += sets * vectors * rhs_vector; \
  }
  if (vectors == 6) {
    TW_UNROLL_WIDEST for (tw_index_t i = 0; i < blocks; ++i) TW_MULTIPLY_BLOCK()
  } else {
    TW_UNROLL_STEPS for (tw_index_t i = 0; i < blocks; ++i) TW_MULTIPLY_BLOCK()
  }
#undef TW_MULTIPLY_BLOCK
  for (tw_index_t k = params->K % sets; k > 0; --k) {
    const int rows = pairs;
    TW_RHS_VECTOR v;
    TW_QUAD quad0, quad1, quad2 TW_UNUSED, quad3 TW_UNUSED;
    TW_MULTIPLY_STEPS()
    lhs += rows * pair_step;
    rhs += vectors * rhs_vector;
  }
#undef TW_MULTIPLY_STEPS
#undef TW_MULTIPLY_VECTOR
#undef TW_MULTIPLY_PAIR
#undef TW_INTO
#undef TW_LOAD_QUAD
#ifdef TW_NARROW
#define TW_WIDEN_VECTOR(p, n) TW_EXCEPT_FIRST(TW_WIDEN, p, n)
#define TW_WIDEN_PAIR(p) TW_EACH_COLUMN(TW_WIDEN_VECTOR, p)
  TW_EACH_PAIR(TW_WIDEN_PAIR)
#undef TW_WIDEN_PAIR
#undef TW_WIDEN_VECTOR
#undef TW_WIDEN_NEXT
#undef TW_WIDEN_AT
#undef TW_NARROW_PAIR
#undef TW_NARROW_VECTOR
#undef TW_EXCEPT_FIRST
#endif

#define TW_REDUCE(p, n, from) \
  if (n < vectors) acc##p##n = TW_ADD(acc##p##n, acc##from##n);
#define TW_REDUCE_PAIR(p, from)                                       \
  if (from < sets * pairs && pairs <= from - p) {                     \
    TW_REDUCE(p, 0, from)                                             \
    TW_REDUCE(p, 1, from)                                             \
    TW_REDUCE(p, 2, from)                                             \
    TW_REDUCE(p, 3, from) TW_REDUCE(p, 4, from) TW_REDUCE(p, 5, from) \
  }
  TW_REDUCE_PAIR(0, 2)
  TW_REDUCE_PAIR(1, 3)
  TW_REDUCE_PAIR(0, 1)
#undef TW_REDUCE_PAIR
#undef TW_REDUCE

  const tw_index_t stride = tw_out_stride(params, N0);
#define TW_STORE_COLUMNS(p, j, left, right)                                 \
  if (p < pairs && j < vl) {                                                \
    TW_OUT* to = out + 2 * p * stride + j * lanes;                          \
    TW_STORE(to, TW_PAIRS(svuzp1, acc##p##left, acc##p##right));            \
    if (M0 > 1) {                                                           \
      TW_STORE(to + stride, TW_PAIRS(svuzp2, acc##p##left, acc##p##right)); \
    }                                                                       \
  }
#define TW_STORE_ROWS(p)       \
  TW_STORE_COLUMNS(p, 0, 0, 1) \
  TW_STORE_COLUMNS(p, 1, 2, 3) TW_STORE_COLUMNS(p, 2, 4, 5)
  TW_EACH_PAIR(TW_STORE_ROWS)
#undef TW_STORE_ROWS
#undef TW_STORE_COLUMNS
}

#undef TW_FAMILY
#undef TW_LHS_TYPE
#undef TW_RHS_TYPE
#undef TW_ACC_TYPE
#undef TW_LHS
#undef TW_RHS
#undef TW_OUT
#undef TW_K0
#undef TW_RHS_K0
#undef TW_ACC
#undef TW_ZERO
#undef TW_ADD
#undef TW_LOAD
#undef TW_STORE
#undef TW_PAIRS
#undef TW_BITS_OF
#undef TW_RHS_VECTOR
#undef TW_LOAD_RHS
#undef TW_QUAD
#undef TW_LOAD_PAIR
#undef TW_LOAD_SINGLE
#undef TW_MULTIPLY
#undef TW_ROUNDS
#undef TW_NARROW
#undef TW_WIDEN
#undef TW_UNROLL_STEPS
#undef TW_UNROLL_WIDEST
#undef TW_CHAINS
#undef TW_STEP_SETS
#undef TW_EACH_PAIR
#undef TW_EACH_COLUMN
