// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow tiles of floats: a few rows by four vectors.

#ifndef UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_
#define UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_

#include "ukernels/arm_64/sme_float.h"

#define TW_FAMILY f32f32f32_k1_narrow_sme2
#define TW_LHS float
#define TW_RHS float
#define TW_OUT float
#define TW_K0 1
#define TW_QUAD svfloat32_t
#define TW_LOAD_QUAD(pg, p) svld1rq_f32(pg, p)
#define TW_RHS_4 svfloat32x4_t
#define TW_LOAD_RHS_4(p) svld1_f32_x4(svptrue_c8(), p)
#define TW_MULTIPLY(group, r, q, lane) \
  svmla_lane_za32_f32_vg1x4(group, r, q, lane)
#define TW_ACC svfloat32_t
#define TW_ACC_4 svfloat32x4_t
#define TW_READ_4(group) svread_za32_f32_vg1x4(group)
#define TW_WRITE_4(group, v) svwrite_za32_f32_vg1x4(group, v)
#define TW_GET_ACC(a, i) svget4_f32(a, i)
#define TW_CREATE_ACC(a, b, c, d) svcreate4_f32(a, b, c, d)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_f32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_f32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY f16f16f32_k2_narrow_sme2
#define TW_LHS float16_t
#define TW_RHS float16_t
#define TW_OUT float
#define TW_K0 2
#define TW_QUAD svfloat16_t
#define TW_LOAD_QUAD(pg, p) svld1rq_f16(pg, p)
#define TW_RHS_4 svfloat16x4_t
#define TW_LOAD_RHS_4(p) svld1_f16_x4(svptrue_c8(), p)
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_f16_vg1x4(group, r, q, lane)
#define TW_ACC svfloat32_t
#define TW_ACC_4 svfloat32x4_t
#define TW_READ_4(group) svread_za32_f32_vg1x4(group)
#define TW_WRITE_4(group, v) svwrite_za32_f32_vg1x4(group, v)
#define TW_GET_ACC(a, i) svget4_f32(a, i)
#define TW_CREATE_ACC(a, b, c, d) svcreate4_f32(a, b, c, d)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_f32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_f32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY f16f16f16_k2_narrow_sme2
#define TW_LHS float16_t
#define TW_RHS float16_t
#define TW_OUT float16_t
#define TW_K0 2
#define TW_QUAD svfloat16_t
#define TW_LOAD_QUAD(pg, p) svld1rq_f16(pg, p)
#define TW_RHS_4 svfloat16x4_t
#define TW_LOAD_RHS_4(p) svld1_f16_x4(svptrue_c8(), p)
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_f16_vg1x4(group, r, q, lane)
#define TW_ACC svfloat32_t
#define TW_ACC_4 svfloat32x4_t
#define TW_READ_4(group) svread_za32_f32_vg1x4(group)
#define TW_WRITE_4(group, v) svwrite_za32_f32_vg1x4(group, v)
#define TW_GET_ACC(a, i) svget4_f32(a, i)
#define TW_CREATE_ACC(a, b, c, d) svcreate4_f32(a, b, c, d)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) tw_sme_f32_from_f16(p)
#define TW_STORE(p, v) tw_sme_f32_to_f16(p, v)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY bf16bf16f32_k2_narrow_sme2
#define TW_LHS bfloat16_t
#define TW_RHS bfloat16_t
#define TW_OUT float
#define TW_K0 2
#define TW_QUAD svbfloat16_t
#define TW_LOAD_QUAD(pg, p) svld1rq_bf16(pg, p)
#define TW_RHS_4 svbfloat16x4_t
#define TW_LOAD_RHS_4(p) svld1_bf16_x4(svptrue_c8(), p)
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_bf16_vg1x4(group, r, q, lane)
#define TW_ACC svfloat32_t
#define TW_ACC_4 svfloat32x4_t
#define TW_READ_4(group) svread_za32_f32_vg1x4(group)
#define TW_WRITE_4(group, v) svwrite_za32_f32_vg1x4(group, v)
#define TW_GET_ACC(a, i) svget4_f32(a, i)
#define TW_CREATE_ACC(a, b, c, d) svcreate4_f32(a, b, c, d)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_f32(svptrue_b8(), p)
#define TW_STORE(p, v) svst1_f32(svptrue_b8(), p, v)
#include "ukernels/arm_64/sme2_array.h"

#define TW_FAMILY bf16bf16bf16_k2_narrow_sme2
#define TW_LHS bfloat16_t
#define TW_RHS bfloat16_t
#define TW_OUT uint16_t
#define TW_K0 2
#define TW_QUAD svbfloat16_t
#define TW_LOAD_QUAD(pg, p) svld1rq_bf16(pg, p)
#define TW_RHS_4 svbfloat16x4_t
#define TW_LOAD_RHS_4(p) svld1_bf16_x4(svptrue_c8(), p)
#define TW_MULTIPLY(group, r, q, lane) \
  svdot_lane_za32_bf16_vg1x4(group, r, q, lane)
#define TW_ACC svfloat32_t
#define TW_ACC_4 svfloat32x4_t
#define TW_READ_4(group) svread_za32_f32_vg1x4(group)
#define TW_WRITE_4(group, v) svwrite_za32_f32_vg1x4(group, v)
#define TW_GET_ACC(a, i) svget4_f32(a, i)
#define TW_CREATE_ACC(a, b, c, d) svcreate4_f32(a, b, c, d)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) tw_sme_f32_from_bf16(p)
#define TW_STORE(p, v) tw_sme_f32_to_bf16(p, v)
#include "ukernels/arm_64/sme2_array.h"

#endif  // UKERNELS_ARM_64_SME2_FLOAT_ARRAY_H_
