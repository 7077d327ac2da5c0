// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers by sdot and udot with a lane of the lhs.

#ifndef UKERNELS_ARM_64_SVE_S8_H_
#define UKERNELS_ARM_64_SVE_S8_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_FAMILY s8s8s32_k4_sve
#define TW_LHS int8_t
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
#define TW_QUAD svint8_t
#define TW_LOAD_QUAD(pg, p) svld1rq_s8(pg, p)
#define TW_QUAD_ROWS 4
#define TW_MULTIPLY(acc, n, q, r) svdot_lane_s32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY u8u8s32_k4_sve
#define TW_LHS uint8_t
#define TW_RHS uint8_t
#define TW_OUT uint32_t
#define TW_K0 4
#define TW_ACC svuint32_t
#define TW_LANES svcntw()
#define TW_VECTORS(vl) (vl)
#define TW_RHS_VECTOR svuint8_t
#define TW_RHS_LANES svcntw()
#define TW_RHS_VECTORS(vl) (vl)
#define TW_ZERO svdup_n_u32(0)
#define TW_ADD(a, b) svadd_u32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_u32(svptrue_b8(), p)
#define TW_STORE(p, a) svst1_u32(svptrue_b8(), p, a)
#define TW_LOAD_RHS(p) svld1_u8(svptrue_b8(), p)
#define TW_QUAD svuint8_t
#define TW_LOAD_QUAD(pg, p) svld1rq_u8(pg, p)
#define TW_QUAD_ROWS 4
#define TW_MULTIPLY(acc, n, q, r) svdot_lane_u32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_S8_H_
