// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 by fmopa, f16 and bf16 by the widening fmopa and bfmopa.

#ifndef UKERNELS_ARM_64_SME_FLOAT_H_
#define UKERNELS_ARM_64_SME_FLOAT_H_

#include "ukernels/arm_64/sme_body.h"

// f32 out of, and into, a narrow out tile.
TW_SME_INLINE svfloat32_t
tw_sme_f32_from_f16(const float16_t* p) __arm_streaming {
  const svbool_t all = svptrue_b8();
  const svuint32_t bits = svld1uh_u32(all, (const uint16_t*)p);
  return svcvt_f32_f16_x(all, svreinterpret_f16_u32(bits));
}

TW_SME_INLINE void tw_sme_f32_to_f16(float16_t* p,
                                     svfloat32_t v) __arm_streaming {
  const svbool_t all = svptrue_b8();
  const svfloat16_t narrow = svcvt_f16_f32_x(all, v);
  svst1h_u32(all, (uint16_t*)p, svreinterpret_u32_f16(narrow));
}

TW_SME_INLINE svfloat32_t
tw_sme_f32_from_bf16(const uint16_t* p) __arm_streaming {
  const svbool_t all = svptrue_b8();
  return svreinterpret_f32_u32(svlsl_n_u32_x(all, svld1uh_u32(all, p), 16));
}

TW_SME_INLINE void tw_sme_f32_to_bf16(uint16_t* p,
                                      svfloat32_t v) __arm_streaming {
  const svbool_t all = svptrue_b8();
  svst1h_u32(all, p, svreinterpret_u32_bf16(svcvt_bf16_f32_x(all, v)));
}

#define TW_FAMILY f32f32f32_k1_sme
#define TW_LHS float
#define TW_RHS float
#define TW_OUT float
#define TW_LHS_K0 1
#define TW_RHS_K0 1
#define TW_LHS_VECTOR svfloat32_t
#define TW_LOAD_LHS(pg, p) svld1_f32(pg, p)
#define TW_RHS_VECTOR svfloat32_t
#define TW_LOAD_RHS(p) svld1_f32(svptrue_b8(), p)
#define TW_LHS_4 svfloat32x4_t
#define TW_LOAD_LHS_4(p) svld1_f32_x4(svptrue_c8(), p)
#define TW_GET_LHS(l, i) svget4_f32(l, i)
#define TW_RHS_4 svfloat32x4_t
#define TW_LOAD_RHS_4(p) svld1_f32_x4(svptrue_c8(), p)
#define TW_GET_RHS(r, i) svget4_f32(r, i)
#define TW_OUTER(tile, pg, l, r) svmopa_za32_f32_m(tile, pg, svptrue_b8(), l, r)
#define TW_ACC svfloat32_t
#define TW_READ(tile, row) \
  svread_hor_za32_f32_m(svdup_n_f32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_f32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_f32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_f32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY f16f16f32_k2_sme
#define TW_LHS float16_t
#define TW_RHS float16_t
#define TW_OUT float
#define TW_LHS_K0 2
#define TW_RHS_K0 2
#define TW_LHS_VECTOR svfloat16_t
#define TW_LOAD_LHS(pg, p) svld1_f16(pg, p)
#define TW_RHS_VECTOR svfloat16_t
#define TW_LOAD_RHS(p) svld1_f16(svptrue_b8(), p)
#define TW_LHS_4 svfloat16x4_t
#define TW_LOAD_LHS_4(p) svld1_f16_x4(svptrue_c8(), p)
#define TW_GET_LHS(l, i) svget4_f16(l, i)
#define TW_RHS_4 svfloat16x4_t
#define TW_LOAD_RHS_4(p) svld1_f16_x4(svptrue_c8(), p)
#define TW_GET_RHS(r, i) svget4_f16(r, i)
#define TW_OUTER(tile, pg, l, r) svmopa_za32_f16_m(tile, pg, svptrue_b8(), l, r)
#define TW_ACC svfloat32_t
#define TW_READ(tile, row) \
  svread_hor_za32_f32_m(svdup_n_f32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_f32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_f32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_f32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY f16f16f16_k2_sme
#define TW_LHS float16_t
#define TW_RHS float16_t
#define TW_OUT float16_t
#define TW_LHS_K0 2
#define TW_RHS_K0 2
#define TW_LHS_VECTOR svfloat16_t
#define TW_LOAD_LHS(pg, p) svld1_f16(pg, p)
#define TW_RHS_VECTOR svfloat16_t
#define TW_LOAD_RHS(p) svld1_f16(svptrue_b8(), p)
#define TW_LHS_4 svfloat16x4_t
#define TW_LOAD_LHS_4(p) svld1_f16_x4(svptrue_c8(), p)
#define TW_GET_LHS(l, i) svget4_f16(l, i)
#define TW_RHS_4 svfloat16x4_t
#define TW_LOAD_RHS_4(p) svld1_f16_x4(svptrue_c8(), p)
#define TW_GET_RHS(r, i) svget4_f16(r, i)
#define TW_OUTER(tile, pg, l, r) svmopa_za32_f16_m(tile, pg, svptrue_b8(), l, r)
#define TW_ACC svfloat32_t
#define TW_READ(tile, row) \
  svread_hor_za32_f32_m(svdup_n_f32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_f32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) tw_sme_f32_from_f16(p)
#define TW_STORE(p, v) tw_sme_f32_to_f16(p, v)
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY bf16bf16f32_k2_sme
#define TW_LHS bfloat16_t
#define TW_RHS bfloat16_t
#define TW_OUT float
#define TW_LHS_K0 2
#define TW_RHS_K0 2
#define TW_LHS_VECTOR svbfloat16_t
#define TW_LOAD_LHS(pg, p) svld1_bf16(pg, p)
#define TW_RHS_VECTOR svbfloat16_t
#define TW_LOAD_RHS(p) svld1_bf16(svptrue_b8(), p)
#define TW_LHS_4 svbfloat16x4_t
#define TW_LOAD_LHS_4(p) svld1_bf16_x4(svptrue_c8(), p)
#define TW_GET_LHS(l, i) svget4_bf16(l, i)
#define TW_RHS_4 svbfloat16x4_t
#define TW_LOAD_RHS_4(p) svld1_bf16_x4(svptrue_c8(), p)
#define TW_GET_RHS(r, i) svget4_bf16(r, i)
#define TW_OUTER(tile, pg, l, r) \
  svmopa_za32_bf16_m(tile, pg, svptrue_b8(), l, r)
#define TW_ACC svfloat32_t
#define TW_READ(tile, row) \
  svread_hor_za32_f32_m(svdup_n_f32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_f32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_f32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_f32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY bf16bf16bf16_k2_sme
#define TW_LHS bfloat16_t
#define TW_RHS bfloat16_t
#define TW_OUT uint16_t
#define TW_LHS_K0 2
#define TW_RHS_K0 2
#define TW_LHS_VECTOR svbfloat16_t
#define TW_LOAD_LHS(pg, p) svld1_bf16(pg, p)
#define TW_RHS_VECTOR svbfloat16_t
#define TW_LOAD_RHS(p) svld1_bf16(svptrue_b8(), p)
#define TW_LHS_4 svbfloat16x4_t
#define TW_LOAD_LHS_4(p) svld1_bf16_x4(svptrue_c8(), p)
#define TW_GET_LHS(l, i) svget4_bf16(l, i)
#define TW_RHS_4 svbfloat16x4_t
#define TW_LOAD_RHS_4(p) svld1_bf16_x4(svptrue_c8(), p)
#define TW_GET_RHS(r, i) svget4_bf16(r, i)
#define TW_OUTER(tile, pg, l, r) \
  svmopa_za32_bf16_m(tile, pg, svptrue_b8(), l, r)
#define TW_ACC svfloat32_t
#define TW_READ(tile, row) \
  svread_hor_za32_f32_m(svdup_n_f32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_f32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) tw_sme_f32_from_bf16(p)
#define TW_STORE(p, v) tw_sme_f32_to_bf16(p, v)
#include "ukernels/arm_64/sme_outer.h"

#endif  // UKERNELS_ARM_64_SME_FLOAT_H_
