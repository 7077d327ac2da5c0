// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow tiles of integers: a few rows by four vectors.

#ifndef UKERNELS_ARM_64_SME2_INT_ARRAY_H_
#define UKERNELS_ARM_64_SME2_INT_ARRAY_H_

#include "ukernels/arm_64/sme_body.h"

#define TW_FAMILY s8s8s32_k4_narrow_sme2
#define TW_LHS int8_t
#define TW_RHS int8_t
#define TW_OUT int32_t
#define TW_K0 4
#define TW_QUAD svint8_t
#define TW_LOAD_QUAD(pg, p) svld1rq_s8(pg, p)
#define TW_RHS_4 svint8x4_t
#define TW_LOAD_RHS_4(p) svld1_s8_x4(svptrue_c8(), p)
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_s8_vg1x4(group, r, q, lane)
#define TW_ACC svint32_t
#define TW_ACC_4 svint32x4_t
#define TW_READ_4(group) svread_za32_s32_vg1x4(group)
#define TW_WRITE_4(group, v) svwrite_za32_s32_vg1x4(group, v)
#define TW_GET_ACC(a, i) svget4_s32(a, i)
#define TW_CREATE_ACC(a, b, c, d) svcreate4_s32(a, b, c, d)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_s32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY u8u8s32_k4_narrow_sme2
#define TW_LHS uint8_t
#define TW_RHS uint8_t
#define TW_OUT uint32_t
#define TW_K0 4
#define TW_QUAD svuint8_t
#define TW_LOAD_QUAD(pg, p) svld1rq_u8(pg, p)
#define TW_RHS_4 svuint8x4_t
#define TW_LOAD_RHS_4(p) svld1_u8_x4(svptrue_c8(), p)
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_u8_vg1x4(group, r, q, lane)
#define TW_ACC svuint32_t
#define TW_ACC_4 svuint32x4_t
#define TW_READ_4(group) svread_za32_u32_vg1x4(group)
#define TW_WRITE_4(group, v) svwrite_za32_u32_vg1x4(group, v)
#define TW_GET_ACC(a, i) svget4_u32(a, i)
#define TW_CREATE_ACC(a, b, c, d) svcreate4_u32(a, b, c, d)
#define TW_ADD(a, b) svadd_u32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_u32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_u32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY u8s8s32_k4_narrow_sme2
#define TW_LHS uint8_t
#define TW_RHS int8_t
#define TW_OUT int32_t
#define TW_K0 4
#define TW_QUAD svuint8_t
#define TW_LOAD_QUAD(pg, p) svld1rq_u8(pg, p)
#define TW_RHS_4 svint8x4_t
#define TW_LOAD_RHS_4(p) svld1_s8_x4(svptrue_c8(), p)
#define TW_MULTIPLY(group, r, q, lane) \
  svsudot_lane_za32_s8_vg1x4(group, r, q, lane)
#define TW_ACC svint32_t
#define TW_ACC_4 svint32x4_t
#define TW_READ_4(group) svread_za32_s32_vg1x4(group)
#define TW_WRITE_4(group, v) svwrite_za32_s32_vg1x4(group, v)
#define TW_GET_ACC(a, i) svget4_s32(a, i)
#define TW_CREATE_ACC(a, b, c, d) svcreate4_s32(a, b, c, d)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_s32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY s8u8s32_k4_narrow_sme2
#define TW_LHS int8_t
#define TW_RHS uint8_t
#define TW_OUT int32_t
#define TW_K0 4
#define TW_QUAD svint8_t
#define TW_LOAD_QUAD(pg, p) svld1rq_s8(pg, p)
#define TW_RHS_4 svuint8x4_t
#define TW_LOAD_RHS_4(p) svld1_u8_x4(svptrue_c8(), p)
#define TW_MULTIPLY(group, r, q, lane) \
  svusdot_lane_za32_u8_vg1x4(group, r, q, lane)
#define TW_ACC svint32_t
#define TW_ACC_4 svint32x4_t
#define TW_READ_4(group) svread_za32_s32_vg1x4(group)
#define TW_WRITE_4(group, v) svwrite_za32_s32_vg1x4(group, v)
#define TW_GET_ACC(a, i) svget4_s32(a, i)
#define TW_CREATE_ACC(a, b, c, d) svcreate4_s32(a, b, c, d)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_s32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY s16s16s32_k2_narrow_sme2
#define TW_LHS int16_t
#define TW_RHS int16_t
#define TW_OUT int32_t
#define TW_K0 2
#define TW_QUAD svint16_t
#define TW_LOAD_QUAD(pg, p) svld1rq_s16(pg, p)
#define TW_RHS_4 svint16x4_t
#define TW_LOAD_RHS_4(p) svld1_s16_x4(svptrue_c8(), p)
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_s16_vg1x4(group, r, q, lane)
#define TW_ACC svint32_t
#define TW_ACC_4 svint32x4_t
#define TW_READ_4(group) svread_za32_s32_vg1x4(group)
#define TW_WRITE_4(group, v) svwrite_za32_s32_vg1x4(group, v)
#define TW_GET_ACC(a, i) svget4_s32(a, i)
#define TW_CREATE_ACC(a, b, c, d) svcreate4_s32(a, b, c, d)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_s32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme2_array.h"

#endif  // UKERNELS_ARM_64_SME2_INT_ARRAY_H_
