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
//   TW_LHS_TYPE, TW_RHS_TYPE  element types in memory (see sve_types.h)
//   TW_ACC_TYPE          the tiles'
//
// and where it differs from what follows from these:
//
//   TW_OUT, TW_LOAD(p), TW_STORE(p, v)  the out tile's type; a row of a tile of
//                        ZA from and to it
//   TW_LHS_K0, TW_RHS_K0  elements in memory per K step of a row
//   TW_LHS_VECTOR, TW_LOAD_LHS(pg, p), TW_RHS_VECTOR, TW_LOAD_RHS(p)  `vl` rows
//                        of a K step; then SME2's loads of four are not used
//   TW_OUTER(tile, pg, l, r)  adds the outer product of rows pg of l and of r

#define TW_LHS TW_ELEMENT(TW_LHS_TYPE)
#define TW_RHS TW_ELEMENT(TW_RHS_TYPE)
#define TW_ACC TW_VECTOR(TW_ACC_TYPE)
#define TW_READ(tile, row)                 \
  TW_TYPED_M(svread_hor_za32, TW_ACC_TYPE) \
  (TW_TYPED(svdup_n, TW_ACC_TYPE)(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  TW_TYPED_M(svwrite_hor_za32, TW_ACC_TYPE)(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) TW_TYPED_X(svadd, TW_ACC_TYPE)(svptrue_b8(), a, b)
#ifndef TW_OUT
#define TW_OUT TW_ELEMENT(TW_ACC_TYPE)
#endif
#ifndef TW_LOAD
#define TW_LOAD(p) TW_TYPED(svld1, TW_ACC_TYPE)(svptrue_b8(), p)
#define TW_STORE(p, v) TW_TYPED(svst1, TW_ACC_TYPE)(svptrue_b8(), p, v)
#endif
#ifndef TW_LHS_K0
#define TW_LHS_K0 (4 / (int)sizeof(TW_LHS))
#define TW_RHS_K0 TW_LHS_K0
#endif
#ifndef TW_LHS_VECTOR
#define TW_LHS_VECTOR TW_VECTOR(TW_LHS_TYPE)
#define TW_LOAD_LHS(pg, p) TW_TYPED(svld1, TW_LHS_TYPE)(pg, p)
#define TW_RHS_VECTOR TW_VECTOR(TW_RHS_TYPE)
#define TW_LOAD_RHS(p) TW_TYPED(svld1, TW_RHS_TYPE)(svptrue_b8(), p)
#define TW_LHS_4 TW_VECTORS_4(TW_LHS_TYPE)
#define TW_LOAD_LHS_4(p) \
  TW_CAT(TW_TYPED(svld1, TW_LHS_TYPE), _x4)(svptrue_c8(), p)
#define TW_GET_LHS(l, i) TW_TYPED(svget4, TW_LHS_TYPE)(l, i)
#define TW_RHS_4 TW_VECTORS_4(TW_RHS_TYPE)
#define TW_LOAD_RHS_4(p) \
  TW_CAT(TW_TYPED(svld1, TW_RHS_TYPE), _x4)(svptrue_c8(), p)
#define TW_GET_RHS(r, i) TW_TYPED(svget4, TW_RHS_TYPE)(r, i)
#endif
#ifndef TW_OUTER
#define TW_OUTER(tile, pg, l, r) \
  TW_TYPED_M(svmopa_za32, TW_LHS_TYPE)(tile, pg, svptrue_b8(), l, r)
#endif

#define TW_EACH_TILE(X) X(0) X(1) X(2) X(3)

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
  // Of the bytes of a vector of the lhs, in which a row has 4.
  const svbool_t mask =
      rows_are_vectors ? svptrue_b8() : svwhilelt_b8_s32(0, 4 * M0);

  svzero_za();
  if (tw_sme_accumulates(params)) {
    const TW_OUT* out = (const TW_OUT*)out_tile;
#define TW_LOAD_ROW(t)                                           \
  if (t < mv * nv) {                                             \
    TW_WRITE(t, (uint32_t)m,                                     \
             TW_LOAD(out + t / nv * vl * stride + t % nv * vl)); \
  }
    for (tw_index_t m = 0; m < rows; ++m) {
      TW_EACH_TILE(TW_LOAD_ROW)
      out += stride;
    }
#undef TW_LOAD_ROW
  }

  // Tile t has rows (t / nv % mv) and columns (t % nv) of step t / (mv * nv).
#define TW_MULTIPLY_TILE(t)                                                \
  if (t < tiles) {                                                         \
    const TW_LHS_VECTOR l =                                                \
        TW_LOAD_LHS(mask, lhs + t / nv * rows * TW_LHS_K0);                \
    const TW_RHS_VECTOR r =                                                \
        TW_LOAD_RHS(rhs + (t / (mv * nv) * nv + t % nv) * vl * TW_RHS_K0); \
    TW_OUTER(t, mask, l, r);                                               \
  }
  const tw_index_t K = params->K > 0 ? params->K : 0;
  tw_index_t blocks = K / sets, rest = K % sets;
#if defined(TW_LOAD_LHS_4) && defined(__ARM_FEATURE_SME2)
#define TW_OUTER_OF(t, i, j) \
  TW_OUTER(t, mask, TW_GET_LHS(l, i), TW_GET_RHS(r, j))
#define TW_OUTER_1X4(s)                                   \
  do {                                                    \
    const TW_RHS_4 r = TW_LOAD_RHS_4(rhs + s * rhs_step); \
    TW_OUTER_OF(0, s, 0);                                 \
    TW_OUTER_OF(1, s, 1);                                 \
    TW_OUTER_OF(2, s, 2);                                 \
    TW_OUTER_OF(3, s, 3);                                 \
  } while (0)
  if (rows_are_vectors && mv == 1 && nv == 4) {
    for (tw_index_t i = K / 4; i > 0; --i) {
      const TW_LHS_4 l = TW_LOAD_LHS_4(lhs);
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
      const TW_LHS_4 l = TW_LOAD_LHS_4(lhs);
      const TW_RHS_4 r = TW_LOAD_RHS_4(rhs);
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
    TW_EACH_TILE(TW_MULTIPLY_TILE)
    lhs += sets * lhs_step;
    rhs += sets * rhs_step;
  }
  for (; rest > 0; --rest) {
    const int tiles = mv * nv;
    TW_EACH_TILE(TW_MULTIPLY_TILE)
    lhs += lhs_step;
    rhs += rhs_step;
  }
#undef TW_MULTIPLY_TILE

  TW_OUT* out = (TW_OUT*)out_tile;
#define TW_ADD_TILE(t, other)                       \
  if (other != t && other % (mv * nv) == t) {       \
    row = TW_ADD(row, TW_READ(other, (uint32_t)m)); \
  }
#define TW_STORE_ROW(t)                                                        \
  if (t < mv * nv) {                                                           \
    TW_ACC row = TW_READ(t, (uint32_t)m);                                      \
    TW_ADD_TILE(t, 1)                                                          \
    TW_ADD_TILE(t, 2)                                                          \
    TW_ADD_TILE(t, 3) TW_STORE(out + t / nv * vl * stride + t % nv * vl, row); \
  }
  for (tw_index_t m = 0; m < rows; ++m) {
    TW_EACH_TILE(TW_STORE_ROW)
    out += stride;
  }
#undef TW_STORE_ROW
#undef TW_ADD_TILE
}

#undef TW_FAMILY
#undef TW_LHS_TYPE
#undef TW_RHS_TYPE
#undef TW_ACC_TYPE
#undef TW_LHS
#undef TW_RHS
#undef TW_OUT
#undef TW_LHS_K0
#undef TW_RHS_K0
#undef TW_LHS_VECTOR
#undef TW_LOAD_LHS
#undef TW_RHS_VECTOR
#undef TW_LOAD_RHS
#undef TW_OUTER
#undef TW_ACC
#undef TW_READ
#undef TW_WRITE
#undef TW_ADD
#undef TW_LOAD
#undef TW_STORE
#undef TW_EACH_TILE
#undef TW_LHS_4
#undef TW_LOAD_LHS_4
#undef TW_GET_LHS
#undef TW_RHS_4
#undef TW_LOAD_RHS_4
#undef TW_GET_RHS
