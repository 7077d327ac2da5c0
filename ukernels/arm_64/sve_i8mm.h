// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers by the matrix instructions, and of mixed sign by usdot and
// sudot with a lane of the lhs. LLVM 22 would spill accumulators of smmla's
// widest tile if it were unrolled (but none of bfmmla's).

#ifndef UKERNELS_ARM_64_SVE_I8MM_H_
#define UKERNELS_ARM_64_SVE_I8MM_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_FAMILY s8s8s32_k8_sve_i8mm
#define TW_LHS int8_t
#define TW_RHS int8_t
#define TW_OUT int32_t
#define TW_K0 8
#define TW_RHS_K0 8
#define TW_ACC svint32_t
#define TW_ZERO svdup_n_s32(0)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, a) svst1_s32(svptrue_b8(), p, a)
#define TW_PAIRS(op, a, b) \
  svreinterpret_s32_u64(   \
      op##_u64(svreinterpret_u64_s32(a), svreinterpret_u64_s32(b)))
#define TW_RHS_VECTOR svint8_t
#define TW_LOAD_RHS(p) svld1_s8(svptrue_b8(), p)
#define TW_QUAD svint8_t
#define TW_LOAD_PAIR(p) svld1rq_s8(svptrue_b8(), p)
#define TW_LOAD_SINGLE(p) svreinterpret_s8_u64(tw_sve_splat_8_bytes(p))
#define TW_MULTIPLY(acc, q, v) svmmla_s32(acc, q, v)
#define TW_UNROLL_WIDEST TW_NO_UNROLL
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY u8s8s32_k8_sve_i8mm
#define TW_LHS uint8_t
#define TW_RHS int8_t
#define TW_OUT int32_t
#define TW_K0 8
#define TW_RHS_K0 8
#define TW_ACC svint32_t
#define TW_ZERO svdup_n_s32(0)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, a) svst1_s32(svptrue_b8(), p, a)
#define TW_PAIRS(op, a, b) \
  svreinterpret_s32_u64(   \
      op##_u64(svreinterpret_u64_s32(a), svreinterpret_u64_s32(b)))
#define TW_RHS_VECTOR svint8_t
#define TW_LOAD_RHS(p) svld1_s8(svptrue_b8(), p)
#define TW_QUAD svuint8_t
#define TW_LOAD_PAIR(p) svld1rq_u8(svptrue_b8(), p)
#define TW_LOAD_SINGLE(p) svreinterpret_u8_u64(tw_sve_splat_8_bytes(p))
#define TW_MULTIPLY(acc, q, v) svusmmla_s32(acc, q, v)
#define TW_UNROLL_WIDEST TW_NO_UNROLL
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY u8u8s32_k8_sve_i8mm
#define TW_LHS uint8_t
#define TW_RHS uint8_t
#define TW_OUT uint32_t
#define TW_K0 8
#define TW_RHS_K0 8
#define TW_ACC svuint32_t
#define TW_ZERO svdup_n_u32(0)
#define TW_ADD(a, b) svadd_u32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_u32(svptrue_b8(), p)
#define TW_STORE(p, a) svst1_u32(svptrue_b8(), p, a)
#define TW_PAIRS(op, a, b) \
  svreinterpret_u32_u64(   \
      op##_u64(svreinterpret_u64_u32(a), svreinterpret_u64_u32(b)))
#define TW_RHS_VECTOR svuint8_t
#define TW_LOAD_RHS(p) svld1_u8(svptrue_b8(), p)
#define TW_QUAD svuint8_t
#define TW_LOAD_PAIR(p) svld1rq_u8(svptrue_b8(), p)
#define TW_LOAD_SINGLE(p) svreinterpret_u8_u64(tw_sve_splat_8_bytes(p))
#define TW_MULTIPLY(acc, q, v) svmmla_u32(acc, q, v)
#define TW_UNROLL_WIDEST TW_NO_UNROLL
#include "ukernels/arm_64/sve_mmla.h"

#define TW_FAMILY u8s8s32_k4_sve_i8mm
#define TW_LHS uint8_t
#define TW_RHS int8_t
#define TW_OUT int32_t
#define TW_K0 4
#define TW_ACC svint32_t
#define TW_LANES svcntw()
#define TW_VECTORS(vl) (vl)
#define TW_RHS_VECTOR svint8_t
#define TW_RHS_LANES svcntw()
#define TW_RHS_VECTORS(vl) (vl)
#define TW_ZERO svdup_n_s32(0)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, a) svst1_s32(svptrue_b8(), p, a)
#define TW_LOAD_RHS(p) svld1_s8(svptrue_b8(), p)
#define TW_QUAD svuint8_t
#define TW_LOAD_QUAD(pg, p) svld1rq_u8(pg, p)
#define TW_QUAD_ROWS 4
#define TW_MULTIPLY(acc, n, q, r) svsudot_lane_s32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY s8u8s32_k4_sve_i8mm
#define TW_LHS int8_t
#define TW_RHS uint8_t
#define TW_OUT int32_t
#define TW_K0 4
#define TW_ACC svint32_t
#define TW_LANES svcntw()
#define TW_VECTORS(vl) (vl)
#define TW_RHS_VECTOR svuint8_t
#define TW_RHS_LANES svcntw()
#define TW_RHS_VECTORS(vl) (vl)
#define TW_ZERO svdup_n_s32(0)
#define TW_ADD(a, b) svadd_s32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_s32(svptrue_b8(), p)
#define TW_STORE(p, a) svst1_s32(svptrue_b8(), p, a)
#define TW_LOAD_RHS(p) svld1_u8(svptrue_b8(), p)
#define TW_QUAD svint8_t
#define TW_LOAD_QUAD(pg, p) svld1rq_s8(pg, p)
#define TW_QUAD_ROWS 4
#define TW_MULTIPLY(acc, n, q, r) svusdot_lane_s32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_I8MM_H_
