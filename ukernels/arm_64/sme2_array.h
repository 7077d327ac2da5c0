// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Template of the narrow SME2 families, M0 of 1, 2, 4 by 4vl: ZA as an array of
// vectors, of which an instruction adds to four, spread over ZA, the products
// of four vectors of the rhs and one lane of the lhs. An outer product would
// leave most of its rows idle. The least vector length, 128 bits, has four such
// groups, which is one per row of four K steps (M0 = 1), two (2) or one (4). No
// include guard: see sve_lanes.h. The macros:
//
//   TW_FAMILY, TW_LHS, TW_RHS, TW_ACCUMULATORS  as in sme_outer.h
//   TW_MULTIPLY(group, r, q, lane)  adds to a group of ZA the products of a K
//                        step r of the rhs and the lane of q, which has four
//                        rows of the lhs, of 4 bytes each: an intrinsic's name

#ifndef TW_RHS
#define TW_RHS TW_LHS
#endif
#define TW_K0 (4 / (int)sizeof(TW_LHS))
// Vector i of four that were read from ZA, whose vectors have no type.
#define TW_GET_ACC(four, i) TW_ACC_OF(svget4(four, i))

TW_SME_INLINE void TW_FAMILY(void* out_tile, const void* lhs_panel,
                             const void* rhs_panel,
                             const tw_mmt4d_params_t* params, int M0,
                             int rows_are_vectors, int nv,
                             int columns_are_vectors) TW_SME_STATE {
  (void)rows_are_vectors;
  (void)columns_are_vectors;
  const int sets = 4 / M0;
  const tw_index_t vl = svcntw();
  const tw_index_t N0 = nv * vl;
  const tw_index_t rhs_step = N0 * TW_K0;
  const TW_LHS* lhs = (const TW_LHS*)lhs_panel;
  const TW_RHS* rhs = (const TW_RHS*)rhs_panel;
  TW_OUT* out = (TW_OUT*)out_tile;
  const tw_index_t stride = tw_sme_out_stride(params, N0);

  const svbool_t all = svptrue_b8();
  typedef __typeof__(svld1_x4(svptrue_c8(), rhs)) rhs_4_t;
  typedef __typeof__(svld1rq(all, lhs)) quad_t;

  svzero_za();
  if (tw_sme_accumulates(params)) {
#define TW_LOAD_ROW(g)                                                       \
  if (g < M0) {                                                              \
    const TW_OUT* row = out + g * stride;                                    \
    svwrite_za32_vg1x4(                                                      \
        g, svcreate4(TW_LOAD(row), TW_LOAD(row + vl), TW_LOAD(row + 2 * vl), \
                     TW_LOAD(row + 3 * vl)));                                \
  }
    TW_EACH_OF_4(TW_LOAD_ROW)
#undef TW_LOAD_ROW
  }

  // Group g has row g % M0 of step g / M0.
#define TW_MULTIPLY_GROUP(g)                                              \
  if (g < groups) {                                                       \
    if (g % M0 == 0) r = svld1_x4(svptrue_c8(), rhs + g / M0 * rhs_step); \
    TW_MULTIPLY(g, r, quad, g);                                           \
  }
  const tw_index_t K = params->K > 0 ? params->K : 0;
  TW_UNROLL_2 for (tw_index_t i = K / sets; i > 0; --i) {
    const int groups = 4;
    const quad_t quad = svld1rq(all, lhs);
    rhs_4_t r;
    TW_EACH_OF_4(TW_MULTIPLY_GROUP)
    lhs += sets * M0 * TW_K0;
    rhs += sets * rhs_step;
  }
  for (tw_index_t i = K % sets; i > 0; --i) {
    const int groups = M0;
    const quad_t quad = svld1rq(svwhilelt_b8(0, 4 * M0), lhs);
    rhs_4_t r;
    TW_EACH_OF_4(TW_MULTIPLY_GROUP)
    lhs += M0 * TW_K0;
    rhs += rhs_step;
  }
#undef TW_MULTIPLY_GROUP

#define TW_ADD_GROUP(g, other)                        \
  if (other != g && other % M0 == g) {                \
    const svuint8x4_t b = svread_za8_u8_vg1x4(other); \
    a0 = svadd_x(all, a0, TW_GET_ACC(b, 0));          \
    a1 = svadd_x(all, a1, TW_GET_ACC(b, 1));          \
    a2 = svadd_x(all, a2, TW_GET_ACC(b, 2));          \
    a3 = svadd_x(all, a3, TW_GET_ACC(b, 3));          \
  }
#define TW_STORE_ROW(g)                                                   \
  if (g < M0) {                                                           \
    const svuint8x4_t a = svread_za8_u8_vg1x4(g);                         \
    TW_ACC a0 = TW_GET_ACC(a, 0), a1 = TW_GET_ACC(a, 1);                  \
    TW_ACC a2 = TW_GET_ACC(a, 2), a3 = TW_GET_ACC(a, 3);                  \
    TW_ADD_GROUP(g, 1)                                                    \
    TW_ADD_GROUP(g, 2) TW_ADD_GROUP(g, 3) TW_OUT* row = out + g * stride; \
    TW_STORE(row, a0);                                                    \
    TW_STORE(row + vl, a1);                                               \
    TW_STORE(row + 2 * vl, a2);                                           \
    TW_STORE(row + 3 * vl, a3);                                           \
  }
  TW_EACH_OF_4(TW_STORE_ROW)
#undef TW_STORE_ROW
#undef TW_ADD_GROUP
}

#undef TW_FAMILY
#undef TW_LHS
#undef TW_RHS
#undef TW_ACCUMULATORS
#undef TW_K0
#undef TW_MULTIPLY
#undef TW_GET_ACC
