// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers by smopa, umopa, usmopa and sumopa, which add four products;
// with SME2 also s16, of which smopa adds two.

#ifndef UKERNELS_ARM_64_SME_INT_H_
#define UKERNELS_ARM_64_SME_INT_H_

#include "ukernels/arm_64/sme_body.h"

#define TW_FAMILY s8s8s32_k4_sme
#define TW_LHS int8_t
#define TW_RHS int8_t
#define TW_OUT int32_t
#define TW_LHS_K0 4
#define TW_RHS_K0 4
#define TW_LHS_VECTOR svint8_t
#define TW_LOAD_LHS(pg, p) svld1_s8(pg, p)
#define TW_RHS_VECTOR svint8_t
#define TW_LOAD_RHS(p) svld1_s8(svptrue_b8(), p)
#define TW_LHS_4 svint8x4_t
#define TW_LOAD_LHS_4(p) svld1_s8_x4(svptrue_c8(), p)
#define TW_GET_LHS(l, i) svget4_s8(l, i)
#define TW_RHS_4 svint8x4_t
#define TW_LOAD_RHS_4(p) svld1_s8_x4(svptrue_c8(), p)
#define TW_GET_RHS(r, i) svget4_s8(r, i)
#define TW_OUTER(tile, pg, l, r) svmopa_za32_s8_m(tile, pg, svptrue_b8(), l, r)
#define TW_ACC svint32_t
#define TW_READ(tile, row) \
  svread_hor_za32_s32_m(svdup_n_s32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_s32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_s32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY u8u8s32_k4_sme
#define TW_LHS uint8_t
#define TW_RHS uint8_t
#define TW_OUT uint32_t
#define TW_LHS_K0 4
#define TW_RHS_K0 4
#define TW_LHS_VECTOR svuint8_t
#define TW_LOAD_LHS(pg, p) svld1_u8(pg, p)
#define TW_RHS_VECTOR svuint8_t
#define TW_LOAD_RHS(p) svld1_u8(svptrue_b8(), p)
#define TW_LHS_4 svuint8x4_t
#define TW_LOAD_LHS_4(p) svld1_u8_x4(svptrue_c8(), p)
#define TW_GET_LHS(l, i) svget4_u8(l, i)
#define TW_RHS_4 svuint8x4_t
#define TW_LOAD_RHS_4(p) svld1_u8_x4(svptrue_c8(), p)
#define TW_GET_RHS(r, i) svget4_u8(r, i)
#define TW_OUTER(tile, pg, l, r) svmopa_za32_u8_m(tile, pg, svptrue_b8(), l, r)
#define TW_ACC svuint32_t
#define TW_READ(tile, row) \
  svread_hor_za32_u32_m(svdup_n_u32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_u32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_u32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_u32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_u32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY u8s8s32_k4_sme
#define TW_LHS uint8_t
#define TW_RHS int8_t
#define TW_OUT int32_t
#define TW_LHS_K0 4
#define TW_RHS_K0 4
#define TW_LHS_VECTOR svuint8_t
#define TW_LOAD_LHS(pg, p) svld1_u8(pg, p)
#define TW_RHS_VECTOR svint8_t
#define TW_LOAD_RHS(p) svld1_s8(svptrue_b8(), p)
#define TW_LHS_4 svuint8x4_t
#define TW_LOAD_LHS_4(p) svld1_u8_x4(svptrue_c8(), p)
#define TW_GET_LHS(l, i) svget4_u8(l, i)
#define TW_RHS_4 svint8x4_t
#define TW_LOAD_RHS_4(p) svld1_s8_x4(svptrue_c8(), p)
#define TW_GET_RHS(r, i) svget4_s8(r, i)
#define TW_OUTER(tile, pg, l, r) \
  svusmopa_za32_u8_m(tile, pg, svptrue_b8(), l, r)
#define TW_ACC svint32_t
#define TW_READ(tile, row) \
  svread_hor_za32_s32_m(svdup_n_s32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_s32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_s32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme_outer.h"

#define TW_FAMILY s8u8s32_k4_sme
#define TW_LHS int8_t
#define TW_RHS uint8_t
#define TW_OUT int32_t
#define TW_LHS_K0 4
#define TW_RHS_K0 4
#define TW_LHS_VECTOR svint8_t
#define TW_LOAD_LHS(pg, p) svld1_s8(pg, p)
#define TW_RHS_VECTOR svuint8_t
#define TW_LOAD_RHS(p) svld1_u8(svptrue_b8(), p)
#define TW_LHS_4 svint8x4_t
#define TW_LOAD_LHS_4(p) svld1_s8_x4(svptrue_c8(), p)
#define TW_GET_LHS(l, i) svget4_s8(l, i)
#define TW_RHS_4 svuint8x4_t
#define TW_LOAD_RHS_4(p) svld1_u8_x4(svptrue_c8(), p)
#define TW_GET_RHS(r, i) svget4_u8(r, i)
#define TW_OUTER(tile, pg, l, r) \
  svsumopa_za32_s8_m(tile, pg, svptrue_b8(), l, r)
#define TW_ACC svint32_t
#define TW_READ(tile, row) \
  svread_hor_za32_s32_m(svdup_n_s32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_s32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_s32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme_outer.h"

// s8 by s4: a byte of the rhs has an even element in its low half and an odd
// one in its high half; the lhs is split alike.
TW_SME_INLINE svint8x2_t tw_sme_split_s8(const int8_t* p) __arm_streaming {
  const svbool_t all = svptrue_b8();
  const svint8_t low = svld1_s8(all, p), high = svld1_vnum_s8(all, p, 1);
  return svcreate2_s8(svuzp1_s8(low, high), svuzp2_s8(low, high));
}

TW_SME_INLINE svint8x2_t tw_sme_split_s4(const int8_t* p) __arm_streaming {
  const svbool_t all = svptrue_b8();
  const svint8_t both = svld1_s8(all, p);
  return svcreate2_s8(svasr_n_s8_x(all, svlsl_n_s8_x(all, both, 4), 4),
                      svasr_n_s8_x(all, both, 4));
}

#define TW_SME_OUTER_SPLIT(tile, l, r)                                \
  svmopa_za32_s8_m(tile, svptrue_b8(), svptrue_b8(), svget2_s8(l, 0), \
                   svget2_s8(r, 0));                                  \
  svmopa_za32_s8_m(tile, svptrue_b8(), svptrue_b8(), svget2_s8(l, 1), \
                   svget2_s8(r, 1))

#define TW_FAMILY s8s4s32_k8_sme
#define TW_LHS int8_t
#define TW_RHS int8_t
#define TW_OUT int32_t
#define TW_LHS_K0 8
#define TW_RHS_K0 4
#define TW_LHS_VECTOR svint8x2_t
#define TW_LOAD_LHS(pg, p) ((void)pg, tw_sme_split_s8(p))
#define TW_RHS_VECTOR svint8x2_t
#define TW_LOAD_RHS(p) tw_sme_split_s4(p)
#define TW_OUTER(tile, pg, l, r) TW_SME_OUTER_SPLIT(tile, l, r)
#define TW_ACC svint32_t
#define TW_READ(tile, row) \
  svread_hor_za32_s32_m(svdup_n_s32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_s32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_s32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme_outer.h"

#ifdef __ARM_FEATURE_SME2
#define TW_FAMILY s16s16s32_k2_sme
#define TW_LHS int16_t
#define TW_RHS int16_t
#define TW_OUT int32_t
#define TW_LHS_K0 2
#define TW_RHS_K0 2
#define TW_LHS_VECTOR svint16_t
#define TW_LOAD_LHS(pg, p) svld1_s16(pg, p)
#define TW_RHS_VECTOR svint16_t
#define TW_LOAD_RHS(p) svld1_s16(svptrue_b8(), p)
#define TW_LHS_4 svint16x4_t
#define TW_LOAD_LHS_4(p) svld1_s16_x4(svptrue_c8(), p)
#define TW_GET_LHS(l, i) svget4_s16(l, i)
#define TW_RHS_4 svint16x4_t
#define TW_LOAD_RHS_4(p) svld1_s16_x4(svptrue_c8(), p)
#define TW_GET_RHS(r, i) svget4_s16(r, i)
#define TW_OUTER(tile, pg, l, r) svmopa_za32_s16_m(tile, pg, svptrue_b8(), l, r)
#define TW_ACC svint32_t
#define TW_READ(tile, row) \
  svread_hor_za32_s32_m(svdup_n_s32(0), svptrue_b8(), tile, row)
#define TW_WRITE(tile, row, v) \
  svwrite_hor_za32_s32_m(tile, row, svptrue_b8(), v)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_s32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme_outer.h"
#endif  // __ARM_FEATURE_SME2

#endif  // UKERNELS_ARM_64_SME_INT_H_
