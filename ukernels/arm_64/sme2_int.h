// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outer products of 8-bit integers as in sme_int.h, from loads of four vectors,
// and those of s16, which SME2 brings.

#ifndef UKERNELS_ARM_64_SME2_INT_H_
#define UKERNELS_ARM_64_SME2_INT_H_

#include "ukernels/arm_64/sme_body.h"

#define TW_FAMILY s8s8s32_k4_sme2
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

#define TW_FAMILY u8u8s32_k4_sme2
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

#define TW_FAMILY u8s8s32_k4_sme2
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

#define TW_FAMILY s8u8s32_k4_sme2
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

#define TW_FAMILY s16s16s32_k2_sme2
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

#endif  // UKERNELS_ARM_64_SME2_INT_H_
