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
//   TW_TILE, TW_ACC, TW_NARROW(acc), TW_WIDEN(acc)  as there
//   TW_ACC_OF_PAIRS(v)  64-bit lanes as accumulators
//   TW_LOAD_LHS(how, p, single, odd)  the lhs operand: two rows, or a `single`
//                   one twice; where the rhs is split, of one of two
//   TW_LOAD_RHS(p)  the rhs operand, half a `vl` of columns
//   TW_MULTIPLY(acc, q, q_odd, v)

#define TW_LHS \
  __typeof__(TW_LOAD_LHS((tw_sve_family_t){0}, (const char*)0, 0, 0))
#define TW_RHS __typeof__(TW_LOAD_RHS((const char*)0))

#ifdef TW_NARROW
// Widens the accumulator that is multiplied into after [p][n].
TW_INLINE void TW_CONCAT(TW_TILE, _widen_next)(TW_ACC* const acc[][6],
                                               TW_LHS* quad, TW_RHS* v,
                                               int pairs, int vectors, int p,
                                               int n) {
  const int next = (n * pairs + p + 1) % (pairs * vectors);
  TW_ACC* const a = acc[next % pairs][next / pairs];
  TW_USE_AFTER(*a, *quad);
  *a = TW_WIDEN(*a);
  TW_USE_AFTER(*v, *a);
}
#endif

// `steps` K steps; pair p of step s has row s * pairs + p of the accumulators.
// The panels move on.
TW_INLINE void TW_CONCAT(TW_TILE, _steps)(tw_sve_family_t how,
                                          TW_ACC* const acc[][6],
                                          const char** lhs, const char** rhs,
                                          int M0, int vectors, int steps) {
  const int pairs = (M0 + 1) / 2;
  const int rows = steps * pairs;
  const int pair_bytes = (M0 == 1 ? 1 : 2) * how.lhs_bytes;
  const tw_index_t rhs_vector = svcntd() * how.rhs_bytes;
  TW_LHS q0, q1, q2, q3, q0_odd, q1_odd, q2_odd, q3_odd;
  TW_LHS* const q[] = {&q0, &q1, &q2, &q3};
  TW_LHS* const q_odd[] = {&q0_odd, &q1_odd, &q2_odd, &q3_odd};
  // A single row is multiplied with its next K step: what the latter makes of
  // this step's rhs, and the former of the next one's, is never read.
  const int joins = M0 == 1 && steps % 2 == 0;
  TW_UNROLL for (int p = 0; p < rows; ++p) {
    const char* const pair = *lhs + p * pair_bytes;
    if (joins && p % 2 == 1) {
      *q[p] = *q[p - 1];
      if (how.splits) *q_odd[p] = *q_odd[p - 1];
      continue;
    }
    *q[p] = TW_LOAD_LHS(how, pair, M0 == 1 && !joins, 0);
    if (how.splits) *q_odd[p] = TW_LOAD_LHS(how, pair, M0 == 1 && !joins, 1);
  }
  const tw_index_t rhs_bytes = steps * vectors * rhs_vector;
  if (how.groups_loads) {
    // Up to four vectors are loaded, then multiplied: what issues in its order
    // waits for one load of them alone (Cortex-A510).
    TW_RHS v0, v1, v2, v3;
    TW_RHS* const v[] = {&v0, &v1, &v2, &v3};
    TW_UNROLL for (int p = 0; p < rows; p += pairs) {
      TW_UNROLL for (int n = 0; n < vectors; ++n) {
        const int last = n + 4 < vectors ? n + 4 : vectors;
        TW_UNROLL for (int i = n % 4 == 0 ? n : last; i < last; ++i) {
          *v[i % 4] =
              TW_LOAD_RHS(*rhs + (p / pairs * vectors + i) * rhs_vector);
        }
        TW_UNROLL for (int i = p; i < p + pairs; ++i) {
          TW_ACC* const a = acc[i][n];
          *a = TW_MULTIPLY(*a, *q[i], *q_odd[i], *v[n % 4]);
          TW_LOAD_AFTER(*rhs, *a);
        }
      }
    }
    *lhs += rows * pair_bytes;
    *rhs += rhs_bytes;
    return;
  }
  // Vector by vector, each with all rows, one after the other: otherwise the
  // widest tile would find no registers.
  TW_UNROLL for (int n = 0; n < vectors; ++n) {
    TW_RHS v;
    TW_UNROLL for (int p = 0; p < rows; ++p) {
      TW_ACC* const a = acc[p][n];
      if (p % pairs == 0) {
        v = TW_LOAD_RHS(*rhs + (p / pairs * vectors + n) * rhs_vector);
      }
#ifdef TW_NARROW
      if (how.rounds) {
        TW_CONCAT(TW_TILE, _widen_next)(acc, &q0, &v, pairs, vectors, p, n);
        *a = TW_NARROW(TW_MULTIPLY(*a, *q[p], *q_odd[p], v));
        TW_USE_AFTER(q0, *a);
        TW_LOAD_AFTER(*rhs, *a);
        continue;
      }
#endif
      *a = TW_MULTIPLY(*a, *q[p], *q_odd[p], v);
    }
  }
  *lhs += rows * pair_bytes;
  *rhs += rhs_bytes;
}

// All K steps, `sets` at once and the rest one by one.
TW_INLINE void TW_CONCAT(TW_TILE, _all_steps)(tw_sve_family_t how,
                                              TW_ACC* const acc[][6],
                                              const char* lhs, const char* rhs,
                                              const tw_mmt4d_params_t* params,
                                              int M0, int vectors, int sets) {
  const tw_index_t blocks = params->K > 0 ? params->K / sets : 0;
  if (how.rounds || how.splits || (how.rolls_widest && vectors == 6)) {
    TW_NO_UNROLL for (tw_index_t i = 0; i < blocks; ++i) {
      TW_CONCAT(TW_TILE, _steps)(how, acc, &lhs, &rhs, M0, vectors, sets);
    }
  } else {
    TW_UNROLL_4 for (tw_index_t i = 0; i < blocks; ++i) {
      TW_CONCAT(TW_TILE, _steps)(how, acc, &lhs, &rhs, M0, vectors, sets);
    }
  }
  for (tw_index_t rest = params->K % sets; rest > 0; --rest) {
    TW_CONCAT(TW_TILE, _steps)(how, acc, &lhs, &rhs, M0, vectors, 1);
  }
}

TW_INLINE void TW_TILE(tw_sve_family_t how, void* out, const char* lhs,
                       const char* rhs, const tw_mmt4d_params_t* params, int M0,
                       int vl) {
  const svbool_t all = svptrue_b8();
  const int pairs = (M0 + 1) / 2;
  const int vectors = 2 * vl;
  // Pairs of rows, counted over the K steps taken at once; operands in two
  // vectors take more registers.
  const int chains = how.splits ? 2 : 4;
  const int sets = !how.rounds && pairs < chains ? chains / pairs : 1;
  const TW_ACC zero = TW_ZERO(TW_ACC);
  TW_ACC a00 = zero, a01 = zero, a02 = zero, a03 = zero, a04 = zero, a05 = zero;
  TW_ACC a10 = zero, a11 = zero, a12 = zero, a13 = zero, a14 = zero, a15 = zero;
  TW_ACC a20 = zero, a21 = zero, a22 = zero, a23 = zero, a24 = zero, a25 = zero;
  TW_ACC a30 = zero, a31 = zero, a32 = zero, a33 = zero, a34 = zero, a35 = zero;
  TW_ACC* const acc[][6] = {{&a00, &a01, &a02, &a03, &a04, &a05},
                            {&a10, &a11, &a12, &a13, &a14, &a15},
                            {&a20, &a21, &a22, &a23, &a24, &a25},
                            {&a30, &a31, &a32, &a33, &a34, &a35}};
  const tw_index_t lanes = svcntw();
  const tw_index_t N0 = vl * lanes;

  if (!how.splits && tw_accumulates(params)) {
    const tw_index_t stride = tw_out_stride(params, N0);
    TW_UNROLL for (int p = 0; p < pairs; ++p) {
      TW_UNROLL for (int j = 0; j < vl; ++j) {
        const tw_index_t row = 2 * p * stride;
        const TW_ACC first = TW_LOAD_ACC(TW_ACC, how.out, out, row, j * lanes);
        const TW_ACC second = M0 == 1 ? first
                                      : TW_LOAD_ACC(TW_ACC, how.out, out,
                                                    row + stride, j * lanes);
        const svuint64_t top = svreinterpret_u64(first);
        const svuint64_t low = svreinterpret_u64(second);
        TW_ACC left = TW_ACC_OF_PAIRS(svzip1(top, low));
        TW_ACC right = TW_ACC_OF_PAIRS(svzip2(top, low));
        TW_HIDE_CAST(left);
        TW_HIDE_CAST(right);
        *acc[p][2 * j] = left;
        *acc[p][2 * j + 1] = right;
      }
    }
  }

#ifdef TW_NARROW
  if (how.rounds) {
    TW_UNROLL for (int i = 1; i < pairs * vectors; ++i) {
      TW_ACC* const a = acc[i / vectors][i % vectors];
      *a = TW_NARROW(*a);
    }
  }
#endif
  // Which vectors there are is asked so that LLVM 22 does not learn their
  // length of it: it would have registers for the offsets of the loads.
  if (how.splits && svcntb_pat(SV_VL32) == 0) {
    tw_sve_family_t quads = how;
    quads.quad_vectors = 1;
    TW_CONCAT(TW_TILE, _all_steps)
    (quads, acc, lhs, rhs, params, M0, vectors, sets);
  } else {
    TW_CONCAT(TW_TILE, _all_steps)
    (how, acc, lhs, rhs, params, M0, vectors, sets);
  }
#ifdef TW_NARROW
  if (how.rounds) {
    TW_UNROLL for (int i = 1; i < pairs * vectors; ++i) {
      TW_ACC* const a = acc[i / vectors][i % vectors];
      *a = TW_WIDEN(*a);
    }
  }
#endif

  // Of a single row, odd K steps are in the second rows of their own sums.
  const int joins = M0 == 1 && sets % 2 == 0;
  TW_UNROLL for (int p = sets * pairs - 1; p >= pairs + joins; --p) {
    TW_ACC* const* const to = acc[p - (p >= 2 ? 2 : 1)];
    TW_UNROLL for (int n = 0; n < vectors; ++n) {
      *to[n] = svadd_x(all, *to[n], *acc[p][n]);
    }
  }

  const tw_index_t stride = tw_out_stride(params, N0);
  TW_UNROLL for (int p = 0; p < pairs; ++p) {
    TW_UNROLL for (int j = 0; j < vl; ++j) {
      const tw_index_t row = 2 * p * stride;
      TW_ACC left = *acc[p][2 * j], right = *acc[p][2 * j + 1];
      TW_HIDE_CAST(left);
      TW_HIDE_CAST(right);
      const svuint64_t l = svreinterpret_u64(left);
      const svuint64_t r = svreinterpret_u64(right);
      TW_UNROLL for (int second = 0; second < 2; ++second) {
        if (second && M0 == 1) break;
        const tw_index_t at = row + second * stride;
        TW_ACC sum = TW_ACC_OF_PAIRS(second ? svuzp2(l, r) : svuzp1(l, r));
        if (joins) {
          TW_ACC odd_left = *acc[1][2 * j], odd_right = *acc[1][2 * j + 1];
          TW_HIDE_CAST(odd_left);
          TW_HIDE_CAST(odd_right);
          TW_ACC odd = TW_ACC_OF_PAIRS(svuzp2(svreinterpret_u64(odd_left),
                                              svreinterpret_u64(odd_right)));
          TW_HIDE_CAST(odd);
          sum = svadd_x(all, sum, odd);
        }
        sum = TW_SUM(TW_ACC, how.splits, sum);
        if (how.splits && tw_accumulates(params)) {
          sum = svadd_x(all, sum,
                        TW_LOAD_ACC(TW_ACC, how.out, out, at, j * lanes));
        }
        TW_STORE_ACC(TW_ACC, how.out, out, at, j * lanes, sum);
      }
    }
  }
}

#undef TW_TILE
#undef TW_ACC
#undef TW_ACC_OF_PAIRS
#undef TW_LOAD_LHS
#undef TW_LOAD_RHS
#undef TW_MULTIPLY
#undef TW_NARROW
#undef TW_WIDEN
#undef TW_LHS
#undef TW_RHS
