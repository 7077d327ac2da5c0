// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Template of the families on SME's outer products, which add to one of four
// tiles of ZA, [vl][vl] of 32 bits, the products of a column of the lhs and a
// row of the rhs. No include guard: see sve_lanes.h. All four tiles are used,
// because each of them is a chain of additions: for different parts of the out
// tile, or else for K steps that are added up at the end. The macros:
//
//   TW_TILE            the function's name
//   TW_LHS             the type of an element of the lhs in memory
//   TW_RHS             of the rhs, if another
//   TW_ACC             the vector type of a row of a tile of ZA
//   TW_OUTER(tile, pn, pm, l, r)  adds the outer product of rows pn of l and of
//                      r; the number of the tile is a literal
//
// and where operands are not what memory has, which no family of sme2 does: its
// loads of four vectors would not convert them.
//
//   TW_LOAD_LHS(pg, p), TW_LOAD_RHS(p)  `vl` rows of a K step
//   TW_LHS_BYTES       of a row and K step, if not 4

#ifndef TW_RHS
#define TW_RHS TW_LHS
#endif
#ifndef TW_LOAD_LHS
#define TW_LOAD_LHS(pg, p) svld1(pg, (const TW_LHS*)(p))
#define TW_LOAD_RHS(p) svld1(svptrue_b8(), (const TW_RHS*)(p))
#define TW_LHS_BYTES 4
#endif

// All K steps but those it returns the number of, by loads of four vectors
// where four tiles take as many.
TW_INLINE tw_index_t TW_CONCAT(TW_TILE, _of_four)(const char** lhs,
                                                  const char** rhs,
                                                  tw_index_t K, int mv,
                                                  int nv) TW_SME_STATE {
#ifdef __ARM_FEATURE_SME2
  const svcount_t all_four = svptrue_c8();
  const svbool_t all = svptrue_b8();
  const tw_index_t four = 4 * svcntb();
  if (mv == 1 && nv == 4) {
    for (tw_index_t i = K / 4; i > 0; --i) {
      const __typeof__(svld1_x4(all_four, (const TW_LHS*)0)) l =
          svld1_x4(all_four, (const TW_LHS*)*lhs);
      TW_UNROLL for (int s = 0; s < 4; ++s) {
        const __typeof__(svld1_x4(all_four, (const TW_RHS*)0)) r =
            svld1_x4(all_four, (const TW_RHS*)(*rhs + s * four));
        TW_UNROLL for (int j = 0; j < 4; ++j) {
          TW_ZA_TILE(j, TW_OUTER, all, all, TW_LANE_OF_4(s, svget4, l),
                     TW_LANE_OF_4(j, svget4, r));
        }
      }
      *lhs += four;
      *rhs += 4 * four;
    }
    return K % 4;
  }
  if (mv == 2 && nv == 2) {
    TW_UNROLL_2 for (tw_index_t i = K / 2; i > 0; --i) {
      const __typeof__(svld1_x4(all_four, (const TW_LHS*)0)) l =
          svld1_x4(all_four, (const TW_LHS*)*lhs);
      const __typeof__(svld1_x4(all_four, (const TW_RHS*)0)) r =
          svld1_x4(all_four, (const TW_RHS*)*rhs);
      TW_UNROLL for (int t = 0; t < 8; ++t) {
        const int s = t / 4, row = t / 2 % 2, column = t % 2;
        TW_ZA_TILE(t % 4, TW_OUTER, all, all,
                   TW_LANE_OF_4(2 * s + row, svget4, l),
                   TW_LANE_OF_4(2 * s + column, svget4, r));
      }
      *lhs += four;
      *rhs += four;
    }
    return K % 2;
  }
#endif
  return K;
}

// `steps` K steps. Tile t has rows (t / nv % mv) and columns (t % nv) of step
// t / (mv * nv). The panels move on.
TW_INLINE void TW_CONCAT(TW_TILE, _steps)(const char** lhs, const char** rhs,
                                          int M0, int rows_are_vectors, int nv,
                                          int steps) TW_SME_STATE {
  const int mv = rows_are_vectors ? M0 : 1;
  const tw_index_t rows = rows_are_vectors ? (tw_index_t)svcntw() : M0;
  // Of the bytes of a vector of the lhs, in which a row has 4.
  svbool_t mask = rows_are_vectors ? svptrue_b8() : svwhilelt_b8_s32(0, 4 * M0);
  TW_OPAQUE_PREDICATE(mask);
  const tw_index_t lhs_vector = rows * TW_LHS_BYTES;
  const tw_index_t rhs_vector = svcntb();
  __typeof__(TW_LOAD_LHS(mask, *lhs)) l;
  TW_UNROLL for (int t = 0; t < steps * mv * nv; ++t) {
    const char* const right = *rhs + (t / (mv * nv) * nv + t % nv) * rhs_vector;
    if (t % nv == 0) l = TW_LOAD_LHS(mask, *lhs + t / nv * lhs_vector);
    TW_ZA_TILE(t, TW_OUTER, mask, svptrue_b8(), l, TW_LOAD_RHS(right));
  }
  *lhs += steps * mv * lhs_vector;
  *rhs += steps * nv * rhs_vector;
}

TW_INLINE void TW_TILE(tw_out_t out_elements, void* out, const char* lhs,
                       const char* rhs, const tw_mmt4d_params_t* params, int M0,
                       int rows_are_vectors, int nv) TW_SME_STATE {
  const svbool_t all = svptrue_b8();
  const int mv = rows_are_vectors ? M0 : 1;
  const int tiles = mv * nv;
  const int sets = 4 / tiles;
  const tw_index_t vl = svcntw();
  const tw_index_t rows = rows_are_vectors ? vl : M0;
  const tw_index_t stride = tw_sme_out_stride(params, nv * vl);

  svzero_za();
  if (tw_sme_accumulates(params)) {
    for (tw_index_t m = 0; m < rows; ++m) {
      TW_UNROLL for (int t = 0; t < tiles; ++t) {
        const tw_index_t at = (m + t / nv * vl) * stride;
        const TW_ACC row =
            TW_LOAD_ACC(TW_ACC, out_elements, out, at, t % nv * vl);
        TW_ZA_TILE(t, svwrite_hor_za32_m, (uint32_t)m, all, row);
      }
    }
  }

  tw_index_t rest = params->K > 0 ? params->K : 0;
  if (rows_are_vectors && tiles == 4) {
    rest = TW_CONCAT(TW_TILE, _of_four)(&lhs, &rhs, rest, mv, nv);
  }
  const tw_index_t blocks = rest / sets;
  TW_UNROLL_4 for (tw_index_t i = 0; i < blocks; ++i) {
    TW_CONCAT(TW_TILE, _steps)(&lhs, &rhs, M0, rows_are_vectors, nv, sets);
  }
  for (rest = rest % sets; rest > 0; --rest) {
    TW_CONCAT(TW_TILE, _steps)(&lhs, &rhs, M0, rows_are_vectors, nv, 1);
  }

  for (tw_index_t m = 0; m < rows; ++m) {
    TW_UNROLL for (int t = 0; t < tiles; ++t) {
      TW_ACC row = TW_ZA_TILE(t, TW_READ_ROW, TW_ACC, (uint32_t)m);
      TW_UNROLL for (int other = t + tiles; other < 4; other += tiles) {
        row = svadd_x(all, row,
                      TW_ZA_TILE(other, TW_READ_ROW, TW_ACC, (uint32_t)m));
      }
      const tw_index_t at = (m + t / nv * vl) * stride;
      TW_STORE_ACC(TW_ACC, out_elements, out, at, t % nv * vl, row);
    }
  }
}

#undef TW_TILE
#undef TW_LHS
#undef TW_RHS
#undef TW_ACC
#undef TW_OUTER
#undef TW_LOAD_LHS
#undef TW_LOAD_RHS
#undef TW_LHS_BYTES
