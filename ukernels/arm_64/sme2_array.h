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
//   TW_TILE, TW_LHS, TW_RHS, TW_ACC  as in sme_outer.h
//   TW_MULTIPLY(group, r, q, lane)  adds to a group of ZA the products of a K
//                        step r of the rhs and the lane of q, which has four
//                        rows of the lhs, of 4 bytes each

#ifndef TW_RHS
#define TW_RHS TW_LHS
#endif
#define TW_RHS_4 __typeof__(svld1_x4(svptrue_c8(), (const TW_RHS*)0))
#define TW_ACC_4 __typeof__(TW_READ_GROUP(TW_ACC, 0))

// `steps` K steps; group g has row g % M0 of step g / M0. The panels move on.
TW_INLINE void TW_CONCAT(TW_TILE, _steps)(const char** lhs, const char** rhs,
                                          int M0, int steps) TW_SME_STATE {
  const tw_index_t rhs_step = 4 * svcntb();
  const int bytes = 4 * M0 * steps;
  const svbool_t mask = bytes == 16 ? svptrue_b8() : svwhilelt_b8_s32(0, bytes);
  const __typeof__(svld1rq(mask, (const TW_LHS*)0)) quad =
      svld1rq(mask, (const TW_LHS*)*lhs);
  TW_RHS_4 r;
  TW_UNROLL for (int g = 0; g < steps * M0; ++g) {
    if (g % M0 == 0) {
      r = svld1_x4(svptrue_c8(), (const TW_RHS*)(*rhs + g / M0 * rhs_step));
    }
    TW_LANE_OF_4(g, TW_MULTIPLY, (uint32_t)g, r, quad);
  }
  *lhs += bytes;
  *rhs += steps * rhs_step;
}

TW_INLINE void TW_TILE(tw_out_t out_elements, void* out, const char* lhs,
                       const char* rhs, const tw_mmt4d_params_t* params, int M0,
                       int rows_are_vectors, int nv) TW_SME_STATE {
  (void)rows_are_vectors;
  const svbool_t all = svptrue_b8();
  const int sets = 4 / M0;
  const tw_index_t vl = svcntw();
  const tw_index_t stride = tw_sme_out_stride(params, nv * vl);

  svzero_za();
  if (tw_sme_accumulates(params)) {
    TW_UNROLL for (int g = 0; g < M0; ++g) {
      const tw_index_t row = g * stride;
      svwrite_za32_vg1x4(
          (uint32_t)g,
          svcreate4(TW_LOAD_ACC(TW_ACC, out_elements, out, row, 0),
                    TW_LOAD_ACC(TW_ACC, out_elements, out, row, vl),
                    TW_LOAD_ACC(TW_ACC, out_elements, out, row, 2 * vl),
                    TW_LOAD_ACC(TW_ACC, out_elements, out, row, 3 * vl)));
    }
  }

  const tw_index_t K = params->K > 0 ? params->K : 0;
  TW_UNROLL_2 for (tw_index_t i = K / sets; i > 0; --i) {
    TW_CONCAT(TW_TILE, _steps)(&lhs, &rhs, M0, sets);
  }
  for (tw_index_t i = K % sets; i > 0; --i) {
    TW_CONCAT(TW_TILE, _steps)(&lhs, &rhs, M0, 1);
  }

  TW_UNROLL for (int g = 0; g < M0; ++g) {
    TW_ACC_4 sum = TW_READ_GROUP(TW_ACC, (uint32_t)g);
    TW_UNROLL for (int other = g + M0; other < 4; other += M0) {
      const TW_ACC_4 b = TW_READ_GROUP(TW_ACC, (uint32_t)other);
      sum = svcreate4(svadd_x(all, svget4(sum, 0), svget4(b, 0)),
                      svadd_x(all, svget4(sum, 1), svget4(b, 1)),
                      svadd_x(all, svget4(sum, 2), svget4(b, 2)),
                      svadd_x(all, svget4(sum, 3), svget4(b, 3)));
    }
    const tw_index_t row = g * stride;
    TW_STORE_ACC(TW_ACC, out_elements, out, row, 0, svget4(sum, 0));
    TW_STORE_ACC(TW_ACC, out_elements, out, row, vl, svget4(sum, 1));
    TW_STORE_ACC(TW_ACC, out_elements, out, row, 2 * vl, svget4(sum, 2));
    TW_STORE_ACC(TW_ACC, out_elements, out, row, 3 * vl, svget4(sum, 3));
  }
}

#undef TW_TILE
#undef TW_LHS
#undef TW_RHS
#undef TW_ACC
#undef TW_MULTIPLY
#undef TW_RHS_4
#undef TW_ACC_4
