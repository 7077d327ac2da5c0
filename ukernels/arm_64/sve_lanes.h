// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Template of the families that multiply a vector of the rhs by one lane of the
// lhs. No include guard: a header defines the macros below, includes this file,
// which defines the function TW_TILE, and finds the macros undefined again.
//
//   TW_TILE         the function's name
//   TW_ACC          the vector type of accumulators
//   TW_LOAD_LHS(pg, p)  the lhs operand: the K step of some rows, 16 bytes of
//                   which pg has those that exist, repeated along the vector
//   TW_LOAD_RHS(how, p)  the rhs operand
//   TW_MULTIPLY(how, acc, v, q, r, n)  acc + product of v, what is column n's,
//                   and the lane of q that is row r's
//
// and, where a family needs them:
//
//   TW_NARROW(acc), TW_WIDEN(acc)  to the out type and back, if steps round and
//                   are not multiplied in that type. Between K steps all
//                   accumulators but the first are narrow: each is widened
//                   before the one before it is multiplied into, so that
//                   multiplying, narrowing and widening, in pipelines of their
//                   own on some cores, take place at the same time.
//   TW_CONVERTS     if operands are converted when they are loaded: see
//                   sve_lanes_ahead.h

#define TW_LHS __typeof__(TW_LOAD_LHS(svptrue_b8(), (const char*)0))
#define TW_RHS __typeof__(TW_LOAD_RHS(how, (const char*)0))

#ifdef TW_NARROW
// Widens the accumulator that is multiplied into after [r][n].
TW_INLINE void TW_CONCAT(TW_TILE, _widen_next)(TW_ACC* const acc[][4],
                                               TW_LHS* quad, int M0,
                                               int vectors, int r, int n) {
  const int next = (r * vectors + n + 1) % (M0 * vectors);
  TW_ACC* const a = acc[next / vectors][next % vectors];
  TW_USE_AFTER(*a, *quad);
  *a = TW_WIDEN(*a);
  TW_USE_AFTER(*quad, *a);
}
#endif

// `steps` K steps; row r of step s has row s * M0 + r of the accumulators. The
// panels move on.
TW_INLINE void TW_CONCAT(TW_TILE, _steps)(tw_sve_family_t how,
                                          TW_ACC* const acc[][4],
                                          const char** lhs, const char** rhs,
                                          int M0, int vectors, int steps) {
  const int rows = steps * M0;
  const int quad_rows = 16 / how.lhs_bytes;
  const int rhs_vectors = how.paired ? vectors / 2 : vectors;
  const tw_index_t lanes = svlen(TW_ZERO(TW_ACC));
  const tw_index_t rhs_vector = tw_sve_rhs_vector(how, lanes);
  const tw_index_t rhs_step = vectors * lanes * how.rhs_bytes;
  TW_RHS v0, v1, v2, v3;
  TW_RHS* const v[] = {&v0, &v1, &v2, &v3};
  TW_LHS quad;
  TW_UNROLL for (int r = 0; r < rows; ++r) {
    if (r % M0 == 0) {
      const char* const step = *rhs + r / M0 * rhs_step;
      TW_UNROLL for (int n = 0; n < rhs_vectors; ++n) {
        *v[n] = TW_LOAD_RHS(how, step + n * rhs_vector);
      }
    }
    if (r % quad_rows == 0) {
      quad = TW_LOAD_LHS(tw_sve_quad_bytes((rows - r) * how.lhs_bytes),
                         *lhs + r * how.lhs_bytes);
    }
    TW_UNROLL for (int n = 0; n < vectors; ++n) {
      TW_ACC* const a = acc[r][n];
      TW_RHS* const column = v[how.paired ? n / 2 : n];
#ifdef TW_NARROW
      if (how.rounds) {
        TW_CONCAT(TW_TILE, _widen_next)(acc, &quad, M0, vectors, r, n);
        *a = TW_NARROW(TW_MULTIPLY(how, *a, *column, quad, r, n));
        TW_USE_AFTER(quad, *a);
        continue;
      }
#endif
      *a = TW_MULTIPLY(how, *a, *column, quad, r, n);
    }
  }
  *lhs += rows * how.lhs_bytes;
  *rhs += steps * rhs_step;
  tw_keep_loads();
}

#ifdef TW_CONVERTS
#include "ukernels/arm_64/sve_lanes_ahead.h"
#endif

TW_INLINE void TW_TILE(tw_sve_family_t how, void* out, const char* lhs,
                       const char* rhs, const tw_mmt4d_params_t* params, int M0,
                       int vectors) {
  const svbool_t all = svptrue_b8();
  // A step that rounds needs what the one before it rounded.
  const int sets = how.rounds ? 1 : tw_sve_sets(how, M0, vectors);
  const TW_ACC zero = TW_ZERO(TW_ACC);
  TW_ACC a00 = zero, a01 = zero, a02 = zero, a03 = zero;
  TW_ACC a10 = zero, a11 = zero, a12 = zero, a13 = zero;
  TW_ACC a20 = zero, a21 = zero, a22 = zero, a23 = zero;
  TW_ACC a30 = zero, a31 = zero, a32 = zero, a33 = zero;
  TW_ACC a40 = zero, a41 = zero, a42 = zero, a43 = zero;
  TW_ACC a50 = zero, a51 = zero, a52 = zero, a53 = zero;
  TW_ACC a60 = zero, a61 = zero, a62 = zero, a63 = zero;
  TW_ACC a70 = zero, a71 = zero, a72 = zero, a73 = zero;
  TW_ACC* const acc[][4] = {{&a00, &a01, &a02, &a03}, {&a10, &a11, &a12, &a13},
                            {&a20, &a21, &a22, &a23}, {&a30, &a31, &a32, &a33},
                            {&a40, &a41, &a42, &a43}, {&a50, &a51, &a52, &a53},
                            {&a60, &a61, &a62, &a63}, {&a70, &a71, &a72, &a73}};
  const tw_index_t lanes = svlen(zero);
  const tw_index_t N0 = vectors * lanes;

  if (!how.splits && tw_accumulates(params)) {
    const tw_index_t stride = tw_out_stride(params, N0);
    TW_UNROLL for (int r = 0; r < M0; ++r) {
      TW_UNROLL for (int n = 0; n < vectors; ++n) {
        *acc[r][n] = TW_LOAD_ACC(TW_ACC, how.out, out, r * stride, n * lanes);
      }
      if (!how.paired) continue;
      TW_UNROLL for (int n = 0; n < vectors; n += 2) {
        const TW_ACC left = *acc[r][n], right = *acc[r][n + 1];
        *acc[r][n] = svuzp1(left, right);
        *acc[r][n + 1] = svuzp2(left, right);
      }
    }
  }

#ifdef TW_NARROW
  if (how.rounds) {
    TW_UNROLL for (int i = 1; i < M0 * vectors; ++i) {
      TW_ACC* const a = acc[i / vectors][i % vectors];
      *a = TW_NARROW(*a);
    }
  }
#endif
#ifdef TW_CONVERTS
  tw_index_t rest = TW_CONCAT(TW_TILE, _ahead)(how, acc, &lhs, &rhs, params->K,
                                               M0, vectors, sets);
#else
  const tw_index_t blocks = params->K > 0 ? params->K / sets : 0;
  if (how.rounds && how.out == TW_OUT_BF16) {
    // Unrolled it would take more registers than there are.
    TW_NO_UNROLL for (tw_index_t i = 0; i < blocks; ++i) {
      TW_CONCAT(TW_TILE, _steps)(how, acc, &lhs, &rhs, M0, vectors, sets);
    }
  } else {
    TW_UNROLL_2 for (tw_index_t i = 0; i < blocks; ++i) {
      TW_CONCAT(TW_TILE, _steps)(how, acc, &lhs, &rhs, M0, vectors, sets);
    }
  }
  tw_index_t rest = params->K % sets;
#endif
  for (; rest > 0; --rest) {
    TW_CONCAT(TW_TILE, _steps)(how, acc, &lhs, &rhs, M0, vectors, 1);
  }
#ifdef TW_NARROW
  if (how.rounds) {
    TW_UNROLL for (int i = 1; i < M0 * vectors; ++i) {
      TW_ACC* const a = acc[i / vectors][i % vectors];
      *a = TW_WIDEN(*a);
    }
  }
#endif

  // Adds the upper half of the block's rows to the lower, until M0 are left.
  TW_UNROLL for (int r = sets * M0 - 1; r >= M0; --r) {
    const int to = r - (r >= 4 ? 4 : r >= 2 ? 2 : 1);
    TW_UNROLL for (int n = 0; n < vectors; ++n) {
      *acc[to][n] = svadd_x(all, *acc[to][n], *acc[r][n]);
    }
  }

  const tw_index_t stride = tw_out_stride(params, N0);
  TW_UNROLL for (int r = 0; r < M0; ++r) {
    if (how.paired) {
      TW_UNROLL for (int n = 0; n < vectors; n += 2) {
        const TW_ACC even = *acc[r][n], odd = *acc[r][n + 1];
        *acc[r][n] = svzip1(even, odd);
        *acc[r][n + 1] = svzip2(even, odd);
      }
    }
    TW_UNROLL for (int n = 0; n < vectors; ++n) {
      TW_ACC sum = *acc[r][n];
      sum = TW_SUM(TW_ACC, how.splits, sum);
      if (how.splits && tw_accumulates(params)) {
        sum = svadd_x(all, sum,
                      TW_LOAD_ACC(TW_ACC, how.out, out, r * stride, n * lanes));
      }
      TW_STORE_ACC(TW_ACC, how.out, out, r * stride, n * lanes, sum);
    }
  }
}

#undef TW_TILE
#undef TW_ACC
#undef TW_LOAD_LHS
#undef TW_LOAD_RHS
#undef TW_MULTIPLY
#undef TW_NARROW
#undef TW_WIDEN
#undef TW_CONVERTS
#undef TW_LHS
#undef TW_RHS
