// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 and f64 by fmla with a lane of the lhs.

#ifndef UKERNELS_ARM_64_SVE_F32_H_
#define UKERNELS_ARM_64_SVE_F32_H_

#include "ukernels/arm_64/sve_body.h"

#define TW_FAMILY f32f32f32_k1_sve
#define TW_LHS float
#define TW_RHS float
#define TW_OUT float
#define TW_K0 1
#define TW_ACC svfloat32_t
#define TW_LANES svcntw()
#define TW_VECTORS(vl) (vl)
#define TW_RHS_VECTOR svfloat32_t
#define TW_RHS_LANES svcntw()
#define TW_RHS_VECTORS(vl) (vl)
#define TW_ZERO svdup_n_f32(0)
#define TW_ADD(a, b) svadd_f32_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_f32(svptrue_b8(), p)
#define TW_STORE(p, a) svst1_f32(svptrue_b8(), p, a)
#define TW_LOAD_RHS(p) svld1_f32(svptrue_b8(), p)
#define TW_QUAD svfloat32_t
#define TW_LOAD_QUAD(pg, p) svld1rq_f32(pg, p)
#define TW_QUAD_ROWS 4
#define TW_MULTIPLY(acc, n, q, r) svmla_lane_f32(acc, v##n, q, (r) % 4)
#include "ukernels/arm_64/sve_lanes.h"

#define TW_FAMILY f64f64f64_k1_sve
#define TW_LHS double
#define TW_RHS double
#define TW_OUT double
#define TW_K0 1
#define TW_ACC svfloat64_t
#define TW_LANES svcntd()
#define TW_VECTORS(vl) (vl)
#define TW_RHS_VECTOR svfloat64_t
#define TW_RHS_LANES svcntd()
#define TW_RHS_VECTORS(vl) (vl)
#define TW_ZERO svdup_n_f64(0)
#define TW_ADD(a, b) svadd_f64_x(svptrue_b8(), a, b)
#define TW_LOAD(p) svld1_f64(svptrue_b8(), p)
#define TW_STORE(p, a) svst1_f64(svptrue_b8(), p, a)
#define TW_LOAD_RHS(p) svld1_f64(svptrue_b8(), p)
#define TW_QUAD svfloat64_t
#define TW_LOAD_QUAD(pg, p) svld1rq_f64(pg, p)
#define TW_QUAD_ROWS 2
#define TW_MULTIPLY(acc, n, q, r) svmla_lane_f64(acc, v##n, q, (r) % 2)
#include "ukernels/arm_64/sve_lanes.h"

#endif  // UKERNELS_ARM_64_SVE_F32_H_
