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
//   TW_FAMILY, TW_LHS, TW_ACCUMULATORS  as there
//   TW_MULTIPLY(acc, q, v)
//
// and where it differs from what follows from these:
//
//   TW_RHS, TW_K0, TW_NARROW(acc), TW_WIDEN(acc)  as there
//   TW_LOAD_RHS(p)       the rhs operand, half a `vl` of columns
//   TW_LOAD_QUAD(p, rows)  the lhs operand: two rows, or one row twice, as
//                        64-bit integers: TW_MULTIPLY says what these are
//   TW_CHAINS            pairs of rows, counted over the K steps taken at
//                        once: 4, or fewer where operands take more registers
//   TW_UNROLLS(vectors)  0 where the K loop must not be unrolled, which is so
//                        too where there are fewer chains

#ifndef TW_RHS
#define TW_RHS TW_LHS
#endif
#ifndef TW_K0
#define TW_K0 (8 / (int)sizeof(TW_LHS))
#endif
#define TW_RHS_K0 (8 / (int)sizeof(TW_RHS))
#ifndef TW_LOAD_RHS
#define TW_LOAD_RHS(p) svld1(svptrue_b8(), p)
#endif
#ifndef TW_LOAD_QUAD
#define TW_LOAD_QUAD(p, rows)            \
  ((rows) == 1 ? tw_sve_splat_8_bytes(p) \
               : svreinterpret_u64(svld1rq(svptrue_b8(), p)))
#endif
#if defined(TW_NARROW)
// Every step needs what the one before it rounded.
#define TW_CHAINS 1
#elif !defined(TW_CHAINS)
#define TW_CHAINS 4
#endif
#ifndef TW_UNROLLS
#define TW_UNROLLS(vectors) (TW_CHAINS == 4)
#endif
// The permutation `op` of 64-bit lanes.
#define TW_PAIRS(op, a, b) \
  TW_ACC_OF(op(svreinterpret_u64(a), svreinterpret_u64(b)))

// X for the accumulators of a pair of rows, p, and all of them.
#define TW_EACH_OF_PAIR(X, p) X(p, 0) X(p, 1) X(p, 2) X(p, 3) X(p, 4) X(p, 5)
#define TW_EACH_PAIR_ACC(X) \
  TW_EACH_OF_PAIR(X, 0)     \
  TW_EACH_OF_PAIR(X, 1) TW_EACH_OF_PAIR(X, 2) TW_EACH_OF_PAIR(X, 3)

TW_INLINE void TW_FAMILY(void* out_tile, const void* lhs_panel,
                         const void* rhs_panel, const tw_mmt4d_params_t* params,
                         int M0, int vl) {
  const int pairs = (M0 + 1) / 2;
  const int vectors = 2 * vl;
  const int sets = tw_sve_sets(pairs, TW_CHAINS);
  const tw_index_t lanes = svcntw();
  const tw_index_t N0 = vl * lanes;
  const tw_index_t rhs_vector = svcntd() * TW_RHS_K0;
  const int pair_step = (M0 == 1 ? 1 : 2) * TW_K0;
  const TW_LHS* lhs = (const TW_LHS*)lhs_panel;
  const TW_RHS* rhs = (const TW_RHS*)rhs_panel;
  TW_OUT* out = (TW_OUT*)out_tile;
  typedef __typeof__(TW_LOAD_RHS(rhs)) rhs_vector_t;
  typedef __typeof__(TW_LOAD_QUAD(lhs, M0)) quad_t;

#define TW_DECLARE(p, n) TW_ACC acc##p##n = TW_ZERO;
  TW_EACH_PAIR_ACC(TW_DECLARE)
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
    TW_EACH_OF_4(TW_LOAD_ROWS)
#undef TW_LOAD_ROWS
#undef TW_LOAD_COLUMNS
  }

// Vector by vector, each with all rows, one after the other: otherwise the
// widest tile would find no registers.
#define TW_LOAD_LHS(p)                               \
  if (p < rows) {                                    \
    quad##p = TW_LOAD_QUAD(lhs + p * pair_step, M0); \
  }
#ifdef TW_NARROW
#define TW_EXCEPT_FIRST(op, p, n) \
  if (p < pairs && n < vectors && p + n > 0) acc##p##n = op(acc##p##n);
#define TW_NARROW_VECTOR(p, n) TW_EXCEPT_FIRST(TW_NARROW, p, n)
  TW_EACH_PAIR_ACC(TW_NARROW_VECTOR)
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
#define TW_INTO(p, next_p, n, next_n)                          \
  {                                                            \
    TW_WIDEN_NEXT(p, next_p, n, next_n)                        \
    acc##p##n = TW_NARROW(TW_MULTIPLY(acc##p##n, quad##p, v)); \
    TW_USE_AFTER(quad0, acc##p##n);                            \
    TW_LOAD_AFTER(rhs, acc##p##n);                             \
  }
#else
#define TW_INTO(p, next_p, n, next_n) \
  acc##p##n = TW_MULTIPLY(acc##p##n, quad##p, v);
#endif
#define TW_MULTIPLY_PAIR(p, next_p, n, next_n)                       \
  if (p < rows && n < vectors) {                                     \
    if (p % pairs == 0) {                                            \
      v = TW_LOAD_RHS(rhs + (p / pairs * vectors + n) * rhs_vector); \
    }                                                                \
    TW_INTO(p, next_p, n, next_n)                                    \
  }
#define TW_MULTIPLY_VECTOR(n, next_n) \
  TW_MULTIPLY_PAIR(0, 1, n, next_n)   \
  TW_MULTIPLY_PAIR(1, 2, n, next_n)   \
  TW_MULTIPLY_PAIR(2, 3, n, next_n)   \
  TW_MULTIPLY_PAIR(3, 0, n, next_n)
#define TW_MULTIPLY_STEPS() \
  TW_EACH_OF_4(TW_LOAD_LHS) \
  TW_MULTIPLY_VECTOR(0, 1)  \
  TW_MULTIPLY_VECTOR(1, 2)  \
  TW_MULTIPLY_VECTOR(2, 3)  \
  TW_MULTIPLY_VECTOR(3, 4) TW_MULTIPLY_VECTOR(4, 5) TW_MULTIPLY_VECTOR(5, 0)
  const tw_index_t blocks = params->K > 0 ? params->K / sets : 0;
#define TW_MULTIPLY_BLOCK()             \
  {                                     \
    const int rows = sets * pairs;      \
    rhs_vector_t v;                     \
    quad_t quad0, quad1, quad2, quad3;  \
    TW_MULTIPLY_STEPS()                 \
    lhs += rows * pair_step;            \
    rhs += sets * vectors * rhs_vector; \
  }
  if (TW_UNROLLS(vectors)) {
    TW_UNROLL_4 for (tw_index_t i = 0; i < blocks; ++i) TW_MULTIPLY_BLOCK()
  } else {
    TW_NO_UNROLL for (tw_index_t i = 0; i < blocks; ++i) TW_MULTIPLY_BLOCK()
  }
#undef TW_MULTIPLY_BLOCK
  for (tw_index_t k = params->K % sets; k > 0; --k) {
    const int rows = pairs;
    rhs_vector_t v;
    quad_t quad0, quad1, quad2 TW_UNUSED, quad3 TW_UNUSED;
    TW_MULTIPLY_STEPS()
    lhs += rows * pair_step;
    rhs += vectors * rhs_vector;
  }
#undef TW_MULTIPLY_STEPS
#undef TW_MULTIPLY_VECTOR
#undef TW_MULTIPLY_PAIR
#undef TW_INTO
#undef TW_LOAD_LHS
#ifdef TW_NARROW
#define TW_WIDEN_VECTOR(p, n) TW_EXCEPT_FIRST(TW_WIDEN, p, n)
  TW_EACH_PAIR_ACC(TW_WIDEN_VECTOR)
#undef TW_WIDEN_VECTOR
#undef TW_WIDEN_NEXT
#undef TW_WIDEN_AT
#undef TW_NARROW_VECTOR
#undef TW_EXCEPT_FIRST
#endif

#define TW_REDUCE(p, n, from) \
  if (n < vectors) acc##p##n = svadd_x(svptrue_b8(), acc##p##n, acc##from##n);
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
  TW_EACH_OF_4(TW_STORE_ROWS)
#undef TW_STORE_ROWS
#undef TW_STORE_COLUMNS
}

#undef TW_FAMILY
#undef TW_LHS
#undef TW_RHS
#undef TW_ACCUMULATORS
#undef TW_K0
#undef TW_RHS_K0
#undef TW_LOAD_RHS
#undef TW_LOAD_QUAD
#undef TW_MULTIPLY
#undef TW_NARROW
#undef TW_WIDEN
#undef TW_UNROLLS
#undef TW_CHAINS
#undef TW_PAIRS
#undef TW_EACH_OF_PAIR
#undef TW_EACH_PAIR_ACC
