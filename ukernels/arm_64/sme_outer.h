// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Template of the families on SME's outer products, which add to one of four
// tiles of ZA, [vl][vl] of 32 bits, the products of a column of the lhs and a
// row of the rhs. No include guard: see sve_lanes.h. A family
//
//   family(out, lhs, rhs, params, M0, rows_are_vectors, N0,
//   columns_are_vectors)
//
// uses all four tiles, because each of them is a chain of additions: for
// different parts of the out tile, or else for K steps that are added up at the
// end. The macros:
//
//   TW_FAMILY            the function's name
//   TW_LHS               the type of an element in memory
//   TW_ACCUMULATORS      a list of sve_accumulators.h
//
// and where it differs from what follows from these:
//
//   TW_RHS               the type of an element in memory
//   TW_LHS_K0, TW_RHS_K0  elements in memory per K step of a row
//   TW_LOAD_LHS(pg, p), TW_LOAD_RHS(p)  `vl` rows of a K step; then SME2's
//                        loads of four are not used
//   TW_OUTER(tile, pg, all, l, r)  adds the outer product of rows pg of l and
//                        of r: an intrinsic's name, or a macro

#ifndef TW_RHS
#define TW_RHS TW_LHS
#endif
#ifndef TW_LHS_K0
#define TW_LHS_K0 (4 / (int)sizeof(TW_LHS))
#define TW_RHS_K0 TW_LHS_K0
#endif
#ifndef TW_LOAD_LHS
#define TW_LOAD_LHS(pg, p) svld1(pg, p)
#define TW_LOAD_RHS(p) svld1(svptrue_b8(), p)
#define TW_LOAD_4(p) svld1_x4(svptrue_c8(), p)
#endif
#ifndef TW_OUTER
#define TW_OUTER svmopa_za32_m
#endif

TW_SME_INLINE void TW_FAMILY(void* out_tile, const void* lhs_panel,
                             const void* rhs_panel,
                             const tw_mmt4d_params_t* params, int M0,
                             int rows_are_vectors, int nv,
                             int columns_are_vectors) TW_SME_STATE {
  (void)columns_are_vectors;
  const int mv = rows_are_vectors ? M0 : 1;
  const int sets = 4 / (mv * nv);
  const tw_index_t vl = svcntw();
  const tw_index_t rows = rows_are_vectors ? vl : M0;
  const tw_index_t N0 = nv * vl;
  const tw_index_t lhs_step = mv * rows * TW_LHS_K0;
  const tw_index_t rhs_step = N0 * TW_RHS_K0;
  const TW_LHS* lhs = (const TW_LHS*)lhs_panel;
  const TW_RHS* rhs = (const TW_RHS*)rhs_panel;
  const tw_index_t stride = tw_sme_out_stride(params, N0);
  const svbool_t all = svptrue_b8();
  // Of the bytes of a vector of the lhs, in which a row has 4.
  const svbool_t mask = rows_are_vectors ? all : svwhilelt_b8(0, 4 * M0);
  typedef __typeof__(TW_LOAD_LHS(mask, lhs)) lhs_vector_t;
  typedef __typeof__(TW_LOAD_RHS(rhs)) rhs_vector_t;

  svzero_za();
  if (tw_sme_accumulates(params)) {
    const TW_OUT* out = (const TW_OUT*)out_tile;
#define TW_LOAD_ROW(t)                                                     \
  if (t < mv * nv) {                                                       \
    svwrite_hor_za32_m(t, (uint32_t)m, all,                                \
                       TW_LOAD(out + t / nv * vl * stride + t % nv * vl)); \
  }
    for (tw_index_t m = 0; m < rows; ++m) {
      TW_EACH_OF_4(TW_LOAD_ROW)
      out += stride;
    }
#undef TW_LOAD_ROW
  }

  // Tile t has rows (t / nv % mv) and columns (t % nv) of step t / (mv * nv).
#define TW_MULTIPLY_TILE(t)                                                    \
  if (t < tiles) {                                                             \
    const lhs_vector_t l = TW_LOAD_LHS(mask, lhs + t / nv * rows * TW_LHS_K0); \
    const rhs_vector_t r =                                                     \
        TW_LOAD_RHS(rhs + (t / (mv * nv) * nv + t % nv) * vl * TW_RHS_K0);     \
    TW_OUTER(t, mask, all, l, r);                                              \
  }
  const tw_index_t K = params->K > 0 ? params->K : 0;
  tw_index_t blocks = K / sets, rest = K % sets;
#if defined(TW_LOAD_4) && defined(__ARM_FEATURE_SME2)
  typedef __typeof__(TW_LOAD_4(lhs)) lhs_4_t;
  typedef __typeof__(TW_LOAD_4(rhs)) rhs_4_t;
#define TW_OUTER_OF(t, i, j) TW_OUTER(t, mask, all, svget4(l, i), svget4(r, j))
#define TW_OUTER_1X4(s)                              \
  do {                                               \
    const rhs_4_t r = TW_LOAD_4(rhs + s * rhs_step); \
    TW_OUTER_OF(0, s, 0);                            \
    TW_OUTER_OF(1, s, 1);                            \
    TW_OUTER_OF(2, s, 2);                            \
    TW_OUTER_OF(3, s, 3);                            \
  } while (0)
  if (rows_are_vectors && mv == 1 && nv == 4) {
    for (tw_index_t i = K / 4; i > 0; --i) {
      const lhs_4_t l = TW_LOAD_4(lhs);
      TW_OUTER_1X4(0);
      TW_OUTER_1X4(1);
      TW_OUTER_1X4(2);
      TW_OUTER_1X4(3);
      lhs += 4 * lhs_step;
      rhs += 4 * rhs_step;
    }
    blocks = 0;
    rest = K % 4;
  }
  if (rows_are_vectors && mv == 2 && nv == 2) {
    TW_UNROLL_2 for (tw_index_t i = K / 2; i > 0; --i) {
      const lhs_4_t l = TW_LOAD_4(lhs);
      const rhs_4_t r = TW_LOAD_4(rhs);
      TW_OUTER_OF(0, 0, 0);
      TW_OUTER_OF(1, 0, 1);
      TW_OUTER_OF(2, 1, 0);
      TW_OUTER_OF(3, 1, 1);
      TW_OUTER_OF(0, 2, 2);
      TW_OUTER_OF(1, 2, 3);
      TW_OUTER_OF(2, 3, 2);
      TW_OUTER_OF(3, 3, 3);
      lhs += 2 * lhs_step;
      rhs += 2 * rhs_step;
    }
    blocks = 0;
    rest = K % 2;
  }
#undef TW_OUTER_1X4
#undef TW_OUTER_OF
#endif
  TW_UNROLL_4 for (tw_index_t i = 0; i < blocks; ++i) {
    const int tiles = 4;
    TW_EACH_OF_4(TW_MULTIPLY_TILE)
    lhs += sets * lhs_step;
    rhs += sets * rhs_step;
  }
  for (; rest > 0; --rest) {
    const int tiles = mv * nv;
    TW_EACH_OF_4(TW_MULTIPLY_TILE)
    lhs += lhs_step;
    rhs += rhs_step;
  }
#undef TW_MULTIPLY_TILE

  TW_OUT* out = (TW_OUT*)out_tile;
#define TW_ADD_TILE(t, other)                                           \
  if (other != t && other % (mv * nv) == t) {                           \
    row = svadd_x(all, row,                                             \
                  svread_hor_za32_m(TW_ZERO, all, other, (uint32_t)m)); \
  }
#define TW_STORE_ROW(t)                                                        \
  if (t < mv * nv) {                                                           \
    TW_ACC row = svread_hor_za32_m(TW_ZERO, all, t, (uint32_t)m);              \
    TW_ADD_TILE(t, 1)                                                          \
    TW_ADD_TILE(t, 2)                                                          \
    TW_ADD_TILE(t, 3) TW_STORE(out + t / nv * vl * stride + t % nv * vl, row); \
  }
  for (tw_index_t m = 0; m < rows; ++m) {
    TW_EACH_OF_4(TW_STORE_ROW)
    out += stride;
  }
#undef TW_STORE_ROW
#undef TW_ADD_TILE
}

#undef TW_FAMILY
#undef TW_LHS
#undef TW_RHS
#undef TW_ACCUMULATORS
#undef TW_LHS_K0
#undef TW_RHS_K0
#undef TW_LOAD_LHS
#undef TW_LOAD_RHS
#undef TW_LOAD_4
#undef TW_OUTER
